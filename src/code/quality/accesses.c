/* How addresses move from iteration to iteration: motion.c follows them, this file turns them into patterns.

   Accesses whose addresses are a constant distance apart and move in the same way are one stream: the copies
   of an access in an unrolled loop, the members of a structure, the two parts of a complex number. A stream
   has stride one if its accesses together leave no gap from one iteration to the next, in either direction;
   so has a single access that is at least as wide as its step. Accesses further apart than a step are
   separate streams: they fill each other's gaps only much later.

   Gathers and scatters are indirect unless their indices step or stay: then they walk through an array like
   other accesses, but never with stride one. The accesses of calls and returns to the stack are left out. */
#include "code/quality/motion/motion.h"

#include <stddef.h>
#include <stdlib.h>

struct stepping {
    const struct motion_reference *reference;
    struct subject_access *access;
};

static int compare_numbers(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

/* By stream, then by place. */
static int compare_stepping(const void *left, const void *right)
{
    const struct motion_reference *one = ((const struct stepping *)left)->reference,
                                  *other = ((const struct stepping *)right)->reference;
    int order = compare_numbers(one->motion.step, other->motion.step);
    if (!order)
        order = compare_numbers(one->place.count, other->place.count);
    for (unsigned i = 0; !order && i < one->place.count; i++) {
        order = compare_numbers(one->place.terms[i].symbol, other->place.terms[i].symbol);
        if (!order)
            order = compare_numbers(one->place.terms[i].factor, other->place.terms[i].factor);
    }
    if (!order)
        order = compare_numbers(one->place.constant, other->place.constant);
    if (!order)
        order = compare_numbers(one->item, other->item);
    return order ? order : compare_numbers(one->position, other->position);
}

static uint64_t distance(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* Whether the accesses of a stream cover every byte of a step: their places modulo the step, put in order,
   leave no gap. Only short steps are checked byte by byte; a few accesses cannot cover a long one. */
static bool is_covered(const struct stepping *stream, size_t count, uint64_t step)
{
    enum { LONGEST_STEP = 4096 };
    uint8_t bytes[LONGEST_STEP] = {0};
    uint64_t left = step;
    if (step > LONGEST_STEP)
        return false;
    for (size_t i = 0; i < count && left; i++) {
        int64_t place = stream[i].reference->place.constant % (int64_t)step;
        uint64_t at = (uint64_t)(place < 0 ? place + (int64_t)step : place);
        for (unsigned k = 0; k < stream[i].access->bytes && left; k++, at = at + 1 == step ? 0 : at + 1) {
            left -= !bytes[at];
            bytes[at] = 1;
        }
    }
    return !left;
}

/* Whether an access belongs to the stream of the one before it. */
static bool is_near(const struct stepping *before, const struct stepping *after)
{
    const struct motion_reference *one = before->reference, *other = after->reference;
    return one->motion.step == other->motion.step && motion_is_apart(&one->place, &other->place) &&
           (uint64_t)other->place.constant - (uint64_t)one->place.constant <= distance(one->motion.step);
}

static void name_streams(struct stepping *stepping, size_t count)
{
    qsort(stepping, count, sizeof *stepping, compare_stepping);
    for (size_t first = 0, end; first < count; first = end) {
        uint64_t step = distance(stepping[first].reference->motion.step);
        for (end = first + 1; end < count && is_near(&stepping[end - 1], &stepping[end]);)
            end++;
        bool is_dense = end - first > 1 && is_covered(&stepping[first], end - first, step);
        for (size_t i = first; i < end; i++)
            stepping[i].access->pattern = is_dense || stepping[i].access->bytes >= step
                                              ? access_pattern_STRIDE_ONE
                                              : access_pattern_CONSTANT_STRIDE;
    }
}

/* Rows of stack_accesses are mostly in the order of the instructions. */
static bool is_stack(const struct model *model, uint32_t instruction, bool stores, size_t *hint)
{
    const struct array *table = &model->stack_accesses;
    enum { NEAR = 4 };
    size_t at = *hint;
    if (at && at <= table->count && model_stack_access(model, (uint32_t)at - 1)->instruction >= instruction)
        at = table->count + 1; /* after it: search */
    for (unsigned i = 0;
         i < NEAR && at < table->count && model_stack_access(model, (uint32_t)at)->instruction < instruction;
         i++)
        at++;
    if (at > table->count ||
        (at < table->count && model_stack_access(model, (uint32_t)at)->instruction < instruction))
        at = array_first_not_below(table, 0, offsetof(struct stack_access, instruction), instruction);
    *hint = at;
    for (; at < table->count; at++) {
        const struct stack_access *row = model_stack_access(model, (uint32_t)at);
        if (row->instruction != instruction)
            return false;
        if (row->is_store == stores)
            return true;
    }
    return false;
}

/* Bytes of scalable vectors are those of the shortest ones in the tables. */
static uint16_t bytes_of(const struct subject *subject, const struct subject_item *item, unsigned bytes)
{
    enum { SHORTEST = 128 };
    unsigned length = subject->machine->core.vector_bits;
    return (uint16_t)(item->row->is_scalable && item->row->is_vector && length > SHORTEST &&
                              bytes * 8 > item->element_bits
                          ? bytes * (length / SHORTEST)
                          : bytes);
}

static enum access_pattern pattern_of(const struct subject_item *item, const struct motion *motion)
{
    bool is_gather = item->row->class == class_GATHER || item->row->class == class_SCATTER;
    switch (motion->kind) {
    case motion_STILL:
        return access_pattern_INVARIANT;
    case motion_STEPS:
    case motion_STRIDES:
        return access_pattern_CONSTANT_STRIDE;
    default:
        return motion->is_loaded || is_gather ? access_pattern_INDIRECT : access_pattern_UNKNOWN;
    }
}

static unsigned fill(const struct subject *subject, const struct motion_reference *references, unsigned count,
                     struct subject_access *rows)
{
    struct stepping *stepping = arena_get(subject->arena, (count + 1) * sizeof *stepping);
    size_t stepping_count = 0, hint = SIZE_MAX;
    unsigned row_count = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct motion_reference *reference = &references[i];
        const struct subject_item *item = &subject->items[reference->item];
        const struct cost_access *access = &ARRAY_AT(struct cost_item, &subject->work->items, reference->item)
                                                ->cost->accesses[reference->position];
        if (item->row->flow == flow_CALL || item->row->flow == flow_RETURN)
            continue;
        struct subject_access *row = &rows[row_count++];
        bool is_gather = item->row->class == class_GATHER || item->row->class == class_SCATTER;
        *row = (struct subject_access){
            .item = reference->item,
            .position = (uint8_t)(reference->position + 1),
            .pattern = pattern_of(item, &reference->motion),
            .bytes = bytes_of(subject, item, access->bytes),
            .loads = access->loads,
            .stores = access->stores,
            .is_stack = is_stack(subject->model, item->instruction, access->stores, &hint)};
        if (row->pattern != access_pattern_CONSTANT_STRIDE)
            continue;
        row->stride = reference->motion.step;
        if (reference->motion.kind == motion_STEPS && !is_gather)
            stepping[stepping_count++] = (struct stepping){reference, row};
    }
    name_streams(stepping, stepping_count);
    return row_count;
}

/* Whether code outside the loop may help: for an unknown stride, or several streams of the same stride with
 * gaps. */
static bool is_worth_more(const struct subject_access *rows, unsigned count)
{
    const struct subject_access *first = NULL;
    bool is_alone = true;
    for (unsigned i = 0; i < count; i++) {
        if (rows[i].pattern != access_pattern_CONSTANT_STRIDE)
            continue;
        if (!rows[i].stride)
            return true;
        is_alone &= !first || first->stride != rows[i].stride;
        first = &rows[i];
    }
    return first && !is_alone;
}

void subject_find_accesses(const struct subject *subject, struct array *accesses)
{
    unsigned count;
    const struct motion_reference *references = motion_follow(subject, &count);
    struct subject_access *rows = array_add_many(accesses, count);
    accesses->count = fill(subject, references, count, rows);
    if (is_worth_more(rows, (unsigned)accesses->count)) {
        references = motion_follow_further(subject, &count);
        fill(subject, references, count, rows);
    }
}
