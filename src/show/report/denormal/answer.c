/* The answer: how many denormals, where most of them are, what they cost, and what to change. Counts come
 * from the tables; the cost is the sum of estimates that run/denormal/conclude.c made from penalties measured
 * on the processor of the run, so it is always "about". A share of the run's time is given only where
 * watching hardly slowed the run: under the tracer, or with every event trapped, its time says nothing about
 * the program alone. */
#include "show/report/denormal/parts.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change that removes less than this share of the operations is not called the change to make. */
static const double LEAST_REMOVED = 0.2;
/* Less than this share of a run is lost in noise. */
static const double LEAST_FELT = 0.01;
/* An interval whose end is this many times its start gives hardly more than the order of magnitude; with the
 * second factor it is useless. */
static const double ROUGH = 3, USELESS = 10;
/* A line with a smaller share is not named: most of the code has no lines then. */
static const double LEAST_LINE = 0.05;
/* Seconds: hardly any processor takes longer for an operation with a denormal. */
static const double DEAREST = 1e-7;

enum { MOST_NAMED_ARRAYS = 3 };

struct most {
    char *name, *place;
    double share, place_share;
};

/* The function and the line with most of the operations; what is counted depends on what the run has. */
static bool find_most(const struct denormal_view *view, const struct shown_run *run, struct most *most,
                      struct error *error)
{
    const char *functions = query_named(denormal_queries, "most_functions");
    const char *lines = query_named(denormal_queries, "most_lines");
    double events = (double)run->operand_events + (double)run->underflow_events;
    double others = (double)run->results + (double)run->loads + (double)run->stores + (double)run->moves;
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement = denormal_ask(view, i ? lines : functions, run->id, 1, error);
        int state = statement ? report_step(statement, error) : -1;
        if (state == 1) {
            double share = events > 0   ? sqlite3_column_double(statement, 1) / events
                           : others > 0 ? sqlite3_column_double(statement, 2) / others
                                        : 0;
            *(i ? &most->place : &most->name) = report_column_text(statement, 0);
            *(i ? &most->place_share : &most->share) = share;
        }
        sqlite3_finalize(statement);
        if (state < 0)
            return false;
    }
    return true;
}

/* False also for a sampled run with so few events that all of them were trapped. */
static bool is_estimate(const struct shown_run *run)
{
    return isfinite(run->low) && isfinite(run->high) && run->high - run->low >= 1;
}

/* Two significant digits of an estimate; all of a count. */
static char *estimate_words(const struct shown_run *run, double count)
{
    double unit = is_estimate(run) && count >= 100 ? pow(10, floor(log10(count)) - 1) : 1;
    /* More than a count can hold is cut off. */
    return phrase_count((uint64_t)fmin(round(count / unit) * unit, 9e18));
}

static char *interval_words(const struct shown_run *run)
{
    if (!is_estimate(run))
        return memory_format("%s", "");
    if (run->high > USELESS * run->low)
        return memory_format(" (a rough guess: the run was too short to sample well; --budget 20%% samples "
                             "more, --exact counts every event)");
    autofree char *low = estimate_words(run, run->low), *high = estimate_words(run, run->high);
    const char *what = run->operand_events && run->underflow_events ? "both together " : "";
    const char *rough = run->high > ROUGH * run->low ? "; --exact counts every event" : "";
    return memory_format(" (an estimate: %s%s to %s with 95 %% confidence%s)", what, low, high, rough);
}

static void say_count(const struct shown_run *run, struct array *answer)
{
    autofree char *operations = estimate_words(run, (double)run->operand_events),
                  *interval = interval_words(run);
    autofree char *underflows = estimate_words(run, (double)run->underflow_events);
    autofree char *loads = phrase_count(run->loads), *stores = phrase_count(run->stores);
    const char *about = is_estimate(run) ? "About " : "";
    if (run->operand_events && !run->underflow_events)
        sentences_say(answer, memory_format("%s%s operation%s had a denormal operand%s.", about, operations,
                                            run->operand_events == 1 ? "" : "s", interval));
    else if (run->underflow_events && !run->operand_events)
        sentences_say(answer,
                      memory_format("%s%s operation%s underflowed, and none had a denormal operand%s.", about,
                                    underflows, run->underflow_events == 1 ? "" : "s", interval));
    else if (run->operand_events || run->underflow_events)
        sentences_say(answer,
                      memory_format("%s%s operation%s had a denormal operand, and %s underflowed%s.", about,
                                    operations, run->operand_events == 1 ? "" : "s", underflows, interval));
    else
        sentences_say(answer, memory_format("Denormal values were only copied; no operation had one as "
                                            "operand or result, so they cost nothing."));
    if (run->is_tracer && (run->loads || run->stores))
        sentences_say(answer,
                      memory_format("Floating-point instructions loaded %s denormal values and stored %s.",
                                    loads, stores));
}

static bool say_where(const struct denormal_view *view, const struct shown_run *run, struct array *answer,
                      struct error *error)
{
    struct most most = {0};
    if (!find_most(view, run, &most, error))
        return false;
    autofree char *share = phrase_share(most.share), *line_share = phrase_share(most.place_share);
    autofree char *part = most.share >= 1        ? memory_format("All of this")
                          : most.share >= 0.9995 ? memory_format("Nearly all of this")
                          : most.share >= 0.5    ? memory_format("Most of this (%s)", share)
                                                 : memory_format("The largest part of this (%s)", share);
    if (most.name && most.place && most.place_share >= 1)
        sentences_say(answer, memory_format("%s happens in %s, at %s.", part, most.name, most.place));
    else if (most.name && most.place && most.place_share >= LEAST_LINE)
        sentences_say(answer, memory_format("%s happens in %s; the hottest line is %s (%s).", part, most.name,
                                            most.place, line_share));
    else if (most.name)
        sentences_say(answer, memory_format("%s happens in %s.", part, most.name));
    free(most.name);
    free(most.place);
    return true;
}

/* From when to when, where the run has phases. */
static bool say_phases(const struct denormal_view *view, const struct shown_run *run, struct array *answer,
                       struct error *error)
{
    const char *sql = query_named(denormal_queries, "say_phases");
    bool has_events = run->operand_events || run->underflow_events;
    sqlite3_stmt *statement = denormal_ask(view, sql, run->id, has_events, error);
    int state = statement ? report_step(statement, error) : -1;
    long long first = state == 1 ? sqlite3_column_int64(statement, 0) : 0;
    long long last = state == 1 ? sqlite3_column_int64(statement, 1) : 0;
    long long all = state == 1 ? sqlite3_column_int64(statement, 4) : 0;
    if (first && all > 1) {
        autofree char *start = phrase_seconds(sqlite3_column_double(statement, 2));
        autofree char *end = phrase_seconds(sqlite3_column_double(statement, 3));
        if (first == last)
            sentences_say(answer, memory_format("They occur only in phase %lld of %lld, from %s to %s.",
                                                first, all, start, end));
        else
            sentences_say(answer, memory_format("They occur in phases %lld to %lld of %lld, from %s to %s.",
                                                first, last, all, start, end));
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

/* "ftemp, wsaverow and fctemp": the arrays with most of them. */
static bool say_arrays(const struct denormal_view *view, const struct shown_run *run, struct array *answer,
                       struct error *error)
{
    const char *sql = query_named(denormal_queries, "say_arrays");
    char *names[MOST_NAMED_ARRAYS] = {0};
    size_t count = 0;
    uint64_t all = 0;
    int state = -1;
    sqlite3_stmt *statement = denormal_ask(view, sql, run->id, MOST_NAMED_ARRAYS, error);
    while (statement && count < MOST_NAMED_ARRAYS && (state = report_step(statement, error)) == 1) {
        names[count++] = report_column_text(statement, 0);
        all = (uint64_t)sqlite3_column_int64(statement, 1);
    }
    sqlite3_finalize(statement);
    autofree char *arrays = phrase_count(all);
    if (count == 1)
        sentences_say(answer, memory_format("They are in the array %s.", names[0]));
    else if (count)
        sentences_say(answer,
                      memory_format("They are in %s arrays, most in %s%s%s and %s.", arrays, names[0],
                                    count > 2 ? ", " : "", count > 2 ? names[1] : "", names[count - 1]));
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    return state >= 0;
}

/* Whether the run would take about the same time without denormals, even if those of unknown cost were
 * expensive. Known only where watching hardly slowed it. */
static bool hardly_matters(const struct shown_run *run)
{
    double events = (double)run->operand_events + (double)run->underflow_events;
    double most = is_estimate(run) && events > 0 ? run->high / events : 1;
    return run->is_sampled && run->seconds > 0 && isfinite(run->extra_seconds) &&
           run->extra_seconds * most + DEAREST * (double)run->unknown_events < LEAST_FELT * run->seconds;
}

static void say_cost(const struct shown_run *run, struct array *answer)
{
    if (!run->operand_events && !run->underflow_events)
        return;
    if (!isfinite(run->extra_seconds)) {
        sentences_say(
            answer,
            memory_format(
                "Cost unknown: the penalty of denormals was not measured on the processor of this run."));
        return;
    }
    autofree char *extra = phrase_seconds(run->extra_seconds), *seconds = phrase_seconds(run->seconds);
    if (run->is_sampled && run->seconds > 0) {
        autofree char *share = phrase_share(run->extra_seconds / run->seconds);
        sentences_say(answer, memory_format("They cost about %s of CPU time, %s of the run's %s.", extra,
                                            share, seconds));
        if (hardly_matters(run))
            sentences_say(
                answer,
                memory_format(
                    "So denormals hardly matter for the time of this run; nothing needs to be changed."));
    } else {
        sentences_say(answer,
                      memory_format("Outside the profiler or tracer they cost about %s of CPU time (this run "
                                    "took %s, most likely much longer than the program alone).",
                                    extra, seconds));
    }
    if (run->unknown_events) {
        autofree char *count = phrase_count(run->unknown_events);
        sentences_say(answer,
                      memory_format("%s of the operations are not included: their cost is unknown.", count));
    }
}

static void say_nothing_met(const struct shown_run *run, struct array *answer)
{
    autofree char *seconds = phrase_seconds(run->seconds), *integers = phrase_count(run->integers);
    autofree char *near = phrase_count(run->near);
    sentences_say(answer, memory_format("No denormal numbers occurred."));
    const char *apart = run->limits ? ", except what is listed below as not seen" : "";
    sentences_say(answer,
                  run->is_tracer
                      ? memory_format("The tracer saw every load, store and floating-point operation of the "
                                      "run (%s under the tracer)%s.",
                                      seconds, apart)
                      : memory_format("Traps watched every floating-point instruction of the run for %s%s.",
                                      seconds, apart));
    sentences_say(answer, memory_format("So %s denormals cost nothing; other input may differ.",
                                        run->limits ? "in what was seen" : "with this input"));
    if (run->integers)
        sentences_say(answer,
                      memory_format("Integers stored in floating-point arrays were read or written %s "
                                    "times; their bits look like denormals, but they cost nothing.",
                                    integers));
    if (run->near)
        sentences_say(answer, memory_format("%s results were within %lld binades of the denormal range.",
                                            near, (long long)run->binades));
}

/* The best single birth, from the chains or else from the births themselves. */
static bool find_best(const struct denormal_view *view, int64_t run, int64_t *birth, double *share,
                      struct error *error)
{
    const char *sql = query_named(denormal_queries, "find_best");
    sqlite3_stmt *statement = denormal_ask(view, sql, run, 1, error);
    int state = statement ? report_step(statement, error) : -1;
    *birth = 0;
    if (state == 1) {
        *birth = sqlite3_column_int64(statement, 0);
        *share = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

/* Where no single change helps: how many it takes. */
static bool say_all_births(const struct denormal_view *view, const struct shown_run *run,
                           struct array *changes, struct error *error)
{
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "say_all_births"), run->id, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    uint64_t places = state == 1 ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (places > 1) {
        autofree char *count = phrase_count(places);
        sentences_say(
            changes,
            memory_format("They arise in %s places; storing 0 in all of these would remove all of them.",
                          count));
    }
    return state >= 0;
}

static bool say_best_change(const struct denormal_view *view, const struct shown_run *run,
                            struct array *changes, struct error *error)
{
    struct denormal_birth_words words = {0};
    int64_t birth;
    double share = 0;
    if (!find_best(view, run->id, &birth, &share, error))
        return false;
    if (!birth || !denormal_removes_some(share))
        return true;
    if (!denormal_find_birth(view, birth, &words, error))
        return false;
    autofree char *removed = denormal_removal_words(share);
    const char *weak = share < LEAST_REMOVED ? "No single change removes most of them; the best one: " : "";
    if (!words.maker)
        sentences_say(changes,
                      memory_format("%s%ctoring 0 instead of tiny numbers where they come into the program "
                                    "(input, constants) would remove %s of the operations on denormals.",
                                    weak, *weak ? 's' : 'S', removed));
    else if (words.place)
        sentences_say(changes,
                      memory_format("%s%ctoring 0 instead of a denormal result at %s (in %s) would remove %s "
                                    "of the operations on denormals.",
                                    weak, *weak ? 's' : 'S', words.place, words.maker, removed));
    else
        sentences_say(changes,
                      memory_format("%s%ctoring 0 instead of the denormal results of %s would remove %s of "
                                    "the operations on denormals.",
                                    weak, *weak ? 's' : 'S', words.maker, removed));
    denormal_free_birth(&words);
    return !*weak || say_all_births(view, run, changes, error);
}

/* The instruction set, and whether the program has Fortran code. */
static bool find_surroundings(const struct denormal_view *view, int64_t run, char isa[16], bool *is_fortran,
                              struct error *error)
{
    const char *sql = query_named(denormal_queries, "find_surroundings");
    sqlite3_stmt *statement = denormal_ask(view, sql, run, 1, error);
    int state = statement ? report_step(statement, error) : -1;
    isa[0] = 0;
    *is_fortran = false;
    if (state == 1) {
        const char *word = (const char *)sqlite3_column_text(statement, 0);
        snprintf(isa, 16, "%s", word ? word : "");
        *is_fortran = sqlite3_column_int(statement, 1);
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

static bool say_flushing(const struct denormal_view *view, const struct shown_run *run, struct array *changes,
                         struct error *error)
{
    char isa[16];
    bool is_fortran;
    if (!find_surroundings(view, run->id, isa, &is_fortran, error))
        return false;
    if (!run->is_tracer)
        sentences_say(
            changes,
            memory_format(
                "`assay denormals trace` finds where they arise, and how many a change there would remove."));
    bool is_arm = !strcmp(isa, "aarch64"), is_i386 = !strcmp(isa, "i386");
    const char *how =
        is_fortran ? "`call ieee_set_underflow_mode(.false.)` (module ieee_arithmetic) at program start"
        : is_arm   ? "the FZ bit of the FPCR register at the start of each thread"
                   : "`_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON)` and "
                     "`_MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON)` at the start of each thread";
    sentences_say(
        changes,
        memory_format("%s the processor can flush all of them to zero: link the program with -ffast-math, or "
                      "set %s.%s Then x - y can be 0 although x and y differ, and sums of many tiny numbers "
                      "are lost: check that the results stay good enough.",
                      run->is_tracer && !changes->count ? "No single place to change was found, but" : "Or",
                      how, is_i386 ? " x87 code has no such mode: compile with -msse2 -mfpmath=sse." : ""));
    return true;
}

bool denormal_answer(const struct denormal_view *view, const struct shown_run *run, struct array *answer,
                     struct array *changes, struct error *error)
{
    *answer = ARRAY_OF(char *);
    *changes = ARRAY_OF(char *);
    if (!denormal_has_events(run)) {
        say_nothing_met(run, answer);
        return true;
    }
    say_count(run, answer);
    bool done = say_where(view, run, answer, error) && say_arrays(view, run, answer, error) &&
                say_phases(view, run, answer, error);
    if (done)
        say_cost(run, answer);
    if (done && (run->operand_events || run->underflow_events) && !hardly_matters(run))
        done = say_best_change(view, run, changes, error) && say_flushing(view, run, changes, error);
    if (!done) {
        sentences_free(answer);
        sentences_free(changes);
    }
    return done;
}
