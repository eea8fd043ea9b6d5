/* How many registers there are is a fact of the instruction set. A call on any path of the loop changes most
   of them, so values that live in the whole loop can only be in those that calls preserve; there, a register
   is free if the whole function does not name it, since a function saves what it uses. The stack pointer
   holds no value, nor does the register that always reads zero; frame and platform registers count as free,
   because compilers use them in loops. Only 16 of the 32 vector registers of AVX-512 count, unless the code
   names others: code that was not compiled for them cannot use them. */
#include "code/quality/rules/spare.h"

#include "code/quality/rules/around.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PRESERVED = 20 };

static const struct {
    enum isa isa;
    unsigned general, vector, long_vector;
    const char *preserved[MOST_PRESERVED]; /* by calls; of vector registers the first 64 bits */
} counts[] = {
    {isa_X86_64, 15, 16, 32, {"rbx", "rbp", "r12", "r13", "r14", "r15"}},
    {isa_I386, 7, 8, 8, {"ebx", "ebp", "esi", "edi"}},
    {isa_AARCH64,
     30,
     32,
     32,
     {"x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "v8", "v9", "v10", "v11", "v12",
      "v13", "v14", "v15"}},
};

/* Whether instructions of the path name vector registers beyond the first 16, or vectors of 512 bits. */
static bool uses_all(const struct subject *subject)
{
    enum { FEW = 16, LONG_VECTOR = 512 };
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->vector_bits >= LONG_VECTOR)
            return true;
        for (unsigned u = 0; u < item->use_count; u++) {
            const struct register_ *row = model_register(subject->model, item->uses[u].register_);
            const char *name = model_text(subject->model, row->name);
            if (row->kind != register_kind_VECTOR || !name)
                continue;
            if (strtoul(name + strcspn(name, "0123456789"), NULL, 10) >= FEW)
                return true;
        }
    }
    return false;
}

static const char *const *preserved_names(const struct subject *subject)
{
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].isa == subject->items[0].row->isa)
            return counts[i].preserved;
    return none;
}

/* The position of a register among the preserved ones of its kind; MOST_PRESERVED: it is none. */
static unsigned preserved_at(const struct model *model, uint32_t id, enum register_kind kind,
                             const char *const *names)
{
    const struct register_ *row = model_register(model, id);
    const char *name = model_text(model, model_register(model, row->full ? row->full : id)->name);
    for (unsigned i = 0; name && row->kind == kind && i < MOST_PRESERVED && names[i]; i++)
        if (!strcmp(name, names[i]))
            return i;
    return MOST_PRESERVED;
}

static unsigned preserved_registers(const struct subject *subject, enum register_kind kind)
{
    const char *const *names = preserved_names(subject);
    unsigned count = 0;
    for (unsigned i = 0; i < MOST_PRESERVED && names[i]; i++)
        count += (names[i][0] == 'v') == (kind == register_kind_VECTOR);
    return count;
}

/* Registers that calls preserve and the function does not name. */
static unsigned spare_preserved(const struct subject *subject, enum register_kind kind)
{
    const struct model *model = subject->model;
    const char *const *names = preserved_names(subject);
    const struct function *function = model_function(model, model_loop(model, subject->loop)->function);
    bool is_named[MOST_PRESERVED + 1] = {false};
    unsigned count = preserved_registers(subject, kind);
    for (uint32_t b = 0; b < function->block_count && count; b++) {
        const struct block *block = model_block(model, function->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            struct subject_item item;
            subject_item_take(model, &item, block->first_instruction + i);
            for (unsigned u = 0; u < item.use_count; u++) {
                unsigned at = preserved_at(model, item.uses[u].register_, kind, names);
                count -= at < MOST_PRESERVED && !is_named[at];
                is_named[at] = true;
            }
        }
    }
    return count;
}

/* The registers of a kind that code of this instruction set can use for values. */
static unsigned all_registers(const struct subject *subject, enum register_kind kind)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].isa != subject->items[0].row->isa)
            continue;
        if (kind == register_kind_GENERAL)
            return counts[i].general;
        if (kind == register_kind_VECTOR)
            return uses_all(subject) ? counts[i].long_vector : counts[i].vector;
    }
    return 0;
}

unsigned spare_registers(const struct subject *subject, enum register_kind kind)
{
    if (around_calls(subject))
        return spare_preserved(subject, kind);
    const struct loop_metric *metric = subject->metric;
    int32_t pressure = kind == register_kind_GENERAL ? metric->general_pressure : metric->vector_pressure;
    unsigned all = all_registers(subject, kind);
    if (pressure == NO_NUMBER || pressure < 0 || (unsigned)pressure >= all)
        return 0;
    return all - (unsigned)pressure;
}

void spare_say(const struct subject *subject, enum register_kind kind, struct remark *remark)
{
    const char *name = kind == register_kind_GENERAL ? "general" : "vector";
    bool calls = around_calls(subject);
    remark_say(remark, "%u of %u %s registers%s are unused", spare_registers(subject, kind),
               calls ? preserved_registers(subject, kind) : all_registers(subject, kind), name,
               calls ? " that calls preserve" : "");
}
