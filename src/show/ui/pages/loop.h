/* What the files of the loop page share. */
#ifndef SHOW_UI_PAGES_LOOP_H
#define SHOW_UI_PAGES_LOOP_H
#include "show/report/quality/html.h"
#include "show/ui/workshop.h"

struct loop_page {
    struct ui_request *request;
    struct ui_answer *answer;
    struct workshop_visit *visit;
    FILE *out;
    uint32_t loop, path; /* path: the one that is shown; 0: none has cycles */
    struct quality_rows rows;
    struct html_report report;
};

/* loop_measured.c: what runs and probes measured of it, where the database has some. */
void loop_page_measured(struct loop_page *page);
#endif
