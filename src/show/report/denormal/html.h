/* Parts of the page that report_denormal_html writes. */
#ifndef SHOW_REPORT_DENORMAL_HTML_H
#define SHOW_REPORT_DENORMAL_HTML_H
#include "show/report/denormal/parts.h"

struct denormal_page {
    const struct denormal_view *view;
    FILE *out;
    size_t picture_bytes; /* put into the page so far */
};

/* denormal/html_maps.c: maps of the arrays of a run, with their phases. */
bool denormal_html_maps(struct denormal_page *page, const struct shown_run *run, struct error *error);
/* denormal/html.c: a drawing, as a part of a page. */
void denormal_print_svg(FILE *out, const char *text);
/* denormal/log_html.c: whether a run has a log (0: any). */
bool denormal_has_log(const struct denormal_view *view, int64_t run);
#endif
