/* What this computer can count, as a tree from questions to events. */
#ifndef SHOW_REPORT_COUNTERS_H
#define SHOW_REPORT_COUNTERS_H
#include "show/report/common/style.h"
#include "run/sample/counters.h"

/* Text, a json array or csv rows. */
void report_counters(const struct counter_tree *tree, const struct report_style *style, FILE *out);
#endif
