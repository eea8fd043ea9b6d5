/* Turns a stream of facts about processes (maps, threads, samples) into a recording.

   Whoever takes samples calls these in the order of time, from one thread.  The collector keeps the maps of
   every process, finds the callers of a sample at once (call frame information from the copied stack, frame
   pointers where there is none, the kernel's chain beyond the end of the copy), and counts the stack: no
   sample is stored.

   Memory is bounded: beyond `most_nodes` different nodes a sample is counted at its own frame without callers
   (recording.summarised). */
#ifndef RUN_SAMPLE_COLLECTOR_H
#define RUN_SAMPLE_COLLECTOR_H
#include "run/sample/recording.h"
#include "run/places/unwind.h"

struct collector;

/* Processes that are not here: somebody else recorded them, and /proc knows nothing of them. */
struct collector_recorded {
    const char *host; /* that they ran on; NULL: unknown */
    struct code_finder *finder;
};

struct collector_map {
    uint64_t start, size, offset; /* in memory; offset in the file */
    uint64_t device, inode;       /* 0: unknown */
    const char *path;             /* "//anon", "[vdso]", … as the kernel names them */
    bool is_deleted;
    const char *build_id; /* hexadecimal; NULL: not known from the map */
};

struct collector_sample {
    uint32_t process, thread;
    double seconds; /* since the start of the run */
    uint16_t event; /* place in events */
    double amount;  /* as in struct sample_count */
    uint64_t address;
    bool is_kernel; /* the address is the kernel's; the callers are in user registers and user chain */
    /* Callers, as far as known; each may be missing. */
    const struct places_registers *registers; /* NULL: none */
    uint64_t stack_address;
    const uint8_t *stack;
    size_t stack_size;
    const uint64_t *chain; /* of the user's code, the leaf first, by frame pointers; NULL: none */
    size_t chain_count;
};

/* most_nodes 0: the usual limit. The recording must stay until collector_end. */
struct collector *collector_begin(struct sample_recording *recording, size_t most_nodes);
/* As collector_begin; `recorded` stays until collector_end. */
struct collector *collector_begin_recorded(struct sample_recording *recording,
                                           const struct collector_recorded *recorded);
/* Maps that were left out, because no real process has so many. */
uint64_t collector_refused_maps(const struct collector *collector);
/* Ranks, hosts, command lines are found out by the collector itself (/proc/PID/environ and cmdline) when a
   process starts or execs, and again at its first sample. */
void collector_fork(struct collector *collector, uint32_t process, uint32_t thread, uint32_t parent,
                    double seconds);
void collector_exec(struct collector *collector, uint32_t process, uint32_t thread, const char *name,
                    double seconds);
void collector_name(struct collector *collector, uint32_t process, uint32_t thread, const char *name);
void collector_map(struct collector *collector, uint32_t process, const struct collector_map *map);
void collector_unmap(struct collector *collector, uint32_t process, uint64_t start, uint64_t size);
/* All maps of a process that runs already, from /proc/PID/maps, and its threads. */
void collector_adopt(struct collector *collector, uint32_t process, double seconds);
void collector_exit(struct collector *collector, uint32_t process, uint32_t thread, double seconds);
void collector_sample(struct collector *collector, const struct collector_sample *sample);
/* The file and the address in it of code that a process has mapped now; false: there is none. */
bool collector_locate(struct collector *collector, uint32_t process, uint64_t address, uint32_t *file,
                      uint64_t *own);
/* Closes files, ends what still runs at `seconds`, looks at which files were replaced meanwhile. */
void collector_end(struct collector *collector, double seconds);

/* ranks.c: the rank that an environment names (OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID, …),
   texts one after the other, each ended by 0; NO_NUMBER: none. */
int32_t sample_rank(const char *environment, size_t size);
#endif
