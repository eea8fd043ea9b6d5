/* An analysis in Lua on the page Ask, under the limits of the request. */
#ifndef UI_PAGES_ASK_SCRIPT_H
#define UI_PAGES_ASK_SCRIPT_H
#include "store/analyses.h"
#include "ui/running.h"

/* Rows go to print. The query's deadline, its size and whoever stops it end the script, too. */
bool ask_script(const struct ui_request *request, const struct analysis *analysis,
                const struct store_choice *choice, const struct array *values, store_print *print,
                void *context, struct running_query *query, struct error *error);
#endif
