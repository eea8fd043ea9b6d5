/* The options of assay run.  What contradicts itself is refused before anything runs. */
#include "cli/run.h"

#include "base/output.h"
#include "base/settings.h"
#include "cli/choose.h"
#include "cli/folders.h"

#include <stdlib.h>
#include <string.h>

static const double USUAL_TRY_SECONDS = 120;

/* --from, and what goes with it. */
static bool read_recording(struct run_command *command, const struct invocation *invocation,
                           struct error *error)
{
    size_t given = 0;
    for (size_t i = 0; i < invocation->given.count; i++)
        given += ARRAY_AT(struct given, &invocation->given, i)->id == OPTION_FROM;
    command->recording = (struct perf_data_wish){.path = options_value(invocation, OPTION_FROM),
                                                 .event = options_value(invocation, OPTION_EVENT),
                                                 .command = options_value(invocation, OPTION_COMMAND),
                                                 .folder = options_value(invocation, OPTION_DEBUG_DIR)};
    if (given > 1)
        return error_set(error, NULL, "--from takes one recording here");
    if (!given && (command->recording.event || command->recording.command))
        return error_set(error, NULL, "--event and --command go with --from");
    if (given && (options_has(invocation, OPTION_FREQUENCY) || options_has(invocation, OPTION_COUNTERS) ||
                  options_has(invocation, OPTION_NO_STACKS)))
        return error_set(
            error, NULL,
            "--from reads what was recorded: --frequency, --counters and --no-stacks are for recording");
    return true;
}

/* Where the samples come from: words, --pid, --merge or --from, and nothing else besides. */
static bool read_source(struct run_command *command, const struct invocation *invocation, struct error *error)
{
    int64_t process;
    size_t count = invocation->operands.count;
    if (!options_number(invocation, OPTION_PROCESS, 0, &process, error))
        return false;
    if (options_has(invocation, OPTION_PROCESS) && (process < 1 || process > INT32_MAX))
        return error_set(error, NULL, "--pid takes the number of a process");
    command->process = (uint32_t)process;
    command->merged_folder = options_value(invocation, OPTION_MERGE);
    if (!read_recording(command, invocation, error))
        return false;
    unsigned sources =
        (count > 0) + (process > 0) + (command->merged_folder != NULL) + (command->recording.path != NULL);
    if (!sources)
        return error_set(error, NULL,
                         "run needs a program (assay run [OPTIONS] -- PROGRAM …), --pid PID, --merge DIR or "
                         "--from perf.data");
    if (sources > 1)
        return error_set(error, NULL, "choose one: a program to run, --pid, --merge or --from");
    for (size_t i = 0; i < count; i++)
        *(const char **)array_push(&command->words) = options_operand(invocation, i);
    if (count)
        *(const char **)array_push(&command->words) = NULL;
    return true;
}

/* With --format, --output is a file for another viewer and no database. */
static bool read_format(struct run_command *command, const struct invocation *invocation, struct error *error)
{
    const char *name = options_value(invocation, OPTION_FORMAT);
    if (!name)
        return true;
    command->profile = profile_format_named(name);
    if (!command->profile)
        return error_set(error, NULL, "--format takes " PROFILE_FORMATS " here, not '%s'", name);
    if (!command->database || !strcmp(command->database, "-"))
        return error_set(
            error, NULL,
            "--format needs --output FILE: standard output is the program's (assay report RUN.DB "
            "--format %s prints)",
            name);
    command->profile_file = command->database;
    command->database = NULL;
    return true;
}

static bool check_together(const struct run_command *command, const struct invocation *invocation,
                           struct error *error)
{
    if (command->is_measured && !command->words.count)
        return error_set(error, NULL,
                         "--measure and --explain run the program again: they need a program, not "
                         "--pid, --merge or --from");
    if (command->is_tried && !command->words.count)
        return error_set(error, NULL,
                         "--try runs the program again: it needs a program, not --pid, --merge or --from");
    if (options_has(invocation, OPTION_BUDGET) && !command->is_tried)
        return error_set(error, NULL, "--budget goes with --try");
    if (options_has(invocation, OPTION_SECONDS) && !command->process)
        return error_set(error, NULL, "--seconds goes with --pid");
    if (command->rank_folder && !command->words.count)
        return error_set(error, NULL, "--rank-files needs a program to run");
    if (command->rank_folder && (command->is_measured || command->is_tried || command->database ||
                                 command->page || command->profile_file))
        return error_set(error, NULL,
                         "--rank-files only records; assay run --merge DIR then takes --output and --html");
    const char *file = command->profile_file ? command->profile_file : command->database;
    if (file && command->page && output_is_same(file, command->page))
        return error_set(error, command->page,
                         "cannot be the file of --output and of --html; name two files");
    if (command->database && !strcmp(command->database, "-"))
        return error_set(error, NULL, "--output writes a database, which cannot go to standard output");
    return true;
}

static bool read_counters(struct run_command *command, const struct invocation *invocation,
                          struct error *error)
{
    const char *list = options_value(invocation, OPTION_COUNTERS);
    if (!list)
        return true;
    struct array folders = folders_find("ASSAY_COUNTERS", "counters");
    bool is_done =
        counters_read(&command->counters, (const char *const *)folders.data, folders.count, error) &&
        counters_find(&command->counters, list, &command->wishes, error);
    folders_free(&folders);
    command->sampling.wishes = command->wishes.data;
    command->sampling.wish_count = command->wishes.count;
    return is_done;
}

static bool read_numbers(struct run_command *command, const struct invocation *invocation,
                         struct error *error)
{
    enum { ROWS = 10, MOST_FREQUENCY = 100000, MOST_SECONDS = 10000000 };
    int64_t top, frequency, seconds;
    if (!options_number(invocation, OPTION_TOP, ROWS, &top, error) ||
        !options_number(invocation, OPTION_FREQUENCY, 0, &frequency, error) ||
        !options_number(invocation, OPTION_SECONDS, 0, &seconds, error))
        return false;
    if (top < 1)
        return error_set(error, NULL, "--top takes 1 or more");
    if (options_has(invocation, OPTION_FREQUENCY) && (frequency < 1 || frequency > MOST_FREQUENCY))
        return error_set(error, NULL, "--frequency takes 1 to %d samples a second", MOST_FREQUENCY);
    if (options_has(invocation, OPTION_SECONDS) && (seconds < 1 || seconds > MOST_SECONDS))
        return error_set(error, NULL, "--seconds takes 1 or more");
    command->top = (size_t)top;
    command->sampling.frequency = (double)frequency;
    command->sampling.seconds = (double)seconds;
    return true;
}

static bool read_budget(struct run_command *command, const struct invocation *invocation, struct error *error)
{
    const char *budget = options_value(invocation, OPTION_BUDGET);
    command->try_seconds = USUAL_TRY_SECONDS;
    return !budget || (settings_parse_seconds(budget, &command->try_seconds) && command->try_seconds > 0) ||
           error_set(error, NULL, "--budget takes a time such as 90, 60s or 15m, not '%s'", budget);
}

void run_free_options(struct run_command *command)
{
    array_free(&command->words);
    array_free(&command->wishes);
    counters_free(&command->counters);
}

bool run_read_options(struct run_command *command, const struct invocation *invocation, struct error *error)
{
    const char *sampler = getenv("ASSAY_SAMPLER");
    *command = (struct run_command){.words = ARRAY_OF(const char *),
                                    .wishes = ARRAY_OF(struct sample_wish),
                                    .database = options_value(invocation, OPTION_OUTPUT),
                                    .page = options_value(invocation, OPTION_HTML_FILE),
                                    .rank_folder = options_value(invocation, OPTION_RANK_FILES),
                                    .is_explained = options_has(invocation, OPTION_EXPLAIN),
                                    .is_tried = options_has(invocation, OPTION_TRY),
                                    .reads_all = options_has(invocation, OPTION_ALL_CODE)};
    command->is_measured = command->is_explained || options_has(invocation, OPTION_MEASURE);
    command->sampling.has_no_stacks = options_has(invocation, OPTION_NO_STACKS);
    command->sampling.uses_timer = sampler && !strcmp(sampler, "timer");
    return choose_level(invocation, &command->level, error) && read_numbers(command, invocation, error) &&
           read_source(command, invocation, error) && read_budget(command, invocation, error) &&
           read_counters(command, invocation, error) && read_format(command, invocation, error) &&
           check_together(command, invocation, error);
}
