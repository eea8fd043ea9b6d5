/* Parts of the start page, each a section or nothing. */
#ifndef SHOW_UI_PAGES_START_H
#define SHOW_UI_PAGES_START_H
#include "show/ui/request.h"

/* start_run.c: the head of the page and the answer, if the database has a sampled run. */
bool start_has_run(const struct ui_request *request);
bool start_run(struct ui_request *request, FILE *out, struct error *error);
/* start_gains.c: the loops with the most to gain, or by structure while that is unknown; what would help many
   loops at once. */
bool start_gains(struct ui_request *request, FILE *out, struct error *error);
bool start_actions(struct ui_request *request, FILE *out, struct error *error);
/* start_facts.c: the head of a page without a run; compilers; what is not known. */
bool start_head(struct ui_request *request, FILE *out, struct error *error);
bool start_compilers(struct ui_request *request, FILE *out, struct error *error);
bool start_gaps(struct ui_request *request, FILE *out, struct error *error);
#endif
