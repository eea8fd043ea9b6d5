/* How much of the work is done on vectors, and how much of a vector it uses.

   Both are averages over vectorisable instructions, of a class and of floating-point or integer numbers or
   all.  An instruction is vectorised or not; its efficiency is the part of the machine's vector that it uses,
   so that code for half the vector length has a ratio of 1 and an efficiency of 0.5. */
#include "code/quality/metrics/metrics.h"

#include <stddef.h>

enum { KINDS = 3, CLASSES = vector_class_COUNT + 1 };

#define COLUMNS(name)                                                                                        \
    {                                                                                                        \
        offsetof(struct loop_metric, vector_ratio##name),                                                    \
            offsetof(struct loop_metric, vector_efficiency##name)                                            \
    }

/* All numbers, floating-point ones, integers; all classes, then each in the order of enum vector_class. */
static const struct {
    size_t ratio, efficiency;
} columns[KINDS][CLASSES] = {
    {COLUMNS(), COLUMNS(_load), COLUMNS(_store), COLUMNS(_add), COLUMNS(_multiply), COLUMNS(_fma),
     COLUMNS(_divide), COLUMNS(_other)},
    {COLUMNS(_fp), COLUMNS(_fp_load), COLUMNS(_fp_store), COLUMNS(_fp_add), COLUMNS(_fp_multiply),
     COLUMNS(_fp_fma), COLUMNS(_fp_divide), COLUMNS(_fp_other)},
    {COLUMNS(_integer), COLUMNS(_integer_load), COLUMNS(_integer_store), COLUMNS(_integer_add),
     COLUMNS(_integer_multiply), COLUMNS(_integer_fma), COLUMNS(_integer_divide), COLUMNS(_integer_other)},
};

struct tally {
    unsigned vectorisable, vectorised;
    uint64_t used_bits;
};

static void count_item(struct tally *tally, const struct subject_item *item, unsigned bits)
{
    tally->vectorisable++;
    tally->vectorised += item->is_vectorised;
    tally->used_bits += item->used_bits < bits ? item->used_bits : bits;
}

/* How many of its numbers a vector of the machine holds. Numbers of several sizes have no mean that a vector
   could hold, so that of the widest and that of the narrowest stand beside each other. */
static void note_lanes(const struct subject *subject, bool is_fp, struct loop_metric *metric)
{
    unsigned bits = subject->machine->core.vector_bits;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!item->is_vectorisable || item->is_fp != is_fp || !item->element_bits ||
            item->element_bits > bits)
            continue;
        uint32_t lanes = (bits / item->element_bits);
        if (!metric->lanes_least || lanes < metric->lanes_least)
            metric->lanes_least = lanes;
        if (lanes > metric->lanes_most)
            metric->lanes_most = lanes;
    }
}

void metric_vectors(const struct subject *subject, struct loop_metric *metric)
{
    struct tally tallies[KINDS][CLASSES] = {0};
    unsigned bits = subject->machine->core.vector_bits;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!item->is_vectorisable)
            continue;
        if (item->is_vectorised && item->used_bits > metric->vector_bits)
            metric->vector_bits = item->used_bits;
        unsigned kind = item->is_fp ? 1 : 2, class = item->vector_class + 1;
        count_item(&tallies[0][0], item, bits);
        count_item(&tallies[0][class], item, bits);
        count_item(&tallies[kind][0], item, bits);
        count_item(&tallies[kind][class], item, bits);
    }
    note_lanes(subject, tallies[1][0].vectorisable, metric);
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned class = 0; class < CLASSES; class ++) {
            const struct tally *tally = &tallies[kind][class];
            if (!tally->vectorisable)
                continue;
            *(double *)((char *)metric + columns[kind][class].ratio) =
                (double)tally->vectorised / tally->vectorisable;
            if (bits)
                *(double *)((char *)metric + columns[kind][class].efficiency) =
                    (double)tally->used_bits / bits / tally->vectorisable;
        }
}
