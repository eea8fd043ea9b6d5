/* assay explore: one loop of a source, as compilers make it. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/machines.h"
#include "cli/shown_block.h"
#include "cli/session.h"
#include "cli/source_compilation.h"

#include "base/path.h"
#include "base/progress.h"
#include "base/settings.h"
#include "change/explore/explore.h"
#include "model/isa.h"
#include "show/report/explore/explore.h"
#include "show/report/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_SECONDS = 60, MOST_SECONDS = 86400, MOST_COMPILATIONS = 256 };

struct work {
    struct session session;
    struct compilation compilation;
    struct explored explored;
    struct explore_view view;
    struct machine *machines[isa_COUNT];
    struct loop_machines loop_machines;
    struct shown_block block;
    struct array compilers, flags; /* of char * */
    char *file;
    unsigned line, seconds;
};

/* The parts of a text between marks; empty ones are left out where they mean nothing. */
static void split(const char *text, char mark, bool keeps_empty, struct array *parts)
{
    while (text) {
        const char *end = strchr(text, mark);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length || keeps_empty)
            *(char **)array_push(parts) = memory_copy_text(text, length);
        text = end ? end + 1 : NULL;
    }
}

static bool take_place(struct work *work, const char *text, struct error *error)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || colon == text || colon[1] == '-' || colon[1] == '+' || end == colon + 1 || *end || !line ||
        line > 10000000)
        return error_set(error, NULL, "takes a file and a line such as solve.c:40, not '%s'", text);
    autofree char *name = memory_copy_text(text, (size_t)(colon - text));
    work->line = (unsigned)line;
    work->file = realpath(name, NULL);
    return work->file || error_set_errno(error, name, "cannot be read");
}

static bool take_options(struct work *work, const struct invocation *invocation, struct error *error)
{
    const char *budget = options_value(invocation, OPTION_BUDGET);
    double seconds = USUAL_SECONDS;
    if (invocation->before != 1)
        return error_set(
            error, NULL,
            "takes one FILE:LINE and, after --, how it is compiled: assay explore solve.c:40 -- cc -O2 -c "
            "solve.c");
    if (budget && (!settings_parse_seconds(budget, &seconds) || !(seconds > 0) || seconds > MOST_SECONDS))
        return error_set(error, NULL, "--budget takes a time such as 90, 60s or 5m, not '%s'", budget);
    work->seconds = (unsigned)ceil(seconds);
    split(options_value(invocation, OPTION_COMPILERS), ',', false, &work->compilers);
    split(options_value(invocation, OPTION_FLAGS), '|', true, &work->flags);
    size_t count =
        (work->compilers.count ? work->compilers.count : 1) * (work->flags.count ? work->flags.count : 1);
    if (options_has(invocation, OPTION_COMPILERS) && !work->compilers.count)
        return error_set(error, NULL, "--compilers takes names such as gcc,clang-14");
    if (count > MOST_COMPILATIONS)
        return error_set(error, NULL, "these are %zu compilations; %d are the most", count,
                         MOST_COMPILATIONS);
    return choose_level(invocation, &work->view.quality.level, error) &&
           machines_know_name(invocation, error) && take_place(work, options_operand(invocation, 0), error);
}

/* The machines of all loops that were found. */
static bool take_machines(struct work *work, const struct invocation *invocation, struct error *error)
{
    const char *name = options_value(invocation, OPTION_MACHINE);
    for (size_t i = 0; i < work->explored.count; i++) {
        const struct explore_attempt *attempt = &work->explored.attempts[i];
        if (!attempt->loops.count)
            continue;
        enum isa code = (enum isa)model_program(attempt->model, 1)->isa, isa = isa_facts(code)->machine;
        if (work->machines[isa])
            continue;
        bool *is_host = &work->view.quality.is_host[isa];
        work->machines[isa] = machines_take(name, code, is_host, error);
        if (!work->machines[isa])
            return false;
        work->loop_machines.of[isa] = work->view.quality.machines[isa] = work->machines[isa];
        if (!work->view.machine)
            work->view.machine = report_machine_words(work->machines[isa], name != NULL, *is_host);
    }
    return true;
}

static void choose_attempt(void *context, const struct explore_attempt *attempt)
{
    struct work *work = (struct work *)((char *)context - offsetof(struct work, block));
    shown_block_end(&work->block);
    work->block = (struct shown_block){.model = attempt->model,
                                       .machines = &work->loop_machines,
                                       .style = &work->session.style,
                                       .is_short = !work->view.is_all};
}

static bool print(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct explore_view *view = &work->view;
    struct session *session = &work->session;
    view->explored = &work->explored;
    view->best = explore_best(&work->explored);
    view->is_all = options_has(invocation, OPTION_ALL);
    view->quality.is_named = options_has(invocation, OPTION_MACHINE);
    view->quality.demangle = session->style.demangle;
    view->quality.trust = session->trust;
    view->quality.print_block = shown_block_print;
    view->quality.context = &work->block;
    view->choose = choose_attempt;
    if (session->style.format == report_TABLE)
        return report_explore_text(view, &session->style, session->out, error);
    report_explore_rows(view, &session->style, session->out);
    return true;
}

/* Where no compilation has the loop: the reason of a single one is the error, of several each has its line. */
static int say_none(struct work *work, const struct invocation *invocation, struct error *error)
{
    const struct explored *explored = &work->explored;
    bool is_compiled = false;
    for (size_t i = 0; i < explored->count; i++)
        is_compiled |= explored->attempts[i].model != NULL;
    if (explored->count > 1 && !print(work, invocation, error))
        return 2;
    error_set(error, explored->count > 1 || !explored->attempts[0].model ? NULL : path_name(work->file), "%s",
              explored->count > 1 ? "none of these compilations has a loop there"
                                  : explored->attempts[0].problem);
    return is_compiled ? 1 : 2;
}

static int explore(struct work *work, const struct invocation *invocation, struct error *error)
{
    bool has_loop = false;
    if (!take_options(work, invocation, error) ||
        !source_compilation_take(invocation, work->file, "assay explore FILE:LINE", &work->compilation,
                                 error))
        return 2;
    autofree char *folder = path_folder(work->compilation.source);
    trust_add_folder(work->session.trust, folder);
    trust_add_file(work->session.trust, work->file);
    const struct explore_request request = {.compilation = &work->compilation,
                                            .file = work->file,
                                            .line = work->line,
                                            .compilers = work->compilers.data,
                                            .flags = work->flags.data,
                                            .compiler_count = work->compilers.count,
                                            .flag_count = work->flags.count,
                                            .threads = session_threads(invocation),
                                            .seconds = work->seconds};
    if (!explore_compile(&request, &work->explored, error))
        return 2;
    for (size_t i = 0; i < work->explored.count; i++)
        has_loop |= work->explored.attempts[i].loops.count > 0;
    if (!has_loop)
        return say_none(work, invocation, error);
    if (!take_machines(work, invocation, error))
        return 2;
    explore_judge(&work->explored, &work->loop_machines, session_threads(invocation));
    progress_clear();
    return print(work, invocation, error) ? 0 : 2;
}

int command_explore(const struct invocation *invocation, struct error *error)
{
    struct work work = {.compilers = ARRAY_OF(char *), .flags = ARRAY_OF(char *)};
    int code = 2;
    if (session_begin(&work.session, invocation, error)) {
        session_page(&work.session);
        code = explore(&work, invocation, error);
    }
    shown_block_end(&work.block);
    explore_free(&work.explored);
    compilation_free(&work.compilation);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machine_free(work.machines[isa]);
    array_free_texts(&work.compilers);
    array_free_texts(&work.flags);
    free(work.view.machine);
    free(work.file);
    return session_end(&work.session, code, error);
}
