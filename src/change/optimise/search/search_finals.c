/* The last part of a search: the best by their cycles are measured, and the winner loses what it does not
   need.

   Finalists are the first dozen of different code by their cycles and shapes (search_choose.c); one or two
   without a judgement (a loop that became a call, say), which may be the fastest of all; then the usual sets
   of options, so that the answer is never worse than what people try by hand. Then neighbours of those that
   measured fastest (search_neighbours.c). The fastest of all of them are measured once more.

   Times are compared as ratios to the original code, which is measured in the same run: a busy computer slows
   both. A difference below the spread of both, or below NOISE, is none: then the less intrusive one wins,
   since nobody should change a build for two per cent. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_FINALISTS = 12,
    MOST_UNJUDGED = 2,
    MOST_AGAIN = 5,
    AT_LEAST = 4 /* run, even if that takes longer than the budget */
};
static const double NOISE = 0.025, MOST_NOISE = 0.03, LEAST_SECONDS = 0.05, MOST_SECONDS = 3, CLOSE = 0.15;

static struct trial *ranked_at(const struct finals *finals, size_t place)
{
    return *ARRAY_AT(struct trial *, &finals->ranked, place);
}

static struct search_finalist *finalist_at(const struct search_answer *answer, size_t place)
{
    return ARRAY_AT(struct search_finalist, &answer->finalists, place);
}

/* --- choosing --- */
bool finals_have_code(const struct finals *finals, const char *digest)
{
    for (size_t i = 0; i < finals->answer->finalists.count; i++)
        if (!strcmp(finalist_at(finals->answer, i)->judgement.digest, digest))
            return true;
    return !strcmp(finals->answer->original.judgement.digest, digest);
}

/* A variant of an earlier call has no object file any more: it is compiled again, unless Ctrl-C came. */
static bool take_object(struct finals *finals, const struct trial *trial, struct judgement *judgement)
{
    const struct judgement *known = &trial->judgement;
    struct error error = {0};
    if (known->object || interrupt_came()) {
        *judgement = *known;
        judgement->problem = known->problem ? memory_format("%s", known->problem) : NULL;
        judgement->object = known->object ? memory_format("%s", known->object) : NULL;
        return known->is_compiled;
    }
    return judge_variants(finals->search->judge, &trial->variant, 1, judgement, &error) &&
           judgement->is_compiled;
}

bool finals_add(struct finals *finals, const struct trial *trial, unsigned place)
{
    struct search_finalist finalist = {
        .variant = search_copy(finals->search, trial->variant.values), .rank = place, .ratio = NAN};
    if (!take_object(finals, trial, &finalist.judgement)) {
        judgement_free(&finalist.judgement);
        free(finalist.variant.values);
        return false;
    }
    *(struct search_finalist *)array_push(&finals->answer->finalists) = finalist;
    return true;
}

/* The finalist with this code; NULL: none, or it is the original's. */
static struct search_finalist *finalist_of_code(const struct finals *finals, const char *digest)
{
    for (size_t i = 0; i < finals->answer->finalists.count; i++)
        if (!strcmp(finalist_at(finals->answer, i)->judgement.digest, digest))
            return finalist_at(finals->answer, i);
    return NULL;
}

static void add_usual(struct finals *finals)
{
    const struct search_request *request = finals->search->request;
    for (const char *const *flags = request->usual; flags && *flags; flags++) {
        struct variant variant = search_copy(finals->search, NULL);
        bool is_known = search_set_usual(finals->search, *flags, variant.values) &&
                        search_is_allowed(finals->search, variant.values);
        const struct trial *trial = is_known ? search_find(finals->search, variant.values) : NULL;
        free(variant.values);
        finals->answer->usual_left += is_known && !trial;
        if (!trial || !trial->judgement.is_compiled)
            continue;
        if (!finals_have_code(finals, trial->judgement.digest) && finals_add(finals, trial, 0))
            finalist_at(finals->answer, finals->answer->finalists.count - 1)->is_usual = true;
        struct search_finalist *finalist = finalist_of_code(finals, trial->judgement.digest);
        if (finalist)
            finalist->is_needed = true;
    }
}

static void choose(struct finals *finals)
{
    const struct search_request *request = finals->search->request;
    size_t most = request->finalists ? request->finalists : USUAL_FINALISTS, unjudged = 0;
    finals_rank(finals);
    for (unsigned rank = 1; rank <= most;) {
        const struct trial *trial = finals_next(finals);
        if (!trial)
            break;
        rank += finals_add(finals, trial, rank);
    }
    /* Where the model knows nothing, measuring has to tell. */
    bool is_any = finals->answer->finalists.count;
    for (size_t i = 0; i < finals->ranked.count && unjudged < (is_any ? MOST_UNJUDGED : most); i++) {
        const struct trial *trial = ranked_at(finals, i);
        if (!(trial->score < INFINITY) && !finals_have_code(finals, trial->judgement.digest))
            unjudged += finals_add(finals, trial, is_any ? 0 : (unsigned)unjudged + 1);
    }
    add_usual(finals);
}

/* The first: the options stay, and the compiler is another one. */
static void add_as_it_is(struct finals *finals, const struct trial *original)
{
    if (!original->judgement.is_compiled || !finals_add(finals, original, 0))
        return;
    size_t last = finals->answer->finalists.count - 1;
    struct search_finalist one = *finalist_at(finals->answer, last);
    memmove(finalist_at(finals->answer, 1), finalist_at(finals->answer, 0), last * sizeof one);
    *finalist_at(finals->answer, 0) = one;
}

/* --- measuring --- */
static double ratio_of(const struct replay_result *result)
{
    return result->original_seconds > 0 ? result->seconds / result->original_seconds : NAN;
}

/* What a ratio may be wrong by. */
static double noise_of(const struct search_finalist *finalist)
{
    const struct replay_result *result = &finalist->result;
    double spread = result->seconds > 0 ? result->spread / result->seconds : 0;
    double original = result->original_seconds > 0 ? result->original_spread / result->original_seconds : 0;
    double noise = hypot(spread, original);
    return fmin(fmax(noise, NOISE), MOST_NOISE);
}

bool finals_measure(struct finals *finals, struct search_finalist *finalist, double seconds)
{
    const struct search_measure *how = &finals->search->request->measure;
    struct error error = {0};
    replay_result_free(&finalist->result);
    finalist->result = (struct replay_result){0};
    finalist->is_measured =
        how->run(how->context, &finalist->variant, &finalist->judgement, seconds, &finalist->result, &error);
    if (!finalist->is_measured) {
        finalist->problem = memory_format("%s", error.text);
        return false;
    }
    enum replay_verdict verdict = finalist->result.verdict;
    finalist->is_right = verdict == replay_SAME || verdict == replay_WITHIN;
    finalist->ratio = finalist->result.seconds > 0 ? ratio_of(&finalist->result) : NAN;
    return search_ledger_measured(finals->search, finalist, &finals->search->error);
}

static bool has_time(const struct finals *finals)
{
    return !interrupt_came() && clock_monotonic_seconds() < finals->search->end;
}

/* Seconds for each of so many measurements, of the time that is left. */
double finals_share_of_time(const struct finals *finals, size_t count)
{
    double seconds = (finals->search->end - clock_monotonic_seconds()) / (double)(count ? count : 1);
    return seconds < LEAST_SECONDS ? LEAST_SECONDS : seconds > MOST_SECONDS ? MOST_SECONDS : seconds;
}

void finals_tell(const struct finals *finals, size_t done, size_t count)
{
    const struct search *search = finals->search;
    const struct search_request *request = search->request;
    if (request->progress)
        request->progress(request->progress_context, search->stage, done, count,
                          search->best ? search->best->score : NAN, search->end - clock_monotonic_seconds());
}

static void finalist_free(struct search_finalist *finalist)
{
    free(finalist->variant.values);
    free(finalist->problem);
    judgement_free(&finalist->judgement);
    replay_result_free(&finalist->result);
}

/* The next one by its cycles in place of one that was not run. */
static void replace_suspect(struct finals *finals, size_t place)
{
    struct search_finalist *suspect = finalist_at(finals->answer, place);
    if (!suspect->rank || !finals_is_suspect(finals, suspect->variant.values))
        return;
    const struct trial *trial = finals_next(finals);
    if (!trial || !finals_add(finals, trial, suspect->rank))
        return;
    size_t last = finals->answer->finalists.count - 1;
    finalist_free(finalist_at(finals->answer, place));
    *finalist_at(finals->answer, place) = *finalist_at(finals->answer, last);
    finals->answer->finalists.count--;
}

/* The next one by its cycles besides one that turned out to be wrong, which loses its rank. */
static void add_for_wrong(struct finals *finals, size_t place)
{
    struct search_finalist *wrong = finalist_at(finals->answer, place);
    const struct trial *trial =
        wrong->rank && wrong->is_measured && !wrong->is_right ? finals_next(finals) : NULL;
    if (trial && finals_add(finals, trial, wrong->rank))
        finalist_at(finals->answer, place)->rank = 0;
}

/* One of the finalists; whether it was run. */
static bool measure_one(struct finals *finals, size_t place)
{
    struct search_answer *answer = finals->answer;
    finals_measure(finals, finalist_at(answer, place),
                   finals_share_of_time(finals, (answer->finalists.count - place) * 2 + 1));
    bool is_run = finalist_at(answer, place)->is_measured;
    add_for_wrong(finals, place);
    finals_tell(finals, place + 1, answer->finalists.count);
    return is_run;
}

/* First the usual sets: whoever is told to leave a loop as it is may rely on them. Half of the time is for what
   is tried afterwards. */
static void measure_all(struct finals *finals)
{
    struct search_answer *answer = finals->answer;
    finals->search->stage = "measuring";
    finals_measure(finals, &answer->original, finals_share_of_time(finals, answer->finalists.count + 1));
    bool is_any = false;
    size_t run = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0;
             i < answer->finalists.count && (has_time(finals) || (run < AT_LEAST && !interrupt_came()));
             i++) {
            if (finalist_at(answer, i)->is_needed != !pass)
                continue;
            if (pass)
                replace_suspect(finals, i);
            is_any |= measure_one(finals, i);
            run++;
        }
    for (size_t i = 0; i < answer->finalists.count; i++) {
        const struct search_finalist *finalist = finalist_at(answer, i);
        answer->usual_left += finalist->is_needed && !finalist->is_measured && !finalist->problem;
    }
    answer->is_measured =
        answer->original.is_measured && answer->original.ratio > 0 && (is_any || !answer->finalists.count);
    if (answer->is_measured && answer->finalists.count)
        search_neighbours(finals);
}

/* --- the winner --- */
static double score_of(const struct finals *finals, const struct search_finalist *finalist)
{
    const struct trial *trial = search_find(finals->search, finalist->variant.values);
    return trial ? trial->score : INFINITY;
}

/* The figure by which finalists are compared: smaller is better; INFINITY: out. */
static double worth(const struct finals *finals, const struct search_finalist *finalist)
{
    if (!finals->answer->is_measured)
        return finalist->judgement.is_rough ? INFINITY : score_of(finals, finalist);
    return finalist->is_measured && finalist->is_right && finalist->ratio > 0 ? finalist->ratio : INFINITY;
}

static double tolerance(const struct finals *finals, const struct search_finalist *finalist)
{
    return finals->answer->is_measured ? noise_of(finalist) : 0.002;
}

/* What a winner must be better than. */
static double present_worth(const struct finals *finals)
{
    const struct search_request *request = finals->search->request;
    if (request->is_other)
        return finals->answer->is_measured ? 1 : request->present;
    double present = worth(finals, &finals->answer->original);
    if (isinf(present) && !finals->answer->is_measured)
        return 0; /* cycles that cannot be compared: nothing is better */
    /* the program's own code, which the extract's may be slower than */
    return finals->answer->is_measured ? fmin(present, 1) : present;
}

/* The fastest; of those that are as fast, the least intrusive. SIZE_MAX: none is faster than the original. */
static size_t winner(const struct finals *finals)
{
    const struct search_answer *answer = finals->answer;
    double least = INFINITY;
    size_t fastest = SIZE_MAX, chosen = SIZE_MAX;
    for (size_t i = 0; i < answer->finalists.count; i++)
        if (worth(finals, finalist_at(answer, i)) < least) {
            least = worth(finals, finalist_at(answer, i));
            fastest = i;
        }
    if (fastest == SIZE_MAX)
        return SIZE_MAX;
    double slack = tolerance(finals, finalist_at(answer, fastest));
    double present = present_worth(finals);
    if (!(least < present * (1 - slack)))
        return SIZE_MAX;
    unsigned lowest = UINT32_MAX;
    for (size_t i = 0; i < answer->finalists.count; i++) {
        unsigned intrusion = search_intrusion(finals->search, &finalist_at(answer, i)->variant);
        if (worth(finals, finalist_at(answer, i)) <= least * (1 + slack) && intrusion < lowest) {
            lowest = intrusion;
            chosen = i;
        }
    }
    return chosen;
}

static int by_worth(const void *a, const void *b, void *context)
{
    const struct finals *sorting = context;
    const struct search_finalist *x = a, *y = b;
    double left = worth(sorting, x), right = worth(sorting, y);
    if (left != right && !(isinf(left) && isinf(right)))
        return left < right ? -1 : 1;
    left = score_of(sorting, x);
    right = score_of(sorting, y);
    return left < right ? -1 : left > right;
}

/* The smallest of many measured ratios is also the luckiest one: the fastest are measured once more, longer,
   and that counts. */
static void play_off(struct finals *finals)
{
    struct search_answer *answer = finals->answer;
    if (!answer->finalists.count)
        return;
    finals->search->stage = "the fastest once more";
    qsort_r(answer->finalists.data, answer->finalists.count, sizeof(struct search_finalist), by_worth,
            finals);
    double least = worth(finals, finalist_at(answer, 0));
    for (size_t i = 0; i < answer->finalists.count && i < MOST_AGAIN && !interrupt_came(); i++) {
        struct search_finalist *finalist = finalist_at(answer, i);
        if (!(worth(finals, finalist) <= least * (1 + CLOSE)))
            break;
        finals_measure(finals, finalist, finals_share_of_time(finals, 2 * MOST_AGAIN));
    }
}

/* Choices of a variant, the most dangerous first, then the last of the file first. */
static unsigned order_of_choices(const struct finals *finals, const struct variant *variant, unsigned *order)
{
    const struct choices *choices = finals->search->request->choices;
    unsigned count = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = choices->list.count; i-- > 0;) {
            bool is_risky = ARRAY_AT(struct choice, &choices->list, i)->risks != 0;
            if (variant->values[i] && is_risky == !pass)
                order[count++] = (unsigned)i;
        }
    return count;
}

/* Replaces the winner by a variant without one of its choices, if that is as good; takes `other` over or
   frees it. */
static bool replace_if_as_good(struct finals *finals, struct search_finalist *first,
                               struct search_finalist *other)
{
    bool is_same = !strcmp(first->judgement.digest, other->judgement.digest), is_taken = false;
    double slack = tolerance(finals, first);
    if (is_same) {
        free(first->variant.values);
        first->variant = other->variant;
        other->variant.values = NULL;
    } else if (finals->answer->is_measured) {
        finals_measure(finals, other, finals_share_of_time(finals, 4));
        is_taken = other->is_measured && other->is_right && other->ratio <= first->ratio * (1 + slack);
    } else
        is_taken = score_of(finals, other) <= score_of(finals, first) * (1 + slack);
    if (is_taken) {
        struct search_finalist old = *first;
        *first = *other;
        *other = old;
    }
    free(other->variant.values);
    free(other->problem);
    judgement_free(&other->judgement);
    replay_result_free(&other->result);
    return is_same || is_taken;
}

static bool is_unchanged(const struct finals *finals, const struct variant *variant)
{
    for (unsigned i = 0; i < search_width(finals->search); i++)
        if (variant->values[i])
            return false;
    return !finals->search->request->is_other;
}

/* Everything was dropped: measured beside the winner, is the original as fast? Then there was luck, and no
   winner. */
static bool is_luck(struct finals *finals, const struct search_finalist *first,
                    struct search_finalist *original)
{
    double slack = tolerance(finals, first);
    if (finals->answer->is_measured)
        finals_measure(finals, original, finals_share_of_time(finals, 4));
    bool is_as_fast = finals->answer->is_measured && original->is_measured && original->is_right &&
                      original->ratio <= first->ratio * (1 + slack);
    finalist_free(original);
    return is_as_fast;
}

/* Chances add up: the limit for all that is dropped is that of the first winner. */
static void drop_needless(struct finals *finals)
{
    struct search *search = finals->search;
    struct search_finalist *first = finalist_at(finals->answer, 0);
    unsigned *order = memory_get((search_width(search) + 1ull) * sizeof *order);
    unsigned count = order_of_choices(finals, &first->variant, order);
    double limit = worth(finals, first) * (1 + tolerance(finals, first));
    search->stage = "less what it does not need";
    search->end_static = search->end;
    search->has_stopped = false;
    for (unsigned i = 0; i < count && has_time(finals); i++) {
        struct search_finalist other = {.variant = search_copy(search, first->variant.values), .ratio = NAN};
        other.variant.values[order[i]] = 0;
        search_judge(search, other.variant.values, 1);
        const struct trial *trial = search_find(search, other.variant.values);
        if (!trial || !trial->judgement.is_compiled || !take_object(finals, trial, &other.judgement)) {
            judgement_free(&other.judgement);
            free(other.variant.values);
            continue;
        }
        other.rank = first->rank;
        if (is_unchanged(finals, &other.variant)) {
            finals->answer->has_winner = !is_luck(finals, first, &other);
            break;
        }
        replace_if_as_good(finals, first, &other);
        if (worth(finals, first) > limit)
            break;
    }
    free(order);
}

static void put_in_order(struct finals *finals)
{
    struct search_answer *answer = finals->answer;
    size_t place = winner(finals);
    answer->has_winner = place != SIZE_MAX;
    if (answer->has_winner && place) {
        struct search_finalist first = *finalist_at(answer, place);
        *finalist_at(answer, place) = *finalist_at(answer, 0);
        *finalist_at(answer, 0) = first;
    }
    size_t skip = answer->has_winner;
    if (answer->finalists.count > skip + 1)
        qsort_r(finalist_at(answer, skip), answer->finalists.count - skip, sizeof(struct search_finalist),
                by_worth, finals);
}

bool search_finals(struct search *search, struct search_answer *answer, struct error *error)
{
    struct finals finals = {.search = search, .answer = answer, .ranked = ARRAY_OF(struct trial *)};
    const struct trial *original = search_original(search);
    bool is_interrupted = interrupt_came();
    answer->original = (struct search_finalist){.variant = search_copy(search, NULL), .ratio = NAN};
    if (!take_object(&finals, original, &answer->original.judgement) && !is_interrupted)
        error_set(error, search->request->extract->compilation->source, "does not compile: %s",
                  original->judgement.problem ? original->judgement.problem : "");
    choose(&finals);
    if (search->request->is_other && (search->request->measure.run || search->request->present > 0))
        add_as_it_is(&finals, original);
    if (search->request->measure.run && !is_interrupted)
        measure_all(&finals);
    if (answer->is_measured)
        play_off(&finals);
    put_in_order(&finals);
    if (answer->has_winner && !interrupt_came())
        drop_needless(&finals);
    array_free(&finals.ranked);
    return !error->set;
}
