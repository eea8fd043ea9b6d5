/* A run whose programs sample themselves: the library is preloaded, its rings appear in the run's folder.

     ASSAY_SAMPLE_FILE=DIR/sample      a ring is DIR/sample.PID; sample.PID.2 … where an exec came before
     ASSAY_SAMPLE_PERIOD, ASSAY_SAMPLE_STACK

   timer_ring.c reads a ring; here they are found, and forgotten when their process has ended. */
#include "run/sample/timer.h"

#include "run/sample/timer_ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char LIBRARY[] = "libassay-sample.so", PREFIX[] = "sample.";
const char *const timer_variables[] = {"LD_PRELOAD",         "ASSAY_SAMPLE_FILE", "ASSAY_SAMPLE_PERIOD",
                                       "ASSAY_SAMPLE_STACK", "ASAN_OPTIONS",      NULL};

struct timer {
    char *folder;
    struct array rings; /* of struct timer_ring *, those of one process in order */
    struct timer_counts counts;
};

/* ---- the launch ---- */

bool timer_may(const struct launch_program *program, const char *word, struct error *error)
{
    if (program->is_privileged)
        return error_set(
            error, word,
            "runs with the rights of another user (setuid), so it cannot be sampled by timers; use a "
            "copy without these rights");
    if (program->bits == 32)
        return error_set(error, word, "is a 32-bit program; samples by timers are for x86-64 and AArch64");
    if (program->is_static && !program->is_emulator)
        return error_set(
            error, program->code,
            "is statically linked, so the library that takes samples by timers cannot be loaded into "
            "it; link it dynamically, or allow perf_event_open "
            "(sysctl kernel.perf_event_paranoid=2)");
    return true;
}

/* As names of files have it.  Programs of the other machine run under an emulator, which is one of ours. */
#ifdef __aarch64__
static const char MACHINE[] = "aarch64", OTHER_MACHINE[] = "x86_64";
#else
static const char MACHINE[] = "x86_64", OTHER_MACHINE[] = "aarch64";
#endif

static char *find_library(const char *runtime, const char *machine)
{
    char *name = memory_format("libassay-sample-%s.so", machine);
    char *library = launch_find_part(runtime, "sample", name);
    free(name);
    return library;
}

static bool preload(struct launch *launch, const struct timer_wish *wish, struct error *error)
{
    char *library = wish->runtime ? find_library(wish->runtime, MACHINE) : NULL;
    if (!library)
        return error_set(error, wish->runtime,
                         "the library that takes samples by timers (libassay-sample-%s.so) is missing; set "
                         "ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME,
                         MACHINE);
    char *other = find_library(wish->runtime, OTHER_MACHINE);
    bool is_done = launch_preload(launch, wish->folder, LIBRARY, library, NULL, error) &&
                   (!other || launch_preload_for(wish->folder, LIBRARY, OTHER_MACHINE, other, error));
    free(other);
    free(library);
    return is_done;
}

/* gcc's address sanitizer refuses to run where another library was loaded before it. */
static void allow_sanitizer(struct launch *launch)
{
    const char *options = getenv("ASAN_OPTIONS");
    bool has_some = options && *options;
    launch_assign(launch, memory_format("ASAN_OPTIONS=%s%sverify_asan_link_order=0", has_some ? options : "",
                                        has_some ? ":" : ""));
}

struct timer *timer_begin(struct launch *launch, const struct timer_wish *wish, struct error *error)
{
    if (!preload(launch, wish, error))
        return NULL;
    launch_assign(launch, memory_format("ASSAY_SAMPLE_FILE=%s/sample", wish->folder));
    launch_assign(launch, memory_format("ASSAY_SAMPLE_PERIOD=%.0f", 1e9 / wish->frequency));
    if (wish->has_no_stacks)
        launch_assign(launch, memory_format("ASSAY_SAMPLE_STACK=0"));
    allow_sanitizer(launch);
    struct timer *timer = memory_get(sizeof *timer);
    timer->folder = memory_copy_text(wish->folder, strlen(wish->folder));
    timer->rings = ARRAY_OF(struct timer_ring *);
    return timer;
}

/* ---- rings ---- */

static struct timer_ring *ring_at(const struct timer *timer, size_t place)
{
    return *ARRAY_AT(struct timer_ring *, &timer->rings, place);
}

/* The numbers of a name: sample.PID, sample.PID.2.  false: it is not a ring's. */
static bool read_name(const char *name, uint32_t *process, uint32_t *turn)
{
    if (strncmp(name, PREFIX, sizeof PREFIX - 1))
        return false;
    char *end;
    const char *digits = name + sizeof PREFIX - 1;
    unsigned long number = strtoul(digits, &end, 10), second = 1;
    if (*end == '.' && end[1])
        second = strtoul(end + 1, &end, 10);
    *process = (uint32_t)number;
    *turn = (uint32_t)second;
    return *digits >= '0' && *digits <= '9' && !*end && number && number <= INT32_MAX && second <= INT32_MAX;
}

/* Where a ring belongs; a known one is there already. */
static size_t place_of(const struct timer *timer, uint32_t process, uint32_t turn, bool *is_known)
{
    size_t place = timer->rings.count;
    *is_known = false;
    for (size_t i = 0; i < timer->rings.count; i++) {
        const struct timer_ring *ring = ring_at(timer, i);
        if (ring->process != process)
            continue;
        *is_known |= ring->turn == turn;
        if (ring->turn > turn && place > i)
            place = i;
    }
    return place;
}

static void add_ring(struct timer *timer, int folder, const char *name)
{
    uint32_t process, turn;
    bool is_known;
    if (!read_name(name, &process, &turn))
        return;
    size_t place = place_of(timer, process, turn, &is_known);
    struct timer_ring *ring = is_known ? NULL : timer_ring_open(folder, name, process, turn);
    if (!ring)
        return;
    array_push(&timer->rings);
    struct timer_ring **rings = timer->rings.data;
    memmove(rings + place + 1, rings + place, (timer->rings.count - 1 - place) * sizeof *rings);
    rings[place] = ring;
    timer->counts.processes += turn == 1;
}

static void find_rings(struct timer *timer)
{
    DIR *folder = opendir(timer->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        add_ring(timer, dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
}

/* The last ring before a place, or the first one after it, of the same process. */
static const struct timer_ring *neighbour(const struct timer *timer, size_t place, bool is_before)
{
    const struct timer_ring *found = NULL;
    for (size_t i = is_before ? 0 : place + 1; i < (is_before ? place : timer->rings.count); i++)
        if (ring_at(timer, i)->process == ring_at(timer, place)->process && (is_before || !found))
            found = ring_at(timer, i);
    return found;
}

static bool has_ended(const struct timer_ring *ring)
{
    return kill((pid_t)ring->process, 0) && errno == ESRCH;
}

/* A ring is over when its process has ended, or runs another program. */
static void read_rings(struct timer *timer, struct collector *collector, double start, bool is_last)
{
    struct timer_feed feed = {collector, start, &timer->counts};
    for (size_t i = 0; i < timer->rings.count; i++) {
        struct timer_ring *ring = ring_at(timer, i);
        if (timer_ring_is_closed(ring))
            continue;
        bool is_replaced = neighbour(timer, i, false), is_gone = has_ended(ring);
        timer_ring_read(ring, &feed, neighbour(timer, i, true), is_replaced || is_gone || is_last);
        if (is_gone && !is_replaced)
            timer_ring_exit(ring, &feed);
        if (is_replaced || is_gone || is_last)
            timer_ring_close(ring, &feed);
    }
}

/* Only when the process has ended, so that its next ring does not get the name of an earlier one. */
static void forget_rings(struct timer *timer, bool is_last)
{
    struct timer_ring **rings = timer->rings.data;
    size_t kept = 0;
    for (size_t i = 0; i < timer->rings.count; i++) {
        if (!timer_ring_is_closed(rings[i]) || !(is_last || has_ended(rings[i]))) {
            rings[kept++] = rings[i];
            continue;
        }
        char *path = memory_format("%s/%s", timer->folder, rings[i]->name);
        unlink(path);
        free(path);
        timer_ring_free(rings[i]);
    }
    timer->rings.count = kept;
}

static void look(struct timer *timer, struct collector *collector, double start, bool is_last)
{
    find_rings(timer);
    read_rings(timer, collector, start, is_last);
    forget_rings(timer, is_last);
}

void timer_poll(struct timer *timer, struct collector *collector, double start)
{
    look(timer, collector, start, false);
}

struct timer_counts timer_end(struct timer *timer, struct collector *collector, double start)
{
    look(timer, collector, start, true);
    struct timer_counts counts = timer->counts;
    array_free(&timer->rings);
    free(timer->folder);
    free(timer);
    return counts;
}
