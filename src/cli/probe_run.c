/* From a command line to the report of its run: the files that get probes are read, the choice becomes a
   plan, the program runs, the recordings become rows. */
#include "base/path.h"
#include "base/progress.h"
#include "cli/cycles.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/probe.h"
#include "cli/say.h"
#include "run/probe/plan/text.h"
#include "run/probe/probe.h"
#include "run/probe/recording/recording.h"

#include <stdlib.h>
#include <string.h>

static void free_paths(struct array *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(*ARRAY_AT(char *, paths, i));
    array_free(paths);
}

/* The files that get probes: those of the choice, else the program's own. */
static bool read_files(struct session *session, const struct probe_command *command,
                       const struct launch_program *program, struct error *error)
{
    struct array paths = ARRAY_OF(const char *);
    for (size_t i = 0; i < command->choice.files.count; i++) {
        const char *path = ARRAY_AT(struct probe_file, &command->choice.files, i)->path;
        if (path)
            *(const char **)array_push(&paths) = path;
    }
    if (!paths.count && program->code)
        *(const char **)array_push(&paths) = program->code;
    session->model = memory_get(sizeof *session->model);
    model_init(session->model);
    bool is_done = paths.count || error_set(error, program->path, "is not a program that Assay can read");
    is_done = is_done && session_build(session, session->model, paths.data, paths.count, error);
    array_free(&paths);
    return is_done;
}

/* How the program ended, if it failed. */
static bool say_failure(const char *program, const struct launch_run *run)
{
    if (run->end_signal)
        say("signal %d (%s) ended %s; the report covers the run up to then", run->end_signal,
            strsignal(run->end_signal), program);
    else if (run->exit_status)
        say("%s ended with exit status %d", program, run->exit_status);
    return run->end_signal || run->exit_status;
}

static bool write_database(struct session *session, const struct probe_command *command,
                           const struct invocation *invocation, struct error *error)
{
    if (!command->database)
        return true;
    bool is_done = store_write(session->model, command->database, session_threads(invocation), error);
    progress_clear();
    return is_done;
}

static bool has_loops(const struct probe_plan *plan)
{
    for (size_t i = 0; i < plan->subjects.count; i++)
        if (ARRAY_AT(struct probe_subject, &plan->subjects, i)->kind == PROBE_OF_LOOP)
            return true;
    return false;
}

static int conclude(struct session *session, const struct probe_command *command, struct probe_script *script,
                    const struct probe_plan *plan, struct launch_run *run, const struct array *recordings,
                    const struct invocation *invocation, struct error *error)
{
    const char *program = *ARRAY_AT(const char *, &command->words, 0);
    bool has_failed = say_failure(program, run);
    if (!recording_add(session->model, plan, recordings, error))
        return 2;
    if (session->model->probe_runs.count < 2) {
        error_set(error, program, "ran, but no process loaded a file with probes (--object names files)");
        return 2;
    }
    recording_ended(session->model, run);
    machines_name_processors(session->model);
    launch_run_forget(run); /* before any output: the reader may close the pipe */
    struct error ignored = {0};
    if (has_loops(plan) && !command->choice.has_no_clock)
        cycles_store(session, &ignored); /* for set-up times; without a machine there are none */
    recording_conclude(session->model);
    if (!write_database(session, command, invocation, error) ||
        !(session->store || session_connect(session, error)) ||
        !(probe_script_digests(script) ? probe_script_digest(script, error)
                                       : probe_tell(session, command, invocation, program, error)))
        return 2;
    fflush(session->out);
    if (command->database)
        session_say(session, "written to %s; show again with: assay probe report %s", command->database,
                    command->database);
    return has_failed;
}

static int run_plan(struct session *session, struct probe_command *command, struct probe_script *script,
                    const struct probe_plan *plan, const struct launch_program *program,
                    const struct invocation *invocation, struct error *error)
{
    autofree char *runtime = folders_runtime(error);
    if (!runtime)
        return 2;
    struct probe_request probe = {.words = command->words.data,
                                  .runtime = runtime,
                                  .is_diverted = session->style.format != report_TABLE};
    struct launch_run run = {0};
    struct array recordings = ARRAY_OF(char *);
    int code = 2;
    fflush(NULL);
    if (probe_launch(&probe, plan, program, &run, &recordings, error))
        code = conclude(session, command, script, plan, &run, &recordings, invocation, error);
    launch_run_forget(&run);
    free_paths(&recordings);
    return code;
}

/* Probes that found a place. */
static size_t count_placed(const struct probe_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->windows.windows.count; i++)
        count += ARRAY_AT(struct probe_window, &plan->windows.windows, i)->way != 0;
    return count;
}

static bool has_something(const struct probe_plan *plan, struct error *error)
{
    if (count_placed(plan))
        return true;
    if (!plan->subjects.count)
        return error_set(error, NULL,
                         "nothing to probe: what was chosen has no code, or the loop no loads and stores");
    return error_set(error, NULL, "none of %zu probes can be placed; --show-plan says why",
                     plan->subjects.count);
}

static int make_plan(struct session *session, struct probe_command *command, struct probe_script *script,
                     const struct launch_program *program, const struct invocation *invocation,
                     struct error *error)
{
    struct probe_plan plan;
    struct probe_found found;
    enum probe_choice_result finding = probe_choice_find(session->model, &command->choice, &found, error);
    int code = finding == PROBE_MISSING ? 1 : 2;
    probe_plan_init(&plan, session->model);
    plan.keeps_all = command->choice.keeps_all;
    if (finding == PROBE_FOUND && probe_plan_add(&plan, &command->choice, &found, error)) {
        probe_place(&plan);
        progress_clear();
        if (command->shows_plan) {
            plan_text_show(&command->choice, &plan, session->out);
            code = 0;
        } else if (!has_something(&plan, error)) {
            code = 1;
        } else {
            code = run_plan(session, command, script, &plan, program, invocation, error);
        }
    }
    probe_found_free(&found);
    probe_plan_free(&plan);
    return code;
}

int probe_run(struct session *session, struct probe_command *command, const struct invocation *invocation,
              struct error *error)
{
    struct launch_program program;
    const char *word = *ARRAY_AT(const char *, &command->words, 0);
    if (!launch_find_program(word, &program, error))
        return 2;
    int code = 2;
    if ((command->shows_plan || probe_may_run(&program, word, error)) &&
        read_files(session, command, &program, error)) {
        struct probe_script *script = command->script ? probe_script_plan(session, command, error) : NULL;
        if (script || !command->script)
            code = make_plan(session, command, script, &program, invocation, error);
        probe_script_end(script);
    }
    launch_free_program(&program);
    return code;
}
