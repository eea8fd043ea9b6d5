/* An exit compares something that moves by a constant with something that stays. If both start from the same
   values before the loop, their distance divided by the step is the number of iterations:

       for (i = 0; i < 1024; i++)        a counter and a constant
       end = p + 1024; while (p != end)  two pointers
       n = 64; do … while (--n)          a counter that ends at 0

   Exits that compare data, or anything else that cannot be followed, do not count. */
#include "code/quality/motion/trips.h"

#include "code/quality/motion/motion.h"
#include "code/quality/trips.h"
#include "code/quality/values.h"

#include <math.h>
#include <stddef.h>

enum { MOST_EXITS = 4 };
static const double MOST_COUNTED = 1e15; /* of an entry: more is no count */

bool motion_leaves_loop(const struct subject *subject, uint32_t item)
{
    const struct model *model = subject->model;
    uint32_t block = model_instruction(model, subject->items[item].instruction)->block;
    for (size_t i = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
         i < model->edges.count && model_edge(model, (uint32_t)i)->source == block; i++)
        if (model_block(model, model_edge(model, (uint32_t)i)->target)->loop != subject->loop)
            return true;
    return false;
}

/* The instruction whose flags, or the register that a branch depends on; item_count for none. */
static uint32_t compared_by(const struct values *values, uint32_t branch, bool *is_flag)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[branch];
    for (unsigned use = 0; use < row->use_count; use++) {
        if (!value_is_read(&row->uses[use]))
            continue;
        unsigned kind = model_register(subject->model, row->uses[use].register_)->kind;
        struct value_source source = values_source(values, branch, use);
        *is_flag = kind == register_kind_FLAGS;
        if (kind == register_kind_GENERAL)
            return branch;
        if (*is_flag && source.item != VALUE_OUTSIDE && !source.is_earlier)
            return source.item;
    }
    return subject->item_count;
}

/* What is compared: two operands of a comparison, or one of something else with zero. */
static bool sides_of(const struct subject_item *item, bool is_flag, struct motion_watch *watch)
{
    const struct operand *read[2] = {NULL}, *written = NULL;
    unsigned reads = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        bool is_value = operand->kind == operand_kind_REGISTER || operand->kind == operand_kind_IMMEDIATE;
        if (operand->kind == operand_kind_MEMORY)
            return false;
        if (is_value && operand->access & access_READ && reads++ < 2)
            read[reads - 1] = operand;
        if (operand->kind == operand_kind_REGISTER && operand->access & access_WRITE)
            written = operand;
    }
    watch->is_negated = item->row->operation == operation_COMPARE_NEGATED;
    if ((item->row->operation == operation_COMPARE || watch->is_negated) && !written) {
        watch->left = read[0];
        watch->right = read[1];
        return reads == 2 && (!watch->is_negated || read[1]->kind == operand_kind_IMMEDIATE);
    }
    watch->is_after = is_flag;
    if (is_flag && !written) { /* test eax, eax */
        watch->left = read[0];
        return reads == 2 && read[0]->kind == operand_kind_REGISTER &&
               read[1]->kind == operand_kind_REGISTER && read[0]->register_ == read[1]->register_;
    }
    watch->left = is_flag ? written : read[0];
    return watch->left && watch->left->kind == operand_kind_REGISTER;
}

int64_t motion_trips(const struct subject *subject)
{
    struct motion_watch watches[MOST_EXITS] = {0};
    uint32_t branches[MOST_EXITS];
    unsigned count = 0;
    int64_t trips = 0;
    struct values values;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count && count < MOST_EXITS; i++) {
        bool is_flag = false;
        if (subject->items[i].row->flow != flow_BRANCH || !motion_leaves_loop(subject, i))
            continue;
        uint32_t item = compared_by(&values, i, &is_flag);
        if (item == subject->item_count || !sides_of(&subject->items[item], is_flag, &watches[count]))
            continue;
        branches[count] = i;
        watches[count++].item = item;
    }
    if (!count)
        return 0;
    motion_follow_watched(subject, watches, count);
    for (unsigned i = 0; i < count; i++) {
        enum condition condition = (enum condition)subject->items[branches[i]].row->condition;
        bool is_last = branches[i] + 1 == subject->item_count;
        int64_t by_this =
            watches[i].is_known ? trips_between(watches[i].distance, watches[i].step, condition, is_last) : 0;
        if (by_this && (!trips || by_this < trips))
            trips = by_this;
    }
    return trips;
}

double motion_counted_trips(const struct model *model, uint32_t loop)
{
    const struct array *table = &model->run_loops;
    size_t at = array_first_not_below(table, 0, offsetof(struct run_loop, loop), loop);
    const struct run_loop *row = at < table->count ? model_run_loop(model, (uint32_t)at) : NULL;
    if (!row || row->loop != loop)
        return NAN;
    double entries = (double)(row->entries ? row->entries : row->seen_entries);
    double iterations = (double)(row->entries ? row->iterations : row->seen_iterations);
    return entries > 0 && iterations >= entries ? fmin(iterations / entries, MOST_COUNTED) : NAN;
}
