/* Questions about a network: how far two ranks are from each other, and what a message of some size costs
   there.

   Ranks fill a node before the next one begins, and a chip before the next one of the node, as launchers do
   by default. */
#include "modelling/network.h"

#include <math.h>
#include <stdlib.h>

enum network_distance network_between(const struct network *network, int32_t rank, int32_t other)
{
    int32_t of_chip = network->cores_per_chip, of_node = of_chip * network->chips_per_node;
    return rank / of_chip == other / of_chip   ? distance_CHIP
           : rank / of_node == other / of_node ? distance_NODE
                                               : distance_FAR;
}

const char *network_distance_word(enum network_distance distance)
{
    static const char *const words[network_DISTANCES] = {"on chip", "on node", "off node"};
    return words[distance];
}

const struct network_region *network_region(const struct network *network, enum network_distance distance,
                                            double bytes)
{
    const struct array *regions = &network->regions[distance];
    const struct network_region *region = regions->data;
    for (size_t i = 1; i < regions->count && bytes > region->most_bytes; i++)
        region++;
    return region;
}

double network_speed(const struct network *network, int32_t rank)
{
    int32_t node = rank / (network->cores_per_chip * network->chips_per_node);
    return network->speeds.count ? *ARRAY_AT(double, &network->speeds, (size_t)node % network->speeds.count)
                                 : 1;
}

void network_free(struct network *network)
{
    for (unsigned i = 0; i < network_DISTANCES; i++)
        array_free(&network->regions[i]);
    array_free(&network->speeds);
    free(network->name);
    free(network->description);
    free(network->noise_distribution);
    free(network->platform);
    free(network->simulator);
    *network = (struct network){0};
}
