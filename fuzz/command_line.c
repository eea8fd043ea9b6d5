/* The words of a command line, one on each line of the input. */
#include "fuzz/harness.h"

#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64 };

static int nothing(const struct invocation *invocation, struct error *error)
{
    (void)invocation, (void)error;
    return 0;
}

const struct command commands[] = {
    {.name = "loops",
     .arguments = "FILE",
     .options = {OPTION_OUTPUT, OPTION_LIMIT, OPTION_INNERMOST, OPTION_SET, OPTION_FUNCTION},
     .least = 1,
     .most = 2,
     .run = nothing},
    {.name = "analyses", .arguments = "", .run = nothing},
    {.name = "analysis",
     .arguments = "FILE NAME",
     .options = {OPTION_SET},
     .least = 2,
     .most = NO_LIMIT,
     .run = nothing},
};
const unsigned command_count = sizeof commands / sizeof *commands;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size), *words[MOST_WORDS + 1], *rest = text;
    int count = 0;
    for (char *word; count < MOST_WORDS && (word = strsep(&rest, "\n"));)
        words[count++] = word;
    words[count] = NULL;
    struct invocation invocation;
    struct error error = {0};
    int64_t number;
    if (options_parse(&invocation, count, words, &error)) {
        options_number(&invocation, OPTION_LIMIT, 1, &number, &error);
        options_value(&invocation, OPTION_OUTPUT);
        if (invocation.command && !options_has(&invocation, OPTION_HELP) &&
            invocation.operands.count > invocation.command->most)
            harness_wrong("more operands than the command takes", invocation.command->name);
    } else if (!error.set) {
        harness_wrong("a failure without a reason", text);
    }
    options_free(&invocation);
    free(text);
    return 0;
}
