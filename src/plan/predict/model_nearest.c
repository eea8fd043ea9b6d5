/* Runs whose probes looked alike: the estimate is a median of what they took. See model_candidate.h.

   A power law is one line through all rows. Some programs have no such line: a registration that ends at its
   limit of iterations takes a time that follows from the size to a few per cent, and one that ends by chance
   takes anything. One line through both is wrong about the first and too sure of the second. Here a row
   counts by how near it is to the question, so that each part of the rows answers for itself, and the
   interval is wide where neighbours disagree and narrow where they do not.

   Nearness is in two directions: the *level* of a probe, which is its ratio to the identity (without
   identities, its time for each unit of the size), and the size itself, which counts less. What neighbours
   have in common is the whole time as a multiple of a *unit*: the size, the identity or the probe. All of it
   in logarithms.

   Neighbours may be of two kinds, some ten times longer than the others, and nothing tells which kind the
   question is. The estimate is then the one with the smallest error to be expected, as errors are told:
   |predicted - measured| / measured. That lies with the shorter ones unless the longer ones are many more.
   The interval reaches over both.

   A handful of neighbours say little about how far they scatter, so the scatter of all rows is mixed in. */
#include "plan/predict/model_candidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_FOR_NEIGHBOURS = 16,
    MOST_NEIGHBOURS = 200, /* of more rows every second, third, … one is a neighbour */
    MOST_ROWS = 5000       /* each is compared with each neighbour */
};
static const double WIDTHS[] = {0.1, 0.3};
/* A step in size counts as so much of the same step in level. */
static const double SIZE_COUNTS = 0.3;
/* Rows that the scatter of all rows is worth beside that of the neighbours. */
static const double ALL_ROWS_WORTH = 1;
/* Where nobody is near, all are equally far. */
static const double LEAST_WEIGHT = 1e-6, FAR = 30;
/* Errors smaller than this are the same: no interval is that narrow. */
static const double LEAST_SCATTER = 0.01;

enum unit { unit_SIZE, unit_IDENTITY, unit_PROBE, UNIT_COUNT };
static const char *const UNITS[UNIT_COUNT] = {"size", "identity", "probe"};

/* One way to look at the rows; level and size by row, the last place is the question's. */
struct view {
    size_t count;
    double *level, *size, *unit, *whole;
    struct neighbour *near; /* the shortest first */
    size_t near_count;
    double factor;
    double width;
    enum unit kind;
};

struct neighbour {
    double value;    /* ln of the whole as a multiple of the unit */
    double relative; /* how much less it weighs than the shortest where errors are relative */
    double weight;
    size_t row;
};

static int by_value(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    return x->value == y->value ? (x->row > y->row) - (x->row < y->row) : x->value < y->value ? -1 : 1;
}

/* The value from which the neighbours are wrong by the least, each by |value - its own| / its own: the median
   where each weighs as much less as it is larger.  Between the two on whose border it falls. */
static double median_by_error(const struct neighbour *sorted, size_t count, double total)
{
    double below = 0;
    for (size_t i = 0; i < count; i++) {
        below += sorted[i].weight * sorted[i].relative;
        if (below > total / 2 * (1 + 1e-9))
            return sorted[i].value;
        if (below >= total / 2 * (1 - 1e-9) && i + 1 < count)
            return (sorted[i].value + sorted[i + 1].value) / 2;
    }
    return sorted[count - 1].value;
}

struct local {
    double value;   /* ln of the whole as a multiple of the unit */
    double scatter; /* mean distance of the neighbours from it */
    double rows;    /* that the neighbours are worth together */
};

/* What the rows near this place say, without the row itself. */
static struct local look(const struct view *view, size_t place)
{
    double total = 0, squares = 0, relative = 0;
    for (size_t i = 0; i < view->near_count; i++) {
        struct neighbour *near = &view->near[i];
        double away = view->level[near->row] - view->level[place];
        double larger = SIZE_COUNTS * (view->size[near->row] - view->size[place]);
        double distance = (away * away + larger * larger) / (view->width * view->width);
        near->weight = LEAST_WEIGHT + (distance < FAR ? exp(-distance / 2) : 0);
        if (near->row == place)
            near->weight = 0;
        total += near->weight;
        squares += near->weight * near->weight;
        relative += near->weight * near->relative;
    }
    if (!(total > 0))
        return (struct local){NAN, NAN, 0};
    struct local local = {median_by_error(view->near, view->near_count, relative), 0,
                          total * total / squares};
    for (size_t i = 0; i < view->near_count; i++)
        local.scatter += view->near[i].weight / total * fabs(view->near[i].value - local.value);
    return local;
}

/* The rows that are compared with, in order. */
static void line_up(struct view *view)
{
    size_t step = view->count / MOST_NEIGHBOURS + 1;
    view->near_count = 0;
    for (size_t row = 0; row < view->count; row += step)
        if (isfinite(view->level[row]) && isfinite(view->whole[row] - view->unit[row]))
            view->near[view->near_count++] =
                (struct neighbour){.value = view->whole[row] - view->unit[row], .row = row};
    if (view->near_count)
        qsort(view->near, view->near_count, sizeof *view->near, by_value);
    for (size_t i = 0; i < view->near_count; i++)
        view->near[i].relative = exp(view->near[0].value - view->near[i].value);
}

/* How many times the usual error is to be expected, from what neighbours differ by. */
static double spread_of(const struct local *local, double usual)
{
    double scatter = (local->rows * local->scatter + ALL_ROWS_WORTH * usual) / (local->rows + ALL_ROWS_WORTH);
    return fmax(scatter, LEAST_SCATTER) / fmax(usual, LEAST_SCATTER) * sqrt(1 + 1 / fmax(local->rows, 1));
}

static double beyond(const double *values, size_t count)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            least = fmin(least, values[i]);
            most = fmax(most, values[i]);
        }
    return fmax(0, fmax(values[count] - most, least - values[count]) / fmax(most - least, 1));
}

static void add_view(const struct model_table *table, struct array *candidates, const struct view *view)
{
    struct local *locals = memory_get((view->count + 1) * sizeof *locals);
    struct model_candidate *candidate = model_candidate_add(candidates, table, model_NEAREST, 3);
    double usual = 0;
    for (size_t row = 0; row < view->count; row++) {
        candidate->off[row] = candidate->spreads[row] = NAN;
        if (!isfinite(view->level[row]) || !isfinite(view->whole[row]))
            continue;
        locals[row] = look(view, row);
        candidate->off[row] = locals[row].value + view->unit[row] - log(table->latest[row]);
        usual += fabs(candidate->off[row]);
        candidate->rows++;
    }
    usual = fmax(usual / (double)candidate->rows, LEAST_SCATTER);
    for (size_t row = 0; row < view->count; row++)
        if (isfinite(candidate->off[row]))
            candidate->spreads[row] = spread_of(&locals[row], usual);
    struct local here = look(view, view->count);
    candidate->seconds = exp(here.value + view->unit[view->count]);
    candidate->spread = spread_of(&here, usual);
    candidate->beyond = fmax(beyond(view->level, view->count), beyond(view->size, view->count));
    candidate->noise = 0.4;
    candidate->parameters = memory_format(
        "{\"factor\":%g,\"unit\":\"%s\",\"width\":%g,\"multiple\":%.6g,\"scatter\":%.4g,\"neighbours\":%.3g}",
        view->factor, UNITS[view->kind], view->width, exp(here.value), here.scatter, here.rows);
    free(locals);
}

static double log_at(const struct model_column *column, size_t row, size_t count)
{
    return log(row < count ? column->values[row] : column->question);
}

/* All views of one probe. */
static void add_views(const struct model_table *table, struct array *candidates,
                      const struct model_column *pair, struct view *view)
{
    const struct model_column *identity = model_table_find(table, model_COLUMN_IDENTITY, pair->factor);
    const struct model_column *size = model_table_find(table, model_COLUMN_SIZE, 0);
    if (!identity && !size)
        return;
    const struct model_column *units[UNIT_COUNT] = {size, identity, pair};
    size_t known = 0;
    view->factor = pair->factor;
    for (size_t i = 0; i <= table->count; i++) {
        double probe = log_at(pair, i, table->count);
        view->size[i] = size ? log_at(size, i, table->count) : 0;
        view->level[i] = probe - (identity ? log_at(identity, i, table->count) : view->size[i]);
        if (!isfinite(view->size[i]))
            view->level[i] = NAN;
        if (i < table->count) {
            view->whole[i] = log(table->seconds[i]);
            known += isfinite(view->level[i]);
        }
    }
    if (known < ROWS_FOR_NEIGHBOURS || !isfinite(view->level[table->count]))
        return;
    for (view->kind = 0; view->kind < UNIT_COUNT; view->kind++) {
        if (!units[view->kind])
            continue;
        for (size_t i = 0; i <= table->count; i++)
            view->unit[i] = log_at(units[view->kind], i, table->count);
        line_up(view);
        for (unsigned w = 0; w < sizeof WIDTHS / sizeof *WIDTHS; w++) {
            view->width = WIDTHS[w];
            add_view(table, candidates, view);
        }
    }
}

void model_add_nearest(const struct model_table *table, struct array *candidates)
{
    if (table->count < ROWS_FOR_NEIGHBOURS || table->count > MOST_ROWS)
        return;
    double *numbers = memory_get(4 * (table->count + 1) * sizeof *numbers);
    struct view view = {.count = table->count,
                        .level = numbers,
                        .size = numbers + table->count + 1,
                        .unit = numbers + 2 * (table->count + 1),
                        .whole = numbers + 3 * (table->count + 1),
                        .near = memory_get((MOST_NEIGHBOURS + 1) * sizeof(struct neighbour))};
    for (size_t c = table->columns.count; c-- > 0;) {
        const struct model_column *pair = ARRAY_AT(struct model_column, &table->columns, c);
        if (pair->kind == model_COLUMN_PAIR)
            add_views(table, candidates, pair, &view);
    }
    free(view.near);
    free(numbers);
}
