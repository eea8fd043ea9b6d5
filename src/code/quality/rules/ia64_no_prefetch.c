/* Streams of loads for which nothing is prefetched.

   A stream is an origin: the value that an address register had before the loop, followed back through
   copies and additions of constants. So the copies of an access in an unrolled loop, and a prefetch some
   lines ahead of a load, have the origin of their array. */
#include "code/quality/rules/ia64.h"

#include <stddef.h>
#include <stdlib.h>

enum { MOST_STREAMS = 64, MOST_STEPS = 32 };

struct stream_origin {
    uint32_t definition, register_; /* 0: the value at the function's entry */
};

struct streams {
    struct stream_origin of[MOST_STREAMS];
    bool is_prefetched[MOST_STREAMS];
    unsigned first[MOST_STREAMS]; /* item of a load */
    unsigned count;
};

/* The register that a copy or an addition of a constant starts from; 0: it is something else. */
static uint32_t source_of(const struct model *model, uint32_t instruction)
{
    uint32_t encoding = model_instruction(model, instruction)->encoding, source = 0;
    const struct encoding *row = model_encoding(model, encoding);
    if (row->load_bytes || row->store_bytes || (row->class != class_MOVE && row->class != class_ADD))
        return 0;
    for (uint32_t k =
             array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
         k < model->operands.count && model_operand(model, k)->encoding == encoding; k++) {
        const struct operand *operand = model_operand(model, k);
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ))
            continue;
        if (source)
            return 0;
        source = model_register(model, operand->register_)->full;
    }
    return source && model_register(model, source)->kind == register_kind_GENERAL ? source : 0;
}

/* Whether an instruction moves a register on: a load or store that steps its address, an addition to
   itself. */
static bool advances(const struct model *model, uint32_t instruction, uint32_t register_row)
{
    uint32_t encoding = model_instruction(model, instruction)->encoding;
    bool is_read = false, is_written = false, is_result = false;
    for (uint32_t k =
             array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
         k < model->operands.count && model_operand(model, k)->encoding == encoding; k++) {
        const struct operand *operand = model_operand(model, k);
        is_result |= operand->kind == operand_kind_REGISTER && operand->access == access_WRITE &&
                     model_register(model, operand->register_)->full == register_row;
    }
    for (uint32_t k = array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding),
                                            encoding);
         k < model->register_uses.count && model_register_use(model, k)->encoding == encoding; k++) {
        const struct register_use *use = model_register_use(model, k);
        if (model_register(model, use->register_)->full != register_row)
            continue;
        is_read |= use->access != access_WRITE;
        is_written |= use->access != access_READ;
    }
    bool is_load = model_encoding(model, encoding)->load_bytes && is_result;
    return is_read && is_written && !is_load;
}

/* The one definition of a register, before instructions that only move it on; false: there are several. */
static bool find_definition(const struct model *model, struct stream_origin *origin, uint32_t use)
{
    uint32_t waiting[MOST_STEPS] = {use}, found = 0;
    unsigned count = 1;
    bool is_entry = false;
    for (unsigned next = 0; next < count; next++)
        for (size_t i =
                 array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), waiting[next]);
             i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == waiting[next]; i++) {
            const struct def_use *row = model_def_use(model, (uint32_t)i);
            unsigned known = 0;
            if (row->register_ != origin->register_)
                continue;
            is_entry |= row->is_entry_too;
            if (!advances(model, row->definition, origin->register_)) {
                if (found && found != row->definition)
                    return false;
                found = row->definition;
                continue;
            }
            while (known < count && waiting[known] != row->definition)
                known++;
            if (known == count && count == MOST_STEPS)
                return false;
            if (known == count)
                waiting[count++] = row->definition;
        }
    origin->definition = found;
    return !(found && is_entry);
}

static bool find_origin(const struct subject *subject, uint32_t instruction, uint32_t base,
                        struct stream_origin *origin)
{
    uint32_t use = instruction;
    origin->register_ = model_register(subject->model, base)->full;
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        if (!find_definition(subject->model, origin, use))
            return false;
        uint32_t source = origin->definition ? source_of(subject->model, origin->definition) : 0;
        if (!source)
            return true;
        use = origin->definition;
        origin->register_ = source;
    }
    return true;
}

static int find_stream(const struct streams *streams, struct stream_origin origin)
{
    for (unsigned i = 0; i < streams->count; i++)
        if (streams->of[i].definition == origin.definition && streams->of[i].register_ == origin.register_)
            return (int)i;
    return -1;
}

static bool moves(const struct subject_access *access)
{
    return access->loads && !access->is_stack && access->stride &&
           (access->pattern == access_pattern_STRIDE_ONE ||
            access->pattern == access_pattern_CONSTANT_STRIDE);
}

static void list_streams(const struct subject *subject, struct streams *streams)
{
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_item *item = &subject->items[subject->accesses[i].item];
        const struct operand *memory = subject_item_memory(item);
        struct stream_origin origin;
        if (!moves(&subject->accesses[i]) || !memory || !memory->base_register ||
            streams->count == MOST_STREAMS ||
            !find_origin(subject, item->instruction, memory->base_register, &origin) ||
            find_stream(streams, origin) >= 0)
            continue;
        streams->first[streams->count] = subject->accesses[i].item;
        streams->of[streams->count++] = origin;
    }
}

/* Returns whether there is a prefetch of an unknown stream: then nobody can say what is missing. */
static bool mark_prefetched(const struct subject *subject, struct streams *streams, unsigned *prefetches)
{
    bool is_unknown = false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->class != class_PREFETCH)
            continue;
        (*prefetches)++;
        struct stream_origin origin;
        uint32_t base = 0;
        for (unsigned k = 0; k < item->operand_count; k++)
            if (item->operands[k].base_register)
                base = item->operands[k].base_register;
        if (!base || !find_origin(subject, item->instruction, base, &origin)) {
            is_unknown = true;
            continue;
        }
        int stream = find_stream(streams, origin);
        if (stream >= 0)
            streams->is_prefetched[stream] = true;
    }
    return is_unknown;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct streams streams = {.count = 0};
    unsigned prefetches = 0, missing = 0;
    char buffer[64];
    if (!ia64_matters(subject))
        return false;
    list_streams(subject, &streams);
    if (!streams.count || mark_prefetched(subject, &streams, &prefetches))
        return false;
    for (unsigned i = 0; i < streams.count; i++)
        if (!streams.is_prefetched[i]) {
            missing++;
            remark_point(remark, streams.first[i]);
        }
    if (!missing)
        return false;
    if (prefetches)
        remark_say(remark, "Of %u streams of loads, %u %s not prefetched.", streams.count, missing,
                   missing == 1 ? "is" : "are");
    else
        remark_say(
            remark, "%s through memory, and nothing is prefetched.",
            remark_count(buffer, sizeof buffer, missing, "stream of loads walks", "streams of loads walk"));
    return true;
}

const struct rule rule_ia64_no_prefetch = {
    .name = "ia64-no-prefetch",
    .title = "Itanium: loads that walk through memory are not prefetched",
    .meaning =
        "Itanium 2 does not see by itself that a loop walks through an array. Unless lfetch asks for a line "
        "some iterations ahead, each new line is a miss, and all instructions after the first one that "
        "needs it wait. With data in the caches a prefetch brings nothing, so there is no figure.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-fprefetch-loop-arrays", "Compile with -fprefetch-loop-arrays.",
                  action_PREFETCH},
                 {audience_INTEL, NULL,
                  "Compile with -O3 (and without -no-opt-prefetch), or put #pragma prefetch before the loop.",
                  action_PREFETCH},
                 {audience_C, NULL, "Call __builtin_prefetch(&a[i + distance]) once for each line.",
                  action_PREFETCH},
                 {0}},
    .find = find,
};
