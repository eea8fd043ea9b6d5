/* Shared declarations of the probe runtime's parts.

   The runtime is a library that is preloaded into a program.  Before the program's own code runs, it patches
   the code of loaded files as a plan says (plan_file.h): patches jump to trampolines, which write events into
   the thread's buffer, and full buffers are summarised into the recording (record_file.h).

     start.c        environment, start
     plan.c         the plan is mapped and checked
     file.c         the recording grows by segments
     recorders.c        each thread has a recorder: buffer, counters, summary; full buffers
     threads.c      threads of libc
     entries.S      what trampolines call: registers are kept
     summary.c, summary_values.c   events become slots (summary_file.h)
     maps.c         what is where in memory; room within reach of code
     modules.c      which file of the plan a loaded file is
     link_map.c     which files are loaded
     trampolines.c  trampolines are put into memory
     patch.c        code is patched
     switch.c       patches that have served are taken back
     nodes.c        programs that were compiled with probes: the plan is in them
     loading.c      dlopen: new files are patched before their constructors run
     traps.c        patches that are traps; the program's own SIGTRAP
     fork.c         fork
     processes.c    functions that fork, exec, the end
     calibrate.c    the clock, and what probes cost
     launcher.c     a program of its own: it loads static programs, which have no dynamic linker

   Code that runs between two instructions of the program (entries.S and everything it calls, handlers, the
   hook of loading.c) calls no function of libc: it may be patched itself, hold a lock, or use vector
   registers, which trampolines do not save.  For that reason the library is compiled for general registers
   only and uses system.h instead. */
#ifndef RUNTIME_PROBE_PROBE_H
#define RUNTIME_PROBE_PROBE_H
#include "runtime/probe/summary_file.h"
#include "runtime/probe/system.h"

#include <link.h>

#define PROBE_EXPORT __attribute__((visibility("default")))

/* Trampolines find the first PROBE_LOCALS words at fixed distances from the thread pointer. */
struct thread_locals {
    struct probe_event *position;
    uint64_t *counters;
    struct recorder *recorder; /* NULL: none yet */
};
#ifdef PROBE_LAUNCHER             /* launcher.c: in the program's own thread-local storage */
extern uintptr_t launcher_locals; /* from the thread pointer */
#define probe_locals (*(struct thread_locals *)(system_thread_pointer() + launcher_locals))
#else
extern __thread struct thread_locals probe_locals __attribute__((tls_model("initial-exec")));
#endif

enum { MOST_UNWRITTEN = 16 };

/* What a thread records with.  Recorders of threads that ended are used again. */
struct recorder {
    struct probe_summary summary; /* its thread: in the recording */
    struct probe_event *buffer;
    struct probe_event *unwritten[MOST_UNWRITTEN]; /* places that are PROBE_UNWRITTEN, in turn; NULL: none */
    uint32_t next_unwritten;
    uint64_t *counters;
    struct probe_segment *kept; /* PROBE_KEEP_ALL: the segment that is being filled */
    uint64_t kept_count;
    uint32_t system_number; /* of the thread; 0: it has not begun */
    bool is_free;
    void *(*start)(void *); /* of a thread that begins */
    int (*start_plain)(void *);
    void *argument;
    struct recorder *next;
    /* Used around fork (processes.c): a buffer, and what was open on the thread's stacks. */
    struct probe_event *private_buffer;
    void *open_frames;
    size_t open_bytes;
};

/* plan.c */
struct plan {
    const struct probe_plan_header *header; /* NULL: none */
    const struct probe_plan_subject *subjects;
    const struct probe_plan_module *modules;
    const struct probe_plan_patch *patches;
    const struct probe_plan_fix *fixes;
    const struct probe_plan_tally *tallies;
    const uint8_t *code;
    uint32_t group_count;
    bool has_nodes; /* nodes.c made it */
};
extern struct plan plan;
bool plan_open(const char *path);

/* file.c */
extern struct probe_header *recording; /* NULL: there is none */
bool file_open(const char *prefix);    /* a new recording, for this process */
void file_forget(void);                /* after fork: the one that is open is the parent's */
bool file_is_ours(void);               /* false in a child of vfork, which shares the parent's memory */
bool file_is_copied(void);             /* this is a child by a fork that nobody announced */
/* A segment with at least so many bytes, at `place` in memory modulo 32 KiB; NULL: no memory.  The caller
   fills it, then calls file_finish. */
#define ANY_PLACE UINT64_MAX
struct probe_segment *file_segment(uint64_t bytes, uint32_t thread, uint64_t place, uint64_t *offset);
void file_finish(struct probe_segment *segment, uint32_t kind);
extern uint64_t page_bytes;

/* threads.c */
bool threads_scrap(void); /* events of threads without recorder have a place to go */
bool threads_begin(void); /* the first thread gets its recorder */

/* recorders.c */
bool recorders_scrap(void);
struct recorder *recorder_take(void);
void recorder_give_back(struct recorder *recorder); /* its thread could not be made */
void recorder_use(struct recorder *recorder);       /* by this thread */
void recorder_drain(struct recorder *recorder, struct probe_event *end);
void recorders_forget(void);                   /* after fork */
extern struct probe_event *scrap_position; /* of threads without recorder: the next event fills the buffer */
extern uint64_t *scrap_counters;

/* entries.S */
void probe_entry_full(void);
void probe_entry_tally(void);
void probe_entry_loaded(void);

/* maps.c */
struct mapping {
    uintptr_t start, end;
    int protection;
};
struct maps {
    struct mapping *mappings;
    size_t count, capacity;
};
void maps_read(struct maps *maps);
void maps_free(struct maps *maps);
bool maps_has(const struct maps *maps, uintptr_t address, size_t size); /* readable */
/* Memory whose every byte is within `reach` of every byte from low to high; NULL: none. */
void *maps_room(struct maps *maps, uintptr_t low, uintptr_t high, size_t size, uint64_t reach);
/* How far a direct jump goes, less a page. */
#ifdef __aarch64__
#define PROBE_REACH (((uint64_t)128 << 20) - 4096)
#else
#define PROBE_REACH (((uint64_t)1 << 31) - 4096)
#endif

/* modules.c */
struct module { /* a loaded file */
    uintptr_t bias;
    const ElfW(Phdr) * segments;
    unsigned segment_count;
    const char *path;
    bool is_static;
};
struct placed;
/* Patches a file if it is planned; NULL: it is not.  dynamic: who it is. */
struct placed *modules_place(const struct module *module, const void *dynamic, struct maps *maps);
void modules_record(void); /* after fork */

/* link_map.c */
extern struct r_debug _r_debug;
/* Every loaded file, the program first. */
void modules_each(void (*visit)(const struct module *module, const struct maps *maps, void *context),
                  void *context);
void modules_patch(void); /* looks for planned files that are loaded and not yet patched */

/* switch.c: this tally has seen enough. */
void switch_off(uint64_t tally);

/* patch.c */
enum { MOST_COPIES = 8 };
struct placed { /* a module of the plan in memory */
    const struct probe_plan_module *module;
    uintptr_t bias, copies[MOST_COPIES]; /* of its trampolines */
    size_t trampolines_bytes;
    unsigned copy_count;
    const void *dynamic;        /* of the link map: who it is */
    struct probe_module result; /* for the recording */
    bool has_traps, is_gone, refuses_traps;
    bool is_writable; /* some of its code is on pages that the program may write to */
};
enum { MOST_PLACED = 4096 };
extern struct placed placed[MOST_PLACED];
extern uint32_t placed_count;
#ifdef __aarch64__
enum { PROBE_TRAP = (int)(0xd4200000 | 0xa55a << 5) }; /* brk */
#else
enum { PROBE_TRAP = 0xcc };
#endif
void patch_module(struct placed *place, const struct module *module, struct maps *maps);

/* nodes.c */
#ifdef __aarch64__
enum { PROBE_OUR_ISA = PROBE_ISA_AARCH64 };
#else
enum { PROBE_OUR_ISA = PROBE_ISA_X86_64 };
#endif
bool nodes_open(void); /* the plan of a program with nodes; false: it has none */
void nodes_take(const struct module *module, const struct maps *maps);
void nodes_record(void); /* after fork */

/* trampolines.c */
long trampolines_place(struct placed *place, struct maps *maps); /* no copy: no room; or an error */
uintptr_t trampolines_near(const struct placed *place, const struct probe_plan_patch *patch, uintptr_t jump);
/* Where the branch of a trampoline leads that was out of reach; 0: it is not one. */
uintptr_t trampolines_target(const struct placed *place, uintptr_t address, bool *is_call);
void trampolines_forget(struct placed *place);

/* loading.c */
void loading_begin(void);
void loading_forget(void); /* after fork */

/* traps.c */
void traps_begin(void);  /* as soon as there is a trap */
void traps_forget(void); /* trampolines are gone; others may come to their places */

/* fork.c */
void fork_before(void);
void fork_in_parent(void);
void fork_in_child(void);
void fork_notice(void);         /* where nobody announced it: system calls by hand */
extern void (*fork_more)(void); /* what else the child does, with its recording open; may be NULL */

/* processes.c */
void processes_begin(void);
void probe_finish(uint32_t end, uint32_t status);

/* calibrate.c */
void calibrate_begin(void);
void calibrate_clock(void);      /* at the end of the start */
uint64_t calibrate_cycles(void); /* core cycles in 1024 ticks */

/* start.c */
extern const char *probe_suffix; /* of recordings, behind the number of the process */
extern const char *probe_prefix; /* of recordings */
#endif
