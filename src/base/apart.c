#include "base/apart.h"

#include "base/child.h"
#include "base/forked.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };
static const uint64_t MOST_FILE = UINT64_C(16) << 30; /* where SQLite sorts */

/* ---- in the process of its own ---- */

struct working {
    const struct apart *apart;
    void *shared; /* room for the result; NULL: there is none */
};

static ssize_t write_answer(void *context, const char *bytes, size_t size)
{
    (void)context;
    return child_write(bytes, size) ? (ssize_t)size : 0;
}

static int work(void *context)
{
    const struct working *working = context;
    const struct apart *apart = working->apart;
    struct error error = {0};
    FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_answer});
    if (!out)
        return 1;
    setvbuf(out, NULL, _IOFBF, BUFFER);
    bool done = apart->work(apart->context, out, &error);
    done = !fflush(out) && done;
    if (working->shared)
        memcpy(working->shared, apart->result, apart->result_size);
    if (!done && error.set)
        child_explain(error.text);
    return !done;
}

/* ---- in Assay ---- */

static bool take(void *context, const char *bytes, size_t size)
{
    const struct apart *apart = context;
    return fwrite(bytes, 1, size, apart->out) == size && !fflush(apart->out);
}

static bool must_end(void *context)
{
    const struct apart *apart = context;
    return apart->must_end(apart->context);
}

static bool met_memory(const struct apart *apart, struct error *error)
{
    uint64_t most = apart->memory ? apart->memory : memory_budget();
    return error_set(error, NULL, "%s needs more than the %llu MB that it may have", apart->what,
                     (unsigned long long)(most >> 20));
}

static bool explain(const struct apart *apart, const struct child_answer *answer, struct error *error)
{
    const char *text = answer->messages.data;
    switch (answer->end) {
    case child_end_DONE:
        return true;
    case child_end_STOPPED:
        return error_set(error, NULL, "%s", *text ? text : "interrupted");
    case child_end_SLOW:
        return error_set(error, NULL, "%s did not end within %u s, which is its limit%s%s%s", apart->what,
                         apart->seconds, apart->setting ? " (" : "", apart->setting ? apart->setting : "",
                         apart->setting ? " sets it)" : "");
    case child_end_LARGE:
        return error_set_errno(error, NULL, "cannot write to standard output");
    case child_end_CRASHED:
        if (answer->status == SIGXFSZ)
            return error_set(error, NULL, "%s sorts more than %llu GB", apart->what,
                             (unsigned long long)(MOST_FILE >> 30));
        if (answer->status == SIGKILL)
            return met_memory(apart, error);
        return error_set(error, NULL,
                         "%s ended its process by signal %d: that is an error of Assay or of a library that "
                         "it uses, and did no further harm; please report it (docs/trust.md says how)",
                         apart->what, answer->status);
    default:
        return *text ? error_set(error, NULL, "%s", text) : met_memory(apart, error);
    }
}

bool apart_run(const struct apart *apart, struct error *error)
{
    if (forked_is_here()) /* already apart, from where nobody can fork, and with limits */
        return apart->work(apart->context, apart->out, error);
    struct working working = {.apart = apart};
    if (apart->result) {
        void *room =
            mmap(NULL, apart->result_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED)
            return error_set_errno(error, NULL, "no memory can be shared with another process");
        working.shared = memcpy(room, apart->result, apart->result_size);
    }
    struct child_job job = {.work = work,
                            .context = &working,
                            .place = child_place_PRESENT,
                            .limits = {.memory = apart->memory ? apart->memory : memory_budget(),
                                       .file_size = MOST_FILE,
                                       .seconds = apart->seconds},
                            .is_confined = true,
                            .must_end = apart->must_end ? must_end : NULL,
                            .ends_by_interrupt = apart->ends_gently,
                            .take = take,
                            .taker = (void *)(uintptr_t)apart};
    struct child_answer answer;
    fflush(apart->out);
    errno = 0;
    bool done = child_run(&job, &answer, error);
    if (done) {
        done = explain(apart, &answer, error);
        child_answer_free(&answer);
    }
    if (working.shared) {
        memcpy(apart->result, working.shared, apart->result_size);
        munmap(working.shared, apart->result_size);
    }
    return done;
}
