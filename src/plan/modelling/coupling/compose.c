/* From chains to the whole: see coupling.h. */
#include "plan/modelling/coupling/coupling.h"

#include <math.h>

double coupling_value(const struct coupling_chain *chain)
{
    return chain->seconds / chain->apart;
}

static bool holds(const struct coupling_chain *chain, uint32_t kernel, uint32_t count)
{
    return (kernel + count - chain->first) % count < chain->length;
}

double coupling_compose(const struct coupling *coupling, uint32_t length)
{
    uint32_t count = (uint32_t)coupling->kernels.count;
    const struct coupling_chain *chains = coupling->chains.data;
    double seconds = 0;
    for (uint32_t kernel = 0; kernel < count; kernel++) {
        double own = NAN, weighed = 0, weight = 0;
        for (size_t i = 0; i < coupling->chains.count; i++) {
            const struct coupling_chain *chain = &chains[i];
            if (chain->length == 1 && chain->first == kernel)
                own = chain->seconds;
            if (chain->length == length && holds(chain, kernel, count)) {
                weighed += coupling_value(chain) * chain->seconds;
                weight += chain->seconds;
            }
        }
        seconds += own * weighed / weight;
    }
    return seconds;
}

const struct coupling_chain *coupling_whole(const struct coupling *coupling)
{
    return ARRAY_AT(struct coupling_chain, &coupling->chains, coupling->chains.count - 1);
}
