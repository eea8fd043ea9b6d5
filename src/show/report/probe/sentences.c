/* Findings in words: the facts, then what follows from them.

   "loop 12 (solve.f90:40-44): 1,204,331 entries, always 5 iterations, 61 cycles an entry of which 24 are
   set-up: peel it or give the compiler the constant" */
#include "show/report/probe/parts.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_TRIPS = 16 }; /* up to so many iterations, cycles are given for an entry */

static uint64_t column_count(sqlite3_stmt *statement, int column)
{
    int64_t count = sqlite3_column_int64(statement, column);
    return count > 0 ? (uint64_t)count : 0;
}

static void end_subject(FILE *out, struct probe_finding *finding)
{
    long length = ftell(out);
    finding->subject_length = length > 0 ? (size_t)length : 0;
}

/* Phrases written into a sentence and freed. */
static void put(FILE *out, const char *before, char *phrase, const char *after)
{
    fprintf(out, "%s%s%s", before, phrase, after);
    free(phrase);
}

/* "1 call", "2,000,000 calls" */
static void put_counted(FILE *out, uint64_t count, const char *one, const char *many)
{
    put(out, "", phrase_count(count), " ");
    fputs(count == 1 ? one : many, out);
}

/* ", of which 39 ms in its own code (64 % of the measured time)", ", 62 % of the measured time" */
static void put_own_time(FILE *out, double total, double self, uint64_t calls, double measured)
{
    if (!(measured > 0) || !(self > 0))
        return;
    bool is_part = self < 0.95 * total;
    if (is_part && calls == 1) {
        put(out, ", of which ", phrase_ns(self), " in its own code");
        put(out, " (", phrase_share(self / measured), " of the measured time)");
    } else {
        put(out, ", ", phrase_share(self / measured), " of the measured time");
        fputs(is_part ? " in its own code" : "", out);
    }
}

/* ": 2,000,000 calls, 31 ns each (28 ns to 1.2 µs)"; columns: calls, bursts, minimum, median, maximum.  Where
   the clock cannot tell most of them, the few others may still take the time: the mean says so. */
static void put_times(FILE *out, sqlite3_stmt *statement, int first, double mean, double reading)
{
    uint64_t calls = column_count(statement, first), bursts = column_count(statement, first + 1);
    double median = report_column_real(statement, first + 3);
    fputs(": ", out);
    put_counted(out, calls, "call", "calls");
    if (bursts * 2 > calls) {
        bool is_mean = mean >= 2 * reading;
        if (is_mean)
            put(out, ", ", phrase_ns(mean), " each on average");
        put(out, is_mean ? ", most of them less than " : ", less than ", phrase_ns(reading),
            calls == 1 || is_mean ? "" : " each");
        return;
    }
    if (!isfinite(median))
        return;
    put(out, ", ", phrase_ns(median), calls == 1 ? "" : " each");
    if (calls == 1)
        return;
    put(out, " (", phrase_ns(report_column_real(statement, first + 2)), " to ");
    put(out, "", phrase_ns(report_column_real(statement, first + 4)), ")");
}

/* So few slow calls are more often the system's doing than the program's. */
static const char INTERRUPTIONS[] =
    "so rare, they may be interruptions by the system: repeat the run on a quiet "
    "machine, then look at what they do differently";
static const double RARE_CALLS = 0.01, LEAST_SLOW_TIME = 0.1; /* shares of calls, of their time */

/* "; the slow ones (0.3 % of the calls) take 60 % of its time": more than eight times the median. Without
   them, or if they take little, there is no advice. */
static bool put_slowest(FILE *out, const struct asked *asked, int64_t run, const char *quantity,
                        int64_t subject, double median, struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "put_slowest");
    sqlite3_stmt *statement = report_ask(asked, sql, run, subject, error);
    if (statement) {
        sqlite3_bind_text(statement, 3, quantity, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 4, 8 * median);
    }
    int state = statement ? report_step(statement, error) : -1;
    double calls = state == 1 ? report_column_real(statement, 0) : 0;
    double time = state == 1 ? report_column_real(statement, 1) : 0;
    sqlite3_finalize(statement);
    if (calls > 0 && time >= LEAST_SLOW_TIME) {
        put(out, "; the slow ones (", phrase_share(calls), " of the calls) take ");
        put(out, "", phrase_share(time), " of its time");
        finding->advice = calls < RARE_CALLS ? INTERRUPTIONS : finding->advice;
    } else {
        finding->advice = NULL;
    }
    return state >= 0;
}

static bool is_uneven(const struct probe_finding *finding)
{
    return !strncmp(finding->kind, "uneven", 6);
}

static bool word_function(FILE *out, const struct asked *asked, const struct probed_run *run,
                          struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "word_function");
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, finding->function, error);
    int state = statement ? report_step(statement, error) : -1;
    bool done = state >= 0;
    if (state == 1) {
        const char *place = (const char *)sqlite3_column_text(statement, 1);
        fprintf(out, "%s", (const char *)sqlite3_column_text(statement, 0));
        if (place)
            fprintf(out, " (%s)", place);
        end_subject(out, finding);
        put_times(out, statement, 2, report_column_real(statement, 9), run->reading_ns);
        put_own_time(out, report_column_real(statement, 8), report_column_real(statement, 7),
                     column_count(statement, 2), run->measured_ns);
        if (is_uneven(finding))
            done = put_slowest(out, asked, run->id, "function time", finding->function,
                               report_column_real(statement, 5), finding, error);
    }
    sqlite3_finalize(statement);
    return done;
}

/* Columns: minimum, median, maximum, usual number, its share. */
static void put_iterations(FILE *out, sqlite3_stmt *statement, int first, const char *kind)
{
    uint64_t least = column_count(statement, first), most = column_count(statement, first + 2);
    uint64_t usual = column_count(statement, first + 3), entries = column_count(statement, 2);
    double median = report_column_real(statement, first + 1);
    double share = report_column_real(statement, first + 4);
    if (least == most) {
        fputs(entries > 1 ? ", always " : ", ", out);
        put_counted(out, most, "iteration", "iterations");
        return;
    }
    if (!strcmp(kind, "usual loop")) {
        fputs(", ", out);
        put_counted(out, usual, "iteration", "iterations");
        put(out, " in ", phrase_share(share), " of them");
        put(out, " (", phrase_count(least), " to ");
        put(out, "", phrase_count(most), ")");
        return;
    }
    put(out, ", ", phrase_count(least), " to ");
    put(out, "", phrase_count(most), " iterations");
    if (isfinite(median))
        put(out, " (median ", phrase_count((uint64_t)(median + 0.5)), ")");
}

/* "; most entries make 5 or 96 – 112" */
static bool put_humps(FILE *out, const struct asked *asked, int64_t run, int64_t loop, struct error *error)
{
    const char *sql = query_named(probe_queries, "put_humps");
    sqlite3_stmt *statement = report_ask(asked, sql, run, loop, error);
    int state = -1;
    for (size_t i = 0; statement && (state = report_step(statement, error)) == 1; i++)
        fprintf(out, "%s%s", i ? " or " : ", most of them ", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return state == 0;
}

/* "2.5", "61", "89,015" */
static char *phrase_cycles(double cycles)
{
    return cycles < 99.5 ? memory_format("%.3g", cycles) : phrase_count((uint64_t)llround(cycles));
}

/* Columns: cycles of an entry, of an iteration, of the set-up; nanoseconds of the median entry. */
static void put_cycles(FILE *out, sqlite3_stmt *statement, int first, double median_iterations)
{
    double entry = report_column_real(statement, first), iteration = report_column_real(statement, first + 1);
    double setup = report_column_real(statement, first + 2), ns = report_column_real(statement, first + 3);
    bool is_long = median_iterations > SHORT_TRIPS;
    if (isfinite(entry) && isfinite(iteration)) {
        put(out, ", ", phrase_cycles(is_long ? iteration : entry),
            is_long ? " cycles an iteration" : " cycles an entry");
        if (setup >= 1 && (!is_long || setup >= 0.1 * entry))
            fprintf(out, is_long ? "; %.0f cycles of each entry are set-up" : " of which %.0f are set-up",
                    setup < entry ? setup : entry);
    } else if (isfinite(ns)) {
        put(out, ", ", phrase_ns(ns), " an entry");
    }
}

/* What the program itself took, without the time in probes; threads together.  NaN: unknown. */
static double own_seconds(const struct probed_run *run)
{
    bool is_one = run->threads <= 1 && isfinite(run->seconds);
    return (is_one ? run->seconds : run->thread_seconds) - (run->probe_seconds > 0 ? run->probe_seconds : 0);
}

static bool word_loop(FILE *out, const struct asked *asked, const struct probed_run *run,
                      struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "word_loop");
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, finding->loop, error);
    int state = statement ? report_step(statement, error) : -1;
    bool done = state >= 0;
    if (state == 1) {
        const char *place = (const char *)sqlite3_column_text(statement, 0);
        const char *function = (const char *)sqlite3_column_text(statement, 1);
        double total = report_column_real(statement, 12);
        fprintf(out, "loop %lld", (long long)finding->loop);
        if (place || function)
            fprintf(out, " (%s%s)", place ? "" : "in ", place ? place : function);
        end_subject(out, finding);
        fputs(": ", out);
        put_counted(out, column_count(statement, 2), "entry", "entries");
        put_iterations(out, statement, 3, finding->kind);
        if (!strcmp(finding->kind, "bimodal loop"))
            done = put_humps(out, asked, run->id, finding->loop, error);
        put_cycles(out, statement, 8, report_column_real(statement, 4));
        if (sqlite3_column_int(statement, 13)) { /* their time is not the loop's */
            fputs(" with the functions that it calls", out);
            finding->advice = NULL;
        }
        double all = own_seconds(run);
        if (total > 0 && all > 0)
            put(out, ", ", phrase_share(fmin(1, total * 1e-9 / all)),
                run->threads > 1 ? " of the threads' time" : " of the run");
    }
    sqlite3_finalize(statement);
    return done;
}

static bool word_call(FILE *out, const struct asked *asked, const struct probed_run *run,
                      struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "word_call");
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, finding->instruction, error);
    int state = statement ? report_step(statement, error) : -1;
    bool done = state >= 0;
    if (state == 1) {
        fprintf(out, "%s, called at %s", (const char *)sqlite3_column_text(statement, 0),
                (const char *)sqlite3_column_text(statement, 1));
        end_subject(out, finding);
        put_times(out, statement, 2, report_column_real(statement, 8), run->reading_ns);
        put(out, ", ", phrase_ns(report_column_real(statement, 7)), " together");
        if (is_uneven(finding))
            done = put_slowest(out, asked, run->id, "call time", finding->instruction,
                               report_column_real(statement, 5), finding, error);
    }
    sqlite3_finalize(statement);
    return done;
}

/* "parameter n of f is always 5", "argument 3 of memcpy at a.c:12 is 8 in 93 % of 1,000 calls" */
static bool word_value(FILE *out, const struct asked *asked, const struct probed_run *run,
                       struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "word_value");
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, finding->value, error);
    int state = statement ? report_step(statement, error) : -1;
    if (state == 1) {
        const char *text[11];
        for (int i = 0; i < 11; i++)
            text[i] = (const char *)sqlite3_column_text(statement, i);
        const char *kind = text[0] ? text[0] : "value", *values = text[8] ? text[8] : "?";
        bool is_parameter = !strcmp(kind, "parameter"), is_argument = !strcmp(kind, "argument");
        fprintf(out, "%s %s", kind, text[1] ? text[1] : text[2] ? text[2] : "");
        if (is_parameter)
            fprintf(out, " of %s", text[3] ? text[3] : "?");
        else
            fprintf(out, "%s%s at %s", is_argument && text[10] ? " of " : "",
                    is_argument && text[10] ? text[10] : "",
                    text[4]   ? text[4]
                    : text[5] ? text[5]
                              : "?");
        end_subject(out, finding);
        if (!strcmp(finding->kind, "unset value")) {
            fputs(", read where its line begins, before it is set: what was there before says nothing", out);
            sqlite3_finalize(statement);
            return true;
        }
        if (!strcmp(finding->kind, "entry value"))
            fprintf(out, ", read before the loop there begins, not in its iterations, %s %s",
                    strchr(values, ',') ? "was one of" : "was", values);
        else if (!strcmp(finding->kind, "one value"))
            fprintf(out, " is always %s", values);
        else if (!strcmp(finding->kind, "usual value"))
            put(out, " is ", memory_format("%.*s", (int)strcspn(values, ","), values), "");
        else
            fprintf(out, " takes %s values: %s", text[7], values);
        if (!strcmp(finding->kind, "usual value"))
            put(out, " in ", phrase_share(report_column_real(statement, 9)), "");
        put(out, !strcmp(finding->kind, "usual value") ? " of " : " (",
            phrase_count(column_count(statement, 6)),
            !strcmp(finding->kind, "usual value") ? " cases" : " cases)");
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

static void put_access_facts(FILE *out, sqlite3_stmt *statement, const char *kind)
{
    uint64_t count = column_count(statement, 3);
    int64_t stride = sqlite3_column_int64(statement, 5);
    double share = report_column_real(statement, 6), all = count ? (double)count : 1;
    if (!strcmp(kind, "fixed access")) {
        put(out, " uses the same address in all ", phrase_count(count), " accesses");
        return;
    }
    if (share >= 0.5)
        put(out, stride < 0 ? " moves by -" : " moves by ", phrase_count((uint64_t)llabs(stride)), " bytes");
    else
        fputs(" has no usual stride", out);
    if (!strcmp(kind, "split access"))
        put(out, ", crosses lines in ", phrase_share((double)column_count(statement, 7) / all),
            " of accesses");
    else if (!strcmp(kind, "aliasing access")) {
        const char *store = (const char *)sqlite3_column_text(statement, 12);
        put(out, ", follows a store with the same low 12 address bits in ",
            phrase_share((double)column_count(statement, 8) / all), " of accesses");
        if (store)
            fprintf(out, " (the store at %s)", store);
    } else if (!strcmp(kind, "conflicting access")) {
        put(out, ", its ", phrase_count(column_count(statement, 9)), " lines share ");
        fprintf(out, "%lld of the 64 sets of the cache", (long long)sqlite3_column_int64(statement, 10));
    } else if (!strcmp(kind, "sparse access")) {
        fprintf(out, " and uses %lld of each %lld", (long long)sqlite3_column_int64(statement, 4),
                llabs(stride) < 64 ? llabs(stride) : 64LL);
        fputs(llabs(stride) < 64 ? "" : " bytes of a line", out);
    }
}

/* "the load at a.c:12 moves by 24 bytes, crosses lines in 12 % of accesses" */
static bool word_access(FILE *out, const struct asked *asked, const struct probed_run *run,
                        struct probe_finding *finding, struct error *error)
{
    const char *sql = query_named(probe_queries, "word_access");
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, finding->instruction, error);
    int state = statement ? report_step(statement, error) : -1;
    if (state == 1) {
        const char *text = (const char *)sqlite3_column_text(statement, 2);
        fprintf(out, "the %s at %s", (const char *)sqlite3_column_text(statement, 0),
                (const char *)sqlite3_column_text(statement, 1));
        if (text)
            fprintf(out, " (%s)", text);
        end_subject(out, finding);
        put_access_facts(out, statement, finding->kind);
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

bool probe_word_finding(const struct asked *asked, const struct probed_run *run,
                        struct probe_finding *finding, struct error *error)
{
    static bool (*const words[PROBE_GROUPS])(FILE *, const struct asked *, const struct probed_run *,
                                             struct probe_finding *, struct error *) = {
        [PROBE_FUNCTIONS] = word_function, [PROBE_LOOPS] = word_loop,      [PROBE_CALLS] = word_call,
        [PROBE_VALUES] = word_value,       [PROBE_ACCESSES] = word_access,
    };
    size_t size = 0;
    FILE *out = open_memstream(&finding->text, &size);
    bool done = words[finding->group](out, asked, run, finding, error);
    if (finding->advice)
        fprintf(out, ": %s", finding->advice);
    fclose(out);
    return done;
}
