/* The static route's answer: seconds on another processor or with another size, loop by loop. */
#ifndef SHOW_REPORT_PREDICT_STATIC_VIEW_H
#define SHOW_REPORT_PREDICT_STATIC_VIEW_H
#include "code/machine/machine.h"
#include "plan/predict/static_route.h"
#include "show/report/common/style.h"

struct static_view {
    const struct static_answer *answer;
    const struct machine *machine; /* the other processor */
    const char *here;              /* processor of the runs; NULL: not known */
    double size;                   /* asked for; NaN: that of the run */
    unsigned runs;
    bool is_same;   /* it is the processor of the runs */
    bool has_clock; /* the machine file has one */
};
/* Text; in json an object, in csv a row for each loop and one for the rest. */
void report_static(const struct static_view *view, const struct report_style *style, FILE *out);
#endif
