/* See poisson.h.  From the most likely number outwards by the ratio of neighbours, as Fox and Glynn do, until
   what is left is beyond the digits of a double: nothing overflows or vanishes, however large the mean is. */
#include "plan/modelling/pepa/poisson.h"

#include <math.h>
#include <stdlib.h>

void poisson_make(struct poisson *poisson, double mean)
{
    const double least = 1e-17;
    uint64_t mode = (uint64_t)mean, room = (uint64_t)(12 * sqrt(mean) + 60);
    uint64_t first = mode > room ? mode - room : 0, count = mode - first + room + 1;
    double *weights = memory_get(count * sizeof *weights), total = 0;
    weights[mode - first] = 1;
    for (uint64_t i = mode; i > first; i--)
        weights[i - 1 - first] = weights[i - first] * (double)i / mean;
    for (uint64_t i = mode + 1; i < first + count; i++)
        weights[i - first] = weights[i - 1 - first] * mean / (double)i;
    uint64_t begin = 0, end = count;
    for (uint64_t i = 0; i < count; i++)
        total += weights[i];
    while (begin < mode - first && weights[begin] < least * total / (double)room)
        begin++;
    while (end > mode - first + 1 && weights[end - 1] < least * total / (double)room)
        end--;
    /* Below and above, ratios only shrink: geometric sums bound both ends. */
    double below = first + begin ? weights[begin] / (1 - fmin(0.999999, (double)(first + begin) / mean)) : 0,
           above = weights[end - 1] / (1 - fmin(0.999999, mean / (double)(first + end)));
    *poisson = (struct poisson){.first = first + begin,
                                .count = end - begin,
                                .weights = memory_get((end - begin) * sizeof *weights),
                                .lost = (below + above) / total};
    for (uint64_t i = begin; i < end; i++)
        poisson->weights[i - begin] = weights[i] / total;
    free(weights);
}

void poisson_free(struct poisson *poisson)
{
    free(poisson->weights);
}
