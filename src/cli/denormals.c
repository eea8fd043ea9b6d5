/* assay denormals: watches a run of a program, reports on it and stores it; or reports on a stored run.

   The reports read SQL, so the same code serves a run that has just ended and a database. */
#include "cli/denormals.h"

#include "base/built.h"
#include "base/output.h"
#include "cli/commands.h"
#include "cli/database_file.h"
#include "cli/runs.h"

#include <unistd.h>

/* Maps need nothing but zlib; the story is a graph. */
static void say_missing_drawing(const struct session *session)
{
    struct error missing = {0};
    if (!feature_needed(feature_GRAPHS, &missing))
        session_say(session, "the story is not drawn: %s", missing.text);
}

bool denormals_tell(struct session *session, const struct denormals_choice *choice,
                    const struct invocation *invocation, const char *path, struct error *error)
{
    struct denormal_view view = {.connection = session->connection,
                                 .path = path,
                                 .run = choice->run,
                                 .top = choice->top,
                                 .demangle = session->style.demangle,
                                 .is_brief = !options_has(invocation, OPTION_TOP) &&
                                             !options_has(invocation, OPTION_HTML)};
    bool is_done;
    if (options_has(invocation, OPTION_HTML))
        is_done = report_denormal_html(&view, session->out, error);
    else if (session->style.format == report_JSON)
        is_done = report_denormal_json(&view, session->out, error);
    else if (session->style.format == report_CSV)
        is_done = report_denormal_csv(&view, session->out, error);
    else
        is_done = report_denormal_text(&view, &session->style, session->out, error);
    size_t count = 0;
    fflush(session->out);
    if (is_done && choice->maps)
        is_done = report_denormal_pictures(&view, choice->maps, &count, error);
    if (is_done && choice->maps)
        say_missing_drawing(session);
    if (is_done && choice->maps)
        session_say(session, "%zu file%s in %s", count, count == 1 ? "" : "s", choice->maps);
    return is_done;
}

static int report(struct session *session, const struct denormals_choice *choice,
                  const struct invocation *invocation, struct error *error)
{
    if (choice->word == denormals_LOG)
        return denormals_log(session, choice, invocation, error);
    if (choice->word == denormals_GRAPH)
        return denormals_graph(session, choice, invocation, error);
    const char *path = options_operand(invocation, 1);
    int code = runs_check(session->connection, "denormal_runs", choice->run, path,
                          "assay denormals trace --output FILE.db -- PROGRAM", error);
    if (code)
        return code;
    return denormals_tell(session, choice, invocation, path, error) ? 0 : 2;
}

static int command_report_of_database(const struct denormals_choice *choice,
                                      const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 1);
    struct session session = {0};
    if (access(path, R_OK)) {
        error_set_errno(error, path, "cannot be read");
        return 2;
    }
    if (!store_is_database(path)) {
        error_set(error, path,
                  "is not a database; assay denormals trace --output FILE.db -- PROGRAM writes one");
        return 2;
    }
    int code =
        session_open(&session, invocation, path, error) ? report(&session, choice, invocation, error) : 2;
    return session_end(&session, code, error);
}

static int profile_or_trace(struct denormals_choice *choice, const struct invocation *invocation,
                            struct error *error)
{
    struct invocation rest = database_without_output(invocation);
    struct session session;
    int code = 2;
    for (size_t i = 1; i < invocation->operands.count; i++)
        output_spare(options_operand(invocation, i));
    if (session_begin(&session, &rest, error) && session_answer_beside_program(&session, error) &&
        (!choice->database ||
         database_may_write(choice->database, options_has(invocation, OPTION_FORCE), error)))
        code = denormals_run(&session, choice, invocation, error);
    code = session_end(&session, code, error);
    array_free(&rest.given);
    return code;
}

int command_denormals(const struct invocation *invocation, struct error *error)
{
    struct denormals_choice choice;
    int code = 2;
    if (denormals_read_options(&choice, invocation, error))
        code = choice.word == denormals_PROFILE || choice.word == denormals_TRACE
                   ? profile_or_trace(&choice, invocation, error)
                   : command_report_of_database(&choice, invocation, error);
    array_free(&choice.words);
    denormal_layout_free(choice.layout);
    return code;
}
