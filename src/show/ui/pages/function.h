/* The page of a function, and parts of it. */
#ifndef SHOW_UI_PAGES_FUNCTION_H
#define SHOW_UI_PAGES_FUNCTION_H
#include "show/ui/request.h"
#include "show/ui/workshop.h"

enum { FUNCTION_ROWS = 1000 }; /* instructions of a page */

/* function_calls.c: who calls it, and whom it calls. */
bool function_calls(const struct ui_request *request, FILE *out, int64_t function, struct error *error);
/* function_heat.c: where its time went in a run; nothing where it has no samples. */
void function_heat(struct ui_request *request, const struct workshop_visit *visit, FILE *out);
#endif
