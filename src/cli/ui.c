/* assay ui: opens files and serves pages about them until Ctrl-C. */
#include "ui/ui.h"

#include "base/leftovers.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    struct session session;
    struct array sources; /* of struct ui_source */
    char folder[32];      /* private, with databases of programs; "": none */
};

static bool take_folder(struct work *work, struct error *error)
{
    if (*work->folder)
        return true;
    strcpy(work->folder, "/tmp/assay-ui-XXXXXX");
    if (mkdtemp(work->folder))
        return true;
    *work->folder = 0;
    return error_set_errno(error, "/tmp", "cannot create a folder for databases");
}

/* A program becomes a database in the private folder. */
static bool write_database(struct work *work, const char *path, struct ui_source *source, struct error *error)
{
    struct session *session = &work->session;
    char *database = NULL;
    if (!take_folder(work, error) || !session_read(session, &path, 1, NULL, error) ||
        asprintf(&database, "%s/%zu.db", work->folder, work->sources.count) < 0)
        return false;
    bool done = store_write(session->model, database, session_threads(session->invocation), error);
    progress_clear();
    model_free(session->model);
    free(session->model);
    session->model = NULL;
    source->database = database;
    return done;
}

static bool take_source(struct work *work, const char *path, struct error *error)
{
    struct ui_source *source = array_push(&work->sources);
    *source = (struct ui_source){.path = path};
    output_spare(path);
    if (!store_is_database(path))
        return write_database(work, path, source, error);
    if (!store_is_own(path, error))
        return false;
    source->database = strdup(path);
    return true;
}

static void wait_for_end(void)
{
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigwait(&set, &signal);
}

static void hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static int serve(struct work *work, const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < invocation->operands.count; i++)
        if (!take_source(work, options_operand(invocation, i), error))
            return 2;
    struct array machines = folders_find("ASSAY_MACHINES", "machines"),
                 analyses = folders_find("ASSAY_ANALYSES", "analyses");
    struct ui_options options = {.sources = work->sources.data,
                                 .source_count = work->sources.count,
                                 .machine = options_value(invocation, OPTION_MACHINE),
                                 .machine_folders = &machines,
                                 .analysis_folders = &analyses,
                                 .trust = work->session.trust,
                                 .demangle = work->session.style.demangle};
    hold_signals();
    struct ui *ui = ui_start(&options, error);
    if (ui) {
        fprintf(work->session.out, "%s\n", ui_link(ui));
        fflush(work->session.out);
        wait_for_end();
        ui_stop(ui);
    }
    folders_free(&machines);
    folders_free(&analyses);
    return ui ? 0 : 2;
}

static void remove_databases(struct work *work)
{
    for (size_t i = 0; i < work->sources.count; i++) {
        struct ui_source *source = ARRAY_AT(struct ui_source, &work->sources, i);
        if (*work->folder && source->database &&
            !strncmp(source->database, work->folder, strlen(work->folder)))
            unlink(source->database);
        free((char *)(uintptr_t)source->database);
    }
    if (*work->folder)
        rmdir(work->folder);
    array_free(&work->sources);
}

int command_ui(const struct invocation *invocation, struct error *error)
{
    struct work work = {.sources = ARRAY_OF(struct ui_source)};
    int code = session_begin(&work.session, invocation, error) ? serve(&work, invocation, error) : 2;
    remove_databases(&work);
    return session_end(&work.session, code, error);
}
