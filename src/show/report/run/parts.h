/* Shared by the views of a sampled run: which rows are shown, how they are named, and the sentences.

   The ranked table counts every sample once: a loop has the time of its own code, without inner loops; a
   function has what is left outside its loops. */
#ifndef SHOW_REPORT_RUN_PARTS_H
#define SHOW_REPORT_RUN_PARTS_H
#include "show/report/common/loop_place.h"
#include "show/report/common/phrases.h"
#include "show/report/common/places.h"
#include "show/report/run/run.h"

enum {
    FEWEST_SAMPLES = 30,  /* a loop with fewer has no cycles by samples */
    USUAL_ROWS = 10,      /* of the ranked table */
    USUAL_CHANGES = 3,    /* loops with advice that fit one screen */
    MOST_NAMED_FILES = 5, /* of the line that says where the time went */
};

static const double LEAST_SHOWN = 0.001; /* share of the run below which a row says nothing */

/* A row of the ranked table. */
struct run_hot {
    uint32_t loop;                  /* 0: a function outside its loops */
    const struct run_loop *figures; /* of the loop; NULL for functions */
    uint32_t function;              /* of the model; 0: its code was not read */
    uint32_t code;                  /* row of run_functions; 0: none */
    uint32_t library_call;          /* row of run_library_calls; function is its caller; 0: none */
    bool has_hot_loops;             /* a function whose loops have rows of their own */
    uint64_t samples;
    double seconds, share;
};

/* A loop that advice would make faster, or that took longer than predicted. */
struct run_change {
    uint32_t loop;
    const struct run_loop *figures;
    const struct run_saving *saving; /* the largest; NULL: none */
    const struct run_gap *gaps;      /* what explains most first */
    size_t gap_count;
    const struct run_gap *cause; /* what to change, where that saves more than the advice; NULL: the advice */
    double worth;                /* what the change would save of the run, at most */
    double native;               /* the same in code for this processor as well; never less */
    double weight;               /* the larger of that and its gap */
};

/* Whether advice saves that much at most: "would save up to". */
static inline bool run_saving_is_upper(const struct model *model, const struct run_saving *saving)
{
    return saving && saving->advice && model_advice(model, saving->advice)->is_upper;
}
static inline bool run_change_is_upper(const struct model *model, const struct run_change *change)
{
    return change->cause || run_saving_is_upper(model, change->saving);
}

struct run_report {
    const struct run_view *view;
    const struct model *model;
    const struct sampled_run *run;
    struct places places;
    struct array hot;     /* of struct run_hot, the most time first */
    struct array changes; /* of struct run_change that are shown, the largest saving first */
    size_t change_count;  /* of all */
    size_t rows;          /* of each table, at most */
    size_t shown;         /* of hot: neither more than that, nor negligible ones */
    bool is_plain;        /* the terminal shows no UTF-8 */
};

/* rows.c */
bool run_report_begin(struct run_report *report, const struct run_view *view, bool is_plain,
                      struct error *error);
/* Whether the ranked table has more rows than are shown. */
bool run_has_more(const struct run_report *report);
void run_report_end(struct run_report *report);
/* Rows of a run, or of another number that the table is sorted by and that is its first column. */
const void *run_rows(const struct array *table, uint32_t run, size_t *count);
/* The row of a loop; NULL: no samples. */
const struct run_loop *run_figures(const struct run_report *report, uint32_t loop);
const struct run_gap *run_gaps_of(const struct run_report *report, uint32_t loop, size_t *count);
const struct run_path *run_paths_of(const struct run_report *report, uint32_t loop, size_t *count);
/* The one that says that it was faster than predicted, which nothing else explains; NULL: none. */
const struct run_gap *run_faster(const struct run_gap *gaps, size_t count);
/* The largest saving of a loop at the level of the view; NULL: none. */
const struct run_saving *run_saving_of(const struct run_report *report, uint32_t loop);
/* Measured cycles of an iteration; NaN where there are none, or too few samples for them. */
double run_measured(const struct run_loop *figures);
/* The row of a function outside its loops, where cycles of a call could be known; NULL for all other rows. */
const struct run_function *run_hot_function(const struct run_report *report, const struct run_hot *hot);
/* Measured cycles of an iteration or a call; NaN likewise. */
double run_hot_measured(const struct run_report *report, const struct run_hot *hot);
/* Relative standard error of a number of samples. */
double run_error(uint64_t samples);

/* names.c: texts to be freed; they hold names from files. */
/* "solve", "exp", "the kernel". */
char *run_name(const struct run_report *report, uint32_t function, uint32_t code);
/* Of code without a row: "the kernel" for "[kernel]". */
char *run_code_name(const struct run_report *report, const char *name);
/* The function that a loop comes from, also where it was inlined. */
char *run_loop_origin(const struct run_report *report, uint32_t loop);
char *run_hot_name(const struct run_report *report, const struct run_hot *hot);
/* What follows the name after a comma: "outside its loops", "inlined in main", "MPI"; NULL: nothing. */
char *run_hot_remark(const struct run_report *report, const struct run_hot *hot);
/* "solver.c:40-52", "libm.so.6", "libm.so.6 0x11a0". */
char *run_hot_place(const struct run_report *report, const struct run_hot *hot);
char *run_loop_place(const struct run_report *report, uint32_t loop);
/* "solver.c:40"; NULL: the source is unknown. */
char *run_line_place(const struct run_report *report, uint32_t source, uint32_t line);
/* "solver.cpp:74, inlined from stl_numeric.h:140". */
char *run_loop_places(const struct run_report *report, uint32_t loop);
/* "libm.so.6", "the kernel", "generated code". */
char *run_file_name(const struct run_report *report, uint32_t file);
enum run_kind { RUN_PROGRAM, RUN_LIBRARY, RUN_KERNEL, RUN_GENERATED, RUN_UNKNOWN, RUN_KINDS };
enum run_kind run_file_kind(const struct run_report *report, const struct run_file *file);
const char *run_kind_word(enum run_kind kind);
/* "41 %"; "12 ±2 %" where the error (relative) is above 3 %. */
char *run_share(const struct run_report *report, double share, double error);
/* Three digits: "12.3", "4.10", "1,204". */
char *run_figure(double figure);
char *run_bytes(double bytes);

/* gap_words.c: why a loop took longer, or less long, than predicted; continues after a colon, without a full
   stop. */
char *run_gap_words(const struct run_report *report, const struct run_gap *gap);

/* trials.c: builds with other options that were run; to be freed. */
const struct run_trial *run_trials_of(const struct run_report *report, size_t *count);
/* The fastest; NULL: nothing was tried, or nothing is clearly faster. */
const struct run_trial *run_best_trial(const struct run_report *report);
/* Its sources are known, so it can be built with other options, and it was not yet. */
bool run_can_be_tried(const struct run_report *report);
/* NULL: something is promised, or was tried. */
char *run_say_worth_a_trial(const struct run_report *report);
/* One sentence for the head; NULL: nothing was tried. */
char *run_say_best_trial(const struct run_report *report);
/* Sentences of a section, the answer first; none: nothing was tried. */
void run_say_trials(const struct run_report *report, struct array *sentences);

/* change.c: sentences about a loop.  NULL: nothing to say. */
void run_find_changes(struct run_report *report);
/* "Measured 12.3 cycles an iteration, predicted 4.1: …." */
char *run_say_cycles(const struct run_report *report, uint32_t loop);
/* "The loop is not vectorised. Compile with -O3." */
char *run_say_advice(const struct run_report *report, const struct run_saving *saving);
/* The options that are remedies for loops of the run, with the number of loops; NULL: none. To be freed. */
/* What the reader has to do for it; action_OTHER: nothing that has a name. */
enum action run_change_action(const struct run_report *report, const struct run_change *change);
char *run_say_options(const struct run_report *report);
/* "62 % of the iterations took path 1 (4.10 cycles predicted), 38 % path 2 (2.00 cycles)."; NULL: one path,
   or unknown. */
char *run_say_paths(const struct run_report *report, uint32_t loop);
/* What a probe saw before it switched itself off; NULL: it saw everything.  To be freed. */
char *run_say_seen(const struct run_loop *figures);
/* What to change: that advice, or what removes the cause of the gap. */
char *run_say_change(const struct run_report *report, const struct run_change *change);
/* "64 % with -march=native as well": what it saves in code for this processor; NULL: hardly more. */
char *run_say_native(const struct run_report *report, const struct run_change *change);
/* "-march=native", "-mcpu=native". */
const char *run_native_option(const struct model *model);
/* The bytes of the path that was predicted, for a bug report: "1f2003d5…"; NULL: unknown. */
char *run_block_hex(const struct run_report *report, uint32_t loop);
/* What all advice that is shown would save of the run; 0: nothing. */
double run_rest_savings(const struct run_report *report); /* without what was tried */
double run_all_savings(const struct run_report *report);

/* options.c: how hot compile units were compiled. */
const struct run_option *run_options_of(const struct run_report *report, size_t *count);
/* Whether a unit has such a row. */
bool run_option_is_about(const struct run_report *report, uint32_t unit, enum option_rule rule);
/* What all of them would save of the run; what they leave of the time of a unit, 1 for all of it. */
double run_option_savings(const struct run_report *report);
double run_option_rest(const struct run_report *report, uint32_t unit);
/* Units that were compiled alike are shown once: with the first of their rows. */
bool run_option_is_first(const struct run_option *rows, size_t row);
/* "thal.c, compiled with -ffloat-store: 92 % of the time; without it about 64 % of the whole run would be
   saved"; and what is behind it, as whole sentences. */
char *run_option_heading(const struct run_report *report, const struct run_option *option);
char *run_say_option(const struct run_report *report, const struct run_option *option);

/* library.c: calls of run-time libraries, by who calls them. */
void run_add_library_calls(struct run_report *report);
/* The function of the library, as the source has it; and its caller: "sort_all". */
char *run_library_name(const struct run_report *report, uint32_t call);
char *run_library_caller(const struct run_report *report, uint32_t call);
/* "psy.c:123"; where no source is known, the file that calls, or the library. */
char *run_library_place(const struct run_report *report, uint32_t call);
/* Callers with a noticeable share: a heading, then what it means and what to do (may be empty), in turns. */
void run_say_library(const struct run_report *report, struct array *sentences);
/* What other ways than the calls that are listed would save of the run, at most. */
double run_library_savings(const struct run_report *report);

/* points.c: single instructions that take much of the time. */
const struct run_point *run_points_of(const struct run_report *report, size_t *count);
/* "tt.c:11 in lookup: 89 % of the time, 96 % of the function's own"; the line of its source, NULL where it
   cannot be read; and what it is, with the cure, as whole sentences. */
char *run_point_heading(const struct run_report *report, const struct run_point *point);
char *run_point_source(const struct run_report *report, const struct run_point *point);
char *run_say_point(const struct run_report *report, const struct run_point *point);

/* sentences.c: sentences about the run, arrays of char *. */
char *run_say_head(const struct run_report *report);
/* "it failed with exit status 3", "ended by signal 9 (Killed)"; NULL: it ended well, or nobody knows. */
char *run_say_end(const struct run_report *report);
char *run_say_where(const struct run_report *report);
char *run_say_saving(const struct run_report *report);
/* lacks.c: what the ranked table lacks, and why. */
void run_say_lacks(const struct run_report *report, struct array *sentences);
/* coverage.c: shares of the time of which something is known. */
struct run_coverage {
    double predicted, measured, explained, advised, any;
};
struct run_coverage run_cover(const struct run_report *report);
/* NULL: nothing ran.  To be freed. */
char *run_say_coverage(const struct run_report *report);
/* measured.c: how it was measured, what it could not see, what to do next. */
void run_say_measured(const struct run_report *report, struct array *sentences);
void run_say_limits(const struct run_report *report, struct array *sentences);
/* Loops that are faster than predicted: a sentence and the command that shows the fault, one after the other.
 */
void run_say_faults(const struct run_report *report, struct array *sentences);
void run_say_next(const struct run_report *report, struct array *sentences);

/* balance.c: threads and ranks. */
void run_say_balance(const struct run_report *report, struct array *sentences);
struct run_rank {
    int32_t rank;
    double cpu, mpi, waiting; /* seconds */
    size_t threads;
};
/* Ranks in order, as struct run_rank; none: empty. */
struct array run_find_ranks(const struct run_report *report);

/* counters.c: one sentence for each counter. */
void run_say_counters(const struct run_report *report, struct array *sentences);
/* Values of a counter, as struct run_counted, the most first. */
struct run_counted {
    uint32_t function, loop;
    string_id name;
    double count;
};
struct array run_find_counted(const struct run_report *report, uint32_t counter);
char *run_counted_name(const struct run_report *report, const struct run_counted *counted);

#endif
