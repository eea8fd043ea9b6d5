/* The static part of a search: which variants are judged, in which order. Each stage begins with the best
   variant so far, and any may find a better one, which the next begins with. */
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gains below this are not worth an option; a screening round that brings less is the last. */
static const double LEAST_GAIN = 0.002;
enum { WALK_STEPS = 24, MOST_IN_VAIN = 12, MOST_ROUNDS = 6, LEADERS = 8 };

/* Sets of values, one after the other. */
struct sets {
    const struct search *search;
    struct array bytes; /* of unsigned char */
};

static unsigned value_count(const struct search *search, unsigned choice)
{
    return ARRAY_AT(struct choice, &search->request->choices->list, choice)->value_count;
}

static struct sets sets_begin(const struct search *search)
{
    return (struct sets){.search = search, .bytes = ARRAY_OF(unsigned char)};
}

static unsigned char *sets_add(struct sets *sets, const unsigned char *from)
{
    unsigned width = search_width(sets->search);
    unsigned char *set = array_add_many(&sets->bytes, width);
    if (from)
        memcpy(set, from, width);
    return set;
}

static bool sets_judge(struct sets *sets, struct search *search)
{
    unsigned width = search_width(search);
    bool goes_on = width && search_judge(search, sets->bytes.data, sets->bytes.count / width);
    sets->bytes.count = 0;
    return goes_on;
}

static uint64_t random_below(struct search *search, uint64_t limit)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return limit ? (search->random >> 11) % limit : 0;
}

static double score_of(const struct search *search, const unsigned char *values)
{
    const struct trial *trial = search_find(search, values);
    return trial ? trial->score : INFINITY;
}

/* --- advice --- */
static bool is_advised(const struct search *search, const struct choice *choice)
{
    for (size_t i = 0; i < search->advice.count; i++)
        for (char **known = choice->advice; known && *known; known++)
            if (!strcmp(*ARRAY_AT(const char *, &search->advice, i), *known))
                return true;
    return false;
}

/* Each value of the choices that are wanted alone on top of `base`. */
static bool try_each(struct search *search, const unsigned char *base, bool is_for_advice)
{
    struct sets sets = sets_begin(search);
    for (unsigned i = 0; i < search_width(search); i++) {
        if (is_for_advice && !is_advised(search, ARRAY_AT(struct choice, &search->request->choices->list, i)))
            continue;
        for (unsigned value = 0; value <= value_count(search, i); value++)
            if (value != base[i])
                sets_add(&sets, base)[i] = (unsigned char)value;
    }
    bool goes_on = sets_judge(&sets, search);
    array_free(&sets.bytes);
    return goes_on;
}

/* For each choice the value that helps most when it alone is changed in `base`, put together into `all`;
   how many there are. */
static unsigned gather_helpful(const struct search *search, const unsigned char *base, unsigned char *all)
{
    unsigned width = search_width(search), helpful = 0;
    unsigned char *one = memory_get(width + 1);
    double present = score_of(search, base);
    memcpy(all, base, width);
    memcpy(one, base, width);
    for (unsigned i = 0; i < width; i++) {
        double least = present * (1 - LEAST_GAIN);
        for (unsigned value = 0; value <= value_count(search, i); value++) {
            one[i] = (unsigned char)value;
            if (score_of(search, one) < least) {
                least = score_of(search, one);
                all[i] = one[i];
            }
        }
        one[i] = base[i];
        helpful += all[i] != base[i];
    }
    free(one);
    return helpful;
}

static bool follow_advice(struct search *search)
{
    struct sets sets = sets_begin(search);
    unsigned char *all = memory_get(search_width(search) + 1), *none = memory_get(search_width(search) + 1);
    search->stage = "what the report advises";
    bool goes_on = try_each(search, none, true);
    if (goes_on && gather_helpful(search, none, all) > 1) {
        sets_add(&sets, all);
        goes_on = sets_judge(&sets, search);
    }
    array_free(&sets.bytes);
    free(all);
    free(none);
    return goes_on;
}

static bool try_usual(struct search *search)
{
    struct sets sets = sets_begin(search);
    for (const char *const *flags = search->request->usual; flags && *flags; flags++) {
        struct variant variant = search_copy(search, NULL);
        if (search_set_usual(search, *flags, variant.values))
            sets_add(&sets, variant.values);
        free(variant.values);
    }
    bool goes_on = !sets.bytes.count || sets_judge(&sets, search);
    array_free(&sets.bytes);
    return goes_on;
}

/* --- elimination --- */
/* From `values` on, drops the choice whose loss helps most, or hurts least, as long as it does not hurt. */
static bool eliminate(struct search *search, unsigned char *values)
{
    struct sets sets = sets_begin(search);
    unsigned width = search_width(search);
    bool goes_on = true, has_dropped = true;
    sets_add(&sets, values);
    goes_on = sets_judge(&sets, search);
    while (goes_on && has_dropped) {
        unsigned worst = width;
        double least = score_of(search, values);
        for (unsigned i = 0; i < width; i++)
            if (values[i])
                sets_add(&sets, values)[i] = 0;
        goes_on = !sets.bytes.count || sets_judge(&sets, search);
        for (unsigned i = 0; i < width; i++) {
            unsigned char kept = values[i];
            values[i] = 0;
            double without = kept ? score_of(search, values) : INFINITY;
            values[i] = kept;
            if (without < INFINITY && without <= least) {
                least = without;
                worst = i;
            }
        }
        has_dropped = worst < width;
        if (has_dropped)
            values[worst] = 0;
    }
    array_free(&sets.bytes);
    return goes_on;
}

/* Screening on top of the best so far, as long as that brings something; then all that helped, less what
   hurts. */
static bool screen(struct search *search)
{
    unsigned char *all = memory_get(search_width(search) + 1);
    bool goes_on = true;
    for (unsigned round = 0; goes_on && round < MOST_ROUNDS; round++) {
        const struct trial *base = search->best ? search->best : search_original(search);
        search->stage = "each choice alone";
        goes_on = try_each(search, base->variant.values, false);
        if (goes_on && gather_helpful(search, base->variant.values, all) > 1) {
            search->stage = "together, less what hurts";
            goes_on = eliminate(search, all);
        }
        if (!search->best || search->best->score > base->score * (1 - LEAST_GAIN))
            break;
    }
    free(all);
    return goes_on;
}

/* --- local search --- */
static int by_score(const void *a, const void *b)
{
    const struct trial *x = *(struct trial *const *)a, *y = *(struct trial *const *)b;
    return x->score < y->score ? -1 : x->score > y->score;
}

/* One of the best few, or now and then any: where a walk begins. */
static const unsigned char *starting_point(struct search *search)
{
    size_t count = search->trials.count;
    struct trial **sorted = memory_get(count * sizeof *sorted);
    memcpy(sorted, search->trials.data, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_score);
    size_t leaders = random_below(search, 4) ? LEADERS : count;
    const unsigned char *values =
        sorted[random_below(search, leaders < count ? leaders : count)]->variant.values;
    free(sorted);
    return values;
}

static void change_some(struct search *search, unsigned char *values)
{
    unsigned width = search_width(search);
    for (uint64_t changes = 1 + random_below(search, 3); changes; changes--) {
        unsigned choice = (unsigned)random_below(search, width);
        values[choice] = (unsigned char)random_below(search, value_count(search, choice) + 1ull);
    }
}

/* A walk: batches of neighbours of one point; the best of them is the next point if it is not worse. */
static bool walk(struct search *search, unsigned steps)
{
    unsigned width = search_width(search);
    unsigned char *at = memory_get(width + 1);
    struct sets sets = sets_begin(search);
    bool goes_on = true;
    memcpy(at, starting_point(search), width);
    while (goes_on && steps--) {
        size_t first = search->trials.count;
        for (unsigned i = 0; i < WALK_STEPS; i++)
            change_some(search, sets_add(&sets, at));
        goes_on = sets_judge(&sets, search);
        const struct trial *next = NULL;
        for (size_t i = first; i < search->trials.count; i++) {
            const struct trial *trial = *ARRAY_AT(struct trial *, &search->trials, i);
            if (!next || trial->score < next->score)
                next = trial;
        }
        if (!next || next->score > score_of(search, at))
            break;
        memcpy(at, next->variant.values, width);
    }
    array_free(&sets.bytes);
    free(at);
    return goes_on;
}

/* Ends when several walks in a row bring neither a better variant nor much new code. */
static bool roam(struct search *search)
{
    unsigned in_vain = 0;
    search->stage = "local search";
    while (in_vain < MOST_IN_VAIN) {
        size_t distinct = search->distinct, tried = search->trials.count;
        double score = search->best ? search->best->score : INFINITY;
        if (!walk(search, WALK_STEPS))
            return false;
        bool is_better = search->best && search->best->score < score * (1 - LEAST_GAIN);
        bool is_new = 10 * (search->distinct - distinct) > search->trials.count - tried;
        in_vain = is_better ? 0 : in_vain + (is_new ? 1 : 2);
    }
    return true;
}

void search_static(struct search *search, struct search_answer *answer)
{
    struct sets sets = sets_begin(search);
    search->stage = "as it is now";
    sets_add(&sets, NULL);
    bool goes_on = sets_judge(&sets, search);
    array_free(&sets.bytes);
    const struct trial *original = search_original(search);
    if (original && original->judgement.object)
        judge_advice(search->judge, original->judgement.object, &search->advice);
    goes_on = goes_on && try_usual(search) && follow_advice(search) && screen(search) && roam(search);
    if (goes_on && search->best) {
        unsigned char *values = search_copy(search, search->best->variant.values).values;
        search->stage = "less what does not help";
        goes_on = eliminate(search, values);
        free(values);
    }
    answer->is_exhausted = goes_on;
}
