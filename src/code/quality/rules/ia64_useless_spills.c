/* Stack accesses that have no effect on any path (table useless_accesses), with the additions that only
   make their addresses: what the first paper found in a function with all 128 registers in use. */
#include "code/quality/rules/ia64.h"

#include <stddef.h>

static bool is_useless(const struct subject *subject, uint32_t instruction)
{
    const struct array *rows = &subject->model->useless_accesses;
    size_t at = array_first_not_below(rows, 0, offsetof(struct useless_access, instruction), instruction);
    return at < rows->count && ARRAY_AT(struct useless_access, rows, at)->instruction == instruction;
}

/* Whether all readers of an item are gone, and it has some. */
static bool serves_nothing(const struct ia64_read *reads, unsigned count, unsigned item,
                           const uint8_t *changes)
{
    bool is_read = false;
    for (unsigned i = 0; i < count; i++) {
        if (reads[i].definition != item)
            continue;
        if (reads[i].use == IA64_OUTSIDE || changes[reads[i].use] == anew_STAYS)
            return false;
        is_read = true;
    }
    return is_read;
}

static bool only_computes(const struct subject_item *item)
{
    return (item->row->class == class_ADD || item->row->class == class_ADDRESS ||
            item->row->class == class_MOVE) &&
           !item->row->load_bytes && !item->row->store_bytes;
}

static unsigned leave_out_addresses(const struct subject *subject, uint8_t *changes, struct remark *remark)
{
    unsigned reads_count, left_out = 0;
    const struct ia64_read *reads = ia64_reads(subject, &reads_count);
    for (unsigned i = subject->item_count; i-- > 0;)
        if (changes[i] == anew_STAYS && only_computes(&subject->items[i]) &&
            serves_nothing(reads, reads_count, i, changes)) {
            changes[i] = anew_GONE;
            remark_point(remark, i);
            left_out++;
        }
    return left_out;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned count = 0;
    char accesses[64];
    if (!ia64_matters(subject) || !subject->metric->useless_stack_count)
        return false;
    uint8_t *changes = ia64_changes(subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (!is_useless(subject, subject->items[i].instruction))
            continue;
        changes[i] = anew_GONE;
        remark_point(remark, i);
        count++;
    }
    if (!count)
        return false;
    unsigned left_out = leave_out_addresses(subject, changes, remark);
    remark_say(remark, "%s per iteration %s no effect on any path",
               remark_count(accesses, sizeof accesses, count, "stack access", "stack accesses"),
               count == 1 ? "has" : "have");
    if (left_out)
        remark_say(remark, ", nor %s",
                   left_out == 1 ? "has the addition that makes an address for them"
                                 : "have the additions that make their addresses");
    remark_say(remark, ".");
    ia64_gains(subject, changes, remark);
    return true;
}

const struct rule rule_ia64_useless_spills = {
    .name = "ia64-useless-spills",
    .title = "Itanium: values are stored to and loaded from the stack without need",
    .meaning =
        "A compiler that takes more values for live than there are registers spills them, and fills them "
        "again even where the value is still in its register or is stored back unchanged. Such accesses "
        "take M slots and cycles, and can be removed on every path.",
    .level = advice_level_GAIN,
    .remedies =
        {{audience_ANY, NULL,
          "Put the loop into a function of its own that is not inlined, so that fewer values are live in it.",
          action_OUTLINE},
         {audience_C, NULL, "Remove volatile from variables that only this function uses.",
          action_KEEP_LOCAL},
         {0}},
    .find = find,
};
