/* What the files of this room share. */
#ifndef RUN_DENORMAL_PARTS_H
#define RUN_DENORMAL_PARTS_H
#include "run/denormal/denormal.h"
#include "run/places/loaded.h"

/* What launch.c hands to the runtimes.  Each process of the run leaves one recording in the folder.

     profiler, in the environment, with LD_PRELOAD:
       ASSAY_DENORMALS_FILE=DIR/profile  recording DIR/profile.PID; profile.PID.2 … where an exec came before
       ASSAY_DENORMALS_EXACT=1           not there: sampled
       ASSAY_DENORMALS_BUDGET=5          percent of the time that watching may take (sampled)
       ASSAY_DENORMALS_EVERY=1.5         seconds of a phase; not there: no ticks
     tracer, as options of the tool:
       --output=DIR/%p.trace             %p is the PID, with -1 … where an exec came before
       --origins=yes|no
       --near=BINADES                    0: not counted
       --phase-milliseconds=N            0: no ticks
       --log=yes                         not there: no log
       --log-array=NAME                  only what concerns this array; not there: all
       --log-around=N                    only what is around the N-th operation; not there: the first ones
       --arrays=FILE                     list of arrays (array_list_file.h); not there: blocks only */

/* sites.c: a row for the events at a place, without counts yet. */
struct denormal_site denormal_site_at(const struct places_location *place, uint32_t run, uint32_t phase);
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

/* arrays.c: the arrays of a program as a list for the tracer (runtime/denormal-trace/array_list_file.h says
   how it is laid out), divided as the user says (NULL: not at all).  A layout that does not fit is an error. */
bool denormal_write_arrays(const struct model *model, const struct denormal_layout *layout, const char *path,
                           struct error *error);

/* array_names.c: whether that list has an array of this name; the error names some that it has. */
bool denormal_has_array(const char *list, const char *name, const char *program, struct error *error);

/* data_names.c: "u", "u+64", ".bss of libm.so.6"; address as the module's file numbers it. is_program: leave
   its name out. */
string_id denormal_name_data(struct model *model, const struct places_loaded *module, uint64_t address,
                             bool is_program);
#endif
