/* The thesis's own model (3.5.1): where a probe lies between the least and the most work at its size, the
   whole run lies between the least and the most work at the whole size. See model_candidate.h.

   The least work of given data is the identity: a registration of an image with itself. With identity
   probes all times are counted as multiples of the case's own identity probe, because data differs in how
   expensive even the least work is; without them, in seconds. The bounds at both sizes are the smallest and
   the largest multiples that were seen. Nothing is fitted, so that this works with a handful of runs.

   The position is taken between the logarithms of the bounds or between the bounds themselves: two
   candidates for each factor. */
#include "plan/predict/model_candidate.h"

#include <math.h>
#include <stdlib.h>

/* The two smallest and largest multiples, so that the bounds without any one row are known. */
struct bounds {
    double least[2], most[2];
    size_t least_row, most_row;
};

struct multiples {
    double *probe, *whole; /* by row; NaN: not known */
    size_t count;
    struct bounds at_probe, at_whole;
};

static const size_t NO_ROW = (size_t)-1;

static struct bounds find_bounds(const double *multiples, size_t count)
{
    struct bounds bounds = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, NO_ROW, NO_ROW};
    for (size_t row = 0; row < count; row++) {
        double value = multiples[row];
        if (isnan(value))
            continue;
        if (value < bounds.least[0]) {
            bounds.least[1] = bounds.least[0];
            bounds.least[0] = value;
            bounds.least_row = row;
        } else
            bounds.least[1] = fmin(bounds.least[1], value);
        if (value > bounds.most[0]) {
            bounds.most[1] = bounds.most[0];
            bounds.most[0] = value;
            bounds.most_row = row;
        } else
            bounds.most[1] = fmax(bounds.most[1], value);
    }
    return bounds;
}

/* What the whole run is, as a multiple, by the bounds without this row. */
static double place(const struct multiples *multiples, double probe, bool is_linear, size_t without)
{
    const struct bounds *small = &multiples->at_probe, *whole = &multiples->at_whole;
    double low = small->least[small->least_row == without], high = small->most[small->most_row == without];
    double from = whole->least[whole->least_row == without], to = whole->most[whole->most_row == without];
    if (!(high > low) || !(to > from))
        return sqrt(from * to);
    double position = is_linear ? (probe - low) / (high - low) : log(probe / low) / log(high / low);
    /* A little beyond the bounds is allowed, far beyond is not. */
    position = fmin(fmax(position, -0.25), 1.5);
    if (!is_linear)
        return from * pow(to / from, position);
    return fmax(from + (to - from) * position, from / 2);
}

static void add_bands(const struct model_table *table, struct array *candidates,
                      const struct multiples *multiples, const struct model_column *pair,
                      const struct model_column *identity, bool is_linear)
{
    struct model_candidate *candidate = model_candidate_add(candidates, table, model_BANDS, identity ? 2 : 1);
    for (size_t row = 0; row < table->count; row++) {
        candidate->spreads[row] = 1;
        candidate->off[row] = NAN;
        if (isnan(multiples->probe[row]))
            continue;
        double unit = identity ? identity->values[row] : 1;
        candidate->off[row] =
            log(place(multiples, multiples->probe[row], is_linear, row) * unit) - log(table->latest[row]);
        candidate->rows++;
    }
    double unit = identity ? identity->question : 1, probe = pair->question / unit;
    candidate->seconds = place(multiples, probe, is_linear, NO_ROW - 1) * unit;
    const struct bounds *small = &multiples->at_probe, *whole = &multiples->at_whole;
    double range = fmax(log(small->most[0] / small->least[0]), 1);
    candidate->beyond = fmax(0, fmax(log(probe / small->most[0]), log(small->least[0] / probe)) / range);
    candidate->noise = 0.4;
    candidate->parameters =
        memory_format("{\"factor\":%g,\"relative_to_identity\":%s,\"position\":\"%s\",\"probe_least\":%.6g,"
                      "\"probe_most\":%.6g,\"whole_least\":%.6g,\"whole_most\":%.6g}",
                      pair->factor, identity ? "true" : "false", is_linear ? "linear" : "logarithmic",
                      small->least[0], small->most[0], whole->least[0], whole->most[0]);
}

void model_add_bands(const struct model_table *table, struct array *candidates)
{
    if (table->count < 3)
        return;
    struct multiples multiples = {memory_get(table->count * sizeof(double)),
                                  memory_get(table->count * sizeof(double))};
    for (size_t c = table->columns.count; c-- > 0;) {
        const struct model_column *pair = ARRAY_AT(struct model_column, &table->columns, c);
        if (pair->kind != model_COLUMN_PAIR)
            continue;
        const struct model_column *own = model_table_find(table, model_COLUMN_IDENTITY, pair->factor);
        for (int with_identity = 0; with_identity <= (own != NULL); with_identity++) {
            const struct model_column *identity = with_identity ? own : NULL;
            multiples.count = 0;
            for (size_t row = 0; row < table->count; row++) {
                double unit = identity ? identity->values[row] : 1;
                multiples.probe[row] = pair->values[row] / unit;
                multiples.whole[row] = isnan(multiples.probe[row]) ? NAN : table->seconds[row] / unit;
                multiples.count += !isnan(multiples.probe[row]);
            }
            if (multiples.count < 3)
                continue;
            multiples.at_probe = find_bounds(multiples.probe, table->count);
            multiples.at_whole = find_bounds(multiples.whole, table->count);
            add_bands(table, candidates, &multiples, pair, identity, false);
            add_bands(table, candidates, &multiples, pair, identity, true);
        }
    }
    free(multiples.probe);
    free(multiples.whole);
}
