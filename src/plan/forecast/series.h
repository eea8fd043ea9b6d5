/* A series: values in the order of time, from a text file, from this computer, from a queue.

   Text files are one number on a line, or CSV. Of CSV, the column is chosen by its name in the first line or
   by its number; usually it is the last one. A column called time, or the first of two, is the time. Lines
   that begin with # and empty lines do not count. Whatever else is in a line is an error with its place. */
#ifndef PLAN_FORECAST_SERIES_H
#define PLAN_FORECAST_SERIES_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct series_point {
    double time, value; /* time NaN: not known */
};

struct series {
    char *name;          /* of the column, or what was sampled */
    struct array points; /* of series_point */
};

/* column NULL: the usual one. */
bool series_read(struct series *series, const char *path, const char *column, struct error *error);
bool series_parse(struct series *series, const char *path, const char *text, const char *column,
                  struct error *error);
void series_free(struct series *series);

/* What this computer can be asked for: values of now. */
struct series_gauge {
    const char *name, *doc, *unit;
};
extern const struct series_gauge series_gauges[]; /* ended by a name that is NULL */
/* What the last sample left behind, for shares and rates; zeroed before the first. */
struct series_sampler {
    double busy, all, bytes, time;
};
/* *value NaN: it needs a second sample, a while later. */
bool series_sample(const char *gauge, struct series_sampler *sampler, double *value, struct error *error);
#endif
