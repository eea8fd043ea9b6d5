/* A program under ptrace, all its processes and threads, stopped at chosen addresses.

   tracing_begin starts it; tracing_next lets it run to the next breakpoint of the function or to the end of
   everything. A thread that reports a breakpoint is stopped; the others run on until tracing_stop_others. */
#ifndef CHANGE_OPTIMISE_REPLAY_TRACING_H
#define CHANGE_OPTIMISE_REPLAY_TRACING_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __aarch64__
#include <asm/ptrace.h>
typedef struct user_pt_regs tracee_registers;
#else
#include <sys/user.h>
typedef struct user_regs_struct tracee_registers;
#endif

struct trace_point {
    uint64_t address;
    uint32_t original; /* what the breakpoint replaced */
    unsigned uses;
};

struct trace_process {
    pid_t process;
    struct array points; /* of struct trace_point */
    uint64_t entry;      /* of the function; 0: not known there yet */
    uint64_t start;      /* the program's first instruction, where libraries are loaded; 0: not awaited */
    bool is_watched;     /* it may have the function: it is not another program */
};

struct trace_thread {
    pid_t thread, process;
    bool is_stopped;
    int pending;   /* signal that it gets when it goes on */
    bool has_news; /* it was stopped with the others, and `news`, a status of waitpid, is to be handled */
    int news;
    uint64_t met; /* the breakpoint that it has run into, and has to be led past; 0: none */
    /* The timed call that it is in. */
    uint64_t return_address, stack_pointer;
    uint64_t call;    /* number of that call */
    uint64_t started; /* nanoseconds of its processor time */
};

struct tracing_request {
    const char *const *words;
    const char *folder;     /* NULL: here */
    const char *executable; /* what is run */
    const char *object;     /* file that has the function */
    uint64_t function;      /* its address in that file */
    bool is_silent;         /* its messages are dropped, too */
    bool is_timed;          /* calls are followed to their end */
    double seconds;         /* at most; 0: no limit */
};

struct tracing {
    const struct tracing_request *request;
    struct array threads;   /* of struct trace_thread */
    struct array processes; /* of struct trace_process */
    uint64_t device, inode; /* of the object */
    uint64_t lowest;        /* address of its first loaded page, as the file numbers it */
    uint64_t calls;
    struct array durations; /* of uint64_t: nanoseconds of each call; 0: not known */
    double began;
    int status; /* of the program, when it has ended */
};

enum tracing_event { tracing_CALL, tracing_ENDED, tracing_TIME_IS_UP, tracing_FAILED };

bool tracing_begin(struct tracing *tracing, const struct tracing_request *request, struct error *error);
/* At tracing_CALL, *thread is the number of a thread (valid until the next call), at the function's first
   instruction. */
enum tracing_event tracing_next(struct tracing *tracing, size_t *thread, struct error *error);
/* Stops all threads of a process, and takes breakpoints out of its memory. */
bool tracing_freeze(struct tracing *tracing, pid_t process, struct error *error);
void tracing_end(struct tracing *tracing); /* everything that it started ends */

bool tracing_get_registers(pid_t thread, tracee_registers *registers);
bool tracing_set_registers(pid_t thread, const tracee_registers *registers);
/* Lets one stopped thread run until its next stop; false: it is gone. */
bool tracing_resume_alone(pid_t thread, int *status);
bool tracing_write(pid_t process, uint64_t address, const void *from, size_t size);
#endif
