/* A mix: instances of up to three forms that do not wait for each other.

   The order matters on cores that choose a port before it is free, and on those that store twice a cycle only
   where two stores follow each other.  Ports are what the best order shows: by turns, in rows of two, or all
   of one form before the next.  Narrow
   stores go to one place, wide ones fill lines.

   The forms share the registers.  Sources are registers that nobody writes, each form has addresses of its
   own, and each result goes to as many registers as it takes to hide the latency of what it adds to.  Mixes
   whose forms get into each other's way by something else than ports are refused: the same fixed register,
   flags that both carry on, SSE beside wide AVX. */
#ifndef RUN_BENCH_PORTS_MIX_H
#define RUN_BENCH_PORTS_MIX_H
#include "run/bench/plan.h"

enum { MOST_PARTS = 3 };

struct mix {
    unsigned parts;
    unsigned forms[MOST_PARTS]; /* of a list of forms */
    unsigned instances[MOST_PARTS];
};

enum mix_order { order_TURNS, order_ROWS, order_BLOCKS, MIX_ORDERS };

/* What the code needs to know of a part. */
struct mix_part {
    const char *form;
    unsigned instances;
    double latency; /* of what it adds to, where it does */
};

/* pair|FORM|COUNT|FORM|COUNT, with |rows or |blocks after it in these orders; false: too long. */
bool mix_name(const struct mix_part *parts, unsigned count, enum mix_order order, char name[BENCH_NAME]);
/* Instances of a store that fill lines: it should have a multiple of that. */
unsigned mix_stores_in_row(const struct bench_instruction *sample);
/* Appends the test; cycles: what the mix takes at least. false: it is refused. */
bool mix_plan(struct array *planned, enum isa isa, const struct mix_part *parts, unsigned count,
              enum mix_order order, double cycles);
#endif
