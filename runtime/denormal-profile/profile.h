/* Shared declarations of the profiler's parts.

   The profiler (DIP) is a library that is preloaded into a program.  It unmasks the denormal-operand and the
   underflow exception of SSE and the denormal-operand exception of x87, so that the processor traps on
   denormal numbers, and the kernel sends SIGFPE.

     start.c        environment variables, start, end
     trap.c         SIGFPE and SIGTRAP: count, let the instruction through, go on
     stubs.c        copies of instructions, which spare the second signal
     x87.c          x87 traps come late and leave the instruction undone: it is done here
     sites.c        the table of counts
     samples.c      operands, values, registers and the stack of some events
     sleep.c        sampled mode: when trapping sleeps, and what it misses
     arm.c          trapping on and off, in the processor and in saved contexts; what the program believes
     environment.c  the functions of fenv.h
     signals.c      the functions of signal.h; signals that are the program's own
     threads.c      threads: each arms itself and has a timer
     clock.c        a finer one for sampled mode
     processes.c    fork, exec, _exit
     modules.c      which files are loaded
     phases.c       marks, signals, ticks
     file.c         the recording (profile_file.h), mapped to a file or in plain memory
     print.c        the plain profile, where there is no file

   Rules for code inside handlers: no allocation, no locks, no libc but memcpy and system calls that are safe
   there; what several threads write is written atomically.  Handlers of the library block all signals while
   they run.  The kernel starts every handler with all exceptions masked, so handlers never trap themselves;
   for the same reason events inside the program's own handlers are missed. */
#ifndef RUNTIME_DENORMAL_PROFILE_PROFILE_H
#define RUNTIME_DENORMAL_PROFILE_PROFILE_H
#include "context.h"
#include "profile_file.h"

#include <signal.h>
#include <time.h>

#define PROFILE_EXPORT __attribute__((visibility("default")))

enum { BURST_EVENTS = 8, WALK_STEPS = 64, LEAST_STEPS = 8, WALKED_PLACES = 31 }; /* sleep.c */

struct stretch { /* of time, in ticks: about so long, and between these */
    double time, low, high;
};

struct burst_site { /* events of a site since waking */
    struct profile_site *site;
    uint32_t operands, underflows;
};

struct walked { /* walks through the same code, all together */
    uint64_t address;
    double ticks, events;
};

struct profile_thread {
    bool is_watched;
    bool is_asleep;
    bool has_timer;
    bool is_main;
    /* Exceptions of SSE (FLAG_…) that are unmasked for our sake; 0 while asleep or while the processor shows
       the program what it believes. */
    uint8_t owned;
    bool owns_x87;
    /* stubs.c: MXCSR after an instruction that ran in a stub, and as it is to be from then on. */
    uint32_t after, armed;
    uintptr_t in_stub; /* the instruction that the last stub was for */
    uint8_t hidden;    /* flags of MXCSR that are set in the program's eyes and cleared in the processor's */
    /* Between SIGFPE and SIGTRAP: the exceptions that are masked for one instruction; 0: no step. */
    uint8_t stepping;
    bool program_steps; /* its trap flag was set before ours */
    uint8_t walk;       /* sleep.c: single steps that are left */
    uint32_t number;    /* of the thread, the system's */
    uint64_t masked;    /* signals that the program believes to be blocked, among ours: bits 1 << signal */
    struct profile_sample *sample; /* whose result is read after the step */
    uintptr_t sample_address;  /* of its memory operand */
    int timer;
    int clock; /* descriptor of a finer timer; 0: there is none */
    void *signal_stack;
    /* sleep.c */
    uint64_t resumed;                    /* ticks when the last handler let the program go on */
    struct stretch native;               /* of the program itself since waking */
    uint64_t woke, woke_processor, away; /* ticks; processor time in ticks; ticks not on a processor since */
    uint64_t burst_start, walk_start, walk_ticks;
    uintptr_t walk_first; /* address of the instruction that the walk began with */
    uint32_t burst_events, window_events, window_sites;
    bool window_is_open, wants_sleep, is_fine, has_walked, walks_far;
    double hit_share;           /* of the last walks, those that met an event */
    struct stretch window_time; /* of the last window */
    uint32_t sleep_phase;
    double sleep_mean, next_mean; /* ticks; 0: the window follows no sleep */
    double usual_cost;            /* of what lies between two sleeps, in ticks */
    double window_share;
    uint64_t sleep_start; /* processor time, ticks */
    uint64_t random;
    struct burst_site window[WALK_STEPS];
    struct walked walked[WALKED_PLACES];
};
extern __thread struct profile_thread profile_thread;

struct profile_settings {
    bool is_exact;
    double budget;
    const char *file; /* prefix; NULL: none */
    int phase_signal; /* 0: none */
    bool phase_signal_is_asked_for;
    double phase_seconds;
    int timer_signal;
};
extern struct profile_settings profile_settings;

/* file.c.  Always there once the library has started: in plain memory until, and unless, there is a file. */
struct profile_mapping {
    struct profile_header *header;
    struct profile_module *modules;
    struct profile_phase *phases;
    struct profile_site *sites;
    struct profile_sample *samples;
    struct profile_note *notes;
    uint64_t *site_keys; /* not in the file */
};
extern struct profile_mapping profile_mapping;
bool file_open(void);    /* a new recording, for this process; the last one is unmapped, its file stays */
bool file_is_ours(void); /* false in a child of vfork, which shares the parent's memory */
void note(enum profile_note_kind kind, uintptr_t address);
uint64_t time_now(void); /* nanoseconds of CLOCK_MONOTONIC */

/* state.c: safe everywhere */
bool profile_is_running(void);
void profile_set_running(bool runs);
uint32_t phase_now(void);
void phase_set(uint32_t phase);

/* memory.c: safe everywhere */
size_t memory_read(uintptr_t address, void *into, size_t size); /* as much as can be read */

/* sites.c */
enum { SITE_CAPACITY = 1 << 16 };
struct profile_site *site_at(uintptr_t address);             /* in the present phase; NULL: the table is full */
struct profile_site *site_next(const struct profile_site *site); /* all of them; NULL: the first, or no more */
void add_number(double *sum, double value);              /* atomically */

/* samples.c */
bool sample_is_due(uint64_t earlier_events);
void sample_operand(const ucontext_t *context, uintptr_t address, unsigned unit, unsigned event);
void sample_result(const ucontext_t *context);

/* trap.c */
void trap_fpe(int signal, siginfo_t *info, void *context);
void trap_step(int signal, siginfo_t *info, void *context);
void trap_count(struct profile_thread *thread, const ucontext_t *context, uintptr_t address, unsigned unit,
                unsigned events, uint64_t entered);

/* stubs.c */
uintptr_t stub_of(uintptr_t address); /* 0: there is none */
bool stub_holds(uintptr_t ip);        /* the program is in one */

/* x87.c.  A pending denormal-operand exception of x87 is counted and its instruction done; true: there was
   one. */
bool x87_settle(struct profile_thread *thread, ucontext_t *context, uint64_t entered);

/* arm.c.  "Show" gives the processor, or a saved context, back to the program: as if there were no profiler.
   "Take" looks what the program made of it and arms it again, unless the thread sleeps. */
void arm_show(struct profile_thread *thread);
void arm_take(struct profile_thread *thread);
void arm_show_context(struct profile_thread *thread, ucontext_t *context);
void arm_take_context(struct profile_thread *thread, ucontext_t *context);
bool arm_is_masked(const struct profile_thread *thread, const ucontext_t *context); /* by the program */
void arm_look_at_start(void); /* main begins: what did start-up code leave? */

/* sleep.c */
void sleep_calibrate(void);
void sleep_prepare(struct profile_thread *thread);               /* it begins, awake */
void sleep_entered(struct profile_thread *thread, uint64_t now); /* a fault ended a stretch of the program */
void sleep_count(struct profile_thread *thread, struct profile_site *site, unsigned events, uint64_t now);
bool sleep_walks(struct profile_thread *thread,
                 uintptr_t next); /* the instruction at next is to be stepped, too */
bool sleep_begin_walk(struct profile_thread *thread, uintptr_t next); /* after waking */
void sleep_begin(struct profile_thread *thread);                      /* sets the timer; the caller masks */
void sleep_end(struct profile_thread *thread);                        /* by the timer; the caller unmasks */
void sleep_finish(struct profile_thread *thread);   /* the thread or the phase ends: what is open is closed */
void sleep_continue(struct profile_thread *thread); /* in the new phase */

/* clock.c */
void clock_make(struct profile_thread *thread);
void clock_drop(struct profile_thread *thread);
bool clock_set(struct profile_thread *thread, double seconds); /* false: the plain timer has to do */
bool clock_rang(const struct profile_thread *thread, const siginfo_t *info);

/* threads.c */
void thread_begin(struct profile_thread *thread);
void thread_adopt(struct profile_thread *thread); /* inside a handler: a thread that nobody began */
void thread_set_timer(struct profile_thread *thread, double seconds);
void thread_forked(struct profile_thread *thread);
void thread_timer(int signal, siginfo_t *info, void *context);

/* signals.c */
void signals_begin(void);
void signals_pass_on(int signal, siginfo_t *info, ucontext_t *context);
int signals_set(int signal, const struct sigaction *action, struct sigaction *old); /* the real one */

/* modules.c: safe everywhere */
void modules_refresh(void);
bool modules_has(uintptr_t address);

/* phases.c */
void phase_tick(void); /* ASSAY_DENORMALS_EVERY */
void phase_signal(int signal, siginfo_t *info, void *context);
void phases_restart(void);

/* processes.c, start.c */
void processes_begin(void);
void profile_finish(enum profile_end end, int status); /* once; later calls do nothing */
void profile_restart(void);                        /* in the child of a fork */

/* print.c: safe everywhere */
void print_profile(void);
void print_line(const char *text);
#endif
