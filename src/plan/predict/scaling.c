/* See scaling.h.

   The fit is least squares of relative distances with three figures that may not be negative. There are only
   seven sets of figures that may be above zero, so each is solved for on its own, and the best one whose
   figures are all allowed is taken: exact, and no iteration that could fail to end.

   A fitted curve rises again where overhead wins: more processors may take longer, which is what is measured
   on real machines. A declared curve says nothing beyond its last point, so its speed-up stays there. */
#include "plan/predict/scaling.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 3, MOST_PROCESSORS = 1000000 };

static void terms_of(unsigned processors, double terms[TERMS])
{
    terms[0] = 1;
    terms[1] = 1.0 / processors;
    terms[2] = processors - 1.0;
}

/* Solves for the terms in `set` by normal equations; whether there is a solution without negative figures. */
static bool solve_set(const struct scaling_point *points, size_t count, unsigned set, double figures[TERMS])
{
    double matrix[TERMS][TERMS + 1] = {{0}};
    for (size_t i = 0; i < count; i++) {
        double terms[TERMS];
        terms_of(points[i].processors, terms);
        for (unsigned row = 0; row < TERMS; row++) {
            double weighed = terms[row] / points[i].seconds;
            for (unsigned column = 0; column < TERMS; column++)
                matrix[row][column] += weighed * terms[column] / points[i].seconds;
            matrix[row][TERMS] += weighed;
        }
    }
    for (unsigned i = 0; i < TERMS; i++)
        if (!(set >> i & 1)) {
            memset(matrix[i], 0, sizeof matrix[i]);
            for (unsigned row = 0; row < TERMS; row++)
                matrix[row][i] = 0;
            matrix[i][i] = 1;
        }
    for (unsigned i = 0; i < TERMS; i++) {
        if (!(matrix[i][i] > 1e-300))
            return false;
        for (unsigned row = i + 1; row < TERMS; row++) {
            double share = matrix[row][i] / matrix[i][i], before = matrix[row][row];
            for (unsigned column = i; column <= TERMS; column++)
                matrix[row][column] -= share * matrix[i][column];
            if (!(matrix[row][row] > 1e-12 * before))
                return false;
        }
    }
    for (unsigned i = TERMS; i-- > 0;) {
        figures[i] = matrix[i][TERMS];
        for (unsigned column = i + 1; column < TERMS; column++)
            figures[i] -= matrix[i][column] * figures[column];
        figures[i] /= matrix[i][i];
        if (!(figures[i] >= 0) || !isfinite(figures[i]))
            return false;
    }
    return true;
}

static double formula(const double figures[TERMS], unsigned processors)
{
    double terms[TERMS];
    terms_of(processors, terms);
    return figures[0] * terms[0] + figures[1] * terms[1] + figures[2] * terms[2];
}

static double distance(const struct scaling_point *points, size_t count, const double figures[TERMS])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = formula(figures, points[i].processors) / points[i].seconds - 1;
        sum += off * off;
    }
    return sum;
}

static bool makes_sense(const struct scaling_point *point)
{
    return point->processors >= 1 && point->processors <= MOST_PROCESSORS && point->seconds > 0 &&
           isfinite(point->seconds);
}

void scaling_fit(const struct scaling_point *points, size_t count, struct scaling *scaling)
{
    *scaling = (struct scaling){.parallel = 1, .error = NAN, .worst = NAN};
    struct array usable = ARRAY_OF(struct scaling_point);
    for (size_t i = 0; i < count; i++)
        if (makes_sense(&points[i]))
            *(struct scaling_point *)array_push(&usable) = points[i];
    double best = INFINITY, figures[TERMS], chosen[TERMS] = {0};
    /* Fewer figures first: of fits that are equally good the simplest one stays.  Parallel work alone comes
       before serial work alone, so that a single point means perfect scaling. */
    static const unsigned sets[] = {2, 1, 3, 6, 5, 7};
    for (unsigned i = 0; usable.count && i < sizeof sets / sizeof *sets; i++)
        if (solve_set(usable.data, usable.count, sets[i], figures)) {
            double found = distance(usable.data, usable.count, figures);
            if (found < best * (1 - 1e-9)) {
                best = found;
                memcpy(chosen, figures, sizeof chosen);
            }
        }
    if (best < INFINITY) {
        scaling->serial = chosen[0], scaling->parallel = chosen[1], scaling->overhead = chosen[2];
        scaling->error = scaling->worst = 0;
        for (size_t i = 0; i < usable.count; i++) {
            const struct scaling_point *point = ARRAY_AT(struct scaling_point, &usable, i);
            double off = fabs(formula(chosen, point->processors) / point->seconds - 1);
            scaling->error += off / (double)usable.count;
            scaling->worst = fmax(scaling->worst, off);
        }
    }
    array_free(&usable);
}

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* A number without sign, `inf` or hexadecimal; NULL: there is none. */
static const char *read_number(const char *text, double *value)
{
    if (!isdigit((unsigned char)*text) && *text != '.')
        return NULL;
    char *end;
    *value = strtod(text, &end);
    return end == text || !isfinite(*value) ? NULL : end;
}

struct reader {
    const char *text;
    unsigned *column;
    struct error *error;
};

static bool complain(const struct reader *reader, const char *at, const char *what)
{
    if (reader->column)
        *reader->column = (unsigned)(at - reader->text) + 1;
    return error_set(reader->error, NULL,
                     "%s; a scaling is `perfect`, `amdahl 0.05` or speed-ups as in `1: 1, 2: 1.9, 4: 3.7`",
                     what);
}

static bool declare_amdahl(const struct reader *reader, const char *at, struct scaling *scaling)
{
    double serial, overhead = 0;
    at = skip_blanks(at);
    const char *end = read_number(at, &serial);
    if (!end || serial > 1)
        return complain(reader, at, "the serial share of amdahl must be a number from 0 to 1");
    at = skip_blanks(end);
    if (*at) {
        end = read_number(at, &overhead);
        if (!end || overhead > 1)
            return complain(reader, at, "the overhead of amdahl must be a number from 0 to 1");
        at = skip_blanks(end);
        if (*at)
            return complain(reader, at, "amdahl takes at most two numbers");
    }
    scaling->serial = serial, scaling->parallel = 1 - serial, scaling->overhead = overhead;
    return true;
}

static bool declare_points(const struct reader *reader, struct array *points)
{
    const char *at = skip_blanks(reader->text);
    for (;;) {
        double processors, speedup;
        const char *end = read_number(at, &processors);
        if (!end)
            return complain(reader, at, "a number of processors is missing");
        if (processors != floor(processors) || processors < 1 || processors > MOST_PROCESSORS)
            return complain(reader, at, "a number of processors must be a whole number from 1 to 1,000,000");
        end = skip_blanks(end);
        if (*end != ':')
            return complain(reader, end, "a colon must follow a number of processors");
        end = skip_blanks(end + 1);
        const char *speedup_at = end;
        end = read_number(end, &speedup);
        if (!end || !(speedup > 0))
            return complain(reader, speedup_at, "a speed-up must be a number above 0");
        if (points->count &&
            ARRAY_AT(struct scaling_point, points, points->count - 1)->processors >= processors)
            return complain(reader, at, "numbers of processors must rise");
        if (points->count == 0 && processors == 1 && speedup != 1)
            return complain(reader, speedup_at, "the speed-up with 1 processor is 1");
        if (points->count == 0 && processors > 1)
            *(struct scaling_point *)array_push(points) = (struct scaling_point){1, 1};
        *(struct scaling_point *)array_push(points) = (struct scaling_point){(unsigned)processors, speedup};
        at = skip_blanks(end);
        if (!*at)
            return true;
        if (*at != ',')
            return complain(reader, at, "a comma must stand between points");
        at = skip_blanks(at + 1);
    }
}

bool scaling_declare(const char *text, struct scaling *scaling, unsigned *column, struct error *error)
{
    *scaling = (struct scaling){.parallel = 1, .error = NAN, .worst = NAN};
    struct reader reader = {text, column, error};
    const char *at = skip_blanks(text);
    if (!strncmp(at, "perfect", 7)) {
        at = skip_blanks(at + 7);
        return !*at || complain(&reader, at, "nothing may follow perfect");
    }
    if (!strncmp(at, "amdahl", 6))
        return declare_amdahl(&reader, at + 6, scaling);
    if (!isdigit((unsigned char)*at))
        return complain(&reader, at, *at ? "this is not a scaling" : "the scaling is empty");
    struct array points = ARRAY_OF(struct scaling_point);
    if (!declare_points(&reader, &points)) {
        array_free(&points);
        return false;
    }
    scaling->curve = points.data;
    scaling->count = points.count;
    return true;
}

void scaling_free(struct scaling *scaling)
{
    free(scaling->curve);
    scaling->curve = NULL;
    scaling->count = 0;
}

static double declared_speedup(const struct scaling *scaling, unsigned processors)
{
    const struct scaling_point *points = scaling->curve;
    size_t last = scaling->count - 1;
    if (processors >= points[last].processors)
        return points[last].seconds;
    size_t i = 0;
    while (points[i + 1].processors <= processors)
        i++;
    double part = log((double)processors / points[i].processors) /
                  log((double)points[i + 1].processors / points[i].processors);
    return points[i].seconds * pow(points[i + 1].seconds / points[i].seconds, part);
}

double scaling_share(const struct scaling *scaling, unsigned processors)
{
    processors = processors ? processors : 1;
    if (scaling->curve)
        return 1 / declared_speedup(scaling, processors);
    double figures[TERMS] = {scaling->serial, scaling->parallel, scaling->overhead};
    return formula(figures, processors) / formula(figures, 1);
}

double scaling_speedup(const struct scaling *scaling, unsigned processors)
{
    return 1 / scaling_share(scaling, processors);
}

unsigned scaling_best(const struct scaling *scaling, unsigned least, unsigned most)
{
    unsigned best = least ? least : 1;
    double shortest = scaling_share(scaling, best);
    for (unsigned n = best + 1; n <= most && n <= MOST_PROCESSORS; n++) {
        double share = scaling_share(scaling, n);
        if (share < shortest) {
            shortest = share;
            best = n;
        }
    }
    return best;
}
