/* A loop as probes see it: the ways in, the ways out, what it does to registers. */
#ifndef RUN_PROBE_SITE_LOOP_SHAPE_H
#define RUN_PROBE_SITE_LOOP_SHAPE_H
#include "model/model.h"

struct loop_shape {
    uint32_t loop, function, header;
    struct array blocks;  /* of uint32_t, ascending */
    struct array entries; /* of uint32_t: rows of edges, from outside */
    struct array exits;   /* rows of edges, to the outside */
    struct array backs;   /* rows of edges, to the header from inside */
    uint32_t written,
        touched;    /* general registers (registers.h) that its instructions write; read or write */
    bool has_calls; /* calls and system calls */
    bool is_irreducible;
};

void loop_shape_make(struct loop_shape *shape, const struct model *model, uint32_t loop);
bool probe_loop_has(const struct model *model, uint32_t loop, uint32_t block);
void loop_shape_free(struct loop_shape *shape);
bool loop_shape_has(const struct loop_shape *shape, uint32_t block);
#endif
