/* How much smaller probes are where the description does not say: so that they cost a tenth of the whole run.

   What a probe costs follows from how many directions `shrink` makes smaller. An image 4 times smaller in each
   of three has 64 times fewer bytes; a file with a fourth of the lines has a fourth, and a program that reads
   it from one end to the other takes a fourth of the time. So a smaller input is made first, and its bytes
   tell which row of sizes is used: three probes of a program whose time goes with the bytes then take 3 to 10 %
   of it. A program whose time grows faster spends less on them, and learns less: then, until a whole run is
   known, larger sizes of the row are probed as long as the estimate says that they are cheap. (A run that takes less than
   ten seconds may cost a little more: its probes are so short that they say little but how long a program starts.)

   Sizes stay once they were used for a program, since runs are compared by probes of the same size. */
#include "base/clock.h"
#include "plan/predict/parts.h"
#include "plan/predict/queries.h"

#include <math.h>
#include <sys/stat.h>

/* All probes of an input together, as a share of the estimate; seconds of one that nobody counts; and bytes that the
   smallest input has at least. */
static const double SHARE = 0.1, CHEAP = 0.15, LEAST_BYTES = 1000;

/* By directions; the first FIRST are always probed. */
enum { SIZES = 5, FIRST = 3, ROWS = 3 };
static const struct {
    double below;
    double factors[SIZES]; /* 0 at the end */
} rows[ROWS] = {
    {1.5, {72, 36, 18, 9, 5}},
    {2.5, {9, 7, 5, 4, 3}},
    {INFINITY, {6, 5, 4, 3, 0}},
};

bool predict_directions(const struct predict_query *query, double *directions, struct error *error)
{
    struct ledger_rows found;
    double sum = 0, count = 0;
    if (!ledger_ask(query->ledger, &found, error, query_named(predict_queries, "shrunk_features"), "it",
                    query->predictor, PREDICT_SHRUNK))
        return false;
    while (ledger_next(&found)) {
        double factor = ledger_real(&found, 0), ratio = ledger_real(&found, 1);
        if (factor > 1 && ratio > 1) {
            sum += log(ratio) / log(factor);
            count++;
        }
    }
    *directions = count > 0 ? sum / count : NAN;
    return ledger_end(&found, error);
}

static bool was_probed(const struct predict_query *query, double factor, bool *was, struct error *error)
{
    struct ledger_rows found;
    if (!ledger_ask(query->ledger, &found, error, query_named(predict_queries, "was_probed"), "ir",
                    query->predictor, factor))
        return false;
    *was = ledger_next(&found);
    return ledger_end(&found, error);
}

static double bytes_of_inputs(const struct predict_query *query)
{
    double bytes = 0;
    for (unsigned i = 0; i < query->description->inputs.count; i++) {
        struct stat facts;
        if (!query->description->is_whole[i] && !stat(query->paths[i], &facts))
            bytes += (double)facts.st_size;
    }
    return bytes;
}

/* The row that this program's probes are of. */
static bool find_row(const struct predict_query *query, size_t *row, struct error *error)
{
    double directions;
    bool was;
    *row = ROWS - 1;
    for (size_t i = 0; i < ROWS; i++) {
        if (!was_probed(query, rows[i].factors[0], &was, error))
            return false;
        if (was) {
            *row = i;
            return true;
        }
    }
    if (!query->description->shrink)
        return true;
    if (!predict_directions(query, &directions, error))
        return false;
    if (isnan(directions))
        return true;
    for (*row = 0; directions >= rows[*row].below;)
        ++*row;
    if (bytes_of_inputs(query) < LEAST_BYTES * pow(rows[*row].factors[0], directions))
        *row = ROWS - 1;
    return true;
}

bool predict_factors(const struct predict_query *query, struct array *factors, struct error *error)
{
    const struct predict_description *description = query->description;
    size_t row;
    *factors = ARRAY_OF(double);
    for (size_t i = 0; i < description->factors.count; i++)
        *(double *)array_push(factors) = *ARRAY_AT(double, &description->factors, i);
    if (!description->chooses_factors)
        return true;
    if (!find_row(query, &row, error))
        return false;
    for (size_t i = 0; i < FIRST; i++)
        *(double *)array_push(factors) = rows[row].factors[i];
    return true;
}

bool predict_wants_trial(const struct predict_query *query, double *factor, struct error *error)
{
    double directions = 1;
    bool was = false;
    *factor = 0;
    if (!query->description->chooses_factors || !query->description->shrink)
        return true;
    for (size_t i = 0; i < ROWS && !was; i++)
        if (!was_probed(query, rows[i].factors[0], &was, error))
            return false;
    if (!was && !predict_directions(query, &directions, error))
        return false;
    if (isnan(directions))
        *factor = rows[ROWS - 1].factors[FIRST - 1];
    return true;
}

bool predict_next_factor(const struct predict_query *query, const struct predict_estimate *estimate,
                         const struct array *probes, double *factor, struct error *error)
{
    double least = INFINITY, seconds = NAN, spent = 0;
    size_t row;
    *factor = 0;
    if (!query->description->chooses_factors || estimate->runs || !(estimate->seconds > 0))
        return true;
    if (!find_row(query, &row, error))
        return false;
    for (size_t i = 0; i < probes->count; i++) {
        const struct predict_probe *probe = ARRAY_AT(struct predict_probe, probes, i);
        if (isnan(probe->seconds))
            return true;
        spent += probe->seconds;
        if (!probe->is_identity && probe->factor < least) {
            least = probe->factor;
            seconds = probe->seconds;
        }
    }
    /* Between this probe and the whole run time goes with a power of the size. */
    double power = log(estimate->seconds / seconds) / log(least);
    double each = query->description->pairs.count ? 2 : 1;
    for (size_t i = FIRST; i < SIZES && rows[row].factors[i] > 0; i++) {
        double next = rows[row].factors[i], cost = estimate->seconds * pow(next, -power) * each;
        if (next < least && (spent + cost <= SHARE * estimate->seconds || cost <= CHEAP))
            *factor = next;
        if (next < least)
            break;
    }
    return true;
}
