/* What sampling saw of a run, in memory: the same whoever took the samples (the kernel, a timer in the
   program, files of other ranks), and without any model of the programs.

   Addresses are places of files as soon as they are known: a frame is a file and an address as the file
   numbers it, so that processes with different maps share frames, and libraries that were unloaded keep
   theirs.  Stacks are a tree: a node is a frame and the node of its caller.  Counts hang at nodes, by thread
   and event, so memory grows with the different stacks of a run, not with its length.

   Entry 0 of files, frames and nodes means "none" or "unknown". */
#ifndef RUN_SAMPLE_RECORDING_H
#define RUN_SAMPLE_RECORDING_H
#include "base/memory.h"
#include "base/error.h"
#include "model/model.h"

enum sample_file_kind {
    SAMPLE_FILE_UNKNOWN,   /* memory that no map covers */
    SAMPLE_FILE_CODE,      /* an ELF file */
    SAMPLE_FILE_KERNEL,    /* all of the kernel is one file */
    SAMPLE_FILE_VDSO,      /* the kernel's pages in every process */
    SAMPLE_FILE_GENERATED, /* memory without a file: a compiler at run time */
};
struct memory_file;
struct sample_file {
    char *path;          /* NULL: none */
    char build_id[41];   /* hexadecimal, of what was loaded; empty: unknown */
    uint8_t kind;        /* enum sample_file_kind */
    bool is_deleted;     /* the file was deleted or replaced while the program ran */
    bool has_other_code; /* its path holds another file now (build-id, else size and time of change) */
    /* Of recordings by others (perf_data/); not written into recordings of ranks. */
    char *found;     /* where it lies here, if not at its path; NULL */
    bool is_missing; /* it is nowhere here */
    /* Of code that was made at run time (jit/); not written either. */
    uint32_t process;          /* whose it is; 0: unknown */
    struct memory_file *image; /* that `found` names: the code as an ELF file; NULL: none */
};
/* Where a file that ran can be read; NULL: nowhere. */
const char *sample_file_here(const struct sample_file *file);

struct sample_frame {
    uint32_t file;
    uint64_t address; /* as the file numbers it; in memory where there is no file; 0 for the kernel */
};
struct sample_node {
    uint32_t caller; /* node, with a lower number; 0: the stack begins here */
    uint32_t
        frame;   /* of the instruction itself in a leaf; in callers, of the call (not of what follows it) */
    bool is_cut; /* the callers beyond are unknown */
};

struct sample_process {
    uint32_t process, parent; /* numbers of the system */
    char *command;            /* words of the command line, with blanks; else the short name */
    char *host;
    int32_t rank;           /* of MPI or Slurm; NO_NUMBER: none */
    double start, end;      /* seconds from the start of the run; end NaN: not seen */
    double cpu, kernel_cpu; /* seconds of processor time by the kernel's account; NaN: unknown */
};
struct sample_thread {
    uint32_t process; /* place in processes */
    uint32_t thread;  /* number of the system */
    char *name;       /* NULL: none */
    double start, end;
    double queued;        /* seconds that it waited for a processor; NaN: unknown */
    double queued_before; /* and before the recording began; not written */
};

/* What was counted: event 0 is time. */
struct sample_event {
    char *name;       /* as the user named it */
    double total;     /* counted, scaled up where the counter was not always there; NaN: unknown */
    double running;   /* share of the time that it was counted: below 1 where counters were shared */
    uint64_t samples; /* taken */
    bool is_exact;    /* every event was a sample */
};
struct sample_count {
    uint32_t thread, node; /* places */
    uint16_t event;
    uint64_t samples;
    double amount; /* event 0: seconds; others: events */
};

/* A place that code jumps back to, as a loop does to its header, in records of branches. */
struct sample_return {
    uint32_t file;
    uint64_t address; /* of the place, as the file numbers it */
    uint64_t
        iterations; /* from one such jump to the next, with nothing outside between them, whose cycles are known */
    double cycles;        /* of all these */
    uint64_t again, left; /* after such a jump: another one followed, or code outside */
};

/* A file that a just-in-time compiler writes about its code: a map of it tells perf its name. */
struct sample_dump {
    uint32_t process; /* number of the system */
    char *path;
};
/* A function that was made at run time, by the name that its compiler gave it. */
struct sample_made {
    uint32_t file;
    uint64_t address, size;
    char *name;
};

enum sample_source { SAMPLE_BY_CYCLES, SAMPLE_BY_CPU_CLOCK, SAMPLE_BY_TIMER, SAMPLE_BY_EVENT };

struct sample_recording {
    char *command; /* the command line, or "process 123" */
    char *processor, *host;
    uint8_t source;       /* enum sample_source */
    char *why_not_kernel; /* SAMPLE_BY_TIMER: why the kernel's sampling could not be used; NULL */
    /* Of recordings by others; neither written nor merged. */
    char *recording, *event; /* the file, and the event that stands for time there; NULL: Assay took them */
    char *processor_id;      /* as perf writes it (code/machine/host.h); NULL: unknown */
    uint64_t other_programs, idle; /* samples that were left out */
    uint64_t nonsense, cut_short, traces;
    /* Code that was made at run time (jit/); neither written nor merged. */
    uint64_t reused,
        undumped; /* functions with samples whose place other code had, too; files that were not read whole */
    struct array dumps, made; /* of struct sample_dump; of struct sample_made, by file and address */
    struct array returns;     /* of struct sample_return */
    bool has_kernel;          /* the kernel's own code was sampled, too */
    double frequency;         /* samples a second, as wished */
    double seconds;           /* by the clock on the wall */
    double cpu_seconds, kernel_seconds; /* all processes, by the kernel's account; NaN: unknown */
    double cycles_per_second;           /* of the core, measured in the run; NaN: unknown */
    double slowest_clock, fastest_clock;
    double others_share;         /* of the time of all processors that other programs had; NaN: unknown */
    int exit_status, end_signal; /* -1, 0: as in struct launch_run */
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches, peak_memory;
    uint64_t lost;       /* samples that the kernel or a full buffer dropped */
    uint64_t summarised; /* samples that were kept without their callers, because there was no room for more
                            stacks */
    uint64_t unread;     /* recordings of ranks that could not be read */
    struct array files, frames, nodes, processes, threads, events, counts; /* of the structs above */
};

void sample_recording_init(struct sample_recording *recording);
void sample_recording_free(struct sample_recording *recording);

/* recording_file.c: to a file (written whole or not at all), and back, in place of what the recording has.  A
   file is hostile input: every number is checked. */
bool sample_recording_write(const struct sample_recording *recording, const char *path, struct error *error);
bool sample_recording_read(struct sample_recording *recording, const char *path, struct error *error);
/* recording_merge.c: `from` is put after what `recording` has.  Processes, threads, hosts and ranks stay
   apart; files, frames and nodes are shared.  Wall time is the longest, processor time the sum; command,
   processor and host are the first one's, the end is that of the first that failed. */
void sample_recording_merge(struct sample_recording *recording, const struct sample_recording *from);
#endif
