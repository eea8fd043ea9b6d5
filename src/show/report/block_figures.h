/* What a piece of code that is a text costs, line by line: the figures after a page on which it is edited,
   and the same as JSON for its script, or as a page of its own. */
#ifndef SHOW_REPORT_BLOCK_FIGURES_H
#define SHOW_REPORT_BLOCK_FIGURES_H
#include "code/cost/text_block.h"

#include <stdio.h>

/* An instruction. */
struct block_row {
    uint32_t line;       /* of the text */
    bool is_entry;       /* leads into the loop: it has no costs */
    bool is_limit;       /* it is behind the limit */
    bool is_chain;       /* it is on the longest chain of dependences */
    unsigned uops;       /* issue slots */
    double least, most;  /* latency; NaN: it has none */
    const double *ports; /* µops on each; NULL: unknown */
    const char *note;    /* "fused with the next"; NULL: none */
};

struct block_figures {
    const struct machine *machine;
    enum cost_mode mode;
    struct loop_path path; /* cycles, limit, bounds */
    struct array rows;     /* of struct block_row, in the order of the text */
    double *pressure;      /* after rows.ports */
    double port_sums[MOST_PORTS];
    unsigned uops, bytes;
    char *refusal; /* why there are no cycles; NULL: there are */
    char *remark;  /* what they leave out or assume; NULL: nothing */
};

/* Of a block with cycles (text_block_predict), which is not needed any more then. */
void block_figures_make(struct block_figures *figures, struct text_block *block,
                        const struct machine *machine);
void block_figures_free(struct block_figures *figures);
/* The parts of the core by cycles, the limiting one first.  Returns their number. */
unsigned block_figures_parts(const struct block_figures *figures, enum core_part parts[core_part_COUNT]);

void block_figures_json(const struct block_figures *figures, FILE *out);

/* The same text before and after a change, on one machine. */
struct block_page {
    const char *title;    /* "loop 12 of dot" */
    const char *place;    /* of its source; NULL: unknown */
    const char *version;  /* of Assay; NULL: unknown */
    const char *link;     /* that opens it for editing; NULL: none */
    const char *texts[2]; /* before, now */
    unsigned copies;      /* iterations that one of the changed text stands for; figures are of one */
    struct block_figures of[2];
};
/* A page without anything outside of it. */
void block_page_write(const struct block_page *page, FILE *out);
#endif
