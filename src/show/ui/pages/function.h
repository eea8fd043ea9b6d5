/* The page of a function, and parts of it. */
#ifndef SHOW_UI_PAGES_FUNCTION_H
#define SHOW_UI_PAGES_FUNCTION_H
#include "show/ui/request.h"

enum { FUNCTION_ROWS = 1000 }; /* instructions of a page */

/* function_calls.c: who calls it, and whom it calls. */
bool function_calls(const struct ui_request *request, FILE *out, int64_t function, struct error *error);
#endif
