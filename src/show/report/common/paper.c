#include "show/report/common/paper.h"

#include "show/report/common/phrases.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <stdlib.h>
#include <string.h>

struct paper paper_begin(const struct asked *asked, const struct report_style *style, FILE *out)
{
    struct paper paper = {.asked = *asked, .style = *style, .out = out};
    paper.style.is_brief = paper.style.groups_digits = true;
    paper.style.demangle = false;
    paper.width = !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
    return paper;
}

void paper_title(const struct paper *paper, const char *title)
{
    fprintf(paper->out, "\n%s%s%s\n", report_ink(&paper->style, ink_BOLD), title,
            report_ink(&paper->style, ink_PLAIN));
}

void paper_paragraph(const struct paper *paper, const struct array *sentences)
{
    autofree char *all = NULL;
    size_t size = 0;
    FILE *paragraph = open_memstream(&all, &size);
    for (size_t i = 0; i < sentences->count; i++)
        fprintf(paragraph, "%s%s", i ? " " : "", *ARRAY_AT(char *, sentences, i));
    fclose(paragraph);
    if (*all)
        wrap_say(paper->out, 0, paper->width, "%s", all);
}

void paper_item(const struct paper *paper, const char *text)
{
    autofree char *safe = text_safe(text, strlen(text));
    fputs("- ", paper->out);
    wrap_print(paper->out, safe, 2, 2, paper->width);
}

void paper_list(const struct paper *paper, const char *title, const struct array *sentences)
{
    if (sentences->count)
        paper_title(paper, title);
    for (size_t i = 0; i < sentences->count; i++)
        paper_item(paper, *ARRAY_AT(char *, sentences, i));
}

void paper_below_table(const struct paper *paper, const char *note, uint64_t left)
{
    fputs(report_ink(&paper->style, ink_DIM), paper->out);
    if (left) {
        autofree char *count = phrase_count(left);
        fprintf(paper->out, "… and %s more\n", count);
    }
    if (note)
        wrap_say(paper->out, 0, paper->width, "%s", note);
    fputs(report_ink(&paper->style, ink_PLAIN), paper->out);
}

/* The table of a query as text, to be freed; *shown: its rows. */
static bool make_table(const struct paper *paper, const struct query *table, int64_t run, int64_t most,
                       char **text, uint64_t *shown, struct error *error)
{
    size_t size = 0;
    sqlite3_stmt *statement = report_ask(&paper->asked, table->sql, run, most, error);
    if (!statement)
        return false;
    FILE *out = open_memstream(text, &size);
    bool done = report_table(statement, &paper->style, table->bars, out, shown, error);
    fclose(out);
    sqlite3_finalize(statement);
    if (!done) {
        free(*text);
        *text = NULL;
    }
    return done;
}

bool paper_print_table(const struct paper *paper, const struct query *table, int64_t run, int64_t most,
                       struct error *error)
{
    autofree char *text = NULL;
    uint64_t shown = 0;
    if (!make_table(paper, table, run, most, &text, &shown, error))
        return false;
    uint64_t all = shown;
    bool done = true;
    /* Only a full table may have more rows; counting them takes another query. */
    if (shown && most >= 0 && shown == (uint64_t)most)
        done = report_count_rows(&paper->asked, table->sql, run, &all, error);
    if (done && shown) {
        paper_title(paper, table->title);
        fputs(text, paper->out);
        paper_below_table(paper, table->note, all - shown);
    }
    return done;
}
