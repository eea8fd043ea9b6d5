/* Divisions and square roots, whose time depends on the numbers: what they take with the easiest operands and
   with the hardest.

   A machine file has a line for each end of the range, with its source:

       easy divide fp64 128 10 10 uops.info
       hard divide fp64 128 22 22 LLVM 19

   Easy are 1, powers of two and small quotients; hard are numbers that use all their bits. */
#ifndef CODE_MACHINE_DIVISIONS_H
#define CODE_MACHINE_DIVISIONS_H
#include "model/tables.h"

#include <stdio.h>

enum division_end { division_EASY, division_HARD, division_END_COUNT };

/* Where a figure comes from, by the first word of its source. */
enum division_basis { basis_SOURCE, basis_MEASURED, basis_ASSUMED, basis_COUNT };

struct division_figures {
    double latency, busy; /* cycles until the result, and until the next can start; NaN: not given */
    const char *source;
};

/* A kind of division, and its figures. */
struct machine_division {
    enum class class; /* DIVIDE or SQRT */
    enum element element;
    unsigned bits; /* of the vector; 0: a scalar */
    struct division_figures of[division_END_COUNT];
};

struct machine;
/* The row for a form, by its text; NULL: it is no division, or the file does not have its kind. */
const struct machine_division *machine_division(const struct machine *machine, const char *form);
/* Cycles that a division of floats holds the divider with ordinary operands, which are hard; figure: the
   form's own. */
double machine_division_busy(const struct machine *machine, const char *form, double figure);
/* Which kind a form is: class, element and bits; false: it is no division. */
bool division_kind(const struct machine *machine, const char *form, struct machine_division *kind);
enum division_basis division_basis(const struct division_figures *figures);
const char *division_basis_word(enum division_basis basis);

/* A line `easy` or `hard` of a machine file. */
struct reading;
bool division_read(struct reading *reading, enum division_end end);
/* The values of a kind's line, after the word; false: it has none. */
bool division_write(const struct machine_division *division, enum division_end end, FILE *out);
#endif
