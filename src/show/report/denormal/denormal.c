/* Runs as text: a heading, the answer, what to change, the story, then tables.

   Readers want to know whether denormals matter here and what to do: sentences say that first. Tables show
   the rows that matter most and how many more there are; empty tables are left out.

   A command may be hundreds of processes, each of them a run.  Brief text (without --top) shows the few with
   most denormals in full, others with some in a line each, and counts those with none; for each run it has
   the tables that most people need. --top shows all runs and all tables. */
#include "show/report/denormal/parts.h"

#include "show/report/common/paper.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BRIEF_ROWS = 5,        /* of a table in brief text */
    MOST_SHOWN = 3,        /* runs shown in full in brief text */
    LONGEST_COMMAND = 60,  /* of a process in a line */
    LONGEST_HEADING = 160, /* of the command in it; scripts may be arguments */
    MOST_NAMED = 6,        /* programs without denormals */
    MOST_COMPARED = 32     /* names of those, to count each once */
};

struct denormal_text {
    const struct denormal_view *view;
    struct paper paper;
    bool has_penalties; /* already shown */
};

static void print_heading(const struct denormal_text *text, const struct shown_run *run)
{
    autofree char *command =
        text_safe(run->command ? run->command : "a run", strlen(run->command ? run->command : "a run"));
    autofree char *seconds = phrase_seconds(run->seconds),
                  *end = phrase_end(run->exit_status, run->end_signal);
    autofree char *cut = text_cut(command, LONGEST_HEADING, false, true);
    fprintf(text->paper.out, "%sDenormals: %s%s\n", report_ink(&text->paper.style, ink_BOLD), cut,
            report_ink(&text->paper.style, ink_PLAIN));
    wrap_say(text->paper.out, 0, text->paper.width, "%s, %s; process %lld, %s, %s; on %s",
             run->tool ? run->tool : "?", run->mode ? run->mode : "?", (long long)run->process, seconds, end,
             run->processor ? run->processor : "an unknown processor");
}

static bool print_limits(const struct denormal_text *text, const struct query *section, int64_t run,
                         int64_t most, struct error *error)
{
    int state;
    sqlite3_stmt *statement = denormal_ask(text->view, section->sql, run, most, error);
    if (!statement)
        return false;
    while ((state = report_step(statement, error)) == 1) {
        const char *limit = (const char *)sqlite3_column_text(statement, 0);
        autofree char *count = phrase_count((uint64_t)sqlite3_column_int64(statement, 1));
        bool is_counted = sqlite3_column_type(statement, 1) != SQLITE_NULL;
        autofree char *line = is_counted ? memory_format("%s (%s)", limit ? limit : "", count)
                                         : memory_format("%s", limit ? limit : "");
        paper_item(&text->paper, line);
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static bool print_section(const struct denormal_text *text, const struct query *section,
                          const struct shown_run *run, struct error *error)
{
    bool is_brief = text->view->is_brief;
    int64_t most = !text->view->top                           ? -1
                   : is_brief && text->view->top > BRIEF_ROWS ? BRIEF_ROWS
                                                              : (int64_t)text->view->top;
    if (!strcmp(section->name, "limits")) {
        if (run->limits)
            paper_title(&text->paper, section->title);
        return !run->limits || print_limits(text, section, run->id, -1, error);
    }
    struct query table = denormal_section_of(section, run, is_brief);
    return paper_print_table(&text->paper, &table, run->id, most, error);
}

/* Whether most of it has source lines; otherwise instructions are shown. */
static bool find_lines(const struct denormal_text *text, int64_t run, bool *has_lines, struct error *error)
{
    const char *sql = query_named(denormal_queries, "find_lines");
    sqlite3_stmt *statement = denormal_ask(text->view, sql, run, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    *has_lines = state == 1 && sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return state >= 0;
}

/* In brief text: lines, or instructions instead. */
static bool is_wanted(const struct query *section, bool has_lines)
{
    if (!has_lines && !strcmp(section->name, "instructions"))
        return true;
    return section->is_brief && (has_lines || strcmp(section->name, "lines") != 0);
}

static bool print_sections(struct denormal_text *text, const struct shown_run *run, struct error *error)
{
    bool has_lines = true;
    bool done = !text->view->is_brief || find_lines(text, run->id, &has_lines, error);
    for (const struct query *section = denormal_sections; done && section->name; section++) {
        bool is_penalties = !strcmp(section->name, "penalties");
        /* All runs of a command have the same processor. */
        if (is_penalties && text->has_penalties)
            continue;
        if (!section->title || (text->view->is_brief && !is_wanted(section, has_lines)))
            continue;
        done = print_section(text, section, run, error);
        text->has_penalties |= is_penalties && denormal_has_events(run);
    }
    return done;
}

static bool print_run(struct denormal_text *text, const struct shown_run *run, struct error *error)
{
    struct array answer, changes, story;
    if (!denormal_answer(text->view, run, &answer, &changes, error))
        return false;
    bool done = denormal_story(text->view, run, &story, error);
    print_heading(text, run);
    putc('\n', text->paper.out);
    paper_paragraph(&text->paper, &answer);
    paper_list(&text->paper, "What to change", &changes);
    if (done) {
        paper_list(&text->paper, "The story", &story);
        sentences_free(&story);
    }
    sentences_free(&answer);
    sentences_free(&changes);
    return done && print_sections(text, run, error);
}

static void print_more(const struct denormal_text *text, bool has_maps)
{
    fputs(report_ink(&text->paper.style, ink_DIM), text->paper.out);
    putc('\n', text->paper.out);
    wrap_say(text->paper.out, 0, text->paper.width,
             "--top 20 shows all tables (instructions, loops, %s, …); --html writes a page%s.",
             has_maps ? "origins, births" : "samples with their stacks",
             has_maps ? ", --maps writes pictures of the arrays" : "");
    fputs(report_ink(&text->paper.style, ink_PLAIN), text->paper.out);
}

static uint64_t events_of(const struct shown_run *run)
{
    return run->operand_events + run->underflow_events;
}

/* Those with most events first; among those without any the longest, which is not just a wrapper. */
static int compare_runs(const void *left, const void *right)
{
    const struct shown_run *a = *(const struct shown_run *const *)left,
                           *b = *(const struct shown_run *const *)right;
    if (denormal_is_quiet(a) != denormal_is_quiet(b))
        return denormal_is_quiet(a) ? 1 : -1;
    if (events_of(a) != events_of(b))
        return events_of(a) < events_of(b) ? 1 : -1;
    if (denormal_is_quiet(a) && isfinite(a->seconds) && isfinite(b->seconds) && a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

/* Processes with fewer denormals than those shown above, in a line each. */
static void print_lesser(const struct denormal_text *text, const struct array *ranked, size_t first,
                         size_t count)
{
    size_t told = count < text->view->top ? count : text->view->top;
    paper_title(&text->paper, "Other processes with denormals");
    for (size_t i = first; i < first + told; i++) {
        const struct shown_run *run = *ARRAY_AT(const struct shown_run *, ranked, i);
        autofree char *operations = phrase_count(run->operand_events);
        autofree char *underflows = phrase_count(run->underflow_events);
        autofree char *command =
            text_safe(run->command ? run->command : "?", strlen(run->command ? run->command : "?"));
        autofree char *cut = text_cut(command, LONGEST_COMMAND, false, true);
        autofree char *line =
            memory_format("%s: operands %s, underflows %s (run %lld, process %lld)", cut, operations,
                          underflows, (long long)run->id, (long long)run->process);
        paper_item(&text->paper, line);
    }
    paper_below_table(&text->paper, NULL, count - told);
}

/* "sh, seq and 3 more programs": of processes without denormals. */
static char *quiet_programs(const struct array *ranked, size_t first)
{
    struct array names = ARRAY_OF(char *);
    char *text = NULL;
    size_t size = 0, told = 0;
    for (size_t i = first; i < ranked->count; i++) {
        const char *command = (*ARRAY_AT(const struct shown_run *, ranked, i))->command;
        size_t length = command ? strcspn(command, " ") : 0, start = length, n = 0;
        while (start && command[start - 1] != '/')
            start--;
        char *name = text_safe(command ? command + start : "?", command ? length - start : 1);
        while (n < names.count && strcmp(*ARRAY_AT(char *, &names, n), name) != 0)
            n++;
        if (n < names.count || names.count > MOST_COMPARED)
            free(name);
        else
            sentences_say(&names, name);
    }
    FILE *out = open_memstream(&text, &size);
    for (; told < names.count && told < MOST_NAMED; told++)
        fprintf(out, "%s%s", told ? ", " : "", *ARRAY_AT(char *, &names, told));
    if (told < names.count)
        fputs(" and others", out);
    fclose(out);
    sentences_free(&names);
    return text;
}

static void print_quiet(const struct denormal_text *text, const struct array *ranked, size_t first,
                        uint64_t left_out)
{
    uint64_t all = ranked->count - first + left_out, blind = 0;
    for (size_t i = first; i < ranked->count; i++)
        blind += (*ARRAY_AT(const struct shown_run *, ranked, i))->limits > 0;
    if (!all)
        return;
    autofree char *count = phrase_count(all), *programs = quiet_programs(ranked, first);
    autofree char *unseen = phrase_count(blind);
    putc('\n', text->paper.out);
    wrap_say(text->paper.out, 0, text->paper.width, "%s other process%s had none%s%s%s%s%s%s.", count,
             all == 1 ? "" : "es", *programs ? " (" : "", programs, *programs ? ")" : "",
             blind ? "; in " : "", blind ? unseen : "", blind ? " something went unseen (see --top)" : "");
}

/* The runs with most denormals in full; a line for the others. */
static bool print_runs_briefly(struct denormal_text *text, const struct array *runs, struct error *error)
{
    struct array ranked = ARRAY_OF(const struct shown_run *);
    size_t loud = 0;
    uint64_t left_out = 0;
    bool done = true;
    for (size_t i = 0; i < runs->count; i++) {
        const struct shown_run *run = ARRAY_AT(struct shown_run, runs, i);
        *(const struct shown_run **)array_add(&ranked) = run;
        loud += !denormal_is_quiet(run);
        left_out += run->left_out;
    }
    qsort(ranked.data, ranked.count, ranked.width, compare_runs);
    size_t told = loud > MOST_SHOWN ? MOST_SHOWN : loud ? loud : 1;
    for (size_t i = 0; done && i < told; i++) {
        fputs(i ? "\n\n" : "", text->paper.out);
        done = print_run(text, *ARRAY_AT(const struct shown_run *, &ranked, i), error);
    }
    if (done && loud > told)
        print_lesser(text, &ranked, told, loud - told);
    if (done)
        print_quiet(text, &ranked, loud > told ? loud : told, left_out);
    if (done && loud)
        print_more(text, ARRAY_AT(struct shown_run, runs, 0)->is_tracer);
    array_free(&ranked);
    return done;
}

bool report_denormal_text(const struct denormal_view *view, const struct report_style *style, FILE *out,
                          struct error *error)
{
    struct array runs = {0};
    struct asked asked = denormal_asked(view);
    struct denormal_text text = {.view = view, .paper = paper_begin(&asked, style, out)};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    if (done && view->is_brief)
        done = print_runs_briefly(&text, &runs, error);
    for (size_t i = 0; done && !view->is_brief && i < runs.count; i++) {
        fputs(i ? "\n\n" : "", out);
        done = print_run(&text, ARRAY_AT(struct shown_run, &runs, i), error);
    }
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
