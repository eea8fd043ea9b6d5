/* How many cycles a block or a path through a loop takes, and why: in words and a table of ports, or as rows
   for programs. */
#ifndef SHOW_REPORT_CYCLES_H
#define SHOW_REPORT_CYCLES_H
#include "code/cost/loops.h"
#include "show/report/common/style.h"

struct cycles_view {
    const struct model *model;
    const struct machine *machine;
    const struct loop_path *path; /* the figures; its loop is 0 for a block of bytes */
    enum cost_mode mode;
    /* Of a loop: paths through it, including those that leave it; paths analysed, or all; paths shown. */
    uint64_t path_count, seen_count;
    size_t told_count;
    /* Details: the block with its marks, the target of each instruction's PC-relative operand, and µops by
     * item and port. NULL: not wanted. */
    const struct block_costs *work;
    const uint64_t *targets;
    const double *pressure;
    enum data_level data;     /* where the data is */
    const char *const *notes; /* a note for each instruction; NULL, or NULL for one: none */
    bool is_short;            /* the instructions alone, without the parts of the core */
};

/* All of it, for people. */
void report_cycles(const struct cycles_view *view, const struct report_style *style, FILE *out);
/* The parts of the core, the instructions and notes, without a heading. */
void report_cycles_block(const struct cycles_view *view, const struct report_style *style, FILE *out);
/* Fills work, targets and pressure of the view, for the block that was predicted last. */
struct cycles_details {
    double *pressure;
    struct array targets; /* of uint64_t */
};
void cycles_details_begin(struct cycles_details *details, struct cycles_view *view, struct block_costs *work);
void cycles_details_end(struct cycles_details *details);
/* Why there are no cycles, in a few words; NULL where there are. To be freed. */
char *cycles_refusal(const struct model *model, const struct machine *machine, const struct loop_path *path);
/* What the figures leave out or assume, or the refusal, in a few words; NULL for neither. To be freed. */
char *cycles_remark(const struct cycles_view *view);

/* Cycles with the data where the view says; NaN: unknown. */
double cycles_with_data(const struct cycles_view *view);
/* What sets them: a part of the core, or what lines and loads wait for; NULL: unknown. */
const char *cycles_limit_word(const struct cycles_view *view);
/* Why a machine has no cycles for a level; NULL where it has. To be freed. */
char *cycles_level_refusal(const struct machine *machine, enum data_level level);
/* Where the machine file has the figures of a level from; NULL: it does not say, or has none. */
const char *cycles_level_source(const struct machine *machine, enum data_level level);
/* The same as a sentence, or nothing. */
void report_cycles_source(const struct machine *machine, enum data_level level, FILE *out);
/* The cycles with data in a level beyond the first cache, its lines and how both come about, for people. */
void report_cycles_data(const struct cycles_view *view, const struct report_style *style, FILE *out);

/* One row of csv or json; is_first writes the head of the one, leaves out the comma of the other. */
void report_cycles_row(const struct cycles_view *view, const struct report_style *style, bool is_first,
                       FILE *out);
/* An instruction with its PC-relative operand as an address; to be freed. */
char *cycles_instruction(const struct cycles_view *view, size_t item);
/* Latency from its operands to its results: the least and the most; false where it has none. */
bool cycles_latency(const struct machine_cost *cost, double *least, double *most);
/* Issue slots that it takes, fusion with its neighbours included. */
unsigned cycles_slots(const struct cost_item *item);
#endif
