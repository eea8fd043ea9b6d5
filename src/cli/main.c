/* assay VERB FILE…: parses the command line, runs the command, says what went wrong in one line. */
#include "cli/commands.h"
#include "base/leftovers.h"
#include "base/progress.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static int run(const struct invocation *invocation, struct error *error)
{
    if (options_has(invocation, OPTION_VERSION))
        return command_version(invocation, error);
    if (!invocation->command || options_has(invocation, OPTION_HELP))
        return command_help(invocation, error);
    return invocation->command->run(invocation, error);
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "");
    leftovers_guard();
    struct error error = {0};
    struct invocation invocation;
    int code = 2;
    if (options_parse(&invocation, count - 1, words + 1, &error))
        code = count > 1 ? run(&invocation, &error) : (command_help(&invocation, &error), 2);
    progress_clear();
    if (error.set) {
        /* One line, and nothing in it that drives a terminal. */
        for (char *at = error.text; *at; at++)
            if ((unsigned char)*at < ' ' || *at == 0x7f)
                *at = '?';
        fprintf(stderr, "assay: %s\n", error.text);
    }
    options_free(&invocation);
    return code;
}
