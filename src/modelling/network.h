/* What a message costs: files of networks/, after LogGP, in regions by size, on chip, on node and between
   nodes.

   Syntax of base/settings.h.  A file has `cores_per_chip`, `chips_per_node` (how ranks are laid out, in
   order) and for each distance a list of regions:

       [off node]
       up to 1024 = L 2.0us, o 3.9us, g 0, G 0.4ns        direct send: the sender goes on after o
       beyond     = L 2.0us, o 7.8us, g 0, G 0.36ns, handshake 4.0us     the sender waits for the receiver

   plus [disc] (bandwidth, latency, shared by …), [noise] (chance per second, distribution, length, seed) and
   for events an optional SimGrid platform. `assay model measure-network` writes such a file. Times are
   seconds, sizes bytes. */
#ifndef MODELLING_NETWORK_H
#define MODELLING_NETWORK_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum network_distance { distance_CHIP, distance_NODE, distance_FAR, network_DISTANCES };

struct network_region {
    double most_bytes; /* INFINITY: the last */
    double latency, overhead_send, overhead_receive, gap, gap_per_byte, handshake;
    bool is_rendezvous; /* the sender waits until the receiver is there */
};

struct network {
    char *name, *description;
    int32_t cores_per_chip, chips_per_node;
    struct array regions[network_DISTANCES]; /* of struct network_region */
    double disc_latency, disc_seconds_per_byte;
    bool is_disc_shared;
    double noise_rate, noise_seconds; /* events per second of computing; mean length */
    char *noise_distribution;         /* exponential, fixed, pareto; NULL: no noise */
    char *platform;                   /* SimGrid's file; NULL: made from the above */
};

bool network_read(const char *path, struct network *network, struct error *error);
void network_free(struct network *network);
enum network_distance network_between(const struct network *network, int32_t rank, int32_t other);
const struct network_region *network_region(const struct network *network, enum network_distance distance,
                                            double bytes);
#endif
