#include "base/apart.h"

#include "base/child.h"
#include "base/forked.h"
#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, MOST_MESSAGES = 1 << 20 };
static const uint64_t MOST_FILE = UINT64_C(4) << 30; /* where SQLite sorts */

/* What both processes see. */
struct shared {
    struct error error;
    char result[];
};

/* ---- in the process of its own ---- */

struct working {
    const struct apart *apart;
    struct shared *shared;
    bool is_terminal; /* somebody watches: lines are shown as they come */
    uint64_t taken, said;
};

static int work(void *context)
{
    const struct working *working = context;
    const struct apart *apart = working->apart;
    struct error error = {0};
    FILE *out = child_stream();
    if (!out)
        return 1;
    setvbuf(out, NULL, working->is_terminal ? _IOLBF : _IOFBF, BUFFER);
    bool done = apart->work(apart->context, out, &error);
    done = !fflush(out) && !(apart->file && fflush(apart->file)) && done;
    if (apart->result)
        memcpy(working->shared->result, apart->result, apart->result_size);
    if (!done)
        working->shared->error = error;
    return !done;
}

/* ---- in Assay ---- */

static bool take(void *context, const char *bytes, size_t size)
{
    struct working *working = context;
    const struct apart *apart = working->apart;
    working->taken += size;
    return (!apart->most_output || working->taken <= apart->most_output) &&
           fwrite(bytes, 1, size, apart->out) == size && !fflush(apart->out);
}

/* Lines, progress, and nothing else that a terminal understands. */
static bool take_messages(void *context, const char *bytes, size_t size)
{
    static const char again[] = "\r\033[K";
    struct working *working = context;
    working->said += size;
    for (size_t at = 0, length; at < size && working->said <= MOST_MESSAGES; at += length) {
        const char *text = bytes + at;
        if (*text == '\n' || (size - at >= 4 && !memcmp(text, again, 4))) {
            length = *text == '\n' ? 1 : 4;
            fwrite(text, 1, length, stderr);
            continue;
        }
        for (length = 1; at + length < size && text[length] != '\n' && text[length] != '\r';)
            length++;
        text_print_safe(text, length, stderr);
    }
    fflush(stderr);
    return true;
}

static bool must_end(void *context)
{
    const struct apart *apart = ((const struct working *)context)->apart;
    return apart->must_end(apart->context);
}

static bool met_memory(const struct apart *apart, struct error *error)
{
    uint64_t most = apart->memory ? apart->memory : memory_budget();
    return error_set(error, NULL, "%s needs more than the %llu MB that it may have", apart->what,
                     (unsigned long long)(most >> 20));
}

static bool explain(const struct working *working, const struct child_answer *answer, struct error *error)
{
    const struct apart *apart = working->apart;
    struct error said = working->shared->error; /* a copy: what is shared may change under one's eyes */
    said.text[sizeof said.text - 1] = 0;
    switch (answer->end) {
    case child_end_DONE:
        return true;
    case child_end_STOPPED:
        return error_set(error, NULL, "%s", said.set ? said.text : "interrupted");
    case child_end_SLOW:
        return error_set(error, NULL, "%s did not end within %u s, which is its limit%s%s%s", apart->what,
                         apart->seconds, apart->setting ? " (" : "", apart->setting ? apart->setting : "",
                         apart->setting ? " sets it)" : "");
    case child_end_LARGE:
        if (apart->must_end && apart->must_end(apart->context))
            return error_set(error, NULL, "interrupted");
        if (apart->most_output && working->taken > apart->most_output)
            return error_set(error, NULL, "%s writes more than %llu MB", apart->what,
                             (unsigned long long)(apart->most_output >> 20));
        return error_set_errno(error, NULL, "cannot write");
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
        return said.set ? error_set(error, NULL, "%s", said.text) : met_memory(apart, error);
    }
}

bool apart_run(const struct apart *apart, struct error *error)
{
    if (forked_is_here()) /* already apart, from where nobody can fork, and with limits */
        return apart->work(apart->context, apart->out, error);
    size_t shared_size = sizeof(struct shared) + apart->result_size;
    void *room = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return error_set_errno(error, NULL, "no memory can be shared with another process");
    struct working working = {.apart = apart, .shared = room, .is_terminal = isatty(STDOUT_FILENO)};
    if (apart->result)
        memcpy(working.shared->result, apart->result, apart->result_size);
    struct child_job job = {.work = work,
                            .context = &working,
                            .place = child_place_PRESENT,
                            .limits = {.memory = apart->memory ? apart->memory : memory_budget(),
                                       .file_size = MOST_FILE,
                                       .seconds = apart->seconds},
                            .is_confined = true,
                            .kept = apart->file ? fileno(apart->file) : 0,
                            .must_end = apart->must_end ? must_end : NULL,
                            .ends_by_interrupt = apart->ends_gently,
                            .take = take,
                            .take_messages = take_messages,
                            .taker = &working};
    struct child_answer answer;
    fflush(apart->out);
    errno = 0;
    bool done = child_run(&job, &answer, error);
    if (done) {
        done = explain(&working, &answer, error);
        child_answer_free(&answer);
    }
    if (apart->result)
        memcpy(apart->result, working.shared->result, apart->result_size);
    munmap(room, shared_size);
    return done;
}
