/* Questions about a network: how far two ranks are from each other, and what a message of some size costs
   there.

   Ranks fill a node before the next one begins, and a chip before the next one of the node, as launchers do
   by default. */
#include "plan/modelling/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void copy(struct array *to, const struct array *from)
{
    *to = (struct array){.width = from->width};
    if (from->count)
        memcpy(array_add_many(to, from->count), from->data, from->count * from->width);
}

static char *copy_text(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static void share(struct network_region *region, double ranks, double turn)
{
    double others = ranks / 2 * turn;
    region->overhead_send *= ranks;
    region->send_per_byte *= ranks;
    region->overhead_receive = ranks * (region->overhead_receive + others);
    region->receive_per_byte *= ranks;
    if (region->is_rendezvous)
        region->handshake = ranks * (region->handshake + others);
}

struct network network_as_shared(const struct network *network, int32_t ranks)
{
    struct network shared = *network;
    shared.name = copy_text(network->name);
    shared.description = copy_text(network->description);
    shared.noise_distribution = copy_text(network->noise_distribution);
    shared.platform = copy_text(network->platform);
    shared.simulator = copy_text(network->simulator);
    copy(&shared.speeds, &network->speeds);
    for (unsigned i = 0; i < network_DISTANCES; i++)
        copy(&shared.regions[i], &network->regions[i]);
    if (!network->processors || ranks <= network->processors)
        return shared;
    double each = (double)ranks / network->processors;
    for (unsigned i = 0; i < network_DISTANCES; i++)
        for (size_t k = 0; k < shared.regions[i].count; k++)
            share(ARRAY_AT(struct network_region, &shared.regions[i], k), each, network->turn);
    if (!shared.speeds.count)
        *(double *)array_add(&shared.speeds) = 1;
    for (size_t i = 0; i < shared.speeds.count; i++)
        *ARRAY_AT(double, &shared.speeds, i) /= each;
    return shared;
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
