/* How time shrinks with processors: t(n) = serial + parallel / n + overhead · (n - 1), fitted to measured
   points, or a curve that somebody declared.

   All times are for a task that takes `at_one` seconds with one processor: a curve is a list of speed-ups
   or Amdahl's law, and says how many seconds n processors take. */
#ifndef PLAN_PREDICT_SCALING_H
#define PLAN_PREDICT_SCALING_H
#include "base/error.h"

#include <stddef.h>

struct scaling_point {
    unsigned processors; /* 1 and more */
    double seconds;      /* in a declared curve: speed-up */
};

/* serial, parallel and overhead are seconds; error is the mean relative distance of the points (NaN: none
   were given), worst the largest. */
struct scaling {
    double serial, parallel, overhead;
    double error, worst;
    struct scaling_point *curve; /* declared points, by processors; NULL: the three figures hold */
    size_t count;
};

/* Measured points, in any order; several for one number are taken together.  Points that make no sense are
   left out; without any the fit is perfect scaling of one second. */
void scaling_fit(const struct scaling_point *points, size_t count, struct scaling *scaling);
/* "amdahl 0.05" (the serial share), "amdahl 0.05 0.001" (and overhead by processor, as a share of the time
   with one), "perfect", or speed-ups: "1: 1, 2: 1.9, 4: 3.7".  Between points the speed-up is interpolated
   by logarithms; beyond the last one it stays.  The error says what is wrong; column is where, from 1. */
bool scaling_declare(const char *text, struct scaling *scaling, unsigned *column, struct error *error);
void scaling_free(struct scaling *scaling);

/* t(n) / t(1) */
double scaling_share(const struct scaling *scaling, unsigned processors);
double scaling_speedup(const struct scaling *scaling, unsigned processors);
/* The number from least to most with which it takes the shortest time; the smallest of equals. */
unsigned scaling_best(const struct scaling *scaling, unsigned least, unsigned most);
#endif
