#include "code/quality/rules/flags.h"

#include "code/quality/rules/around.h"
#include "code/quality/values.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool flags_are_known(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return compiler->flags && compiler->language != language_OTHER && compiler->language != language_ASSEMBLY;
}

bool flags_matter(const struct subject *subject)
{
    return flags_are_known(subject) && subject_is_timed(subject) && !subject_is_aside(subject);
}

double flags_vector_speedup(const struct subject *subject)
{
    double cycles = subject->metric->cycles_vectorised;
    return subject_is_timed(subject) && cycles > 0 ? subject->path->cycles / cycles : 0;
}

/* With AVX, or with SVE, whose vectors have any length. */
bool flags_is_beyond_baseline(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->is_scalable || item->row->vector_bits > 128)
            return true;
        if (item->row->is_avx && (item->is_fp || item->row->is_vector))
            return true;
    }
    return false;
}

bool flags_has_vectors(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorised &&
            subject->items[i].is_vectorisable)
            return true;
    return false;
}

bool flags_name(const struct subject *subject, const char *option)
{
    size_t length = strlen(option);
    const char *flags = subject->compiler->flags;
    for (const char *at = flags; at && (at = strstr(at, option)); at += length)
        if ((at == flags || at[-1] == ' ') && (!at[length] || at[length] == ' ' || at[length] == '='))
            return true;
    return false;
}

/* If only the code shows it: one instruction in this many accesses the stack, and a variable is loaded at
   least twice in an iteration. */
enum { LEAST_SHARE = 4, LEAST_LOADS = 2, MOST_SLOTS = 64 };

/* A variable that is loaded at each of its uses, and stored: the counter at least. */
static bool reloads_variable(const struct subject *subject)
{
    const struct model *model = subject->model;
    struct slot {
        int64_t offset;
        unsigned loads, stores;
    } slots[MOST_SLOTS];
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t instruction = subject->items[i].instruction;
        size_t at = array_first_not_below(&model->stack_accesses, 0,
                                          offsetof(struct stack_access, instruction), instruction);
        for (; at < model->stack_accesses.count; at++) {
            const struct stack_access *access = model_stack_access(model, (uint32_t)at);
            unsigned k = 0;
            if (access->instruction != instruction)
                break;
            while (k < count && slots[k].offset != access->offset)
                k++;
            if (k == MOST_SLOTS)
                continue;
            if (k == count)
                slots[count++] = (struct slot){.offset = access->offset};
            slots[k].loads += subject->items[i].row->load_bytes != 0;
            slots[k].stores += subject->items[i].row->store_bytes != 0;
        }
    }
    for (unsigned k = 0; k < count; k++)
        if (slots[k].loads >= LEAST_LOADS && slots[k].stores)
            return true;
    return false;
}

/* Registers that point to the variables of a function, and registers that calls preserve, which only
   optimised code uses. */
static const char *const frames[] = {"rsp", "rbp", "esp", "ebp", "sp", "x29", "xzr", NULL};
static const char *const kept[] = {"r12", "r13", "r14", "r15", "x21", "x22", "x23",
                                   "x24", "x25", "x26", "x27", "x28", NULL};

static bool is_one_of(const struct model *model, uint32_t id, const char *const *names)
{
    const char *name = model_text(model, model_register(model, model_full_register(model, id))->name);
    for (; name && *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

/* Whether the function uses registers that calls preserve, anywhere. */
static bool keeps_values(const struct subject *subject)
{
    const struct model *model = subject->model;
    const struct function *function = model_function(model, model_loop(model, subject->loop)->function);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct block *block = model_block(model, function->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            struct subject_item item;
            subject_item_take(model, &item, block->first_instruction + i);
            for (unsigned u = 0; u < item.use_count; u++)
                if (is_one_of(model, item.uses[u].register_, kept))
                    return true;
        }
    }
    return false;
}

static bool looks_unoptimised(const struct subject *subject)
{
    struct values values;
    if (subject->metric->x87_count ||
        subject->metric->stack_reference_count * LEAST_SHARE < subject->item_count ||
        !reloads_variable(subject))
        return false;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned u = 0; u < item->use_count; u++) {
            const struct register_ *row = model_register(subject->model, item->uses[u].register_);
            bool is_value = row->kind == register_kind_GENERAL || row->kind == register_kind_VECTOR;
            struct value_source source = values_source(&values, i, u);
            /* A partial write also reads the old value. */
            if (is_value && value_is_read(&item->uses[u]) && !item->uses[u].keeps_rest &&
                (source.item == VALUE_OUTSIDE || source.is_earlier) &&
                !is_one_of(subject->model, item->uses[u].register_, frames))
                return false;
        }
    }
    return !keeps_values(subject) && !around_returns_twice(subject);
}

bool flags_look_unoptimised(const struct subject *subject)
{
    if (!subject->look)
        return looks_unoptimised(subject);
    if (*subject->look == look_UNKNOWN)
        *subject->look = looks_unoptimised(subject) ? look_UNOPTIMISED : look_OPTIMISED;
    return *subject->look == look_UNOPTIMISED;
}
