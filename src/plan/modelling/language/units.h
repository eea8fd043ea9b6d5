/* Units of values: products of powers of seconds, bytes, flops and cycles.  Counts have none.

   Values are kept in these base units; a unit is a factor and a dimension.  A frequency is cycles a second,
   so that cycles divided by GHz are seconds. */
#ifndef PLAN_MODELLING_LANGUAGE_UNITS_H
#define PLAN_MODELLING_LANGUAGE_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BASE_UNITS = 4 };
enum { UNIT_TIME, UNIT_DATA, UNIT_FLOPS, UNIT_CYCLES };

struct dimension {
    int8_t power[BASE_UNITS];
    bool is_any; /* fits everything: the number 0, and what a mistake left behind */
};

struct unit {
    const char *name;
    double factor;
    struct dimension dimension;
};

const struct unit *unit_named(const char *name); /* NULL: no such unit */
struct dimension dimension_of(unsigned base);
struct dimension dimension_number(void);
struct dimension dimension_any(void);
bool dimension_is_number(struct dimension dimension);
bool dimension_fits(struct dimension left, struct dimension right);
/* left × right^times; false: powers become absurd. */
bool dimension_multiply(struct dimension left, struct dimension right, int times, struct dimension *result);
/* The unit that values of this dimension are shown in: "bytes/s"; empty for a number. */
struct dimension_words {
    char text[64];
};
struct dimension_words dimension_unit(struct dimension dimension);
/* For messages: "a time (s)", "bytes/s", "a plain number". */
struct dimension_words dimension_words(struct dimension dimension);
#endif
