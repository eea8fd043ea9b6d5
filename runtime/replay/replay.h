/* The replay program: one captured call, made again and again, by the program's own code and by a variant's.

   It is linked for each variant at addresses that the captured process does not use, has no libc, and gives
   back every other address before it maps the codelet: its stack, the kernel's pages, everything.  From then
   on memory is what it was at the call.  replay_main has the order of the steps.

   System calls of the captured code would act on the real world, so they are refused by the kernel: only
   instructions of this program (replay_code_start … replay_code_end, which the linker script of
   src/change/optimise/replay/link.c puts around them) may make any, and only the few that it needs.

   Nothing here may use the thread pointer (it is the captured one) or call a function of libc (the name
   would be resolved to the captured process's). */
#ifndef RUNTIME_REPLAY_REPLAY_H
#define RUNTIME_REPLAY_REPLAY_H
#include "runtime/probe/system.h"
#include "runtime/replay/codelet_file.h"
#include "runtime/replay/plan_file.h"

/* What a call leaves in registers; slots as enum codelet_slot numbers them. enter.S knows the offsets. */
struct replay_results {
    uint64_t integers[2];
    uint64_t vectors[4][2];
    uint64_t x87[2];
};

/* enter.S knows the offsets: target 0, start 8, end 16, saved stack 24, registers 32, results 64. */
struct replay_context {
    uint64_t target;
    uint64_t start, end; /* ticks of the clock around the call */
    uint64_t stack;      /* our own while the call runs */
    const void *registers;
    uint64_t extended; /* x86: components that XRSTOR loads */
    uint64_t reserved[2];
    struct replay_results results;
};
extern struct replay_context replay_context;
void replay_enter(void);
void replay_empty(void);     /* a function that returns at once, to measure what a call costs */
void replay_leave(void);     /* where a call returns to */
void replay_restorer(void);  /* returns from signal handlers */
extern const char replay_code_start[], replay_code_end[], replay_image_start[], replay_image_end[];

enum { page_TOUCHED = 1, page_WRITTEN = 2, page_RESULT = 4 /* the original wrote it: it has a result */ };

/* A region of the codelet, with a state for each page and where its first contents are. */
struct replay_region {
    const struct codelet_region *facts;
    uint64_t first_page; /* its place in the states of all pages */
};

struct replay {
    const uint8_t *file; /* the codelet, mapped a second time */
    const struct codelet_header *header;
    const struct codelet_region *regions;
    const struct codelet_stretch *stretches;
    const struct codelet_object *objects;
    const struct replay_plan *plan;
    uint64_t region_count;       /* the captured ones, and the reserve of kernel_memory.c */
    struct replay_region *table; /* one for each region */
    uint8_t *states;             /* one for each page */
    uint64_t page_count, page_size;
    uint64_t *written; /* addresses of pages that are restored, in order */
    uint64_t written_count;
    uint64_t result_count; /* the first of them, which the original wrote */
    uint8_t *results;      /* what it left there */
    struct replay_results original_results;
    bool is_variant, is_tracing;
    bool is_trial, has_trial_failed; /* a call whose end, if it does not come back, is no news */
    bool is_repeatable;              /* made again on what it left, the call leaves the same */
    double first_call, second_call; /* seconds of the original's, watched and not */
    struct replay_answer answer;
};
extern struct replay replay;

/* main.c: writes the answer and ends. */
_Noreturn void replay_finish(enum replay_end end, int64_t detail);
_Noreturn void replay_fail(enum replay_step step, long result);
double replay_processor_seconds(void);
/* Calls the original or the variant; the context has its results and times. */
void replay_call(bool is_variant);

/* maps.c */
void replay_leave_memory(void);
void replay_map(void);
void replay_map_contents(int file);
void *replay_memory(uint64_t bytes);
/* NULL: the address lies in none. */
const struct replay_region *replay_region_at(uint64_t address);
uint8_t *replay_state_at(uint64_t address);
/* What a page had at the call; NULL: zero. */
const void *replay_initial(uint64_t page);
bool replay_is_dropped(uint64_t page);
/* A page of the captured process as it was. */
void replay_restore_page(uint64_t page);
void replay_copy_page(void *to, const void *from);

/* faults.c */
void replay_take_signals(void);
void replay_watch_pages(void);   /* every page faults at its first use, and at its first write */
void replay_unwatch_pages(void); /* rights are what they were */
void replay_limit_time(double seconds);

/* kernel_memory.c: memory that a call gets from the kernel. */
uint64_t replay_reserve(void); /* makes the reserve: its bytes */
uint64_t replay_reserve_start(void);
void replay_reset_reserve(void);
void replay_note_heap(uint64_t end);
/* A system call with its arguments: false: it is not about such memory. */
bool replay_kernel_memory(long number, const uint64_t *words, long *result);

/* guard.c */
void replay_forbid_system_calls(void);

/* compare.c */
void replay_collect_written(void); /* fills replay.written with all that were written until now */
void replay_keep_results(void);
void replay_compare(void);
bool replay_is_same_again(void);
void replay_restore(void);
void replay_copy_in(void);
void replay_copy_out(void);

/* measure.c */
#define REPLAY_SHORT_CALL 2e-5 /* seconds: such calls are made many in a row, where they are repeatable */
void replay_measure(void);
#endif
