/* assay VERB FILE…: parses the command line, runs the command, reports an error in one line. */
#include "cli/commands.h"
#include "base/leftovers.h"
#include "base/progress.h"
#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
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

/* Opens standard streams that the parent has closed: otherwise the next file opened would get that number and
   receive the output. */
static void fill_streams(void)
{
    static const char *const places[] = {"/dev/null", "/dev/full", "/dev/full"};
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open(places[i], i ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* Output that could not be written is a failure of any command. */
static int close_output(int code, struct error *error)
{
    bool has_failed = ferror(stdout);
    has_failed |= fclose(stdout) && errno != EBADF;
    if (!has_failed)
        return code;
    error_set_errno(error, NULL, "cannot write to standard output");
    return 2;
}

int main(int count, char **words)
{
    fill_streams();
    setlocale(LC_CTYPE, "");
    leftovers_guard();
    struct error error = {0};
    struct invocation invocation;
    int code = 2;
    if (options_parse(&invocation, count - 1, words + 1, &error))
        code = count > 1 ? run(&invocation, &error) : (command_help(&invocation, &error), 2);
    progress_clear();
    code = close_output(code, &error);
    if (error.set)
        say("%s", error.text);
    options_free(&invocation);
    return code;
}
