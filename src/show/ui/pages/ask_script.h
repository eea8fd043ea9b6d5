/* An analysis in Lua on the page Ask, under the limits of the request. */
#ifndef SHOW_UI_PAGES_ASK_SCRIPT_H
#define SHOW_UI_PAGES_ASK_SCRIPT_H
#include "store/analyses.h"
#include "show/ui/request.h"

/* Rows go to print; to_end, with the same context, ends the script. */
bool ask_script(const struct ui_request *request, const struct analysis *analysis,
                const struct store_choice *choice, const struct array *values, store_print *print,
                void *context, bool (*to_end)(void *context), struct error *error);
#endif
