/* 32-bit integer loads and stores close together. */
#include "code/quality/rules/ia64.h"

/* As in data/analyses/narrow-accesses.sql. */
enum { LEAST = 4, WIDEST_GAP = 6 };

static bool is_narrow(const struct subject_item *item)
{
    const struct encoding *row = item->row;
    return (row->class == class_LOAD || row->class == class_STORE) && !row->is_vector &&
           row->element != element_FP32 && (row->load_bytes == 4 || row->store_bytes == 4);
}

static void point_at_run(const struct subject *subject, unsigned first, unsigned end, unsigned *loads,
                         unsigned *stores, struct remark *remark)
{
    for (unsigned i = first; i < end; i++)
        if (is_narrow(&subject->items[i])) {
            *loads += subject->items[i].row->load_bytes > 0;
            *stores += subject->items[i].row->store_bytes > 0;
            remark_point(remark, i);
        }
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned loads = 0, stores = 0, first = 0, last = 0, length = 0;
    char buffers[2][32];
    if (!ia64_matters(subject))
        return false;
    for (unsigned i = 0; i <= subject->item_count; i++) {
        bool is_end = i == subject->item_count || (length && i - last > WIDEST_GAP);
        if (is_end && length >= LEAST)
            point_at_run(subject, first, last + 1, &loads, &stores, remark);
        length = is_end ? 0 : length;
        if (i == subject->item_count || !is_narrow(&subject->items[i]))
            continue;
        first = length ? first : i;
        last = i;
        length++;
    }
    if (!(loads + stores))
        return false;
    remark_say(remark, "%s and %s of 32 bits stand close together.",
               remark_count(buffers[0], sizeof buffers[0], loads, "load", "loads"),
               remark_count(buffers[1], sizeof buffers[1], stores, "store", "stores"));
    return true;
}

const struct rule rule_ia64_narrow_accesses = {
    .name = "ia64-narrow-accesses",
    .title = "Itanium: many 32-bit accesses in sequence",
    .meaning =
        "The first cache works with aligned words of 64 bits. Bursts of 32-bit accesses, of which every "
        "other is in the upper half of such a word, can wait for each other there, and two neighbours could "
        "be one access. Only a run shows what it costs.",
    .level = advice_level_HINT,
    .remedies =
        {{audience_C, NULL,
          "Try 64-bit elements, or padding that puts each element at a multiple of 8 bytes; measure both.",
          action_LAYOUT},
         {audience_C, NULL, "Or load two neighbours as one 64-bit number and split it.", action_ACCESS_WIDTH},
         {0}},
    .find = find,
};
