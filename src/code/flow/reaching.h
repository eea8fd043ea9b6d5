/* Rows of def_use from the values of a walk. */
#ifndef CODE_FLOW_REACHING_H
#define CODE_FLOW_REACHING_H
#include "code/flow/strands.h"

enum { MOST_DEFINITIONS = 64 /* listed for one use */, MOST_ROWS = 65536, MOST_ROWS_EACH = 16 };

/* Most rows of a table for one function, so that a hostile file cannot fill the memory. */
static inline size_t reaching_most_rows(const struct flow_graph *graph)
{
    return MOST_ROWS + (size_t)graph->instruction_count * MOST_ROWS_EACH;
}

struct reaching {
    struct array nodes;   /* of struct node */
    struct array frames;  /* of struct frame: the path of the search */
    struct array stack;   /* of uint32_t: nodes whose component is not complete */
    struct array sets;    /* of struct set */
    struct array members; /* of uint32_t: instructions of the sets */
    uint32_t *node_of_strand, *node_of_event;
    size_t strand_capacity, event_capacity;
    uint32_t first_node; /* of this walk: smaller numbers in the arrays above are old ones */
    struct array rows;   /* of struct def_use, by unit and use */
    uint64_t cut;        /* uses with more definitions than are listed */
};

void reaching_start(struct reaching *reaching, const struct flow_graph *graph);
/* Adds rows for all uses of the units of the walk. */
void reaching_add(struct reaching *reaching, const struct strands *strands);
/* The rows of the function so far, sorted by use, then register, then definition, appended to sorted. */
void reaching_finish(struct reaching *reaching, const struct flow_graph *graph, struct array *sorted);
void reaching_free(struct reaching *reaching);
#endif
