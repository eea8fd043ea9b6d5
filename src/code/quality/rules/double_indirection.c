/* Pointers that are loaded in each iteration though they never change: a%b%array(i), a->b->x[i].

   The compiler has to load them again if a store of the loop might change them: stores of characters, stores
   through pointers of the same type, calls. The access patterns show that they are invariant (accesses.c); a
   programmer knows it. */
#include "code/quality/metrics/overhead.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <string.h>

/* Removing these loads alone may gain nothing if other address instructions limit as well. They are named if
   they are a good part of a total that gains this much. */
static const double TOGETHER = 1.2, NEARLY_ALWAYS = 1.2;
/* In loops that decide a lot, wrong guesses and other paths hide less than this. */
static const double AMONG_BRANCHES = 1.15;
enum { GOOD_PART = 5 /* one in this many */, MANY_BRANCHES = 3 };

static const struct remedy strict = {audience_ANY, NULL,
                                     "Remove -fno-strict-aliasing if the program is correct without it: with "
                                     "it, any store may change any pointer.",
                                     action_DROP_OPTION};
static const struct remedy restricted = {audience_C, NULL,
                                         "The loop stores single bytes (char), which may alias anything, "
                                         "including the pointers: use local pointers, best with restrict.",
                                         action_HOIST};

/* Loads whose own address was loaded in this way. */
static unsigned count_chained(const struct overhead *overhead)
{
    const struct subject *subject = overhead->subject;
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (overhead->kinds[i] != overhead_POINTER)
            continue;
        const struct subject_item *row = &subject->items[i];
        for (unsigned u = 0; u < row->use_count; u++) {
            struct value_source source = values_source(&overhead->values, i, u);
            if (row->uses[u].is_address && source.item != VALUE_OUTSIDE &&
                overhead->kinds[source.item] == overhead_POINTER) {
                count++;
                break;
            }
        }
    }
    return count;
}

/* Whether iterations wait for each other, but not for one of these loads. */
static bool waits_for_others(const struct overhead *overhead)
{
    const struct subject *subject = overhead->subject;
    if (subject->path->limit != core_part_LATENCY)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (overhead->kinds[i] == overhead_POINTER && subject_is_marked(subject, core_part_LATENCY, i))
            return false;
    return true;
}

/* Whether every path of the loop gains, by enough, and so that its stores still have a cycle each: cores that
   do two in a cycle do so only for some of them. */
static bool gains_for_sure(const struct subject *subject, double cycles)
{
    return subject->path->cycles >= NEARLY_ALWAYS * cycles && cycles >= subject->metric->store_count &&
           subject->metric->branch_count < 2 && around_is_straight(subject);
}

static bool stores_bytes(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].stores && subject->accesses[i].bytes == 1)
            return true;
    return false;
}

/* Whether all of these loads come from headers of the C++ library: std::string reads its own members again. */
static bool is_all_of_library(const struct overhead *overhead)
{
    const struct subject *subject = overhead->subject;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (overhead->kinds[i] == overhead_POINTER &&
            !around_is_of_library(subject->model, subject->items[i].instruction))
            return false;
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct overhead overhead;
    char buffer[64];
    if (!overhead_matters(subject) || !overhead_may_load_pointers(subject))
        return false;
    overhead_find(&overhead, subject);
    unsigned count = overhead.counts[overhead_POINTER];
    if (!count)
        return false;
    unsigned chained = count_chained(&overhead);
    double cycles = overhead_cycles(&overhead, overhead_POINTER);
    if (without_gains(subject, cycles)) {
        remark->cycles = cycles;
        if (gains_for_sure(subject, cycles))
            remark->level = advice_level_GAIN;
        /* A slower path may gain nothing. */
        remark->is_upper = !around_is_straight(subject);
        iterations_limit(subject, remark);
        if (subject->metric->branch_count >= MANY_BRANCHES && subject->path->cycles < AMONG_BRANCHES * cycles)
            remark->level = advice_level_HINT;
    } else if ((!chained && count * GOOD_PART < overhead.count) ||
               !(subject->path->cycles >= TOGETHER * overhead_cycles(&overhead, overhead_NONE))) {
        return false;
    } else if (waits_for_others(&overhead)) {
        remark->level = advice_level_HINT;
    }
    if (is_all_of_library(&overhead))
        remark->level = advice_level_HINT;
    remark_say(remark, "Each iteration loads %s again, though nothing changes them",
               remark_count(buffer, sizeof buffer, overhead.pointers, "pointer", "pointers"));
    if (chained)
        remark_say(remark, ", %s of them through another pointer",
                   chained == overhead.counts[overhead_POINTER] ? "all" : "some");
    remark_say(remark, ".");
    for (unsigned i = 0; i < subject->item_count; i++)
        if (overhead.kinds[i] == overhead_POINTER)
            remark_point(remark, i);
    if (stores_bytes(subject))
        remark_advise(remark, &restricted);
    if (subject->compiler->flags && strstr(subject->compiler->flags, "-fno-strict-aliasing"))
        remark_advise(remark, &strict);
    return true;
}

const struct rule rule_double_indirection = {
    .name = "double-indirection",
    .title = "Loop-invariant pointers are loaded in every iteration",
    .meaning = "The arrays of the loop are reached through pointers in structures (a->b->x[i], "
               "a%b%array(i)). The compiler cannot prove that the loop does not change these pointers, so it "
               "loads them in every iteration; these loads compete with those of data and delay them.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_C, NULL,
                  "Copy the innermost pointer to a local variable before the loop (double *x = a->b->x) and "
                  "use x[i] in it.",
                  action_HOIST},
                 {audience_FORTRAN, NULL,
                  "Set a pointer to the inner structure before the loop (p => a%b) and use p%array(i) in it, "
                  "or wrap the loop in ASSOCIATE (x => a%b%array).",
                  action_HOIST},
                 {0}},
    .find = find,
};
