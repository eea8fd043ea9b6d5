/* Parts of the text report, one file each. */
#ifndef REPORT_QUALITY_PAGE_H
#define REPORT_QUALITY_PAGE_H
#include "report/common/loop_place.h"
#include "report/common/places.h"
#include "report/quality/quality.h"
#include "report/quality/rows.h"

struct text_report {
    const struct quality_view *view;
    const struct report_style *style;
    FILE *out;
    size_t width;
    struct places places;
    uint32_t *explained; /* by rule: the loop whose page explains the rule; 0: none yet */
};

/* quality/page.c: everything about one loop. */
void page_print(struct text_report *report, uint32_t loop);
/* quality/page_source.c: the lines of the loop, where the source can be read. */
void page_print_source(struct text_report *report, uint32_t loop);
/* Where instructions come from: "line 41", "lines 41, 43-45 and util.h:12"; NULL where the lines are unknown.
 */
char *page_lines(struct text_report *report, uint32_t loop, const uint32_t *instructions, size_t count);
/* quality/page_advice.c: advice up to the level of the report, one for each rule, whatever paths it applies
 * to. */
size_t page_print_advice(struct text_report *report, const struct quality_rows *rows);
/* quality/page_details.c: what the levels hint and expert add. */
void page_print_details(struct text_report *report, const struct quality_rows *rows);
#endif
