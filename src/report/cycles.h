/* How many cycles a block or a path through a loop takes, and why: in words and a table of ports, or as rows
   for programs. */
#ifndef REPORT_CYCLES_H
#define REPORT_CYCLES_H
#include "cost/loops.h"
#include "report/common/style.h"

struct cycles_view {
    const struct model *model;
    const struct machine *machine;
    const struct loop_path *path; /* the figures; its loop is 0 for a block of bytes */
    enum cost_mode mode;
    /* Of a loop: paths through it, those that leave it too; those that were looked at, where some were not,
       else all; those that are told. */
    uint64_t path_count, seen_count;
    size_t told_count;
    /* Details: the block at hand with its marks, where each instruction's PC-relative operand leads, and
       µops by item and port.  NULL where nobody asks. */
    const struct block_costs *work;
    const uint64_t *targets;
    const double *pressure;
    const char *const
        *notes; /* what else is to be told of each instruction; NULL, or NULL for one: nothing */
};

/* All of it, for people. */
void report_cycles(const struct cycles_view *view, const struct report_style *style, FILE *out);
/* The parts of the core, the instructions and what is to be said of them, without a heading. */
void report_cycles_block(const struct cycles_view *view, const struct report_style *style, FILE *out);
/* Why there is no answer, in a few words; NULL where there is one.  To be freed. */
char *cycles_refusal(const struct model *model, const struct machine *machine, const struct loop_path *path);
/* What the figures leave out or assume, in a few words, the refusal too; NULL for nothing.  To be freed. */
char *cycles_remark(const struct cycles_view *view);

/* One row of csv or json; is_first writes the head of the one, leaves out the comma of the other. */
void report_cycles_row(const struct cycles_view *view, const struct report_style *style, bool is_first,
                       FILE *out);
/* An instruction with its PC-relative operand as an address; to be freed. */
char *cycles_instruction(const struct cycles_view *view, size_t item);
/* Cycles from its operands to its results: the least and the most; false where nothing goes through it. */
bool cycles_latency(const struct machine_cost *cost, double *least, double *most);
/* Issue slots that it takes, with its neighbours as they are. */
unsigned cycles_slots(const struct cost_item *item);
#endif
