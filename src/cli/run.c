/* assay run: a program runs and is sampled, or one that runs already, or recordings of ranks or of perf are read;
   then the answer.

   The exit status is the program's own, so that assay run can stand in front of a command in a script. */
#include "cli/run.h"

#include "base/output.h"
#include "base/path.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/database_file.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/say.h"
#include "run/sample/jit/jit.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_STATUS = 128 };

/* How the program ended, if it failed; its exit status as a shell gives it. */
static int exit_of(const char *program, const struct launch_run *run)
{
    if (run->end_signal)
        say("signal %d (%s) ended %s; the answer covers the run up to then", run->end_signal,
            strsignal(run->end_signal), program);
    return run->end_signal ? SIGNAL_STATUS + run->end_signal : run->exit_status < 0 ? 1 : run->exit_status;
}

/* Whether a recording of perf was made on this computer, by its name. */
static bool is_from_here(const struct sample_recording *recording)
{
    char host[HOST_NAME_MAX + 1] = "";
    return !gethostname(host, sizeof host - 1) && recording->host && !strcmp(recording->host, host);
}

static int conclude(struct session *session, const struct run_command *command,
                    struct sample_recording *recording, const struct launch_program *program, int code,
                    struct error *error)
{
    const char *path = command->recording.path;
    autofree char *beside = path && strcmp(path, "-") ? path_folder(path) : NULL;
    struct jit_wish wish = {command->recording.folder, beside, path && !is_from_here(recording)};
    jit_settle(recording, command->rank_folder || command->merged_folder ? NULL : &wish);
    bool is_done = command->rank_folder ? run_write_rank(recording, command->rank_folder, error)
                                        : run_answer(session, command, recording, program, error);
    return is_done ? code : 2;
}

static int run_program(struct session *session, struct run_command *command, struct error *error)
{
    struct launch_program program;
    struct launch_run run = {0};
    struct sample_recording recording;
    const char *const *words = command->words.data;
    int code = 2;
    if (!launch_find_program(words[0], &program, error))
        return 2;
    sample_recording_init(&recording);
    fflush(NULL);
    measure_input_note(&command->input);
    bool has_run = sampler_run(words, &program, &command->sampling, &run, &recording, error);
    if (has_run)
        code = exit_of(words[0], &run);
    launch_run_forget(&run); /* before any output: the reader may close the pipe */
    if (has_run)
        code = conclude(session, command, &recording, &program, code, error);
    sample_recording_free(&recording);
    launch_free_program(&program);
    return code;
}

static int run_process(struct session *session, const struct run_command *command, struct error *error)
{
    struct sample_recording recording;
    sample_recording_init(&recording);
    int code = sampler_attach(command->process, &command->sampling, &recording, error)
                   ? conclude(session, command, &recording, NULL, 0, error)
                   : 2;
    sample_recording_free(&recording);
    return code;
}

static int merge(struct session *session, const struct run_command *command, struct error *error)
{
    struct sample_recording recording;
    sample_recording_init(&recording);
    int code = run_read_ranks(&recording, command->merged_folder, error)
                   ? conclude(session, command, &recording, NULL, 0, error)
                   : 2;
    sample_recording_free(&recording);
    return code;
}

static int read_recording(struct session *session, const struct run_command *command, struct error *error)
{
    struct sample_recording recording;
    sample_recording_init(&recording);
    int code = perf_data_read(&command->recording, &recording, error)
                   ? conclude(session, command, &recording, NULL, 0, error)
                   : 2;
    sample_recording_free(&recording);
    return code;
}

/* A slip of the hand must not cost an earlier run: --output without --format is a database. */
static bool may_write_profile(const char *path, bool is_forced, struct error *error)
{
    if (!is_forced && !access(path, F_OK) && store_is_database(path))
        return error_set(error, path,
                         "is a database, which --format would replace; name another file, or give --force");
    return output_may_replace(path, error);
}

/* Whatever would fail at the end fails before the run. */
static bool may_go(const struct run_command *command, const struct invocation *invocation,
                   struct error *error)
{
    bool is_forced = options_has(invocation, OPTION_FORCE);
    return machines_know_name(invocation, error) &&
           (!command->database || database_may_write(command->database, is_forced, error)) &&
           (!command->page || output_may_replace(command->page, error)) &&
           (!command->profile_file || may_write_profile(command->profile_file, is_forced, error)) &&
           (!command->rank_folder || run_may_write_rank(command->rank_folder, error));
}

static int run(struct run_command *command, const struct invocation *invocation, struct error *error)
{
    struct invocation rest = database_without_output(invocation);
    struct session session;
    struct error no_runtime = {0};
    autofree char *runtime = folders_runtime(&no_runtime);
    int code = 2;
    for (size_t i = 0; i < invocation->operands.count; i++)
        output_spare(options_operand(invocation, i));
    if (session_begin(&session, &rest, error) && may_go(command, invocation, error) &&
        session_answer_beside_program(&session, error)) {
        bool is_text = session.style.format == report_TABLE;
        command->sampling.runtime = runtime;
        command->sampling.is_diverted = !is_text;
        code = command->merged_folder    ? merge(&session, command, error)
               : command->recording.path ? read_recording(&session, command, error)
               : command->process        ? run_process(&session, command, error)
                                         : run_program(&session, command, error);
    }
    code = session_end(&session, code, error);
    array_free(&rest.given);
    return code;
}

int command_run(const struct invocation *invocation, struct error *error)
{
    struct run_command command;
    int code = run_read_options(&command, invocation, error) ? run(&command, invocation, error) : 2;
    run_free_options(&command);
    return code;
}
