/* How a run was measured: how the probes were put into the code, what their cost was, and what has no
   result. */
#include "show/report/probe/parts.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* " (30 small, 8 unknown jumps)": why, of one way. */
static bool put_reasons(FILE *out, const struct asked *asked, int64_t run, const char *way,
                        struct error *error)
{
    const char *sql = query_named(probe_queries, "put_reasons");
    sqlite3_stmt *statement = report_ask(asked, sql, run, 1, error);
    int state = -1;
    size_t told = 0;
    if (statement)
        sqlite3_bind_text(statement, 3, way, -1, SQLITE_STATIC);
    while (statement && (state = report_step(statement, error)) == 1) {
        autofree char *count = phrase_count((uint64_t)sqlite3_column_int64(statement, 1));
        fprintf(out, "%s%s: %s", told++ ? ", " : " (", (const char *)sqlite3_column_text(statement, 0),
                count);
    }
    fputs(told ? ")" : "", out);
    sqlite3_finalize(statement);
    return state == 0;
}

static bool say_probes(const struct asked *asked, const struct probed_run *run, struct array *sentences,
                       struct error *error)
{
    static const struct {
        const char *way, *words;
    } ways[] = {{"jump", "placed by a jump"}, {"trap", "placed by a trap"}, {"none", "not placed"}};
    const char *sql = query_named(probe_queries, "say_probes");
    uint64_t counts[4] = {0};
    char *text = NULL;
    size_t size = 0, told = 0;
    sqlite3_stmt *statement = report_ask(asked, sql, run->id, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    for (int i = 0; state == 1 && i < 4; i++)
        counts[i] = (uint64_t)sqlite3_column_int64(statement, i);
    sqlite3_finalize(statement);
    bool done = state >= 0;
    if (!done || !counts[0])
        return done;
    FILE *out = open_memstream(&text, &size);
    autofree char *all = phrase_count(counts[0]);
    fprintf(out, "%s probe%s", all, counts[0] == 1 ? "" : "s");
    for (size_t i = 0; done && i < sizeof ways / sizeof *ways; i++) {
        if (!counts[i + 1])
            continue;
        bool is_all = counts[i + 1] == counts[0];
        autofree char *count = phrase_count(counts[i + 1]);
        fprintf(out, "%s%s%s %s", told++ || is_all ? ", " : ": ", is_all ? "" : count,
                is_all && counts[0] > 1 ? "all" : "", ways[i].words);
        done = put_reasons(out, asked, run->id, ways[i].way, error);
    }
    putc('.', out);
    fclose(out);
    sentences_say(sentences, text);
    return done;
}

/* Whether anything has times: values, addresses and counts have none. */
static bool has_times(const struct asked *asked, int64_t run, bool *has, struct error *error)
{
    const char *sql = query_named(probe_queries, "has_times");
    sqlite3_stmt *statement = report_ask(asked, sql, run, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    *has = state == 1 && sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return state >= 0;
}

static void say_costs(const struct probed_run *run, bool has_times, struct array *sentences)
{
    autofree char *pair = phrase_ns(run->pair_ns);
    autofree char *traps = phrase_count(run->traps), *reading = phrase_ns(run->reading_ns);
    if (run->pair_ns > 0 && has_times)
        sentences_say(sentences,
                      memory_format("Times are without the cost of the probes, %s for entry and exit "
                                    "together; the clock cannot tell times below %s.",
                                    pair, reading));
    if (run->traps)
        sentences_say(sentences,
                      memory_format("Traps were taken %s times, each for a microsecond or more.", traps));
}

static const char FREQUENCY[] =
    "% is the difference between the core's frequency at the start and at the end: cycles are approximate";
static const char OVERHEAD[] =
    "% of the time was spent in probes: it is subtracted, but short times are uncertain; to probe less, "
    "name functions before --, or count loops with --no-clock";

static bool say_limits(const struct asked *asked, int64_t run, struct array *sentences, struct error *error)
{
    static const struct {
        const char *kind, *one, *many;
    } limits[] = {
        {"unpaired", "exit had no entry", "exits had no entry"},
        {"abandoned", "entry had no exit (longjmp, an exception, or the end of the run): it has no time",
         "entries had no exit (longjmp, exceptions, or the end of the run): they have no times"},
        {"burst", "call or loop entry was shorter than the clock can tell",
         "calls or loop entries were shorter than the clock can tell: their times are right only on average"},
        {"foreign", "event of a thread was left out, because the recording had no room for the thread",
         "events of threads were left out, because the recording had no room for the threads"},
        {"lost",
         "event was lost, for want of memory or because two threads of a static program began at once",
         "events were lost, for want of memory or because threads of a static program began at once"},
        {"unread", "recording could not be read", "recordings could not be read"},
        {"damaged", "piece of the recording was damaged or cut off: what it counted is missing",
         "pieces of the recording were damaged or cut off: what they counted is missing"},
        {"frequency", FREQUENCY, FREQUENCY},
        {"overhead", OVERHEAD, OVERHEAD},
        {"beyond", "individual event was left out: a database keeps 33 million",
         "individual events were left out: a database keeps 33 million"},
    };
    int state = -1;
    sqlite3_stmt *statement =
        report_ask(asked, query_named(probe_queries, "say_limits"), /* no program returns from _start */
                   run, -1, error);
    while (statement && (state = report_step(statement, error)) == 1) {
        const char *kind = (const char *)sqlite3_column_text(statement, 0);
        uint64_t number = (uint64_t)sqlite3_column_int64(statement, 1);
        autofree char *count = phrase_count(number);
        for (size_t i = 0; kind && i < sizeof limits / sizeof *limits; i++)
            if (!strcmp(kind, limits[i].kind))
                sentences_say(sentences,
                              memory_format("%s %s.", count, number == 1 ? limits[i].one : limits[i].many));
    }
    sqlite3_finalize(statement);
    return state == 0;
}

bool probe_find_measured(const struct asked *asked, const struct probed_run *run, struct array *sentences,
                         struct error *error)
{
    *sentences = ARRAY_OF(char *);
    bool has = false,
         done = say_probes(asked, run, sentences, error) && has_times(asked, run->id, &has, error);
    if (done) {
        say_costs(run, has, sentences);
        done = say_limits(asked, run->id, sentences, error);
    }
    if (!done)
        sentences_free(sentences);
    return done;
}
