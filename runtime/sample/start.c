/* Start of the sampling runtime in a process.

   The environment says what to do:
     ASSAY_SAMPLE_FILE=PREFIX       the ring is PREFIX.PID (ring_file.h)
     ASSAY_SAMPLE_PERIOD=NUMBER     nanoseconds of processor time between two samples of a thread
     ASSAY_SAMPLE_STACK=NUMBER      bytes of the stack to copy; 0: none
   LD_PRELOAD names the library.  Without a ring the program runs untouched.

   The child of a fork gets a ring and a timer of its own.  A program that calls exec leaves its ring as it
   is; the new one starts its own. */
#include "runtime/sample/sample.h"
#include "runtime/sample/real.h"

#include <stdlib.h>
#include <sys/auxv.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static const uint64_t LEAST_PERIOD = 50000, MOST_PERIOD = 10000000000;

struct settings settings;

static void after_fork(void)
{
    if (!settings.prefix || ring_is_ours())
        return;
    ring_forget();
    maps_forget();
    ring_open(1);
    thread_forked();
}

/* fork without the functions that pthread_atfork has. */
SAMPLE_EXPORT pid_t _Fork(void)
{
    pid_t child = real()->fork_plain();
    if (child == 0)
        after_fork();
    return child;
}

/* The reader may want maps of what was loaded last. */
static void on_end(int status, void *nothing)
{
    (void)status;
    (void)nothing;
    if (!ring_is_ours())
        return;
    if (ring->written) {
        uint64_t mask = system_block_signals();
        maps_write();
        system_restore_signals(mask);
    }
    ring->end = system_nanoseconds();
}

static uint64_t read_number(const char *text, uint64_t least, uint64_t most, uint64_t usual)
{
    uint64_t number = 0;
    if (!text || !*text)
        return usual;
    for (; *text >= '0' && *text <= '9' && number < most; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number < least ? least : number > most ? most : number;
}

/* A copy, as programs change their environment. */
static const char *kept(const char *text)
{
    static char copy[4000];
    size_t length = text ? text_length(text) : 0;
    if (!length || *text != '/' || length >= sizeof copy)
        return NULL;
    bytes_copy(copy, text, length + 1);
    return copy;
}

static void start(char **environment)
{
    static int has_started;
    if (__atomic_exchange_n(&has_started, 1, __ATOMIC_RELAXED))
        return;
    real();
    settings.period = read_number(environment_value(environment, "ASSAY_SAMPLE_PERIOD"), LEAST_PERIOD,
                                  MOST_PERIOD, 1000000);
    settings.stack = (uint32_t)read_number(environment_value(environment, "ASSAY_SAMPLE_STACK"), 0,
                                           SAMPLE_MOST_STACK, SAMPLE_MOST_STACK) /
                     SAMPLE_UNIT * SAMPLE_UNIT;
    settings.prefix = getauxval(AT_SECURE) ? NULL : kept(environment_value(environment, "ASSAY_SAMPLE_FILE"));
    if (!settings.prefix || !ring_open(0)) {
        settings.prefix = NULL;
        return;
    }
    signals_begin();
    thread_begin();
    pthread_atfork(NULL, NULL, after_fork);
    on_exit(on_end, NULL);
}

__attribute__((constructor)) static void sample_begin(int count, char **words, char **environment)
{
    (void)count;
    (void)words;
    start(environment);
}

/* A thread of a library's constructor that ran before ours. */
void sample_start(void)
{
    start(environ);
}
