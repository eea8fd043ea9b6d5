/* A report as text: titles, paragraphs, lists and tables of queries, one below the other. */
#ifndef SHOW_REPORT_COMMON_PAPER_H
#define SHOW_REPORT_COMMON_PAPER_H
#include "base/memory.h"
#include "show/report/common/ask.h"
#include "show/report/common/style.h"
#include "base/queries.h"

struct paper {
    struct asked asked;
    struct report_style style;
    FILE *out;
    size_t width; /* of paragraphs */
};

/* Tables of reports leave out ids and empty columns, and group digits; names come as they are shown. */
struct paper paper_begin(const struct asked *asked, const struct report_style *style, FILE *out);
void paper_title(const struct paper *paper, const char *title);
/* Sentences (of char *) as one paragraph, or as a list below a title; none: nothing. */
void paper_paragraph(const struct paper *paper, const struct array *sentences);
void paper_list(const struct paper *paper, const char *title, const struct array *sentences);
/* An item of a list: any text, which is made safe. */
void paper_item(const struct paper *paper, const char *text);
/* In dim ink; left: rows that are not shown; note: NULL for none. */
void paper_below_table(const struct paper *paper, const char *note, uint64_t left);

/* The table of a query (?1 and ?2 as for report_ask) with its title, and how many rows are left out; nothing
   for a table without rows. */
bool paper_print_table(const struct paper *paper, const struct query *table, int64_t run, int64_t most,
                       struct error *error);
#endif
