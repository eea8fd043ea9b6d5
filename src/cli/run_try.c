/* assay run --try: the program is built again with other options and run by turns (change/optimise/program); what
   that measured stands in the table run_trials, and takes the place of promises about the same options.

   It runs as it ran before: the same words, folder and environment, standard input from its file again, and the
   same exit status.  What goes wrong costs the trials, not the answer. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/text.h"
#include "change/optimise/compile/relink.h"
#include "change/optimise/program/program.h"
#include "cli/run.h"
#include "run/launch/program.h"
#include "run/measure/input.h"
#include "run/units/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double OWN_DIFFERS = 0.1; /* of the program's time to that of its copy */

/* ---- the command ---- */

/* The path of the file that standard input comes from; to be freed; NULL: none. */
static char *input_path(void)
{
    char path[4096];
    struct stat here, there;
    ssize_t length = readlink("/proc/self/fd/0", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    bool is_same = !stat(path, &there) && !fstat(STDIN_FILENO, &here) && here.st_dev == there.st_dev &&
                   here.st_ino == there.st_ino;
    return is_same ? memory_format("%s", path) : NULL;
}

static bool add_input(const struct measure_input *input, char **command, struct error *error)
{
    bool is_empty;
    if (!measure_input_again(input, &is_empty, error))
        return false;
    autofree char *path = input->is_file ? input_path() : NULL;
    if (input->is_file && (!path || input->position))
        return error_set(error, "standard input",
                         "cannot be given again: it is a file that is gone or half read");
    char *longer = memory_format("%s <", *command);
    free(*command);
    *command = longer;
    relink_add_quoted(command, path ? path : "/dev/null");
    return true;
}

/* For a shell: NULL with the error set where the program cannot be run again. */
static char *word_command(const struct run_command *command, int status, struct error *error)
{
    char *text = memory_format("\"$ASSAY_PROGRAM\"");
    for (size_t i = 1; i + 1 < command->words.count; i++)
        relink_add_quoted(&text, *ARRAY_AT(const char *, &command->words, i));
    if (!add_input(&command->input, &text, error)) {
        free(text);
        return NULL;
    }
    if (status <= 0)
        return text;
    char *whole = memory_format("%s; test $? -eq %d", text, status);
    free(text);
    return whole;
}

/* ---- rows ---- */

static enum trial_result result_of(const struct program_answer *answer, const struct program_trial *trial)
{
    if (!trial->is_built || trial->problem)
        return trial_result_FAILED;
    switch (trial->result.verdict) {
    case replay_SAME:
    case replay_WITHIN:
        return answer->is_uncompared ? trial_result_UNKNOWN : trial_result_SAME;
    case replay_NEAR:
        return trial_result_ROUNDED;
    case replay_DIFFERENT:
        return trial_result_OTHER;
    default:
        return trial_result_FAILED;
    }
}

static struct run_trial row_of(struct model *model, const struct program_answer *answer, size_t place)
{
    const struct program_trial *trial = ARRAY_AT(struct program_trial, &answer->trials, place);
    const char *problem = trial->problem ? trial->problem : trial->result.where;
    struct run_trial row = {.run = 1,
                            .options = model_string(model, trial->name),
                            .result = (uint8_t)result_of(answer, trial),
                            .saving = isfinite(trial->ratio) ? 1 - trial->ratio : NAN,
                            .error = trial->rounds ? trial->step_error : NAN,
                            .seconds = isfinite(trial->ratio) ? answer->before * trial->ratio : NAN,
                            .rounds = trial->rounds,
                            .problem = problem ? model_string(model, problem) : 0};
    if (place == answer->best) {
        row.is_answer = 1;
        row.saving = 1 - answer->ratio;
        row.error = answer->error;
        row.seconds = answer->after;
        row.rounds = answer->rounds ? answer->rounds : trial->rounds;
    }
    return row;
}

/* A variant that was tried beside several others is one row: its first, or the answer. */
static bool is_row(const struct program_answer *answer, size_t place)
{
    const char *name = ARRAY_AT(struct program_trial, &answer->trials, place)->name;
    const char *best =
        answer->best == SIZE_MAX ? NULL : ARRAY_AT(struct program_trial, &answer->trials, answer->best)->name;
    if (best && !strcmp(name, best))
        return place == answer->best;
    for (size_t i = 0; i < place; i++)
        if (!strcmp(ARRAY_AT(struct program_trial, &answer->trials, i)->name, name))
            return false;
    return true;
}

static void add_rows(struct model *model, const struct program_answer *answer)
{
    for (size_t i = 0; i < answer->trials.count; i++)
        if (is_row(answer, i)) {
            struct run_trial row = row_of(model, answer, i);
            *(struct run_trial *)model_add(&model->run_trials) = row;
        }
}

/* ---- the trials ---- */

static void show_progress(const char *what, size_t done, double seconds_left)
{
    autofree char *text = memory_format("%zu other builds tried, now %s, %.0f s left", done, what,
                                        seconds_left > 0 ? seconds_left : 0);
    progress_tell(text, 0, 0);
}

static void say_what_differs(const struct session *session, const struct program_answer *answer)
{
    if (answer->was_interrupted)
        session_say(session, "Ctrl-C ended the trials of other builds: the same command goes on with them");
    if (answer->is_out_of_time && answer->left && !answer->was_interrupted)
        session_say(session,
                    "the time for other builds was up with %u changes left: --budget gives more, and the "
                    "same command goes on",
                    answer->left);
    if (fabs(answer->own_ratio - 1) > OWN_DIFFERS)
        session_say(
            session,
            "the program takes %.2f times as long as its copy, which was built as its debug information "
            "says: some of its options are not known (`assay optimise --record compile_commands.json -- "
            "make -B` records them)",
            answer->own_ratio);
}

static bool search(struct session *session, const struct run_command *command,
                   const struct launch_program *program, const char *run, const struct array *units,
                   struct error *error)
{
    struct ledger *ledger = ledger_open(NULL, true, error);
    if (!ledger)
        return false;
    struct program_request request = {.units = units,
                                      .program = program,
                                      .run = run,
                                      .ledger = ledger,
                                      .budget = command->try_seconds,
                                      .has_tolerance = true,
                                      .may_differ = true,
                                      .processes = session_threads(session->invocation),
                                      .progress = show_progress};
    struct program_answer answer;
    interrupt_catch();
    bool is_fine = program_search(&request, &answer, error);
    interrupt_release();
    progress_clear();
    if (is_fine) {
        add_rows(session->model, &answer);
        units_take_trials(session->model);
        say_what_differs(session, &answer);
    }
    program_answer_free(&answer);
    ledger_close(ledger);
    return is_fine;
}

static bool try_all(struct session *session, const struct run_command *command,
                    const struct launch_program *program, struct error *error)
{
    const struct sampled_run *row = model_sampled_run(session->model, 1);
    struct array units = ARRAY_OF(struct program_unit);
    if (row->end_signal != NO_NUMBER && row->end_signal > 0)
        return error_set(error, NULL, "a signal ended the program");
    autofree char *run = word_command(command, row->exit_status == NO_NUMBER ? 0 : row->exit_status, error);
    bool is_fine = run && program_units_list(program, NULL, &units, error) &&
                   search(session, command, program, run, &units, error);
    program_units_free(&units);
    return is_fine;
}

void run_try(struct session *session, const struct run_command *command, const struct launch_program *program)
{
    struct error failure = {0};
    if (session->model->runs.count > 1 && !try_all(session, command, program, &failure))
        session_say(session, "other builds were not tried: %s", failure.text);
}
