/* What the experiments share: units of code, and results by name. */
#ifndef RUN_BENCH_CORE_PARTS_H
#define RUN_BENCH_CORE_PARTS_H
#include "run/bench/core/core.h"

/* A unit under construction.  Registers have roles: results go to a few in turn; sources hold constants that
   nobody writes; two chase pointers through memory; one points to a buffer. */
struct core_unit {
    struct bench_planned *planned;
    struct array *plan;
    enum isa isa;
    unsigned turn;     /* of the next result */
    bool is_elsewhere; /* accesses of core_put_free go to the other place in the buffer */
    /* x86: loads go side by side through two lines, because loads of one offset in a line wait for each
       other; how far they got. */
    bool is_side_by_side;
    unsigned loaded;
    bool is_made; /* false: an instruction could not be made */
};

/* Which registers stand in the slots of an instruction, by what the slot does. */
struct core_registers {
    uint8_t to, from, base, index;
    uint8_t second; /* the sources after the first, if has_second */
    uint8_t third;  /* those after the second, if has_third */
    bool has_second, has_third;
};

enum core_role { core_P, core_Q, core_BASE, core_BASE_TOO, core_SOURCE, core_INDEX };
/* The general register of a role. */
uint8_t core_general(enum isa isa, enum core_role role);
/* Source registers of vectors: 0 and 1. */
enum { core_VECTOR = 0, core_VECTOR_TOO = 1 };

/* Begins the test core|WHAT|NUMBER; its end takes it back if an instruction could not be made. */
struct core_unit core_begin(struct array *plan, enum isa isa, const char *what, unsigned number);
void core_end(struct core_unit *unit);
/* An instruction of a form with these registers; NULL as a form: an instruction that is not there in this
 * instruction set. */
void core_put(struct core_unit *unit, const char *form, struct core_registers registers);
/* The same with results in turn, sources that are constants, and an address in the buffer. */
void core_put_free(struct core_unit *unit, const char *form);
/* The same with all sources and addresses in this general register, or in the first source register of
 * vectors. */
void core_put_waiting(struct core_unit *unit, const char *form, uint8_t general);
/* Stands for it among forms. */
extern const char core_BRANCH[];
void core_put_bytes(struct core_unit *unit, const void *bytes, size_t size);
/* A number, or a pointer into the buffer, in a general register. */
void core_set(struct core_unit *unit, unsigned number, bool is_pointer, uint64_t value);
/* A general register points to another line of a chase of so many bytes each time the loop starts. */
void core_chase(struct core_unit *unit, unsigned number, uint64_t bytes);
/* Copies and trips of the two sizes, instead of the usual ones. */
void core_sizes(struct core_unit *unit, uint32_t copies, uint32_t more_copies, uint32_t trips,
                uint32_t more_trips);

/* Cycles of a unit; NaN where it was not measured.  spread may be NULL; it keeps the largest that it was
 * asked for. */
double core_median(struct bench_results *results, const char *what, unsigned number);
double core_cycles(struct bench_results *results, double *spread, const char *what, unsigned number);
#endif
