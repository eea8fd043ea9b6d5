/* assay probe: runs a program with probes in its code, and reports what they saw; or reports on a stored run.

   The report reads SQL, so the same code serves a run that has just ended and a database. */
#include "cli/probe.h"

#include "base/output.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/database_file.h"
#include "cli/machines.h"
#include "cli/runs.h"
#include "show/report/probe/probe.h"
#include "run/probe/recording/nodes.h"
#include "run/probe/recording/recording.h"

#include <unistd.h>

bool probe_tell(struct session *session, const struct probe_command *command,
                const struct invocation *invocation, const char *path, struct error *error)
{
    struct probe_view view = {.connection = session->connection,
                              .path = path,
                              .run = command->run,
                              .top = command->top,
                              .demangle = session->style.demangle};
    if (options_has(invocation, OPTION_HTML))
        return report_probe_html(&view, session->out, error);
    if (session->style.format == report_JSON)
        return report_probe_json(&view, session->out, error);
    if (session->style.format == report_CSV)
        return report_probe_csv(&view, session->out, error);
    return report_probe_text(&view, &session->style, session->out, error);
}

static int report(struct session *session, const struct probe_command *command,
                  const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 1);
    int code = runs_check(session->connection, "probe_runs", command->run, path,
                          "assay probe --output FILE.db -- PROGRAM", error);
    if (code)
        return code;
    return probe_tell(session, command, invocation, path, error) ? 0 : 2;
}

/* The listings that the nodes were put into, if --object names them. */
static bool read_listings(struct session *session, const struct invocation *invocation, struct error *error)
{
    struct array paths = ARRAY_OF(const char *);
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_OBJECT)
            *(const char **)array_push(&paths) = given->value;
    }
    bool is_done = !paths.count || session_build(session, session->model, paths.data, paths.count, error);
    if (is_done && paths.count && session->model->listings.count < 2)
        is_done = error_set(error, *ARRAY_AT(const char *, &paths, 0),
                            "is not an assembly listing; --object names those that the nodes were put into");
    array_free(&paths);
    return is_done;
}

/* The recording of a program with nodes becomes rows by its own words, or among those of its listings. */
static bool read_recording(struct session *session, const struct probe_command *command,
                           const struct invocation *invocation, const char *path, struct error *error)
{
    struct probe_plan plan;
    struct array paths = ARRAY_OF(const char *);
    *(const char **)array_push(&paths) = path;
    session->model = memory_get(sizeof *session->model);
    model_init(session->model);
    probe_plan_init(&plan, session->model);
    bool is_done = read_listings(session, invocation, error) &&
                   nodes_recording(session->model, &plan, path, error) &&
                   recording_add(session->model, &plan, &paths, error);
    if (is_done) {
        machines_name_processors(session->model);
        recording_conclude(session->model);
    }
    if (is_done && command->database)
        is_done = store_write(session->model, command->database, session_threads(invocation), error);
    progress_clear();
    probe_plan_free(&plan);
    array_free(&paths);
    return is_done && session_connect(session, error);
}

static int report_of_recording(const struct probe_command *command, const struct invocation *invocation,
                               struct error *error)
{
    const char *path = options_operand(invocation, 1);
    struct invocation rest = command->database ? database_without_output(invocation) : *invocation;
    struct session session = {0};
    int code = 2;
    output_spare(path);
    if (session_begin(&session, &rest, error) &&
        (!command->database ||
         database_may_write(command->database, options_has(invocation, OPTION_FORCE), error)) &&
        read_recording(&session, command, invocation, path, error))
        code = report(&session, command, invocation, error);
    code = session_end(&session, code, error);
    if (command->database)
        array_free(&rest.given);
    return code;
}

static int report_of_database(const struct probe_command *command, const struct invocation *invocation,
                              struct error *error)
{
    const char *path = options_operand(invocation, 1);
    struct session session = {0};
    if (access(path, R_OK)) {
        error_set_errno(error, path, "cannot be read");
        return 2;
    }
    if (nodes_have_recorded(path))
        return report_of_recording(command, invocation, error);
    if (options_has(invocation, OPTION_OBJECT)) {
        error_set(error, path, "is not the recording of a program with nodes, which --object is for");
        return 2;
    }
    if (!store_is_database(path)) {
        error_set(error, path, "is not a database; assay probe --output FILE.db -- PROGRAM writes one");
        return 2;
    }
    int code =
        session_open(&session, invocation, path, error) ? report(&session, command, invocation, error) : 2;
    return session_end(&session, code, error);
}

static int run(struct probe_command *command, const struct invocation *invocation, struct error *error)
{
    struct invocation rest = database_without_output(invocation);
    struct session session;
    int code = 2;
    for (size_t i = 0; i < invocation->operands.count; i++)
        output_spare(options_operand(invocation, i));
    if (session_begin(&session, &rest, error) && machines_know_name(invocation, error) &&
        (command->shows_plan || session_answer_beside_program(&session, error)) &&
        (!command->database ||
         database_may_write(command->database, options_has(invocation, OPTION_FORCE), error)))
        code = probe_run(&session, command, invocation, error);
    code = session_end(&session, code, error);
    array_free(&rest.given);
    return code;
}

int command_probe(const struct invocation *invocation, struct error *error)
{
    struct probe_command command;
    int code = 2;
    if (probe_read_options(&command, invocation, error))
        code = command.is_report ? report_of_database(&command, invocation, error)
                                 : run(&command, invocation, error);
    probe_choice_free(&command.choice);
    array_free(&command.words);
    return code;
}
