/* assay sql: a query, a script or the shell. */
#include "base/output.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/foreign.h"
#include "cli/printing.h"
#include "cli/shell.h"
#include "ledger/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_SCRIPT = 64 << 20 };

/* The whole text, to be freed; NULL with the error set. */
static char *read_script(const char *path, struct error *error)
{
    bool is_input = !strcmp(path, "-");
    FILE *file = is_input ? stdin : fopen(path, "re");
    if (!file) {
        error_set_errno(error, path, "cannot read");
        return NULL;
    }
    struct array text = ARRAY_OF(char);
    size_t got;
    do {
        char piece[65536];
        got = fread(piece, 1, sizeof piece, file);
        memcpy(array_add_many(&text, got), piece, got);
    } while (got && text.count <= LARGEST_SCRIPT);
    bool good = !ferror(file);
    if (!good)
        error_set_errno(error, is_input ? "standard input" : path, "cannot read");
    else if (text.count > LARGEST_SCRIPT)
        good = error_set(error, path, "is larger than %d MB: not a script", LARGEST_SCRIPT >> 20);
    else if (memchr(text.data, 0, text.count))
        good = error_set(error, path, "contains zero bytes: not a script");
    if (!is_input)
        fclose(file);
    *(char *)array_add(&text) = 0;
    if (good)
        return text.data;
    array_free(&text);
    return NULL;
}

/* What is asked: in the process of its own. */
struct question {
    struct printing *printing;
    const char *where, *text;
    const struct store_choice *choice;
};

static bool print_answer(void *context, struct error *error)
{
    const struct question *question = context;
    return store_run(question->printing->session->store, question->where, question->text, question->choice,
                     printing_rows, question->printing, error);
}

/* Tables that it needs are computed before, and stay for the next one. */
static bool answer(struct question *question, bool (*must_end)(void), struct error *error)
{
    struct session *session = question->printing->session;
    return foreign_supply(session, question->text, question->choice, 0, error) &&
           foreign_run(&(struct foreign){.session = session,
                                         .work = print_answer,
                                         .context = question,
                                         .what = "the query",
                                         .must_end = must_end},
                       error);
}

/* Who asks: a person at the shell, or a script. */
struct asker {
    struct printing *printing;
    const char *where; /* the file of the script, or NULL */
};

static bool answer_part(void *context, const char *sql, const struct store_choice *choice,
                        struct error *error)
{
    const struct asker *asker = context;
    struct question question = {
        .printing = asker->printing, .where = asker->where, .text = sql, .choice = choice};
    return answer(&question, asker->printing->is_shell ? shell_must_end : NULL, error);
}

static bool set_mode(void *context, const char *mode)
{
    const struct asker *asker = context;
    return printing_set_mode(asker->printing, mode);
}

static struct shell make_shell(struct asker *asker, const struct store_choice *choice)
{
    const struct session *session = asker->printing->session;
    return (struct shell){.store = session->store,
                          .choice = *choice,
                          .output = session->out,
                          .run = answer_part,
                          .context = asker,
                          .set_mode = set_mode};
}

static bool run_sql(struct printing *printing, const struct invocation *invocation,
                    const struct store_choice *choice, struct error *error)
{
    const char *query = options_operand(invocation, 1), *path = options_value(invocation, OPTION_SCRIPT);
    if (printing->bars && printing->session->style.format != report_TABLE)
        return error_set(error, NULL, "--bars applies to text output, not to --json or --csv");
    if (query && path)
        return error_set(error, NULL, "give a query or --file, not both");
    struct asker asker = {.printing = printing};
    struct shell shell = make_shell(&asker, choice);
    printing->is_shell = !query && !path && isatty(STDIN_FILENO);
    if (printing->is_shell)
        return shell_run(&shell, error);
    autofree char *script = query ? NULL : read_script(path ? path : "-", error);
    if (!query && !script)
        return false;
    asker.where = !path || !strcmp(path, "-") ? NULL : path;
    shell.has_rows_only = printing->session->style.format != report_TABLE;
    return shell_script(&shell, query ? query : script, error);
}

int command_sql(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct printing printing = {.session = &session, .bars = options_value(invocation, OPTION_BARS)};
    struct store_choice choice;
    int code = 2;
    if (options_has(invocation, OPTION_SCRIPT))
        output_spare(options_value(invocation, OPTION_SCRIPT));
    const char *path = options_operand(invocation, 0);
    if (ledger_is_ledger(path) ? session_open_ledger(&session, invocation, path, error)
                               : session_open(&session, invocation, path, error)) {
        enum choice found = choose_macros(session.connection, invocation, &choice, error);
        if (found > choice_FOUND)
            code = choice_exit(found);
        else if (run_sql(&printing, invocation, &choice, error))
            code = 0;
    }
    return session_end(&session, code, error);
}
