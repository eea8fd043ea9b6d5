/* Starting the simulator, and talking to it: see simulation.h.

   One socket is its standard input and output: writing to it cannot raise SIGPIPE. It ignores Ctrl-C, which
   is for us, and ends when we do. Its memory is limited: a platform can ask for any number of hosts. */
#include "plan/schedule/engine/simulation.h"
#include "runtime/simgrid/lines_file.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_MEMORY_GIB = 16, MOST_MESSAGES = 64 * 1024 };

static _Noreturn void become(const char *program, const char *platform, int socket, int messages,
                             pid_t parent)
{
    struct rlimit memory = {(rlim_t)MOST_MEMORY_GIB << 30, (rlim_t)MOST_MEMORY_GIB << 30};
    struct rlimit core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    if (getppid() == parent && dup2(socket, 0) == 0 && dup2(socket, 1) == 1 && dup2(messages, 2) == 2)
        execl(program, program, platform, NULL);
    _exit(127);
}

bool simulation_begin(struct simulation *simulation, const char *program, const char *platform,
                      struct error *error)
{
    int ends[2];
    *simulation = (struct simulation){.orders = ARRAY_OF(char),
                                      .platform = memory_copy_text(platform, strlen(platform))};
    simulation->socket = -1;
    if (!memory_file_make(&simulation->messages, NULL, 0, error)) {
        simulation->messages.descriptor = -1;
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return error_set_errno(error, NULL, "cannot start the simulator");
    pid_t parent = getpid();
    simulation->process = fork();
    if (!simulation->process)
        become(program, platform, ends[1], simulation->messages.descriptor, parent);
    close(ends[1]);
    simulation->socket = ends[0];
    int copy = dup(ends[0]);
    simulation->answers = copy < 0 ? NULL : fdopen(copy, "r");
    if (simulation->process < 0 || !simulation->answers)
        return error_set_errno(error, NULL, "cannot start the simulator");
    return true;
}

void simulation_end(struct simulation *simulation)
{
    if (simulation->answers)
        fclose(simulation->answers);
    if (simulation->socket >= 0)
        close(simulation->socket);
    if (simulation->messages.descriptor >= 0)
        memory_file_close(&simulation->messages);
    if (simulation->process > 0) {
        kill(simulation->process, SIGKILL);
        while (waitpid(simulation->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    array_free(&simulation->orders);
    free(simulation->line);
    free(simulation->platform);
    *simulation = (struct simulation){.socket = -1, .messages.descriptor = -1};
}

void simulation_order(struct simulation *simulation, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    memcpy(array_add_many(&simulation->orders, (size_t)length), text, (size_t)length);
    free(text);
}

/* What SimGrid says before it ends: "[0.000000] FILE:LINE: [category/CRITICAL] TEXT". */
static char *find_complaint(char *messages)
{
    for (char *rest = messages, *line; (line = strsep(&rest, "\n"));) {
        char *text = strstr(line, "/CRITICAL] ");
        if (!text)
            text = strstr(line, "/ERROR] ");
        if (!text)
            continue;
        text = strstr(text, "] ") + 2;
        const char *exception = strstr(text, "Uncaught exception ");
        char *told = exception == text ? strstr(text, ": ") : NULL;
        return told ? told + 2 : text;
    }
    return NULL;
}

static void explain_end(struct simulation *simulation, struct error *error)
{
    char *messages = memory_get(MOST_MESSAGES + 1);
    ssize_t count = pread(simulation->messages.descriptor, messages, MOST_MESSAGES, 0);
    messages[count > 0 ? count : 0] = 0;
    /* The dynamic linker's words. */
    static const char loading[] = "error while loading shared libraries: ";
    const char *missing = strstr(messages, loading);
    char *complaint = missing ? NULL : find_complaint(messages);
    if (missing) {
        missing += sizeof loading - 1;
        error_set(error, NULL,
                  "the simulator needs a library that is not installed: %.*s (Debian: apt-get install "
                  "libsimgrid-dev)",
                  (int)strcspn(missing, ":\n"), missing);
    } else if (complaint)
        error_set(error, simulation->platform, "SimGrid refuses it: %s", complaint);
    else
        error_set(
            error, simulation->platform,
            "the simulator has ended without a reason: a platform may need more memory than there is, or "
            "SimGrid cannot read it (version 4.0 breaks off where a cluster is a torus)");
    free(messages);
}

bool simulation_send(struct simulation *simulation, struct error *error)
{
    const char *data = simulation->orders.data;
    for (size_t sent = 0; sent < simulation->orders.count;) {
        ssize_t count = send(simulation->socket, data + sent, simulation->orders.count - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            explain_end(simulation, error);
            return false;
        }
        sent += count > 0 ? (size_t)count : 0;
    }
    simulation->orders.count = 0;
    return true;
}

char *simulation_line(struct simulation *simulation, struct error *error)
{
    ssize_t length;
    do {
        errno = 0;
        length = getline(&simulation->line, &simulation->room, simulation->answers);
        if (length < 0 && errno == EINTR)
            clearerr(simulation->answers);
    } while (length < 0 && errno == EINTR);
    if (length <= 0) {
        explain_end(simulation, error);
        return NULL;
    }
    if (simulation->line[length - 1] == '\n')
        simulation->line[length - 1] = 0;
    char *rest = simulation->line;
    if (strncmp(rest, SIMULATOR_ERROR "\t", sizeof SIMULATOR_ERROR))
        return rest;
    error_set(error, simulation->platform, "%s", rest + sizeof SIMULATOR_ERROR);
    return NULL;
}

char *simulation_word(char **rest)
{
    static char nothing[1];
    char *word = strsep(rest, "\t");
    return word ? word : nothing;
}
