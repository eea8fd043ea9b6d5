/* Data that is not in the first cache: which lines an iteration touches, and how long they take from each
   level of the memory.

   The parts of the core count cycles with all data in the first cache. Lines that come from farther away take
   the time that the machine file measured for such streams (`cache`, `main-memory`): after the idea of the
   execution-cache-memory model of Stengel, Treibig, Hager and Wellein, with one figure for the whole way from
   a level to the core instead of a sum over the levels between, because that is what a program can measure.
 */
#ifndef CODE_COST_DATA_DATA_H
#define CODE_COST_DATA_DATA_H
#include "code/cost/core/core.h"

/* Lines of an iteration, on average. */
struct line_counts {
    double loaded;   /* come in and are only read */
    double updated;  /* come in and go back: loaded and stored, or stored in part */
    double stored;   /* written from end to end and never read */
    double streamed; /* written past the caches, by non-temporal stores */
};

struct cost_lines {
    /* Touched for the first time: they come from wherever the data is. */
    struct line_counts first;
    /* Touched again after so much other data that this cache (a place in machine.caches) is the nearest that
       still has them. Those of the first cache cost nothing. */
    struct line_counts again[MOST_CACHES];
    unsigned stream_count; /* places that move by a constant, a known distance apart counted once */
    int64_t stride;        /* the largest of theirs, in bytes; 0: none moves */
    /* Lines whose places the code does not show (other loads give them, or a register that is the stride):
       each access is counted as a line of its own, in `first`, too. */
    double unknown;
};

/* How far a place moves in an iteration; false: the code does not show it. */
bool data_stride(const struct cost_addresses *addresses, const struct cost_place *place, int64_t *stride);
/* False: so many accesses that nobody counts them. */
bool cost_count_lines(const struct cost_block *block, struct cost_scratch *scratch, struct cost_lines *lines);

/* Why there are no cycles for a level. */
enum data_lack { data_lack_NONE, data_lack_LEVEL, data_lack_BANDWIDTH, data_lack_LINES };
enum { DATA_LEVELS = MOST_CACHES + 1 }; /* places in machine.caches, and memory behind the last */

struct data_cycles {
    double cycles; /* of an iteration; NaN: unknown */
    double lines;  /* the time of its lines alone */
    enum data_limit limit;
    enum data_lack lack;
};

struct cost_data {
    struct cost_lines lines;
    struct data_cycles at[DATA_LEVELS]; /* by place; [0]: in the first cache, as the core alone */
};

/* The place of a level among the machine's; -1: it does not have it. */
int data_place(const struct machine *machine, enum data_level level);
/* The figures of a place: a cache, or the memory behind the last one. */
const struct machine_cache *data_level_of(const struct machine *machine, unsigned place);
/* After cost_predict of the same block. */
void cost_data(const struct cost_block *block, struct cost_scratch *scratch,
               const struct cost_prediction *prediction, struct cost_data *data);
#endif
