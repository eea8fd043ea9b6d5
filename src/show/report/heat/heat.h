/* The time of functions on their source: each line with what it took, the code that was inlined there folded into it,
   and the instructions with arrows for jumps.  As text, rows for programs, and part of a page. */
#ifndef SHOW_REPORT_HEAT_HEAT_H
#define SHOW_REPORT_HEAT_HEAT_H
#include "run/sample/heat.h"
#include "show/report/common/places.h"
#include "show/report/common/style.h"

struct heat_view {
    const struct model *model;
    uint32_t run;
    const uint32_t *functions; /* in this order */
    size_t count;
    struct places *places;
    bool demangle;
    bool is_unfolded; /* the lines of inlined code stand below the line that called it */
    bool is_whole;    /* text: nothing is left out, however long a function is */
    bool without_source, without_assembly;
};
bool report_heat_text(const struct heat_view *view, const struct report_style *style, FILE *out,
                      struct error *error);
/* A row for each function, line, inlined call and instruction. */
bool report_heat_rows(const struct heat_view *view, bool is_json, FILE *out, struct error *error);
/* The source of a function beside its instructions, for a page that has the style of listings. */
void report_heat_html(const struct heat_view *view, uint32_t function, FILE *out);
/* "heat.c:13, 98 % of the time, 1.43 s in 1,430 samples"; to be freed. */
char *report_heat_words(const struct heat_view *view, uint32_t function);
/* Whether a function has a picture: samples in its own code. */
bool report_heat_has(const struct model *model, uint32_t run, uint32_t function);
#endif
