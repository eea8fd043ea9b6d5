/* What the files that make rows of a recording share.

   rows.c          the run, its processes and threads, its files and limits, in the order in which rows are
   made rows_places.c   files of the recording as programs of the model, frames as instructions and code
   rows_names.c    names of code that has none, from the calls that lead to it
   rows_times.c    the tree of stacks, added up: functions and loops
   rows_calls.c    the call tree, by function
   rows_library.c  calls of run-time libraries, by who calls
   rows_samples.c  samples by instruction; counters by function and loop
   rows_lines.c    hot lines of functions
   rows_positions.c time by source line and inlining */
#ifndef RUN_SAMPLE_ROWS_PARTS_H
#define RUN_SAMPLE_ROWS_PARTS_H
#include "run/sample/recording.h"

/* Code that has a row of run_functions: a function of the model, or a name in a file. */
struct row_code {
    uint32_t function; /* row; 0: not in the model */
    string_id name;    /* where function is 0 */
    uint32_t file;     /* place in recording.files */
    uint8_t activity;  /* enum run_activity, by its name */
    bool is_nameless;  /* its name is its file's or made from its address */
    bool is_helper;    /* it works for whoever called it: the kernel, the C library */
    bool is_library;   /* nobody changes it: its time is its caller's (library.def) */
    uint64_t samples;
    double self, total; /* seconds */
};
/* A frame of the recording, as a place of the model. */
struct row_frame {
    uint32_t code; /* place in codes */
    uint32_t instruction, loop, source, line, inlined_call;
};
/* A node of the recording. */
struct row_node {
    uint64_t samples;
    double self, total;  /* seconds */
    double kernel;       /* of the kernel that it entered without a call */
    uint8_t activity;    /* enum run_activity: of its code, or of what its code works for */
    bool is_mpi, is_cut; /* it or a caller of it */
};

/* A loop of the model. */
struct loop_time {
    uint64_t samples;
    double self, total, calls, kernel; /* seconds */
    uint32_t active,
        calling; /* while walking: frames of the present stack in it; with their calls in its own code */
};

struct sample_rows {
    struct model *model;
    const struct sample_recording *recording;
    uint32_t run;        /* row of runs */
    uint64_t samples;    /* of time */
    double seconds;      /* that they stand for */
    uint32_t *programs;  /* by file: row of programs; 0: not in the model */
    uint32_t *file_rows; /* by file: row of run_files; 0: no code of it ran */
    uint32_t *thread_rows;
    struct row_frame *frames;
    struct row_node *nodes;
    struct array codes;      /* of struct row_code; the first is no code */
    struct loop_time *loops; /* by row of loops */
};

static inline const struct sample_node *recorded_node(const struct sample_rows *rows, size_t node)
{
    return ARRAY_AT(struct sample_node, &rows->recording->nodes, node);
}
static inline const struct sample_frame *recorded_frame(const struct sample_rows *rows, size_t node)
{
    return ARRAY_AT(struct sample_frame, &rows->recording->frames, recorded_node(rows, node)->frame);
}
static inline struct row_frame *row_frame_of(const struct sample_rows *rows, size_t node)
{
    return &rows->frames[recorded_node(rows, node)->frame];
}
static inline struct row_code *row_code_of(const struct sample_rows *rows, size_t node)
{
    return ARRAY_AT(struct row_code, &rows->codes, row_frame_of(rows, node)->code);
}
static inline double row_share(const struct sample_rows *rows, double seconds)
{
    return rows->seconds > 0 ? seconds / rows->seconds : 0;
}

/* rows_places.c: programs, frames, codes. */
void row_places_find(struct sample_rows *rows);
/* Codes while they are found. */
struct code_search;
uint32_t row_code_named(struct code_search *search, uint32_t file, string_id symbol);
/* rows_names.c */
bool row_code_lacks_name(const struct model *model, const struct sample_file *file, uint32_t function,
                         string_id symbol);
void row_names_find(struct sample_rows *rows, struct code_search *search);
/* rows_times.c: nodes, and the times of codes; then run_functions and run_loops. */
void row_times_find(struct sample_rows *rows);
void row_functions_add(struct sample_rows *rows);
void row_loops_add(struct sample_rows *rows);
/* rows_calls.c: run_calls. */
void row_calls_add(struct sample_rows *rows);
/* rows_library.c: is_library of codes; then run_library_calls. */
void row_library_find(struct sample_rows *rows);
void row_library_add(struct sample_rows *rows);
/* rows_lines.c: after samples and run_functions, hot_source and hot_line of these. */
void row_lines_find(struct model *model);
/* rows_positions.c: run_positions. */
void row_positions_add(struct sample_rows *rows);
/* rows_samples.c: samples; run_counters and counter_values. */
void row_samples_add(struct sample_rows *rows);
void row_counters_add(struct sample_rows *rows);
#endif
