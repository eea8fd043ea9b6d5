/* Runs as text: a heading, the answer, what to change, the story, then tables.

   Readers want to know whether denormals matter here and what to do: sentences say that first. Tables show
   the rows that matter most and how many more there are; empty tables are left out.

   A command may be hundreds of processes, each of them a run.  Brief text (without --top) shows the few with
   most denormals in full, others with some in a line each, and counts those with none; for each run it has
   the tables that most people need. --top shows all runs and all tables. */
#include "report/denormal/parts.h"

#include "report/common/rows.h"
#include "report/common/text.h"
#include "report/common/wrap.h"

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
    struct report_style style;
    FILE *out;
    size_t width;
    bool has_penalties; /* already shown */
};

static void print_title(const struct denormal_text *text, const char *title)
{
    fprintf(text->out, "\n%s%s%s\n", report_ink(&text->style, ink_BOLD), title,
            report_ink(&text->style, ink_PLAIN));
}

static void print_heading(const struct denormal_text *text, const struct shown_run *run)
{
    char *command =
        text_safe(run->command ? run->command : "a run", strlen(run->command ? run->command : "a run"));
    char *seconds = denormal_time_words(run->seconds), *end = denormal_end_words(run);
    char *cut = text_cut(command, LONGEST_HEADING, false, true);
    fprintf(text->out, "%sDenormals: %s%s\n", report_ink(&text->style, ink_BOLD), cut,
            report_ink(&text->style, ink_PLAIN));
    free(cut);
    wrap_say(text->out, 0, text->width, "%s, %s; process %lld, %s, %s; on %s", run->tool ? run->tool : "?",
             run->mode ? run->mode : "?", (long long)run->process, seconds, end,
             run->processor ? run->processor : "an unknown processor");
    free(command);
    free(seconds);
    free(end);
}

static void print_paragraph(const struct denormal_text *text, const struct array *sentences)
{
    char *all = NULL;
    size_t size = 0;
    FILE *paragraph = open_memstream(&all, &size);
    for (size_t i = 0; i < sentences->count; i++)
        fprintf(paragraph, "%s%s", i ? " " : "", *ARRAY_AT(char *, sentences, i));
    fclose(paragraph);
    if (*all)
        wrap_say(text->out, 0, text->width, "%s", all);
    free(all);
}

static void print_list(const struct denormal_text *text, const char *title, const struct array *sentences)
{
    if (!sentences->count)
        return;
    print_title(text, title);
    for (size_t i = 0; i < sentences->count; i++) {
        char *safe = text_safe(*ARRAY_AT(char *, sentences, i), strlen(*ARRAY_AT(char *, sentences, i)));
        fputs("- ", text->out);
        wrap_print(text->out, safe, 2, 2, text->width);
        free(safe);
    }
}

static bool print_limits(const struct denormal_text *text, const struct denormal_section *section,
                         int64_t run, int64_t most, struct error *error)
{
    int state;
    sqlite3_stmt *statement = denormal_ask(text->view, section->sql, run, most, error);
    if (!statement)
        return false;
    while ((state = report_step(statement, error)) == 1) {
        const char *limit = (const char *)sqlite3_column_text(statement, 0);
        char *safe = text_safe(limit ? limit : "", limit ? strlen(limit) : 0);
        char *count = denormal_count_words((uint64_t)sqlite3_column_int64(statement, 1));
        bool is_counted = sqlite3_column_type(statement, 1) != SQLITE_NULL;
        char *line = is_counted ? memory_format("%s (%s)", safe, count) : memory_format("%s", safe);
        fputs("- ", text->out);
        wrap_print(text->out, line, 2, 2, text->width);
        free(line);
        free(safe);
        free(count);
    }
    sqlite3_finalize(statement);
    return state == 0;
}

/* The table of a query as text, to be freed; *shown: its rows. */
static bool make_table(const struct denormal_text *text, const char *sql, int bars, int64_t run, int64_t most,
                       char **table, uint64_t *shown, struct error *error)
{
    size_t size = 0;
    sqlite3_stmt *statement = denormal_ask(text->view, sql, run, most, error);
    if (!statement)
        return false;
    FILE *out = open_memstream(table, &size);
    bool done = report_table(statement, &text->style, bars, out, shown, error);
    fclose(out);
    sqlite3_finalize(statement);
    if (!done) {
        free(*table);
        *table = NULL;
    }
    return done;
}

static void print_below_table(const struct denormal_text *text, const char *note, uint64_t left)
{
    fputs(report_ink(&text->style, ink_DIM), text->out);
    if (left) {
        char *count = denormal_count_words(left);
        fprintf(text->out, "… and %s more\n", count);
        free(count);
    }
    if (note)
        wrap_say(text->out, 0, text->width, "%s", note);
    fputs(report_ink(&text->style, ink_PLAIN), text->out);
}

static bool print_section(const struct denormal_text *text, const struct denormal_section *section,
                          const struct shown_run *run, struct error *error)
{
    bool is_brief = text->view->is_brief, done = true;
    const char *sql = is_brief && section->brief_sql ? section->brief_sql : section->sql;
    int64_t most = !text->view->top                           ? -1
                   : is_brief && text->view->top > BRIEF_ROWS ? BRIEF_ROWS
                                                              : (int64_t)text->view->top;
    char *table = NULL;
    uint64_t shown = 0;
    if (!strcmp(section->name, "limits")) {
        if (run->limits)
            print_title(text, section->title);
        return !run->limits || print_limits(text, section, run->id, -1, error);
    }
    if (!make_table(text, sql, section->bars, run->id, most, &table, &shown, error))
        return false;
    uint64_t all = shown;
    /* Only a full table may have more rows; counting them takes another query. */
    if (shown && most >= 0 && shown == (uint64_t)most)
        done = denormal_count_rows(text->view, sql, run->id, &all, error);
    if (done && shown) {
        print_title(text, section->title);
        fputs(table, text->out);
        print_below_table(text, denormal_note(section, run), all - shown);
    }
    free(table);
    return done;
}

/* Whether most of it has source lines; otherwise instructions are shown. */
static bool find_lines(const struct denormal_text *text, int64_t run, bool *has_lines, struct error *error)
{
    static const char sql[] =
        "select total(weight * (file is not null)) * 2 > total(weight) from (select file, operand_events + "
        "underflow_events + results + loads + stores as weight from denormal_lines where run = ?1)";
    sqlite3_stmt *statement = denormal_ask(text->view, sql, run, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    *has_lines = state == 1 && sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return state >= 0;
}

/* In brief text: lines, or instructions instead. */
static bool is_wanted(const struct denormal_section *section, bool has_lines)
{
    if (!has_lines && !strcmp(section->name, "instructions"))
        return true;
    return section->is_brief && (has_lines || strcmp(section->name, "lines") != 0);
}

static bool print_sections(struct denormal_text *text, const struct shown_run *run, struct error *error)
{
    bool has_lines = true;
    bool done = !text->view->is_brief || find_lines(text, run->id, &has_lines, error);
    for (size_t i = 0; done && i < denormal_section_count; i++) {
        const struct denormal_section *section = &denormal_sections[i];
        bool is_penalties = !strcmp(section->name, "penalties");
        /* All runs of a command have the same processor. */
        if (is_penalties && text->has_penalties)
            continue;
        if (text->view->is_brief && !is_wanted(section, has_lines))
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
    putc('\n', text->out);
    print_paragraph(text, &answer);
    print_list(text, "What to change", &changes);
    if (done) {
        print_list(text, "The story", &story);
        denormal_free_sentences(&story);
    }
    denormal_free_sentences(&answer);
    denormal_free_sentences(&changes);
    return done && print_sections(text, run, error);
}

static void print_more(const struct denormal_text *text, bool has_maps)
{
    fputs(report_ink(&text->style, ink_DIM), text->out);
    putc('\n', text->out);
    wrap_say(text->out, 0, text->width,
             "--top 20 shows all tables (instructions, loops, %s, …); --html writes a page%s.",
             has_maps ? "origins, births" : "samples with their stacks",
             has_maps ? ", --maps writes pictures of the arrays" : "");
    fputs(report_ink(&text->style, ink_PLAIN), text->out);
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
    print_title(text, "Other processes with denormals");
    for (size_t i = first; i < first + told; i++) {
        const struct shown_run *run = *ARRAY_AT(const struct shown_run *, ranked, i);
        char *operations = denormal_count_words(run->operand_events);
        char *underflows = denormal_count_words(run->underflow_events);
        char *command =
            text_safe(run->command ? run->command : "?", strlen(run->command ? run->command : "?"));
        char *cut = text_cut(command, LONGEST_COMMAND, false, true);
        char *line = memory_format("%s: operands %s, underflows %s (run %lld, process %lld)", cut, operations,
                                   underflows, (long long)run->id, (long long)run->process);
        fputs("- ", text->out);
        wrap_print(text->out, line, 2, 2, text->width);
        free(operations);
        free(underflows);
        free(command);
        free(cut);
        free(line);
    }
    print_below_table(text, NULL, count - told);
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
            denormal_say(&names, name);
    }
    FILE *out = open_memstream(&text, &size);
    for (; told < names.count && told < MOST_NAMED; told++)
        fprintf(out, "%s%s", told ? ", " : "", *ARRAY_AT(char *, &names, told));
    if (told < names.count)
        fputs(" and others", out);
    fclose(out);
    denormal_free_sentences(&names);
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
    char *count = denormal_count_words(all), *programs = quiet_programs(ranked, first);
    char *unseen = denormal_count_words(blind);
    putc('\n', text->out);
    wrap_say(text->out, 0, text->width, "%s other process%s had none%s%s%s%s%s%s.", count,
             all == 1 ? "" : "es", *programs ? " (" : "", programs, *programs ? ")" : "",
             blind ? "; in " : "", blind ? unseen : "", blind ? " something went unseen (see --top)" : "");
    free(count);
    free(programs);
    free(unseen);
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
        fputs(i ? "\n\n" : "", text->out);
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
    struct denormal_text text = {.view = view, .style = *style, .out = out};
    text.style.is_brief = text.style.groups_digits = true;
    text.style.demangle = false; /* names come as they are shown */
    text.width = !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
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
