/* assay optimise: options, pragmas and attributes that make a loop faster, found by trying. */
#include "cli/optimise.h"

#include "base/interrupt.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/machines.h"
#include "cli/source_compilation.h"
#include "show/report/machine.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit code after Ctrl-C, as in shells. */
enum { INTERRUPTED = 130 };

static bool begin(struct optimise_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *name = options_value(invocation, OPTION_MACHINE);
    work->ledger = ledger_open(options_value(invocation, OPTION_LEDGER), true, error);
    if (!work->ledger || options_has(invocation, OPTION_WHOLE_PROGRAM))
        return work->ledger != NULL; /* no model has a say in it */
    work->machine = machines_take(name, isa_NONE, &work->is_host, error);
    if (!work->machine)
        return false;
    work->machine_words = report_machine_words(work->machine, name != NULL, work->is_host);
    return true;
}

static bool optimise_line(struct optimise_work *work, bool *is_found, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    struct optimise_loop loop = {.budget = work->budget, .share = NAN};
    autofree char *file = NULL;
    bool is_fine = optimise_take_line(options_value(invocation, OPTION_LINE), &file, &loop.line, error) &&
                   source_compilation_take(invocation, file, "assay optimise --line FILE:LINE",
                                           &loop.compilation, error);
    if (work->capture.count)
        loop.words = work->capture.data;
    is_fine = is_fine && optimise_one(work, &loop, is_found, error);
    compilation_free(&loop.compilation);
    return is_fine;
}

static bool is_sound(const struct invocation *invocation, struct error *error)
{
    bool has_line = options_has(invocation, OPTION_LINE);
    if (options_has(invocation, OPTION_WHOLE_PROGRAM))
        return !has_line || error_set(error, NULL, "choose one of --line and --program");
    if (has_line && invocation->before)
        return error_set(error, NULL,
                         "choose one of --line FILE:LINE -- COMMAND and a database of assay run");
    if (!has_line && invocation->before != 1)
        return error_set(error, NULL,
                         "takes the line of a loop and how it is compiled (--line solve.c:40 -- cc -O2 -c "
                         "solve.c), or a database of assay run");
    return machines_know_name(invocation, error);
}

static int optimise(struct optimise_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const bool is_json = work->session.style.format == report_JSON;
    bool is_found = false, is_fine = begin(work, error);
    if (is_fine && options_has(invocation, OPTION_WHOLE_PROGRAM)) {
        interrupt_catch();
        is_fine = optimise_program(work, error);
    } else if (is_fine) {
        interrupt_catch();
        if (is_json)
            fputs("[", work->session.out);
        is_fine = options_has(invocation, OPTION_LINE)
                      ? optimise_line(work, &is_found, error)
                      : optimise_run(work, options_operand(invocation, 0), &is_found, error);
        if (is_json)
            fputs("]\n", work->session.out);
    }
    bool was_interrupted = interrupt_came();
    interrupt_release();
    progress_clear();
    return was_interrupted ? INTERRUPTED : is_fine ? 0 : 2;
}

int command_optimise(const struct invocation *invocation, struct error *error)
{
    struct optimise_work work = {0};
    int code = 2;
    if (options_has(invocation, OPTION_RECORD))
        return optimise_record(invocation, error) ? 0 : 2;
    if (!is_sound(invocation, error))
        return 2;
    if (session_begin(&work.session, invocation, error) && optimise_take_options(&work, error))
        code = optimise(&work, error);
    optimise_free_words(&work.capture);
    optimise_free_words(&work.compilers);
    ledger_close(work.ledger);
    machine_free(work.machine);
    free(work.machine_words);
    return session_end(&work.session, code, error);
}
