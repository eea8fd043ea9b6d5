/* Codelets in words: what was captured, what a file has, and what a replay showed. */
#ifndef SHOW_REPORT_CODELET_H
#define SHOW_REPORT_CODELET_H
#include "change/optimise/replay/codelet.h"
#include "change/optimise/replay/replay.h"
#include "show/report/common/style.h"

void report_captured(const struct capture_facts *facts, const char *function, const char *path,
                     const struct report_style *style, FILE *out);
void report_codelet(const struct codelet *codelet, const struct report_style *style, FILE *out);
/* object NULL: the original alone. */
void report_replayed(const struct replay_result *result, const char *object, const char *tolerance,
                     const struct report_style *style, FILE *out);
#endif
