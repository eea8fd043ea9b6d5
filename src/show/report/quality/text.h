/* Parts of the text report, one file each.

   What is true of many loops is said once: in the summary, or on the first page that needs it. The usual
   report leaves out what its reader can ask for with --loop or --all, so that a page fits a screen. */
#ifndef SHOW_REPORT_QUALITY_TEXT_H
#define SHOW_REPORT_QUALITY_TEXT_H
#include "show/report/common/loop_place.h"
#include "show/report/common/places.h"
#include "show/report/quality/quality.h"
#include "show/report/quality/rows.h"
#include "show/report/quality/summary.h"

enum { MOST_ACTIONS = 6 }; /* of the whole program that the summary names */

/* A remedy for many loops: a row of program_actions, or those of several files together. */
struct text_action {
    enum action action;
    size_t loop_count, function_count;
    double gain, saving; /* median; of all time in innermost loops */
};

/* A remedy whose text was printed. */
struct text_said {
    string_id text;
    uint32_t loop; /* on the page of this loop */
};

struct text_report {
    const struct quality_view *view;
    const struct report_style *style;
    FILE *out;
    size_t width;
    bool is_full;  /* pages leave nothing out */
    bool is_alone; /* there is one page, and it has the instructions */
    struct places places;
    struct quality_summary summary;
    struct array loops; /* of uint32_t: those with a page */
    struct text_action actions[MOST_ACTIONS];
    size_t action_count;
    uint32_t *explained; /* by rule: the loop whose page explains the rule; 0: none yet */
    struct array said;   /* of struct text_said */
};

/* text_summary.c: the first screen. */
void text_print_summary(struct text_report *report);
/* text_actions.c: what to do for the whole program. */
void text_find_actions(struct text_report *report);
void text_print_actions(struct text_report *report);
/* The number of an action among those of the summary; 0: it is not there. */
size_t text_action_number(const struct text_report *report, unsigned action);
/* What an action is, as a sentence without its full stop: "Compile with -O3 (Clang: -O2)"; to be freed. */
char *text_action_words(unsigned action);

/* page.c: everything about one loop. */
void page_print(struct text_report *report, uint32_t loop);
/* page_source.c: the lines of the loop, where the source can be read. */
void page_print_source(struct text_report *report, uint32_t loop);
/* Where instructions come from: "line 41", "lines 41, 43-45 and util.h:12"; NULL where the lines are unknown.
 */
char *page_lines(struct text_report *report, uint32_t loop, const uint32_t *instructions, size_t count);
/* page_advice.c: advice up to the level of the report, one for each rule, whatever paths it applies to; the
   page has `used` lines already. Returns how many there are. */
size_t page_print_advice(struct text_report *report, const struct quality_rows *rows, size_t used);
/* page_remedies.c: what to do about a finding, the number-th of its page. */
void page_print_remedies(struct text_report *report, const struct quality_rows *rows,
                         const struct array *findings, size_t number);
/* page_details.c: what the levels hint and expert add. */
void page_print_details(struct text_report *report, const struct quality_rows *rows);
/* page_details.c: the instructions of the slowest path, with lines and the numbers of findings. */
void page_print_code(struct text_report *report, const struct quality_rows *rows);
#endif
