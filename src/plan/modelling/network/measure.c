/* The ping-pong program compiled, started by the user's launcher, and read.

   The program lies in a folder of its own in the current directory: ranks on other nodes must find it, and
   on clusters the current directory is one that nodes share. The folder goes in any case. A launcher of
   SimGrid's SMPI needs a program compiled by SMPI's compiler, and one of MPICH or Intel usually the mpicc
   beside it: the mpicc of the launcher's own folder comes first. */
#include "plan/modelling/network/measure.h"

#include "base/child.h"
#include "base/leftovers.h"
#include "base/path.h"
#include "base/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char network_ping_pong[];

enum { COMPILE_SECONDS = 120, RUN_SECONDS = 1200, MOST_OUTPUT = 4 << 20 };

static const struct child_limits compile_limits = {(uint64_t)4 << 30, 64 << 20, MOST_OUTPUT, COMPILE_SECONDS},
                                 run_limits = {(uint64_t)256 << 30, (uint64_t)1 << 40, MOST_OUTPUT,
                                               RUN_SECONDS};

static char *compiler_beside(const char *launcher)
{
    const char *name = path_name(launcher), *compiler = !strcmp(name, "smpirun") ? "smpicc" : "mpicc";
    if (strchr(launcher, '/')) {
        char *folder = path_folder(launcher), *path = memory_format("%s/%s", folder, compiler);
        free(folder);
        if (!access(path, X_OK))
            return path;
        free(path);
    }
    return child_find_program(compiler);
}

/* The last line of a text that is not empty, for messages. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' ' || text[length - 1] == '-'))
        text[--length] = 0;
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

static bool check_answer(struct child_answer *answer, const char *what, struct error *error)
{
    char *messages = answer->messages.data;
    switch (answer->end) {
    case child_end_DONE:
        return true;
    case child_end_MISSING:
        return error_set(error, what,
                         "is not there; install an MPI (openmpi-bin, libopenmpi-dev), or name "
                         "its launcher by its path");
    case child_end_STOPPED:
        return error_set(error, NULL, "stopped by Ctrl-C before anything was measured; nothing was written");
    case child_end_SLOW:
        return error_set(error, what, "took too long and was ended");
    case child_end_LARGE:
        return error_set(error, what, "printed more than %d bytes and was ended", (int)MOST_OUTPUT);
    default:
        if (strstr(messages, "run as root") || strstr(messages, "run-as-root"))
            return error_set(error, what,
                             "refuses to run as root; add --allow-run-as-root after it if you mean it");
        return error_set(error, what, "failed (%s %d): %.300s",
                         answer->end == child_end_CRASHED ? "signal" : "status", answer->status,
                         last_line(messages));
    }
}

/* How many sizes the program has measured. */
static void tell_sizes(const struct array *output)
{
    static const char mark[] = "\npoint";
    size_t sizes = 0;
    for (const char *at = output->data, *end = at + output->count;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)); at++)
        sizes++;
    progress_tell("sizes of messages", sizes, 0);
}

static bool run(const char *const *words, const struct child_limits *limits, bool has_points,
                struct child_answer *answer, struct error *error)
{
    struct child_job job = {.words = words,
                            .place = child_place_PRESENT,
                            .limits = *limits,
                            .ends_by_interrupt = true,
                            .tell = has_points ? tell_sizes : NULL};
    *answer = (struct child_answer){0};
    bool is_fine = child_run(&job, answer, error);
    progress_clear();
    if (is_fine && has_points && answer->end == child_end_STOPPED)
        return true;
    return is_fine && check_answer(answer, words[0], error);
}

static bool write_source(const char *path, struct error *error)
{
    FILE *file = fopen(path, "wxe");
    if (!file)
        return error_set_errno(error, path, "cannot be written");
    bool is_fine = fputs(network_ping_pong, file) >= 0;
    return (!fclose(file) && is_fine) || error_set_errno(error, path, "cannot be written");
}

static bool compile(const char *launcher, const char *source, const char *program, struct error *error)
{
    char *compiler = compiler_beside(launcher);
    struct child_answer answer = {0};
    bool is_fine = false;
    if (!compiler) {
        error_set(error, NULL,
                  "there is no %s: install it (libopenmpi-dev), or name the launcher by the path of its MPI",
                  strcmp(path_name(launcher), "smpirun") ? "mpicc" : "smpicc");
    } else {
        const char *words[] = {compiler, "-O2", "-o", program, source, NULL};
        is_fine = run(words, &compile_limits, false, &answer, error);
    }
    child_answer_free(&answer);
    free(compiler);
    return is_fine;
}

static bool start(const char *const *launcher, size_t count, const char *program, double largest,
                  struct network_measured *measured, struct error *error)
{
    const char **words = memory_get((count + 3) * sizeof *words);
    char *size = memory_format("%.0f", largest);
    struct child_answer answer = {0};
    memcpy(words, launcher, count * sizeof *words);
    words[count] = program;
    words[count + 1] = size;
    bool is_fine =
        run(words, &run_limits, true, &answer, error) &&
        network_read_measured(answer.output.data, answer.end == child_end_STOPPED, measured, error);
    child_answer_free(&answer);
    free(size);
    free(words);
    return is_fine;
}

bool network_measure(const char *const *launcher, size_t count, double largest,
                     struct network_measured *measured, struct error *error)
{
    char *here = path_absolute(".assay-ping-pong-XXXXXX");
    *measured = (struct network_measured){0};
    if (!mkdtemp(here)) {
        error_set_errno(error, here, "the folder for the ping-pong program cannot be made");
        free(here);
        return false;
    }
    leftovers_add(here);
    char *source = memory_format("%s/ping_pong.c", here), *program = memory_format("%s/ping-pong", here);
    bool is_fine = write_source(source, error) && compile(launcher[0], source, program, error) &&
                   start(launcher, count, program, largest, measured, error);
    leftovers_remove_folder(here);
    leftovers_drop(here);
    free(source);
    free(program);
    free(here);
    return is_fine;
}
