/* Parts of the page that report_run_html writes. */
#ifndef SHOW_REPORT_RUN_HTML_H
#define SHOW_REPORT_RUN_HTML_H
#include "show/report/run/parts.h"

struct run_page {
    const struct run_report *report;
    FILE *out;
    uint32_t *loops; /* all that were analysed; the first section_count have a section of their own */
    size_t loop_count, section_count;
    const struct run_links *links; /* to other pages; NULL: loops have sections in this one */
};

/* run/html_flame.c: the call tree, the callers above what they call. */
void run_html_flame(const struct run_page *page);
/* run/html_heat.c */
void run_html_heat(const struct run_page *page);
/* run/html_tables.c */
void run_html_threads(const struct run_page *page);
void run_html_counters(const struct run_page *page);
#endif
