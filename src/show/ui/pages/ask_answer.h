/* The answers of the editor: rows of a query as JSON, or a whole result as a file.

   The text is a stranger's, so the page (ask_query.c) packs the question, and a process of its own
   (base/desk.h) answers it here. */
#ifndef SHOW_UI_PAGES_ASK_ANSWER_H
#define SHOW_UI_PAGES_ASK_ANSWER_H
#include "base/desk.h"
#include "show/ui/request.h"

enum ask_kind { ask_ROWS = 'r', ask_FILE = 'f' };
/* The first character of an answer. */
enum { ASK_DONE = 'd', ASK_FAILED = 'f' };
#define ASK_LATE "The query was stopped after %u s, which is its limit."

/* What a request asks, as one piece. */
struct array ask_pack(const struct ui_request *request, enum ask_kind kind);
/* Its limit of time; whether a file is wanted as JSON, not CSV. */
unsigned ask_seconds(const struct ui_request *request);
bool ask_is_json(const struct ui_request *request);

/* Of the desk: databases that are open there. */
enum { ASK_KEPT = 8 };
struct asked {
    const struct ui_options *options;
    struct {
        char *path;
        struct store *store;
    } kept[ASK_KEPT];
    unsigned next;
};
void *ask_open(void *context, const char *subject, struct error *error);
void ask_answer(void *context, void *opened, const struct desk_question *question, FILE *out);
#endif
