/* Options of assay optimise. */
#include "base/settings.h"
#include "cli/machines.h"
#include "cli/optimise.h"
#include "show/report/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double USUAL_BUDGET = 60, PROGRAM_BUDGET = 600;

bool optimise_take_line(const char *text, char **file, unsigned *line, struct error *error)
{
    const char *colon = text ? strrchr(text, ':') : NULL;
    char *end = NULL;
    unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || colon == text || end == colon + 1 || *end || !number || number > 10000000)
        return error_set(error, NULL, "--line takes a file and a line such as solve.c:40, not '%s'",
                         text ? text : "");
    *file = memory_copy_text(text, (size_t)(colon - text));
    *line = (unsigned)number;
    return true;
}

bool optimise_split_words(const char *text, struct array *words, struct error *error)
{
    *words = ARRAY_OF(char *);
    while (*(text += strspn(text, " \t\n"))) {
        char *word = memory_get(strlen(text) + 1), *end = word, quote = 0;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                *end++ = *++text;
            else
                *end++ = *text;
        }
        *(char **)array_push(words) = word;
        if (quote)
            return error_set(error, NULL, "a quote (%c) is not closed in: %s", quote, word);
    }
    if (!words->count)
        return error_set(error, NULL, "--capture takes a command such as './solve input.dat', not nothing");
    *(char **)array_push(words) = NULL;
    return true;
}

void optimise_free_words(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}

static bool take_compilers(struct optimise_work *work)
{
    const char *names = options_value(work->session.invocation, OPTION_COMPILERS);
    work->compilers = ARRAY_OF(char *);
    for (size_t length; names && *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        if (length)
            *(char **)array_push(&work->compilers) = memory_copy_text(names, length);
    }
    return true;
}

static bool take_numbers(struct optimise_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *budget = options_value(invocation, OPTION_BUDGET),
               *tolerance = options_value(invocation, OPTION_TOLERANCE),
               *forbidden = options_value(invocation, OPTION_FORBID);
    work->budget = options_has(invocation, OPTION_WHOLE_PROGRAM) ? PROGRAM_BUDGET : USUAL_BUDGET;
    if (budget && (!settings_parse_seconds(budget, &work->budget) || !(work->budget > 0)))
        return error_set(error, NULL, "--budget takes a time such as 90, 60s or 15m, not '%s'", budget);
    if (tolerance && !replay_parse_tolerance(tolerance, &work->tolerance, &work->ulps))
        return error_set(
            error, NULL,
            "--tolerance takes the largest relative difference of results, such as 1e-12, or units "
            "in the last place of the largest element, such as 8ulp, not '%s'",
            tolerance);
    if (forbidden && !choice_risks_parse(forbidden, &work->forbidden, error))
        return false;
    return options_number(invocation, OPTION_CALL, 0, &work->call, error) &&
           options_number(invocation, OPTION_FINALISTS, 12, &work->finalists, error) &&
           options_number(invocation, OPTION_SEED, 1, &work->seed, error);
}

bool optimise_take_options(struct optimise_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *capture = options_value(invocation, OPTION_CAPTURE);
    work->build = options_value(invocation, OPTION_BUILD_WITH);
    work->run = options_value(invocation, OPTION_MEASURE_WITH);
    work->capture = ARRAY_OF(char *);
    if (!take_numbers(work, error) || !take_compilers(work))
        return false;
    if (work->run && !work->build && !options_has(invocation, OPTION_WHOLE_PROGRAM))
        return error_set(error, NULL,
                         "--measure-with needs --build-with: the command that builds the program as "
                         "$ASSAY_PROGRAM");
    return !capture || optimise_split_words(capture, &work->capture, error);
}
