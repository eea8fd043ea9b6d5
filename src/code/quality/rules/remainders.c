/* Checksums such as Adler's and Fletcher's: a = (a + x) % 65521 in every iteration.

   A compiler makes a product with an inverse of a remainder by a constant, a shift, another product, and a subtraction
   from the sum: a chain of about ten cycles, for which the next iteration waits. The same remainder comes out if it is
   taken after thousands of sums, since a sum in 64 bits holds that many. The evidence is an addition, to what the
   subtraction of the iteration before gave, and a product of its result in between. Where the old remainder is
   multiplied first (random numbers, hashes), it must stay small in every iteration: that is not meant.

   The figure is that of the loop with nothing between the additions. */
#include "code/quality/rules/remainders.h"

#include "code/quality/values.h"
#include "code/quality/without.h"

enum { MOST_COPIES = 4, MOST_STEPS = 6, MOST_ITEMS = 200 };
static const double WORTH_A_WORD = 1.3;

static const struct remedy seldom = {
    audience_ANY, NULL,
    "Take the remainder once for a few thousand sums: add in 32 or 64 bits in an inner loop, as long as nothing "
    "overflows, and take it after that.",
    action_DIVIDE_LESS, NULL};

struct search {
    struct values values;
    struct without without;
};

/* Where a value comes from, copies and extensions left out. */
static struct value_source origin(const struct values *values, unsigned item, unsigned use)
{
    struct value_source source = values_source(values, item, use);
    for (unsigned i = 0; i < MOST_COPIES && source.item != VALUE_OUTSIDE; i++) {
        const struct subject_item *row = &values->subject->items[source.item];
        enum operation operation = row->row->operation;
        if ((operation != operation_COPY && operation != operation_EXTEND) || row->row->load_bytes)
            break;
        unsigned read = 0;
        while (read < row->use_count && !value_is_read(&row->uses[read]))
            read++;
        if (read == row->use_count)
            break;
        struct value_source before = values_source(values, source.item, read);
        if (before.item == VALUE_OUTSIDE)
            break;
        before.is_earlier |= source.is_earlier;
        source = before;
    }
    return source;
}

static bool is_general(const struct subject *subject, const struct register_use *use)
{
    return value_is_read(use) &&
           model_register(subject->model, use->register_)->kind == register_kind_GENERAL;
}

/* Whether a product of the sum lies between it and what an item reads. */
static bool is_by_product(const struct values *values, unsigned item, unsigned sum, unsigned steps)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(values, item, u);
        if (!is_general(subject, &row->uses[u]) || source.item == VALUE_OUTSIDE || source.is_earlier)
            continue;
        if (row->row->class == class_MULTIPLY && origin(values, item, u).item == sum)
            return true;
        if (steps && source.item != sum && is_by_product(values, source.item, sum, steps - 1))
            return true;
    }
    return false;
}

/* Takes away what an item reads that was computed from the sum. */
static void take_away(struct search *search, unsigned item, unsigned sum, unsigned steps)
{
    const struct subject *subject = search->values.subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(&search->values, item, u);
        if (!is_general(subject, &row->uses[u]) || source.item == VALUE_OUTSIDE || source.is_earlier ||
            source.item == sum || subject->items[source.item].row->load_bytes)
            continue;
        if (origin(&search->values, item, u).item == sum) {
            without_work(&search->without, source.item); /* a copy */
            continue;
        }
        without_item(&search->without, source.item);
        if (steps)
            take_away(search, source.item, sum, steps - 1);
    }
}

/* The subtraction that gives the remainder of a sum; the sum itself for none. */
static unsigned find_remainder(const struct values *values, unsigned sum)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[sum];
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source before = origin(values, sum, u);
        if (!is_general(subject, &row->uses[u]) || row->uses[u].is_address || before.item == VALUE_OUTSIDE ||
            !before.is_earlier || before.item == sum)
            continue;
        const struct subject_item *last = &subject->items[before.item];
        bool subtracts = last->row->operation == operation_SUBTRACT ||
                         (last->row->class == class_FMA && !last->is_fp && !last->row->is_vector);
        bool has_sum = false;
        for (unsigned k = 0; k < last->use_count; k++)
            has_sum |= is_general(subject, &last->uses[k]) && origin(values, before.item, k).item == sum &&
                       !origin(values, before.item, k).is_earlier;
        if (subtracts && has_sum && is_by_product(values, before.item, sum, MOST_STEPS))
            return before.item;
    }
    return sum;
}

bool remainders_find(const struct subject *subject, struct remark *remark)
{
    struct search search;
    unsigned found = 0;
    if (subject->item_count > MOST_ITEMS)
        return false;
    values_find(&search.values, subject);
    without_begin(&search.without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        enum operation operation = subject->items[i].row->operation;
        if ((operation != operation_ADD && operation != operation_ADDRESS) || subject->items[i].is_fp)
            continue;
        unsigned last = find_remainder(&search.values, i);
        if (last == i)
            continue;
        take_away(&search, last, i, MOST_STEPS);
        without_work(&search.without, last);
        remark_point(remark, i);
        remark_point(remark, last);
        found++;
    }
    double cycles = found ? without_cycles(&search.without) : 0;
    if (!found || !(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    remark->is_upper = true;
    remark_say(
        remark,
        "The remainder of a sum, by a constant, is taken in every iteration, and the next one waits for it. Taken "
        "after many sums, it is the same.");
    remark_advise(remark, &seldom);
    return true;
}
