/* Runs as text: a heading, the answer, what to change, the story, then tables.

   Who reads it wants to know whether denormals matter here and what to do: that is said first, in sentences.
   Tables have the rows that matter most and say how many more there are; a table without rows is not there.
 */
#include "report/denormal_parts.h"

#include "report/rows.h"
#include "report/text.h"
#include "report/wrap.h"

#include <stdlib.h>
#include <string.h>

struct denormal_text {
    const struct denormal_view *view;
    struct report_style style;
    FILE *out;
    size_t width;
};

static void print_title(const struct denormal_text *text, const char *title)
{
    fprintf(text->out, "\n%s%s%s\n", report_ink(&text->style, ink_BOLD), title,
            report_ink(&text->style, ink_PLAIN));
}

static void print_heading(const struct denormal_text *text, const struct denormal_told *run)
{
    char *command =
        text_safe(run->command ? run->command : "a run", strlen(run->command ? run->command : "a run"));
    char *seconds = denormal_time_words(run->seconds), *end = denormal_end_words(run);
    fprintf(text->out, "%sDenormals: %s%s\n", report_ink(&text->style, ink_BOLD), command,
            report_ink(&text->style, ink_PLAIN));
    wrap_say(text->out, 0, text->width, "%s, %s; process %lld, %s, %s; on %s", run->tool ? run->tool : "?",
             run->mode ? run->mode : "?", (long long)run->process, seconds, end,
             run->processor ? run->processor : "a processor that is not known");
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

/* The table of a section as text, to be freed; *shown: its rows. */
static bool make_table(const struct denormal_text *text, const struct denormal_section *section, int64_t run,
                       int64_t most, char **table, uint64_t *shown, struct error *error)
{
    size_t size = 0;
    sqlite3_stmt *statement = denormal_ask(text->view, section->sql, run, most, error);
    if (!statement)
        return false;
    FILE *out = open_memstream(table, &size);
    bool done = report_table(statement, &text->style, section->bars, out, shown, error);
    fclose(out);
    sqlite3_finalize(statement);
    if (!done) {
        free(*table);
        *table = NULL;
    }
    return done;
}

static bool print_section(const struct denormal_text *text, const struct denormal_section *section,
                          const struct denormal_told *run, struct error *error)
{
    const char *note = denormal_note(section, run);
    bool is_list = !strcmp(section->name, "limits"), done = true;
    uint64_t all = is_list ? run->limits : 0, shown = 0;
    int64_t most = text->view->top && !is_list ? (int64_t)text->view->top : -1;
    char *table = NULL;
    if (!is_list && !make_table(text, section, run->id, most, &table, &shown, error))
        return false;
    if (!is_list)
        all = shown;
    /* Only a table that is full may have more rows; counting them means asking once more. */
    if (shown && most >= 0 && shown == (uint64_t)most)
        done = denormal_count_rows(text->view, section, run->id, &all, error);
    if (done && all)
        print_title(text, section->title);
    if (is_list)
        return !all || print_limits(text, section, run->id, -1, error);
    if (done)
        fputs(table, text->out);
    free(table);
    if (!shown)
        return done;
    if (done && shown < all) {
        char *left = denormal_count_words(all - shown);
        fprintf(text->out, "%s… and %s more; --top shows more rows%s\n", report_ink(&text->style, ink_DIM),
                left, report_ink(&text->style, ink_PLAIN));
        free(left);
    }
    if (done && note) {
        fputs(report_ink(&text->style, ink_DIM), text->out);
        wrap_say(text->out, 0, text->width, "%s", note);
        fputs(report_ink(&text->style, ink_PLAIN), text->out);
    }
    return done;
}

static bool print_run(const struct denormal_text *text, const struct denormal_told *run, struct error *error)
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
    for (size_t i = 0; done && i < denormal_section_count; i++)
        done = print_section(text, &denormal_sections[i], run, error);
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
    for (size_t i = 0; done && i < runs.count; i++) {
        fputs(i ? "\n\n" : "", out);
        done = print_run(&text, ARRAY_AT(struct denormal_told, &runs, i), error);
    }
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
