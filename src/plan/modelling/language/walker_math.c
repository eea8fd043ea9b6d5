#include "plan/modelling/language/walker_math.h"

#include <math.h>

double walker_random(uint64_t seed, uint64_t who, uint64_t number)
{
    uint64_t mixed = hash_mix(hash_mix(hash_mix(0x8000000080000001u, seed), who), number);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (double)(mixed >> 11) * 0x1p-53;
}

/* The largest divisor that is not above the square root: grids are as square as possible, and never higher
   than wide. */
static double rows_of(double ranks, const char **problem)
{
    if (!(ranks >= 1 && ranks <= MOST_RANKS) || ranks != floor(ranks)) {
        *problem = "a grid needs a whole number of ranks";
        return 1;
    }
    double rows = floor(sqrt(ranks));
    while (fmod(ranks, rows) != 0)
        rows--;
    return rows;
}

double walker_math(enum built_in which, const double *arguments, unsigned count, const char **problem)
{
    double first = arguments[0], result = first;
    switch (which) {
    case built_in_MIN:
        for (unsigned i = 1; i < count; i++)
            result = arguments[i] < result ? arguments[i] : result;
        return result;
    case built_in_MAX:
        for (unsigned i = 1; i < count; i++)
            result = arguments[i] > result ? arguments[i] : result;
        return result;
    case built_in_ABS:
        return fabs(first);
    case built_in_FLOOR:
        return floor(first);
    case built_in_CEIL:
        return ceil(first);
    case built_in_ROUND:
        return round(first);
    case built_in_SQRT:
        if (first < 0)
            *problem = "the square root of a number below 0";
        return sqrt(first);
    case built_in_LOG:
    case built_in_LOG2:
        if (first <= 0)
            *problem = "the logarithm of a number that is not above 0";
        return which == built_in_LOG ? log(first) : log2(first);
    case built_in_EXP:
        return exp(first);
    case built_in_POWER:
        result = pow(first, arguments[1]);
        if (!isfinite(result))
            *problem = "a power that is not a number";
        return result;
    case built_in_GRID_ROWS:
        return rows_of(first, problem);
    case built_in_GRID_COLUMNS:
        return first / rows_of(first, problem);
    default:
        return first;
    }
}
