/* A recording of the tracer in memory, between its file and the tables. */
#ifndef RUN_DENORMAL_TRACE_H
#define RUN_DENORMAL_TRACE_H
#include "run/denormal/parts.h"

#include "runtime/denormal-trace/trace_file.h"

struct trace_text {
    const char *data; /* in the file's bytes, without a 0 */
    size_t length;
};
struct trace_phase_read {
    struct trace_phase facts;
    struct trace_text name;
};
struct trace_array_read {
    struct trace_array facts; /* number 0: there is none of this number */
    struct trace_text name;
};
struct trace_counts_read {
    uint32_t phase; /* index; rows of the file come in order of phases */
    struct trace_array_counts counts;
};
struct trace_site_read {
    uint32_t phase;
    struct trace_site site;
};
struct trace_map_read {
    uint32_t phase;
    struct trace_map facts;
    struct span runs;
};
struct trace_stack_read {
    uint32_t count; /* 0: there is none of this number */
    const uint8_t *addresses;
};
struct trace_limit_read {
    uint64_t count;
    struct trace_text text;
};
struct trace {
    uint8_t *bytes;
    size_t size;
    struct trace_start start;
    struct trace_text command;
    struct array modules; /* of struct places_loaded, the program first, events counted */
    struct array phases;  /* of struct trace_phase_read */
    struct array sites;   /* of struct trace_site_read */
    struct array arrays;  /* of struct trace_array_read, by number */
    struct array counts;  /* of struct trace_counts_read */
    struct array maps;    /* of struct trace_map_read */
    struct array births;  /* of struct trace_birth, in order of their numbers */
    struct array origins; /* of struct trace_origin, each pair once */
    struct array stacks;  /* of struct trace_stack_read, by number */
    struct array limits;  /* of struct trace_limit_read, each text once */
    struct array log;     /* of struct trace_log_entry, in order of their numbers */
    bool has_end, is_damaged;
    struct trace_end end;
};

/* trace_read.c. false: it is not a recording; of a damaged one, everything readable is kept. */
bool trace_read(const char *path, struct trace *trace, struct error *error);
void trace_free(struct trace *trace);
/* The number that stands for an array; 0: there is none. */
uint32_t trace_array_of(const struct trace *trace, uint32_t number);

/* trace.c: rows of what was read, whose modules get into another order. */
void trace_add(struct model *model, struct trace *trace, const struct denormal_recording *recording);

/* trace_log.c.  modules: as places_locate wants them; rows: of uint32_t, the row of denormal_arrays for each
 * number. */
void trace_add_log(struct model *model, const struct trace *trace, const struct array *modules, uint32_t run,
                   const uint32_t *rows);

/* trace_shape.c: how the elements of an array lie. */
struct trace_shape {
    uint32_t element_bytes;
    uint32_t rank;
    uint64_t dimensions[TRACE_DIMENSIONS]; /* all known */
    bool is_assumed;
};
struct trace_shape trace_shape_of(const struct trace *trace, uint32_t number, uint32_t cell_bytes);

/* trace_maps.c.  rows: of uint32_t, the row of denormal_arrays for each number; phases: first row of phases.
 */
void trace_add_maps(struct model *model, const struct trace *trace, const uint32_t *rows,
                    uint32_t first_phase, uint64_t *left_out);
#endif
