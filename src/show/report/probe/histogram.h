/* Distributions: rows of probe_histograms, folded into as many bars as a picture has room for. */
#ifndef SHOW_REPORT_PROBE_HISTOGRAM_H
#define SHOW_REPORT_PROBE_HISTOGRAM_H
#include "show/report/probe/parts.h"

struct bar {
    double low, high; /* high is not included, unless it is low; both 0 in a bar without rows */
    uint64_t count;
};

struct histogram {
    struct array bars; /* of struct bar; empty ones lie between others */
    uint64_t total, largest;
};

/* At most `most` bars, each as wide as the others: on a logarithmic scale, or on a linear one where there are
   few whole numbers or negative ones; only the last may be wider. Without rows there are no bars. */
bool histogram_load(const struct asked *asked, int64_t run, const char *quantity, int64_t subject,
                    size_t most, struct histogram *histogram, struct error *error);
void histogram_free(struct histogram *histogram);
/* Neighbours that are few of all become one bar, with the gaps between them. */
void histogram_join_rare(struct histogram *histogram);
/* false: nearly everything is in one bar, which a sentence says better. */
bool histogram_is_picture(const struct histogram *histogram);
/* "28 to 32", "5", or "975 ns to 3.9 µs"; to be freed. */
char *histogram_range(const struct bar *bar, bool is_time);

/* Which distribution shows a finding best. */
struct distribution {
    const char *quantity; /* word of probe_quantity; NULL: none */
    int64_t subject;
    const char *what; /* "time of a call" */
    bool is_time;     /* in nanoseconds */
};
struct distribution distribution_of(const struct probe_finding *finding);
/* The distribution as a figure of a page (html.c), under a name; nothing where it is not a picture. */
bool histogram_print(FILE *out, const struct asked *asked, int64_t run, const struct distribution *of,
                     const char *name, size_t length, bool *is_shown, struct error *error);
bool histogram_register(sqlite3 *connection, bool is_plain);
#endif
