/* Threads of libc.

   Those that are made by pthread_create and thrd_create get their recorder before they start.  Others (libc's own
   helpers) get one with their first event: the scrap place (recorders.c) is written into the initial image of the
   library's thread-local storage, from which libc makes that of every thread. */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"

#include <threads.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

__thread struct thread_locals probe_locals
    __attribute__((tls_model("initial-exec"))) = {(void *)16, NULL, NULL};
/* For nodes, which the linker binds by name. */
extern PROBE_EXPORT __thread struct probe_event *assay_probe_position
    __attribute__((tls_model("initial-exec"), alias("probe_locals")));

/* The image from which libc makes the thread-local storage of new threads. */
static void set_image(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    const uint8_t *file = (const uint8_t *)&__ehdr_start;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(const void *)(file + __ehdr_start.e_phoff);
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++) {
        if (segments[i].p_type != PT_TLS)
            continue;
        uintptr_t image = (uintptr_t)file + segments[i].p_vaddr;
        /* probe_locals is all that .tdata has. */
        struct thread_locals *initial = (struct thread_locals *)image;
        if (segments[i].p_filesz < sizeof *initial || initial->position != (void *)16)
            return;
        uintptr_t base = image / page_bytes * page_bytes;
        size_t size = (image + sizeof *initial + page_bytes - 1 - base) / page_bytes * page_bytes;
        if (system_failed(system_protect(base, size, PROT_READ | PROT_WRITE)))
            return;
        initial->position = scrap_position;
        initial->counters = scrap_counters;
        system_protect(base, size, PROT_READ);
    }
}

bool threads_scrap(void)
{
    if (scrap_position)
        return true;
    if (!recorders_scrap())
        return false;
    set_image();
    return true;
}

bool threads_begin(void)
{
    if (!threads_scrap())
        return false;
    struct recorder *recorder = recorder_take();
    if (!recorder)
        return false;
    recorder_use(recorder);
    return true;
}

/* New threads. */

static void *begin_thread(void *data)
{
    struct recorder *recorder = data;
    void *(*start)(void *) = recorder->start;
    void *argument = recorder->argument;
    recorder_use(recorder);
    return start(argument);
}

static int begin_plain(void *data)
{
    struct recorder *recorder = data;
    int (*start)(void *) = recorder->start_plain;
    void *argument = recorder->argument;
    recorder_use(recorder);
    return start(argument);
}

static struct recorder *prepare(void *argument)
{
    struct recorder *recorder = recording && file_is_ours() ? recorder_take() : NULL;
    if (recorder)
        recorder->argument = argument;
    return recorder;
}

PROBE_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                                void *argument)
{
    struct recorder *recorder = prepare(argument);
    if (!recorder)
        return real()->pthread_create(thread, attributes, start, argument);
    recorder->start = start;
    int error = real()->pthread_create(thread, attributes, begin_thread, recorder);
    if (error != 0)
        recorder_give_back(recorder);
    return error;
}

PROBE_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    struct recorder *recorder = prepare(argument);
    if (!recorder)
        return real()->thrd_create(thread, start, argument);
    recorder->start_plain = start;
    int error = real()->thrd_create(thread, begin_plain, recorder);
    if (error != thrd_success)
        recorder_give_back(recorder);
    return error;
}
