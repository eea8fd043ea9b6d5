/* The parts of assay cycles. */
#ifndef CLI_CYCLES_H
#define CLI_CYCLES_H
#include "cli/session.h"
#include "code/cost/loops.h"
#include "show/report/cycles.h"

/* How blocks of bytes are to be analysed. */
struct cycles_blocks {
    const struct machine *machine;
    enum isa isa;
    enum cost_mode mode;
    unsigned threads; /* 0: one for each processor */
    enum cost_operands operands;
    bool are_alike; /* registers and memory: block_costs_make_alike */
};

/* --data: where the data is; false: no such level. */
bool cycles_data_level(const struct invocation *invocation, enum data_level *level, struct error *error);
/* Whether the machine has figures for that level; else the error says what is missing. */
bool cycles_check_level(const struct machine *machine, enum data_level level, struct error *error);

/* --batch: one answer for each row of a file (- is standard input).  Returns the exit code. */
int cycles_batch(struct session *session, const char *path, const struct cycles_blocks *blocks,
                 struct error *error);
/* FILE: its innermost loops.  Returns the exit code. */
int cycles_of_file(struct session *session, struct error *error);
/* assay db --cycles: loop_cycles and core_bounds of all innermost loops of the session's model. */
bool cycles_store(struct session *session, struct error *error);
/* Prints the block with its details: as text, or as a row after `printed` earlier ones. */
void cycles_print_details(struct session *session, struct cycles_view *view, struct block_costs *work,
                          size_t printed);
#endif
