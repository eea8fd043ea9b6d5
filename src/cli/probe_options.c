/* The options of assay probe become a choice (run/probe/plan/choice.h): options say what is probed, words
   before -- in which functions.  Without a -- all words are the program's. */
#include "cli/probe.h"

#include "run/probe/plan/text.h"

#include <stdlib.h>
#include <string.h>

/* Every value of an option that may be repeated. */
static bool add_all(struct probe_choice *choice, const struct invocation *invocation, enum option_id id,
                    const char *word, struct error *error)
{
    autofree char *origin = memory_format("--%s", option_described(id)->name);
    bool is_done = true;
    for (size_t i = 0; is_done && i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id != id)
            continue;
        is_done = strcmp(given->value, "--") != 0
                      ? probe_choice_word(choice, word, given->value, origin, error)
                      : error_set(error, NULL, "%s needs a name before the -- and the program", origin);
    }
    return is_done;
}

static bool add_addresses(struct probe_choice *choice, const struct invocation *invocation,
                          struct error *error)
{
    if (!options_has(invocation, OPTION_ADDRESSES))
        return true;
    const char *loop = options_value(invocation, OPTION_LOOP), *line = options_value(invocation, OPTION_LINE);
    if (!loop && !line)
        return error_set(error, NULL,
                         "--addresses needs --loop N (assay loops lists the loops) or --line FILE:LINE");
    return probe_choice_word(choice, "addresses", loop ? loop : line, "--addresses", error);
}

static bool add_loops(struct probe_choice *choice, const struct invocation *invocation, struct error *error)
{
    bool has_addresses = options_has(invocation, OPTION_ADDRESSES);
    if (!has_addresses && (!add_all(choice, invocation, OPTION_LOOP, "loop", error) ||
                           !add_all(choice, invocation, OPTION_LINE, "loops", error)))
        return false;
    if (!options_has(invocation, OPTION_LOOPS))
        return true;
    bool is_narrowed = options_has(invocation, OPTION_LOOP) || options_has(invocation, OPTION_LINE);
    bool is_done = true;
    for (size_t i = 0; is_done && i < invocation->before && invocation->before < invocation->operands.count;
         i++)
        is_done =
            probe_choice_word(choice, "loops", options_operand(invocation, i), "the name before --", error);
    bool has_names = invocation->before && invocation->before < invocation->operands.count;
    if (is_done && !is_narrowed && !has_names)
        probe_choice_add(choice, PROBE_WISH_LOOPS, NULL, 0, NULL, "--loops");
    return is_done;
}

/* Without any wish: functions, all or those that are named. */
static bool add_functions(struct probe_choice *choice, const struct invocation *invocation,
                          struct error *error)
{
    bool has_names = invocation->before && invocation->before < invocation->operands.count;
    if (options_has(invocation, OPTION_LOOPS) || (choice->wishes.count && !has_names))
        return true;
    for (size_t i = 0; has_names && i < invocation->before; i++)
        if (!probe_choice_word(choice, "functions", options_operand(invocation, i), "the name before --",
                               error))
            return false;
    if (!choice->wishes.count)
        probe_choice_add(choice, PROBE_WISH_FUNCTIONS, NULL, 0, NULL, NULL);
    return true;
}

static bool ends_in_lua(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".lua");
}

static bool read_choice(struct probe_command *command, const struct invocation *invocation,
                        struct error *error)
{
    struct probe_choice *choice = &command->choice;
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_OBJECT)
            *(struct probe_file *)array_add(&choice->files) =
                (struct probe_file){.path = memory_copy_text(given->value, strlen(given->value))};
        bool is_script = given->id == OPTION_PLAN && ends_in_lua(given->value);
        if (is_script && command->script)
            return error_set(error, given->value, "one plan in Lua at a time");
        if (is_script)
            command->script = given->value;
        else if (given->id == OPTION_PLAN && !plan_text_read_file(choice, given->value, error))
            return false;
    }
    choice->has_no_clock = choice->has_no_clock || options_has(invocation, OPTION_NO_CLOCK);
    choice->keeps_all = choice->keeps_all || options_has(invocation, OPTION_KEEP_ALL);
    return add_all(choice, invocation, OPTION_CALLS_TO, "calls", error) &&
           add_all(choice, invocation, OPTION_VALUES_OF, "values", error) &&
           add_all(choice, invocation, OPTION_AT, "at", error) && add_addresses(choice, invocation, error) &&
           add_loops(choice, invocation, error) &&
           (command->script || add_functions(choice, invocation, error));
}

static bool read_words(struct probe_command *command, const struct invocation *invocation,
                       struct error *error)
{
    size_t count = invocation->operands.count;
    size_t first = invocation->before < count ? invocation->before : 0;
    for (size_t i = first; i < count; i++)
        *(const char **)array_push(&command->words) = options_operand(invocation, i);
    *(const char **)array_push(&command->words) = NULL;
    return command->words.count > 1 ||
           error_set(error, NULL, "probe needs a program to run (assay probe [OPTIONS] -- PROGRAM …)");
}

static bool read_telling(struct probe_command *command, const struct invocation *invocation,
                         struct error *error)
{
    enum { TEXT_ROWS = 10, HTML_ROWS = 100 };
    bool is_html = options_has(invocation, OPTION_HTML);
    int64_t top;
    if (is_html && (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "choose one of --html, --json and --csv");
    if (is_html && !command->is_report)
        return error_set(error, NULL,
                         "write a database with --output FILE.db, then assay probe report FILE.db --html");
    if (!options_number(invocation, OPTION_TOP, is_html ? HTML_ROWS : TEXT_ROWS, &top, error) ||
        !options_number(invocation, OPTION_RUN, 0, &command->run, error))
        return false;
    if (top < 1 || (options_has(invocation, OPTION_RUN) && command->run < 1))
        return error_set(error, NULL, "--top and --run take 1 or more");
    command->top = (size_t)top;
    if (command->run && !command->is_report)
        return error_set(error, NULL,
                         "--run selects a run of a database: assay probe report FILE.db --run N");
    if (options_has(invocation, OPTION_KEEP_ALL) && !options_has(invocation, OPTION_OUTPUT) &&
        !command->is_report)
        return error_set(error, NULL, "--keep-all needs --output FILE.db, which keeps the events");
    return true;
}

bool probe_read_options(struct probe_command *command, const struct invocation *invocation,
                        struct error *error)
{
    const char *first = options_operand(invocation, 0);
    *command = (struct probe_command){.words = ARRAY_OF(const char *)};
    probe_choice_init(&command->choice);
    command->is_report =
        first && !strcmp(first, "report") && invocation->before == invocation->operands.count;
    command->shows_plan = options_has(invocation, OPTION_SHOW_PLAN);
    if (!read_telling(command, invocation, error))
        return false;
    if (command->is_report && options_has(invocation, OPTION_OBJECT))
        command->database = options_value(invocation, OPTION_OUTPUT);
    if (command->database && !strcmp(command->database, "-"))
        return error_set(error, NULL, "--output writes a database, which cannot go to standard output");
    if (command->is_report)
        return invocation->operands.count == 2 ||
               error_set(error, NULL,
                         "probe report takes one database or recording (assay probe report FILE.db)");
    command->database = options_value(invocation, OPTION_OUTPUT);
    if (command->database && !strcmp(command->database, "-"))
        return error_set(error, NULL, "--output writes a database, which cannot go to standard output");
    return read_words(command, invocation, error) && read_choice(command, invocation, error);
}
