/* Chains of kernels, measured: each in a process of its own, so that none finds what another left.

   Functions of a library are called in a child of ours, in a circle, until the processor time of a batch of
   rounds is well above what the clock can tell; the quickest quarter of the batches counts, because other
   programs only ever add time. Processor time of the thread that calls is taken, not time on the wall: the
   time of the whole process jumps by a tick of the kernel where processor time is limited, as it is here. A
   command measures itself.

   All chains are measured once, then all again, and so on: what changes slowly on a computer falls on all. */
#include "plan/modelling/coupling/coupling.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 20, MOST_OUTPUT = 1 << 16, MOST_SECONDS = 600 };
static const double batch_seconds = 4e-3;

typedef void kernel_function(void);

struct work {
    const struct coupling *coupling;
    const struct coupling_chain *chain;
};

static const char *kernel_of(const struct coupling *coupling, const struct coupling_chain *chain, uint32_t i)
{
    return *ARRAY_AT(char *, &coupling->kernels, (chain->first + i) % coupling->kernels.count);
}

static double time_rounds(kernel_function *const *kernels, uint32_t count, uint64_t rounds)
{
    double begin = clock_thread_seconds();
    for (uint64_t i = 0; i < rounds; i++)
        for (uint32_t k = 0; k < count; k++)
            kernels[k]();
    return clock_thread_seconds() - begin;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static kernel_function *find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    kernel_function *function = NULL;
    if (address)
        memcpy(&function, &address, sizeof function);
    else
        dprintf(2, "it has no function %s\n", name);
    return function;
}

/* In the child: prints the seconds of a round. */
static int work(void *context)
{
    const struct work *work = context;
    kernel_function *kernels[COUPLING_MOST_KERNELS], *prepare = NULL;
    void *library = dlopen(work->coupling->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        dprintf(2, "%s\n", dlerror());
        return 1;
    }
    for (uint32_t i = 0; i < work->chain->length; i++)
        if (!(kernels[i] = find(library, kernel_of(work->coupling, work->chain, i))))
            return 1;
    if (work->coupling->prepare && !(prepare = find(library, work->coupling->prepare)))
        return 1;
    if (prepare)
        prepare();
    uint64_t rounds = 1;
    /* Twice: a clock that once jumped must not leave too few. */
    while (fmin(time_rounds(kernels, work->chain->length, rounds),
                time_rounds(kernels, work->chain->length, rounds)) < batch_seconds &&
           rounds < (uint64_t)1 << 40)
        rounds *= 2;
    double times[BATCHES];
    for (unsigned i = 0; i < BATCHES; i++)
        times[i] = time_rounds(kernels, work->chain->length, rounds) / (double)rounds;
    qsort(times, BATCHES, sizeof *times, by_size);
    dprintf(1, "%.9g\n", times[BATCHES / 4]);
    return 0;
}

static char *names_of(const struct coupling *coupling, const struct coupling_chain *chain)
{
    struct array text = ARRAY_OF(char);
    for (uint32_t i = 0; i < chain->length; i++) {
        const char *name = kernel_of(coupling, chain, i);
        memcpy(array_add_many(&text, strlen(name) + 1), name, strlen(name));
        *ARRAY_AT(char, &text, text.count - 1) = i + 1 < chain->length ? ',' : 0;
    }
    return text.data;
}

/* The command with the kernels' names in it; ended by NULL. */
static char **words_of(const struct coupling *coupling, const char *names)
{
    static const char mark[] = "{kernels}";
    char **words = memory_get((coupling->command.count + 1) * sizeof *words);
    for (size_t i = 0; i < coupling->command.count; i++) {
        const char *word = *ARRAY_AT(char *, &coupling->command, i), *at = strstr(word, mark);
        words[i] = at ? memory_format("%.*s%s%s", (int)(at - word), word, names, at + sizeof mark - 1)
                      : memory_copy_text(word, strlen(word));
    }
    return words;
}

static bool read_seconds(const struct child_answer *answer, const char *what, const char *names,
                         double *seconds, struct error *error)
{
    char *end, *messages = answer->messages.data;
    const char *output = answer->output.data;
    if (answer->end == child_end_MISSING)
        return error_set(error, what, "is not there, or cannot be run");
    if (answer->end != child_end_DONE)
        return error_set(error, what, "kernels %s: %s %d: %.300s", names,
                         answer->end == child_end_CRASHED ? "ended by signal"
                         : answer->end == child_end_SLOW  ? "took too long; status"
                                                          : "failed with status",
                         answer->status, strtok(messages, "\n") ? messages : "");
    *seconds = strtod(output, &end);
    if (end == output || (*end && *end != '\n') || !(*seconds > 0) || !isfinite(*seconds))
        return error_set(error, what,
                         "kernels %s: it should print the seconds of a round, but printed '%.60s'", names,
                         output);
    return true;
}

static bool measure_once(const struct coupling *coupling, const struct coupling_chain *chain, double *seconds,
                         struct error *error)
{
    struct work own = {coupling, chain};
    char *names = names_of(coupling, chain), **words = words_of(coupling, names);
    struct child_job job = {.place = child_place_PRESENT,
                            .ends_by_interrupt = true,
                            .limits = {(uint64_t)64 << 30, (uint64_t)1 << 30, MOST_OUTPUT, MOST_SECONDS}};
    if (coupling->library) {
        job.work = work;
        job.context = &own;
    } else
        job.words = (const char *const *)words;
    struct child_answer answer = {0};
    bool is_fine =
        child_run(&job, &answer, error) &&
        read_seconds(&answer, coupling->library ? coupling->library : words[0], names, seconds, error);
    child_answer_free(&answer);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    free(words);
    free(names);
    return is_fine;
}

static void list_chains(struct coupling *coupling, uint32_t longest)
{
    uint32_t count = (uint32_t)coupling->kernels.count;
    for (uint32_t length = 1; length <= longest && length < count; length++)
        for (uint32_t first = 0; first < count && (count > 2 || length == 1 || !first); first++)
            *(struct coupling_chain *)array_add(&coupling->chains) =
                (struct coupling_chain){.first = first, .length = length};
    *(struct coupling_chain *)array_add(&coupling->chains) = (struct coupling_chain){.length = count};
}

static void settle(struct coupling *coupling, double *times)
{
    struct coupling_chain *chains = coupling->chains.data;
    uint32_t passes = coupling->done, count = (uint32_t)coupling->kernels.count;
    for (size_t i = 0; i < coupling->chains.count; i++) {
        double *own = times + i * coupling->passes;
        qsort(own, passes, sizeof *own, by_size);
        chains[i].seconds = own[passes / 2];
        chains[i].spread = (own[passes - 1] - own[0]) / 2 / own[passes / 2];
        for (uint32_t k = 0; k < chains[i].length; k++)
            chains[i].apart += chains[(chains[i].first + k) % count].seconds;
    }
}

bool coupling_measure(struct coupling *coupling, uint32_t longest, struct error *error)
{
    list_chains(coupling, longest);
    size_t count = coupling->chains.count, passes = coupling->passes, done = 0;
    double *times = memory_get(count * passes * sizeof *times);
    bool is_fine = true;
    for (size_t pass = 0; is_fine && pass < passes; pass++) {
        for (size_t i = 0; is_fine && i < count; i++) {
            progress_tell("measuring chains of kernels", done++, count * passes);
            is_fine = measure_once(coupling, ARRAY_AT(struct coupling_chain, &coupling->chains, i),
                                   &times[i * passes + pass], error);
        }
        coupling->done += is_fine;
    }
    progress_clear();
    if (interrupt_came() && coupling->done < passes) {
        *error = (struct error){0};
        is_fine = coupling->done ||
                  error_set(error, NULL,
                            "stopped by Ctrl-C before each chain was measured once (%zu of %zu); there is "
                            "nothing to show",
                            done ? done - 1 : 0, count);
    }
    if (is_fine)
        settle(coupling, times);
    free(times);
    return is_fine;
}
