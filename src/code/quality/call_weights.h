/* How often functions are entered and how the program reaches them, by its call graph.

   A call in a loop happens as often as the loop iterates; a function is entered as often as by the call that
   leads to it most often. Functions that call each other in a circle count as one function in a loop. A
   function that only option parsing, constructors or functions that end the program lead to runs once. */
#ifndef CODE_QUALITY_CALL_WEIGHTS_H
#define CODE_QUALITY_CALL_WEIGHTS_H
#include "model/model.h"

/* Of a loop each time its function is entered. Nests of more loops than people write are machines of states,
   in which each loop runs now and then. */
#define MOST_TIMES 1e5
#define DEEPEST_NEST 7
#define MOST_TIMES_OF_STATES 1e3
/* Of a function: in large programs chains of calls with thirty loops lead to most functions, and more than
   four say nothing new. */
#define MOST_ENTRIES 1e4
#define USUAL_TRIPS 10.0

struct call_weights {
    double *times;    /* by loop: iterations each time its function is entered */
    double *entries;  /* by function: how often it is entered */
    uint32_t *around; /* by function: loops around the calls that lead to it */
    uint8_t *reach;   /* by function: enum call_reach */
    bool *parses;     /* by loop: it, or a loop around it, parses options */
};

/* trips: by loop, the iterations each time it is entered; meant: of stubs_find. */
void call_weights_find(struct call_weights *weights, const struct model *model, const double *trips,
                       const uint32_t *meant);
void call_weights_free(struct call_weights *weights);
#endif
