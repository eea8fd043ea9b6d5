/* Shared declarations of the sampling runtime's parts.

   The runtime is a library that is preloaded into a program, where the kernel's sampling is forbidden.  Each
   thread has a timer of its own processor time; its signal writes a sample into the ring of the process
   (ring_file.h), which assay reads.

     start.c      environment, start, fork, end
     ring.c       the ring: room for records
     maps.c       what is where in memory, for the reader
     take.c       the timer's signal: a sample
     threads.c    each thread of libc gets its timer
     signals.c    the program does not see the library's signal
     waiting.c    calls that a signal would interrupt

   Timers of processor time do not fire while a thread sleeps.  They are looked at when the kernel's clock
   ticks (every 4 ms on most systems), so a sample may stand for more than the wished time: each says how long
   its thread ran since the last one.

   A real-time signal is used, not SIGPROF: profilers of the program (gprof, setitimer) keep theirs.

   Not seen: threads and processes by system calls of the program's own (clone), static programs, programs
   with the rights of others (setuid), and time before the library's start. */
#ifndef RUNTIME_SAMPLE_SAMPLE_H
#define RUNTIME_SAMPLE_SAMPLE_H
#include "runtime/probe/system.h"
#include "runtime/sample/ring_file.h"

#define SAMPLE_EXPORT __attribute__((visibility("default")))

struct settings {
    const char *prefix; /* of the rings; NULL: nothing is sampled */
    uint64_t period;    /* nanoseconds */
    uint32_t stack;     /* bytes of the stack, at most */
};
extern struct settings settings;

/* A function of libc that one of ours stands in for: time that passes in ours counts there. */
struct standing {
    uintptr_t function; /* 0: none */
    uintptr_t top;      /* of our frame */
    uintptr_t caller_frame, return_address;
};
struct thread {
    uint32_t number; /* of the system; 0: it has no timer */
    int32_t timer;
    uint64_t ran;   /* processor time at the last sample */
    bool is_masked; /* the program believes to have blocked our signal */
    struct standing standing;
};
extern __thread struct thread sample_thread __attribute__((tls_model("initial-exec")));

/* start.c */
void sample_start(void); /* if it has not started */

/* ring.c */
extern struct sample_ring *ring; /* NULL: there is none */
bool ring_open(uint32_t is_forked);
void ring_forget(void); /* after fork: the parent's */
/* Whether this process made it: the child of vfork shares its parent's memory. */
bool ring_is_ours(void);
/* Room on the disk for records; false: none, and a sample is counted as lost. */
bool ring_has_room(void);
/* A record of this size, to be filled and finished; NULL: full, and it is counted as lost. */
void *ring_take(uint32_t size, uint64_t *position);
void ring_finish(void *record, uint64_t position, uint32_t size, uint32_t kind);

/* maps.c */
void maps_write(void);  /* if they are wanted */
void maps_forget(void); /* after fork */

/* take.c */
void take_sample(int signal, siginfo_t *info, void *context);

/* threads.c */
void thread_begin(void);
void thread_forked(void);
uint64_t thread_ran(void); /* processor time */

/* signals.c */
extern int sample_signal;
void signals_begin(void);
void signals_pass_on(int signal, siginfo_t *info, void *context);
#endif
