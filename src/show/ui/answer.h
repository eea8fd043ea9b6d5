/* Sends answers: pages, files, errors. */
#ifndef SHOW_UI_ANSWER_H
#define SHOW_UI_ANSWER_H
#include "show/ui/request.h"

#include <microhttpd.h>

/* Takes the text, which was allocated. */
enum MHD_Result ui_send(struct MHD_Connection *connection, const struct ui_answer *answer, char *text,
                        size_t size);
enum MHD_Result ui_send_static(struct MHD_Connection *connection, const char *name);
/* A page, or {"error": …} if a script asked (is_api).  request: with the navigation of its program; NULL:
   without. */
enum MHD_Result ui_send_error(struct MHD_Connection *connection, const struct ui_request *request,
                              bool is_api, unsigned status, const char *words);
#endif
