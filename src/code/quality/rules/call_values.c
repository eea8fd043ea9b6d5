#include "code/quality/rules/call_values.h"

#include <string.h>

void call_registers_find(const struct subject *subject, struct call_registers *registers)
{
    static const char *const x86[] = {"rax", "xmm0", "rdi", "rsi", "rdx", "rcx"};
    static const char *const arm[] = {"x0", "d0", "x0", "x1", "x2", "x3"};
    const struct model *model = subject->model;
    uint32_t *const slots[] = {&registers->result,       &registers->float_result, &registers->arguments[0],
                               &registers->arguments[1], &registers->arguments[2], &registers->arguments[3]};
    enum isa isa = model_encoding(model, subject->items[0].encoding)->isa;
    *registers = (struct call_registers){0};
    if (isa != isa_X86_64 && isa != isa_AARCH64)
        return;
    for (uint32_t row = 1; row < model->registers.count; row++) {
        const struct register_ *reg = model_register(model, row);
        const char *name = reg->isa == isa ? model_text(model, reg->name) : NULL;
        for (unsigned i = 0; name && i < sizeof slots / sizeof *slots; i++)
            if (!strcmp(name, (isa == isa_X86_64 ? x86 : arm)[i]))
                *slots[i] = reg->full;
    }
}

static bool has_use(const struct subject *subject, unsigned item, uint32_t full,
                    bool (*is_wanted)(const struct register_use *))
{
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++)
        if (is_wanted(&row->uses[u]) && model_full_register(subject->model, row->uses[u].register_) == full)
            return true;
    return false;
}

bool call_reads(const struct subject *subject, unsigned item, uint32_t full)
{
    return has_use(subject, item, full, value_is_read);
}

static bool call_writes(const struct subject *subject, unsigned item, uint32_t full)
{
    return has_use(subject, item, full, value_is_written);
}

/* The register that a copy writes, also one without some bits; 0 if the item is something else. */
static uint32_t copied_to(const struct subject *subject, unsigned item)
{
    const struct subject_item *row = &subject->items[item];
    enum operation operation = row->row->operation;
    bool is_copy = operation == operation_COPY || operation == operation_EXTEND ||
                   operation == operation_AND || operation == operation_EXTRACT;
    if (!is_copy || row->row->load_bytes || row->row->store_bytes)
        return 0;
    for (unsigned u = 0; u < row->use_count; u++)
        if (value_is_written(&row->uses[u]) &&
            model_register(subject->model, row->uses[u].register_)->kind != register_kind_FLAGS)
            return model_full_register(subject->model, row->uses[u].register_);
    return 0;
}

uint32_t call_result_reader(const struct subject *subject, unsigned call, uint32_t result)
{
    for (unsigned i = call + 1; result && i < subject->item_count; i++) {
        if (call_reads(subject, i, result)) {
            uint32_t copy = copied_to(subject, i);
            if (!copy)
                return i;
            result = copy;
        } else if (call_writes(subject, i, result) || subject->items[i].row->flow == flow_CALL) {
            return VALUE_OUTSIDE;
        }
    }
    return VALUE_OUTSIDE;
}

uint32_t call_argument_writer(const struct subject *subject, unsigned call, uint32_t argument)
{
    for (unsigned i = call; argument && i-- > 0;) {
        if (call_writes(subject, i, argument))
            return i;
        if (subject->items[i].row->flow == flow_CALL)
            return VALUE_OUTSIDE;
    }
    return VALUE_OUTSIDE;
}
