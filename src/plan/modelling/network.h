/* What a message costs: files of networks/, after LogGP, in regions by size, on chip, on node and off node.

   Syntax of base/settings.h.  Each region of message sizes is a section; its kind is the distance, its name
   is free; `up-to` is the largest message, and the last region of a distance has none:

       cores-per-chip = 2   chips-per-node = 1
       [off-node direct]
       up-to = 1024   L = 0.305us   o = 3.92us   G = 0.4ns
       [off-node acknowledged]
       L = 0.305us   o = 3.92us   G = 0.4ns   handshake = 4.53us

   A distance without regions takes those of the next one beyond it. [disc], [noise], [nodes] and [sharing]
   are optional, and so is a SimGrid platform. `assay model measure-network` writes such a file. Seconds and
   bytes.

   The rules of a message, which both evaluators follow (functions below):

   - A send begins at s.  The sender is busy for max(g, o + O·bytes).
   - *Eager* (no handshake): the message leaves at s + o + O·bytes and arrives L + G·bytes later.
   - *Rendezvous* (a region with a handshake): both agree at max(s + o, r) + handshake, r being the time at
     which the receive was begun. The sender is free O·bytes later, and the message arrives L + G·bytes after
     that.  A non-blocking send is free after o; its wait ends where the blocking send would.
   - A receive that was begun at r ends at max(r, arrival) + o' + O'·bytes, o' being the receiver's overhead.
     A non-blocking receive takes no time when it is begun; the overhead is paid in its wait, which ends at
     max(wait begun, arrival) + o' + O'·bytes. A wait for all takes requests in the order of their beginnings.
   - Messages between two ranks with the same tag are received in the order in which they were sent.

   O, the processor's time for each byte, is not in LogGP; its successors have it, and MPI within a node needs
   it: there the processor copies, and cannot compute meanwhile. */
#ifndef PLAN_MODELLING_NETWORK_H
#define PLAN_MODELLING_NETWORK_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum network_distance { distance_CHIP, distance_NODE, distance_FAR, network_DISTANCES };

struct network_region {
    double most_bytes;                      /* INFINITY: the last */
    double latency, gap, gap_per_byte;      /* L, g, G */
    double overhead_send, overhead_receive; /* o */
    double send_per_byte, receive_per_byte; /* O */
    double handshake;                       /* 0 where it is eager */
    double spread;                          /* of measured times: half the interquartile range, relative */
    bool is_rendezvous;                     /* the sender waits until the receiver is there */
};

struct network {
    char *name, *description;
    int32_t cores_per_chip, chips_per_node;
    struct array regions[network_DISTANCES]; /* of struct network_region, by size; never empty */
    bool is_borrowed[network_DISTANCES];     /* the file says nothing: regions of a distance beside it */
    double disc_latency, disc_seconds_per_byte;
    bool has_disc, is_disc_shared;    /* shared: one request at a time, of all ranks */
    double noise_rate, noise_seconds; /* events per second of computing; mean length */
    char *noise_distribution;         /* exponential, fixed, pareto; NULL: no noise */
    struct array speeds;              /* of double: of nodes, in order and then again; empty: all 1 */
    int32_t processors;               /* of all ranks; 0: as many as ranks */
    double turn;                      /* where ranks share a processor: of one that looks and finds nothing */
    char *platform;                   /* SimGrid's file, beside the network's; NULL: nothing contends */
    bool asks_simulator;              /* for each message, even where its routes are enough: to compare */
    char *simulator;                  /* the program that simulates it: whoever evaluates by events sets it */
};

bool network_read(const char *path, struct network *network, struct error *error);
/* The same for a text; path is for messages. */
bool network_parse(const char *path, const char *text, size_t size, struct network *network,
                   struct error *error);
void network_write(const struct network *network, FILE *out); /* what network_read reads */
void network_free(struct network *network);

enum network_distance network_between(const struct network *network, int32_t rank, int32_t other);
const char *network_distance_word(enum network_distance distance); /* on chip, on node, off node */
const struct network_region *network_region(const struct network *network, enum network_distance distance,
                                            double bytes);
/* The network as ranks see it that share processors; else the same. To be freed by network_free.

   With k ranks on each processor, all that a processor does takes k times as long. Whoever waits for another
   rank, in a receive or for the answer to a handshake, gives the processor away, and has it again after k / 2
   turns of a rank, on average: the same rule by which `turn` is found from a ping-pong. */
struct network network_as_shared(const struct network *network, int32_t ranks);
/* Of the node that a rank is on: seconds of computing are divided by it. */
double network_speed(const struct network *network, int32_t rank);

/* How long a send keeps the sender busy at its beginning: of an eager one, all of it. */
static inline double network_send_busy(const struct network_region *region, double bytes)
{
    double busy = region->overhead_send + (region->is_rendezvous ? 0 : region->send_per_byte * bytes);
    return busy > region->gap ? busy : region->gap;
}
/* When an eager message leaves. */
static inline double network_left(const struct network_region *region, double bytes, double send_begun)
{
    return send_begun + region->overhead_send + region->send_per_byte * bytes;
}
/* When a rendezvous leaves, and its sender is free. */
static inline double network_agreed(const struct network_region *region, double bytes, double send_begun,
                                    double receive_begun)
{
    double requested = send_begun + region->overhead_send;
    return (requested > receive_begun ? requested : receive_begun) + region->handshake +
           region->send_per_byte * bytes;
}
/* When it is there. */
static inline double network_arrival(const struct network_region *region, double bytes, double left)
{
    return left + region->latency + region->gap_per_byte * bytes;
}
static inline double network_receive_busy(const struct network_region *region, double bytes)
{
    return region->overhead_receive + region->receive_per_byte * bytes;
}
static inline double network_disc_seconds(const struct network *network, double bytes)
{
    return network->disc_latency + network->disc_seconds_per_byte * bytes;
}
#endif
