/* The assembler and the linker of binutils.

   Both get their files as memory without a name (memfd), so there is no folder to remove, whatever ends the
   process.  The assembler reads its standard input and writes to /proc/self/fd; its messages go to a third
   such file, of which the first error is handed up, with the name of the listing in the place of "{standard
   input}".  No shell is involved.

   A listing can ask for much in few words (.fill, .rept) or for something that never ends (.include of a
   pipe): the tools have limits on memory, file size, processor time and time, and end with their parent. */
#include "read/assembled.h"
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 12, MOST_SECONDS = 600 };

struct tool {
    const char *names[3]; /* to be tried in this order */
    const char *package;  /* of Debian */
};

#if defined __x86_64__
#define NATIVE_X86(tool) tool, "x86_64-linux-gnu-" tool
#define NATIVE_AARCH64(tool) "aarch64-linux-gnu-" tool
#elif defined __aarch64__
#define NATIVE_X86(tool) "x86_64-linux-gnu-" tool
#define NATIVE_AARCH64(tool) tool, "aarch64-linux-gnu-" tool
#else
#define NATIVE_X86(tool) "x86_64-linux-gnu-" tool
#define NATIVE_AARCH64(tool) "aarch64-linux-gnu-" tool
#endif

static const struct tool x86_assembler = {{NATIVE_X86("as")}, "binutils-x86-64-linux-gnu"};
static const struct tool x86_linker = {{NATIVE_X86("ld")}, "binutils-x86-64-linux-gnu"};
static const struct tool aarch64_assembler = {{NATIVE_AARCH64("as")}, "binutils-aarch64-linux-gnu"};
static const struct tool aarch64_linker = {{NATIVE_AARCH64("ld")}, "binutils-aarch64-linux-gnu"};

struct run {
    const struct tool *tool;
    const char *arguments[MOST_ARGUMENTS]; /* the first is for the name; the rest is NULL */
    char *const *more_arguments;           /* behind them, NULL at the end; or NULL */
    int input, messages;                   /* descriptors; input -1: none */
    uint64_t work;                         /* bytes of input, for the limits */
};

static void limit(int resource, uint64_t most)
{
    struct rlimit present;
    if (getrlimit(resource, &present))
        return;
    if (present.rlim_max == RLIM_INFINITY || present.rlim_max > most)
        present.rlim_max = (rlim_t)most;
    present.rlim_cur = present.rlim_max;
    setrlimit(resource, &present);
}

/* In the new process; what fails is told as an errno. */
static void become_tool(const struct run *run, char **arguments, pid_t parent, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(run->input >= 0 ? run->input : nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(run->messages, STDERR_FILENO) < 0) {
        int number = errno;
        ssize_t written = write(report, &number, sizeof number);
        _exit(written == sizeof number ? 127 : 126);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (UINT64_C(128) << 20) + 64 * run->work);
    limit(RLIMIT_AS, (UINT64_C(2) << 30) + 256 * run->work);
    limit(RLIMIT_CPU, MOST_SECONDS);
    signal(SIGALRM, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    alarm(MOST_SECONDS);
    setenv("LC_ALL", "C", 1);
    int number = ENOENT;
    for (unsigned i = 0; i < sizeof run->tool->names / sizeof *run->tool->names && run->tool->names[i]; i++) {
        arguments[0] = (char *)run->tool->names[i];
        execvp(arguments[0], arguments);
        number = errno == ENOENT ? number : errno;
    }
    ssize_t written = write(report, &number, sizeof number);
    _exit(written == sizeof number ? 127 : 126);
}

static char **argument_list(const struct run *run)
{
    size_t count = 0, more = 0;
    while (count < MOST_ARGUMENTS && (count == 0 || run->arguments[count]))
        count++;
    while (run->more_arguments && run->more_arguments[more])
        more++;
    char **list = memory_get((count + more + 1) * sizeof *list);
    for (size_t i = 1; i < count; i++)
        list[i] = (char *)run->arguments[i];
    for (size_t i = 0; i < more; i++)
        list[count + i] = run->more_arguments[i];
    return list;
}

/* status is that of waitpid; a number that is not 0 says why the tool could not be started. */
static bool run_tool(const struct run *run, int *status, int *number)
{
    int report[2];
    *number = 0;
    if (pipe2(report, O_CLOEXEC)) {
        *number = errno;
        return false;
    }
    char **arguments = argument_list(run);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_tool(run, arguments, parent, report[1]);
    *number = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        ssize_t got;
        do
            got = read(report[0], number, sizeof *number);
        while (got < 0 && errno == EINTR);
        if (got != sizeof *number)
            *number = 0;
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            ;
    }
    close(report[0]);
    free(arguments);
    return *number == 0;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

/* The first 64 KB of the messages. */
static char *read_messages(int file)
{
    enum { MOST = 1 << 16 };
    char *text = memory_get(MOST + 1);
    ssize_t got = pread(file, text, MOST, 0);
    text[got > 0 ? got : 0] = 0;
    for (ssize_t i = 0; i < got; i++)
        text[i] = text[i] ? text[i] : '?';
    return text;
}

/* "{standard input}:12: Error: no such instruction" becomes file:12: no such instruction. */
static bool tell_assembler_error(const char *path, char *messages, int status, struct error *error)
{
    static const char standard_input[] = "{standard input}", *const words[] = {"Error: ", "Fatal error: "};
    char *first = NULL, *said = NULL;
    for (unsigned i = 0; i < 2; i++) {
        char *found = strstr(messages, words[i]);
        if (found && (!first || found < first)) {
            first = found;
            said = found + strlen(words[i]);
        }
    }
    if (!first && WIFSIGNALED(status))
        return error_set(
            error, path,
            WTERMSIG(status) == SIGXFSZ || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM
                ? "the assembler was stopped: what the listing makes is too large or takes too long"
                : "the assembler was ended by signal %d",
            WTERMSIG(status));
    if (!first) {
        messages[strcspn(messages, "\n")] = 0;
        return error_set(error, path, "the assembler failed: %.300s", messages);
    }
    said[strcspn(said, "\n")] = 0;
    char *line = first;
    while (line > messages && line[-1] != '\n')
        line--;
    size_t known = sizeof standard_input - 1;
    unsigned long number = 0;
    if (!strncmp(line, standard_input, known) && line[known] == ':')
        number = strtoul(line + known + 1, NULL, 10);
    char *where = number ? memory_format("%s:%lu", path, number) : memory_format("%s", path);
    error_set(error, where, "the assembler says: %.400s%s", said, strlen(said) > 400 ? " …" : "");
    free(where);
    return false;
}

static bool tell_missing(const char *path, const struct tool *tool, int number, struct error *error)
{
    if (number == ENOENT)
        return error_set(error, path, "the assembler and linker for it are not installed: apt install %s",
                         tool->package);
    return error_set(error, path, "%s cannot be started: %s", tool->names[0], strerror(number));
}

static int new_file(const char *path, const char *name, struct error *error)
{
    int file = memfd_create(name, 0);
    if (file < 0)
        error_set_errno(error, path, "memory for the assembler cannot be had");
    return file;
}

static void close_file(int file)
{
    if (file >= 0)
        close(file);
}

/* Files that the listing includes are looked for beside it, too. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? memory_copy_text(path, slash == path ? 1 : (size_t)(slash - path))
                 : memory_copy_text(".", 1);
}

/* An object file in memory; -1 on failure. */
static int assemble_one(enum isa isa, const char *path, const struct assembled_text *text,
                        struct error *error)
{
    bool is_aarch64 = isa == isa_AARCH64;
    int input = new_file(path, "listing", error), messages = new_file(path, "messages", error);
    int object = new_file(path, "object", error);
    bool done = input >= 0 && messages >= 0 && object >= 0;
    if (done && !write_all(input, text->copy.data, text->copy.count))
        done = error_set_errno(error, path, "the listing cannot be handed to the assembler");
    if (done) {
        char output[64], *folder = folder_of(path);
        snprintf(output, sizeof output, "/proc/self/fd/%d", object);
        struct run run = {.tool = is_aarch64 ? &aarch64_assembler : &x86_assembler,
                          .arguments = {NULL,
                                        is_aarch64        ? "-mcpu=all"
                                        : isa == isa_I386 ? "--32"
                                                          : "--64",
                                        "-I", folder, "-o", output, "-"},
                          .input = input,
                          .messages = messages,
                          .work = text->copy.count};
        int status = 0, number;
        if (!run_tool(&run, &status, &number))
            done = tell_missing(path, run.tool, number, error);
        else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            char *said = read_messages(messages);
            done = tell_assembler_error(path, said, status, error);
            free(said);
        }
        free(folder);
    }
    close_file(input);
    close_file(messages);
    if (!done)
        close_file(object);
    return done ? object : -1;
}

/* Messages of the linker name the descriptors; the listings' names take their place. */
static bool tell_linker_error(const struct listing_source *sources, const int *objects, size_t count,
                              char *messages, struct error *error)
{
    char *line = messages, *best = messages;
    for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strstr(line, "multiple definition")) {
            best = line;
            break;
        }
    best[strcspn(best, "\n")] = 0;
    const char *tick = strchr(best, '`'), *close = tick ? strchr(tick, '\'') : NULL;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        int length = snprintf(name, sizeof name, "/proc/self/fd/%d:", objects[i]);
        const char *at = strstr(best, name);
        if (!at || !strstr(best, "multiple definition") || !close)
            continue;
        if (strstr(at + length, name) || strstr(best, "first defined"))
            return error_set(error, sources[i].path,
                             "%.*s is defined in another of the listings too; read them one by one",
                             (int)(close - tick - 1 < 200 ? close - tick - 1 : 200), tick + 1);
    }
    return error_set(error, sources[0].path, "the listings cannot be joined: the linker says: %.400s", best);
}

static int join(enum isa isa, const struct listing_source *sources, const int *objects, size_t count,
                struct error *error)
{
    int messages = new_file(sources[0].path, "messages", error);
    int joined = new_file(sources[0].path, "joined", error);
    bool done = messages >= 0 && joined >= 0;
    if (done) {
        char output[64], **inputs = memory_get((count + 1) * sizeof *inputs);
        uint64_t work = 0;
        for (size_t i = 0; i < count; i++) {
            inputs[i] = memory_format("/proc/self/fd/%d", objects[i]);
            off_t size = lseek(objects[i], 0, SEEK_END);
            work += size > 0 ? (uint64_t)size : 0;
        }
        snprintf(output, sizeof output, "/proc/self/fd/%d", joined);
        struct run run = {.tool = isa == isa_AARCH64 ? &aarch64_linker : &x86_linker,
                          .arguments = {NULL, "-m",
                                        isa == isa_AARCH64 ? "aarch64linux"
                                        : isa == isa_I386  ? "elf_i386"
                                                           : "elf_x86_64",
                                        "-r", "-o", output},
                          .more_arguments = inputs,
                          .input = -1,
                          .messages = messages,
                          .work = work};
        int status = 0, number;
        if (!run_tool(&run, &status, &number))
            done = tell_missing(sources[0].path, run.tool, number, error);
        else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            char *said = read_messages(messages);
            done = tell_linker_error(sources, objects, count, said, error);
            free(said);
        }
        for (size_t i = 0; i < count; i++)
            free(inputs[i]);
        free(inputs);
    }
    close_file(messages);
    if (!done)
        close_file(joined);
    return done ? joined : -1;
}

bool assembled_assemble(enum isa isa, const struct listing_source *sources,
                        const struct assembled_text *texts, size_t count, struct span *object,
                        struct error *error)
{
    int *objects = memory_get((count + 1) * sizeof *objects), joined = -1;
    size_t made = 0;
    while (made < count && (objects[made] = assemble_one(isa, sources[made].path, &texts[made], error)) >= 0)
        made++;
    bool done = made == count;
    if (done && count > 1) {
        joined = join(isa, sources, objects, count, error);
        done = joined >= 0;
    }
    if (done) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", count > 1 ? joined : objects[0]);
        struct error reason = {0};
        done = bytes_read(path, object, &reason);
        if (!done)
            error_set(error, sources[0].path, "what the assembler made cannot be read: %s", reason.text);
    }
    for (size_t i = 0; i < made; i++)
        close(objects[i]);
    close_file(joined);
    free(objects);
    return done;
}
