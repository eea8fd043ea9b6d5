/* The code of a walk: one unit, made of loads and stores of vectors, additions, and the end that moves the
   walk on.

   Registers: the walk is at the start of the first array (BENCH_WALKING); the other arrays are at distances
   from it, added up at the start of the unit.  When the walk is at its end, it goes back by the period. */
#ifndef RUN_BENCH_MEMORY_UNIT_H
#define RUN_BENCH_MEMORY_UNIT_H
#include "run/bench/plan.h"

struct memory_unit {
    struct bench_planned *planned;
    unsigned width;       /* bytes of a vector */
    unsigned step;        /* bytes that the unit moves on */
    unsigned arrays;      /* 1 to 3 */
    uint64_t end, period; /* offset of the walk's end from its start, and how far it goes back from there */
    uint64_t distances[2];
    bool is_broken; /* an instruction could not be made */
};

/* What an instruction set provides; offsets are from the start of an array. */
struct memory_code {
    void (*begin)(struct memory_unit *unit);
    void (*end)(struct memory_unit *unit);
    /* Vectors; numbers below 8. */
    void (*load)(struct memory_unit *unit, unsigned to, unsigned array, unsigned offset);
    void (*store)(struct memory_unit *unit, unsigned from, unsigned array, unsigned offset);
    void (*add)(struct memory_unit *unit, unsigned to, unsigned from);
    /* Arithmetic on a vector whose result goes to one of others in turn. */
    void (*work)(struct memory_unit *unit, unsigned from, unsigned turn);
    /* 8 bytes into a general register, one of several in turn. */
    void (*load_number)(struct memory_unit *unit, unsigned turn, unsigned offset);
    /* The walk becomes what is where it points. */
    void (*chase)(struct memory_unit *unit);
};
extern const struct memory_code memory_code_aarch64, memory_code_x86;
#endif
