/* What a run shows, a handful of sentences.

   The view probe_findings says what each thing is; here the ones that matter are chosen. The hottest come
   first. Things that took a small part of the hottest one's time are left out, and so are plain facts
   (a function, a loop, a call about which nothing is special) unless they took a large part. Of each group at
   most a few are said: the tables below have the rest. */
#include "show/report/probe/parts.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 10 };
static const double LEAST_SHARE = 0.01, LEAST_PLAIN_SHARE = 0.1; /* of the hottest one's time */

static const size_t most_of_group[PROBE_GROUPS] = {
    [PROBE_FUNCTIONS] = 3, [PROBE_LOOPS] = 4, [PROBE_CALLS] = 3, [PROBE_VALUES] = 4, [PROBE_ACCESSES] = 4};

/* Which advice follows from which facts. */
static const struct {
    const char *kind;
    enum probe_group group;
    const char *advice; /* NULL: the facts alone */
    bool is_plain;
} kinds[] = {
    {"function", PROBE_FUNCTIONS, NULL, true},
    {"burst function", PROBE_FUNCTIONS, "let the compiler inline it (same file, a header, or -flto)", false},
    {"tiny function", PROBE_FUNCTIONS, "let the compiler inline it (same file, a header, or -flto)", false},
    {"uneven function", PROBE_FUNCTIONS, "look at what the slow calls do differently", false},
    {"short constant loop", PROBE_LOOPS, "peel it or give the compiler the constant", false},
    {"constant loop", PROBE_LOOPS,
     "give the compiler the constant (a constant bound, __builtin_assume, or a version of the function for "
     "it)",
     false},
    {"usual loop", PROBE_LOOPS, "make a version for that number and keep the loop for the others", false},
    {"bimodal loop", PROBE_LOOPS, "make a version for each of the two", false},
    {"short loop", PROBE_LOOPS,
     "too short for its set-up: put another loop inside, join it with its neighbours, or turn off its "
     "vectorisation or unrolling",
     false},
    {"set-up loop", PROBE_LOOPS, "move its set-up out of the loop around it", false},
    {"loop", PROBE_LOOPS, NULL, true},
    {"call", PROBE_CALLS, NULL, true},
    {"uneven call", PROBE_CALLS, "look at what the slow calls do differently", false},
    {"entry value", PROBE_VALUES, NULL, false},
    {"unset value", PROBE_VALUES, "name a later line", false},
    {"one value", PROBE_VALUES, "make a version of the function for it, or a constant", false},
    {"usual value", PROBE_VALUES, "make a version of the function for it", false},
    {"few values", PROBE_VALUES, "versions for these values would know them", false},
    {"aliasing access", PROBE_ACCESSES,
     "shift one of the arrays by some lines, so that their low 12 address bits differ", false},
    {"split access", PROBE_ACCESSES, "align the array to 64 bytes and pad its rows or elements", false},
    {"fixed access", PROBE_ACCESSES, "keep it in a local variable, so that it stays in a register", false},
    {"conflicting access", PROBE_ACCESSES, "pad the rows, so that they do not lie a power of two apart",
     false},
    {"sparse access", PROBE_ACCESSES, "keep together what is used together, or exchange the loops", false},
};

static bool take(struct probe_finding *finding, bool *is_plain, sqlite3_stmt *statement)
{
    const char *kind = (const char *)sqlite3_column_text(statement, 0);
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind, kinds[i].kind) != 0)
            continue;
        *finding = (struct probe_finding){.group = kinds[i].group,
                                          .kind = kinds[i].kind,
                                          .advice = kinds[i].advice,
                                          .function = sqlite3_column_int64(statement, 1),
                                          .loop = sqlite3_column_int64(statement, 2),
                                          .instruction = sqlite3_column_int64(statement, 3),
                                          .value = sqlite3_column_int64(statement, 4),
                                          .ns = report_column_real(statement, 5),
                                          .count = (uint64_t)sqlite3_column_int64(statement, 6)};
        *is_plain = kinds[i].is_plain;
        return true;
    }
    return false;
}

bool probe_find_findings(const struct probe_view *view, const struct probed_run *run, struct array *findings,
                         struct error *error)
{
    struct asked asked = probe_asked(view);
    size_t of_group[PROBE_GROUPS] = {0};
    double hottest = 0;
    int state = -1;
    *findings = ARRAY_OF(struct probe_finding);
    sqlite3_stmt *statement =
        report_ask(&asked, query_named(probe_queries, "probe_find_findings"), run->id, -1, error);
    while (statement && findings->count < MOST_FINDINGS && (state = report_step(statement, error)) == 1) {
        struct probe_finding finding;
        bool is_plain;
        if (!take(&finding, &is_plain, statement) || of_group[finding.group] == most_of_group[finding.group])
            continue;
        hottest = hottest > 0 || !isfinite(finding.ns) ? hottest : finding.ns;
        if (finding.ns < hottest * (is_plain ? LEAST_PLAIN_SHARE : LEAST_SHARE))
            continue;
        of_group[finding.group]++;
        *(struct probe_finding *)array_push(findings) = finding;
    }
    sqlite3_finalize(statement);
    bool done = state >= 0;
    for (size_t i = 0; done && i < findings->count; i++)
        done = probe_word_finding(&asked, run, ARRAY_AT(struct probe_finding, findings, i), error);
    if (!done)
        probe_free_findings(findings);
    return done;
}

void probe_free_findings(struct array *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(ARRAY_AT(struct probe_finding, findings, i)->text);
    array_free(findings);
}
