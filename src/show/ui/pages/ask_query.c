/* The page of the editor asks: the text goes to the desk (base/desk.h), and what comes back is shown. */
#include "show/ui/pages/pages.h"

#include "show/ui/pages/ask_answer.h"
#include "show/ui/running.h"

#include <string.h>

static void print_failure(struct ui_answer *answer, const char *words, bool is_stopped)
{
    fputs("{\"error\":", answer->out);
    ui_json_string(answer->out, words);
    fprintf(answer->out, ",\"stopped\":%s}\n", is_stopped ? "true" : "false");
}

static void print_end(struct ui_answer *answer, enum desk_end end, const struct running_query *query,
                      unsigned seconds, const struct error *error)
{
    char words[120];
    switch (end) {
    case desk_end_LATE:
        snprintf(words, sizeof words, ASK_LATE, seconds);
        print_failure(answer, words, false);
        break;
    case desk_end_KILLED:
        print_failure(answer, query->budget->exceeded ? query->budget->exceeded : "Stopped.",
                      query->is_stopped);
        break;
    case desk_end_BROKEN:
        print_failure(answer,
                      "The process of this question ended early: it needed too much memory, or met an error "
                      "of a library. Nothing else was harmed.",
                      false);
        break;
    default:
        print_failure(answer, error->text, false);
        break;
    }
}

static void be_error(struct ui_answer *answer)
{
    answer->status = answer->file_name ? 400 : 200;
    answer->type = "application/json";
    answer->file_name = NULL;
}

static bool ask(struct ui_request *request, enum ask_kind kind, struct ui_answer *answer, struct error *error)
{
    if (strlen(request->body) != request->body_size) {
        answer->status = 400;
        return error_set(error, NULL, "The text has zero bytes.");
    }
    struct array question = ask_pack(request, kind), found = ARRAY_OF(char);
    struct error problem = {0};
    unsigned seconds = ask_seconds(request);
    enum desk_end end =
        desk_ask(request->desk,
                 &(struct desk_question){
                     .subject = request->subject->database, .text = question.data, .size = question.count},
                 seconds, running_must_end, request->query, &found, &problem);
    const char *text = found.data;
    bool is_answer = end == desk_end_DONE && found.count;
    if (!is_answer || *text != ASK_DONE)
        be_error(answer);
    if (is_answer)
        fwrite(text + 1, 1, found.count - 1, answer->out);
    else
        print_end(answer, end == desk_end_DONE ? desk_end_BROKEN : end, request->query, seconds, &problem);
    array_free(&question);
    array_free(&found);
    return true;
}

bool page_query(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    answer->type = "application/json";
    return ask(request, ask_ROWS, answer, error);
}

bool page_export(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    bool is_json = ask_is_json(request);
    answer->type = is_json ? "application/json" : "text/csv; charset=utf-8";
    answer->file_name = is_json ? "result.json" : "result.csv";
    return ask(request, ask_FILE, answer, error);
}

bool page_stop_query(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    const char *name = ui_parameter(request, "name");
    (void)error;
    answer->type = "application/json";
    fprintf(answer->out, "{\"stopped\":%s}\n",
            name && running_stop(request->running, name) ? "true" : "false");
    return true;
}
