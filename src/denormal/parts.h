/* What the files of this room share. */
#ifndef DENORMAL_PARTS_H
#define DENORMAL_PARTS_H
#include "denormal/denormal.h"

/* What watch.c hands to the runtimes.  Each process of the run leaves one recording in the folder.

     profiler, in the environment, with LD_PRELOAD:
       ASSAY_DIP_FILE=DIR/dip      a recording is DIR/dip.PID; dip.PID.2 … where an exec came before
       ASSAY_DIP_EXACT=1           not there: sampled
       ASSAY_DIP_BUDGET=5          percent of the time that watching may take (sampled)
       ASSAY_DIP_EVERY=1.5         seconds of a phase; not there: no ticks
     tracer, as options of the tool:
       --output=DIR/%p.dart        %p is the PID, with -1 … where an exec came before
       --origins=yes|no
       --near=BINADES              0: not counted
       --phase-milliseconds=N      0: no ticks
       --arrays=FILE               list of arrays (array_list_file.h); not there: blocks only */

/* modules.c: a file that was loaded into a process of the run, and where. */
struct denormal_module {
    char *path;
    uint64_t start, end; /* addresses in memory of all its loaded segments */
    uint64_t bias;       /* address in memory - address in the file */
    char build_id[41];   /* hexadecimal; empty: none */
    uint64_t events;     /* profile.c, trace.c: events of sites and births in its code; 0: only in stacks */
    uint32_t program;    /* row of programs; 0: not in the model */
};
struct denormal_place {
    uint32_t program, function, loop, instruction; /* rows; 0: unknown */
    uint32_t file, line;
    uint32_t inlined_call;
    uint64_t address; /* as the file numbers it; in memory where program is 0 */
    string_id name;   /* as text, if the model does not have the code */
};
/* Finds the programs of modules by build-id, else by path, and puts the modules in order of their addresses:
   numbers of modules are invalid afterwards. */
void denormal_match_modules(struct model *model, struct array *modules);
/* The module that an address in memory lies in, or NULL. */
struct denormal_module *denormal_module_at(const struct array *modules, uint64_t address);
struct denormal_place denormal_locate(struct model *model, const struct array *modules, uint64_t address);
/* The block that an address of a program lies in, as its file numbers it; or 0. */
uint32_t denormal_block_at(struct model *model, uint32_t program, uint64_t address);
void denormal_free_modules(struct array *modules);
/* A row for the events at a place, without counts yet. */
struct denormal_site denormal_site_at(const struct denormal_place *place, uint32_t run, uint32_t phase);
/* symbols.c: "expf (libm.so.6)" or "libm.so.6+0x1234", for code of a file that is not in the model; address
   as the file numbers it. */
string_id denormal_name_code(struct model *model, const char *path, uint64_t address);
/* stacks.c: a call stack as rows of denormal_frames; the same stack gets the same number.  Addresses in
   memory, innermost first: of the instruction itself, then of what follows each call. */
uint32_t denormal_add_stack(struct model *model, const struct array *modules, const uint64_t *addresses,
                            size_t count);

/* processes.c: the recording of a process, as its runtime wrote it. Hostile: it may be cut short or damaged.
 */
struct denormal_process *denormal_process_make(const char *path);
void denormal_process_free(struct denormal_process *process); /* NULL is nothing */
/* Read once, at first use: all modules of the process, the program itself first, with the
   events that happened in each.  NULL: it cannot be read; the error says why. */
const struct array *denormal_process_modules(struct denormal_process *process, enum denormal_tool tool,
                                             struct error *error);
/* Makes its rows; frees everything that was read. */
bool denormal_process_add(struct denormal_process *process, struct model *model,
                          const struct denormal_recording *recording, struct error *error);

/* Rows of tables with ids are in order of their runs: the first of a run, or the number of rows. */
static inline uint32_t denormal_first_of_run(const struct array *table, size_t offset_of_run, uint32_t run)
{
    return (uint32_t)array_first_not_below(table, table->count ? 1 : 0, offset_of_run, run);
}
/* The limits of the run that was added last. */
void denormal_add_limit(struct model *model, enum denormal_limit_kind kind, uint64_t count, const char *text);
/* costs.c: extra time of each site, from denormal_penalties. */
void denormal_add_costs(struct model *model);
/* chains.c: the story. */
void denormal_add_chains(struct model *model);

/* arrays.c: the arrays of a program as a list for the tracer (runtime/dart/array_list_file.h says how it is
   laid out). */
bool denormal_write_arrays(const struct model *model, const char *path, struct error *error);

/* unwind.c: the callers of a sample, from its registers and a copy of the top of its stack, by the call frame
   information of the modules.  The modules must stay, in order of their addresses, as long as the unwinder.
 */
struct denormal_registers {
    bool is_64;
    uint64_t values[17]; /* DWARF numbers of the ISA; behind the general ones (16 or 8) the instruction's
                            address */
};
struct denormal_unwinder;
struct denormal_unwinder *denormal_unwinder_make(const struct array *modules);
void denormal_unwinder_free(struct denormal_unwinder *unwinder);
/* Of the instruction itself, then of what follows each call; the number of them. */
size_t denormal_unwind(struct denormal_unwinder *unwinder, const struct denormal_registers *registers,
                       uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                       size_t most);

/* data_names.c: "u", "u+64", ".bss of libm.so.6"; address as the module's file numbers it. is_program: leave
   its name out. */
string_id denormal_name_data(struct model *model, const struct denormal_module *module, uint64_t address,
                             bool is_program);
#endif
