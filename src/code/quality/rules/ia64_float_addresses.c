/* Addresses that are multiplied in floating-point registers: setf, xma, getf. */
#include "code/quality/rules/ia64.h"

#include <stddef.h>
#include <string.h>

/* Its low half: the high half is that of a division by a constant. */
static bool is_product(const struct subject *subject, const struct subject_item *item)
{
    const char *completers = model_text(subject->model, item->row->completers);
    return (item->row->class == class_MULTIPLY || item->row->class == class_FMA) &&
           item->row->element == element_INT64 && !(completers && !strncmp(completers, ".h", 2));
}

static bool is_named(const struct subject *subject, const struct subject_item *item, const char *name)
{
    const char *text = model_text(subject->model, item->row->name);
    return text && !strcmp(text, name);
}

/* The results of an item that this one reads; they pass now. */
static unsigned leave_out_sources(const struct subject *subject, const struct ia64_read *reads,
                                  unsigned count, unsigned item, uint8_t *changes, struct remark *remark)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        if (reads[i].use == item && is_named(subject, &subject->items[reads[i].definition], "setf")) {
            changes[reads[i].definition] = anew_PASSES;
            remark_point(remark, reads[i].definition);
            found++;
        }
    return found;
}

static bool is_address(const struct subject *subject, unsigned item)
{
    return subject->items[item].purpose == purpose_ADDRESS;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned count, products = 0;
    char buffer[64];
    if (!ia64_matters(subject) || !(subject->metric->multiply_count + subject->metric->fma_count))
        return false;
    const struct ia64_read *reads = ia64_reads(subject, &count);
    uint8_t *changes = ia64_changes(subject);
    for (unsigned i = 0; i < count; i++) {
        const struct ia64_read *read = &reads[i];
        if (read->use == IA64_OUTSIDE || !is_named(subject, &subject->items[read->use], "getf") ||
            !is_product(subject, &subject->items[read->definition]) || !is_address(subject, read->use))
            continue;
        if (!leave_out_sources(subject, reads, count, read->definition, changes, remark))
            continue;
        changes[read->definition] = changes[read->use] = anew_PASSES;
        remark_point(remark, read->definition);
        remark_point(remark, read->use);
        products++;
    }
    if (!products)
        return false;
    remark->is_upper = true;
    remark_say(
        remark,
        "%s of the loop's addresses %s made by a multiplication in floating-point registers (setf, xma, "
        "getf: 14 cycles) in each iteration. A pointer that advances by a constant needs one addition.",
        remark_count(buffer, sizeof buffer, products, "part", "parts"), products == 1 ? "is" : "are");
    if (!ia64_gains(subject, changes, remark))
        remark->is_upper = false;
    return true;
}

const struct rule rule_ia64_float_addresses = {
    .name = "ia64-float-addresses",
    .title = "Itanium: addresses are computed in floating-point registers",
    .meaning =
        "Itanium multiplies integers in its floating-point unit only: the numbers go there (setf), are "
        "multiplied (xma), and come back (getf). A compiler that multiplies an index by the size of a row "
        "in each iteration waits for all three.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_ANY, NULL,
          "Keep a pointer (or an offset) in a local variable and advance it by the stride in each iteration.",
          action_SUBSCRIPT},
         {audience_FORTRAN, NULL,
          "Declare arrays with constant bounds, or CONTIGUOUS: the strides of others are read at run time.",
          action_CONTIGUOUS},
         {0}},
    .find = find,
};
