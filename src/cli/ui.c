/* assay ui: opens files and serves pages about them until Ctrl-C. */
#include "base/built.h"
#include "base/output.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/ui_databases.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct work {
    struct session session;
    struct ui_databases databases;
    struct ui_options options;
    bool is_own; /* only this computer reaches the address */
};

static bool read_address(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct ui_options *options = &work->options;
    const char *listen = options_value(invocation, OPTION_LISTEN);
    int64_t port;
    options->listen = !listen || !strcmp(listen, "localhost") ? "127.0.0.1" : listen;
    options->token = options_value(invocation, OPTION_TOKEN);
    options->token = options->token ? options->token : getenv("ASSAY_UI_TOKEN");
    if (!options_number(invocation, OPTION_PORT, 0, &port, error))
        return false;
    if (port < 0 || port > UINT16_MAX)
        return error_set(error, NULL, "--port takes 1 to 65535, not %lld", (long long)port);
    options->port = (uint16_t)port;
    if (!ui_is_own_address(options->listen, &work->is_own))
        return error_set(error, NULL, "--listen takes an address such as 127.0.0.1, ::1 or 0.0.0.0, not '%s'",
                         listen);
    if (options->token && !ui_is_token(options->token))
        return error_set(error, NULL, "a token has 16 to 100 letters, digits, - and _");
    if (!work->is_own && !options->token)
        return error_set(
            error, NULL,
            "--listen %s lets other computers ask: it needs --token TEXT, a secret that the link "
            "has and that you choose",
            listen);
    return true;
}

/* A browser is started with a file that leads to the link: everybody on this computer can read the words of a
   command, but not this file. */
static void open_browser(struct work *work, const char *link)
{
    struct error error = {0};
    const char *folder = ui_databases_folder(&work->databases, &error);
    autofree char *path = folder ? memory_format("%s/open.html", folder) : NULL;
    struct output *output = path ? output_open(path, &error) : NULL;
    if (output) {
        fprintf(
            output_stream(output),
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Assay</title>\n"
            "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n</head>\n<body>\n<p><a "
            "href=\"%s\">Assay</a></p>\n</body>\n</html>\n",
            link, link);
        autofree char *address = memory_format("file://%s", path);
        if (output_finish(output, &error) && browser_open(address))
            session_say(&work->session, "opening it in the browser");
    }
}

/* Signals that end us, but for those that our parent wants ignored (nohup), and the end of a child. */
static sigset_t awaited_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction present;
        if (!sigaction(ending[i], NULL, &present) && present.sa_handler != SIG_IGN)
            sigaddset(&set, ending[i]);
    }
    return set;
}

static void wait_for_end(struct work *work, const sigset_t *signals)
{
    int number = 0;
    while (!sigwait(signals, &number) && number == SIGCHLD)
        ui_databases_reap(&work->databases);
}

static bool serve(struct work *work, struct error *error)
{
    sigset_t signals = awaited_signals();
    sigprocmask(SIG_BLOCK, &signals, NULL); /* every thread from here on, too */
    ui_databases_complete(&work->databases);
    work->options.sources = work->databases.sources.data;
    work->options.source_count = work->databases.sources.count;
    pid_t worker = work->databases.worker;
    work->options.report_process = worker > 0 ? (int)syscall(SYS_pidfd_open, worker, 0) : -1;
    struct ui *ui = ui_start(&work->options, error);
    if (!ui)
        return false;
    fprintf(work->session.out, "%s\n", ui_link(ui));
    fflush(work->session.out);
    if (!work->is_own)
        session_say(&work->session,
                    "other computers can reach this port: whoever has the link sees the program, its sources "
                    "and all tables, and HTTP is not encrypted, so the network can read along");
    if (!options_has(work->session.invocation, OPTION_NO_BROWSER))
        open_browser(work, ui_link(ui));
    session_say(&work->session, "Ctrl-C ends it");
    wait_for_end(work, &signals);
    ui_stop(ui);
    return true;
}

static bool open_all(struct work *work, const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < invocation->operands.count; i++)
        if (!ui_databases_add(&work->databases, options_operand(invocation, i), error))
            return false;
    return true;
}

int command_ui(const struct invocation *invocation, struct error *error)
{
    struct work work = {.is_own = true};
    struct array machines = folders_find("ASSAY_MACHINES", "machines"),
                 analyses = folders_find("ASSAY_ANALYSES", "analyses"),
                 installed = folders_installed("analyses");
    autofree char *own = folders_own("analyses");
    bool done = false;
    ui_databases_begin(&work.databases, &work.session, invocation->operands.count);
    if (feature_needed(feature_UI, error) && session_begin(&work.session, invocation, error) &&
        read_address(&work, invocation, error) && open_all(&work, invocation, error)) {
        work.options.machine = options_value(invocation, OPTION_MACHINE);
        work.options.machine_folders = &machines;
        work.options.analysis_folders = &analyses;
        work.options.installed_analyses = &installed;
        work.options.own_analyses = own;
        work.options.trust = work.session.trust;
        work.options.demangle = work.session.style.demangle;
        work.options.version = ASSAY_VERSION;
        done = serve(&work, error);
    }
    ui_databases_end(&work.databases);
    folders_free(&machines);
    folders_free(&analyses);
    folders_free(&installed);
    return session_end(&work.session, done ? 0 : 2, error);
}
