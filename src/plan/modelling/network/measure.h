/* A network measured: the ping-pong program (runtime/network/ping_pong.c) is compiled and started by the
   user's own launcher, its times become points, and points become regions of LogGP. */
#ifndef PLAN_MODELLING_NETWORK_MEASURE_H
#define PLAN_MODELLING_NETWORK_MEASURE_H
#include "plan/modelling/network.h"

struct quartiles {
    double first, median, third; /* seconds */
};

/* A size of message, measured between two ranks. */
struct network_point {
    double bytes;
    struct quartiles round, send, receive, burst;
    bool is_waiting; /* its sender waits for the receiver */
};

struct network_pair {
    enum network_distance distance;
    int32_t partner;     /* of rank 0 */
    struct array points; /* of struct network_point, by size */
    double most_eager;   /* bytes that a sender never waits with; INFINITY: it never waits */
};

struct network_place {
    int32_t rank, processor, package;
    char *host;
};

struct network_measured {
    struct array pairs;     /* of struct network_pair */
    struct array places;    /* of struct network_place */
    int32_t sharing;        /* ranks on the processor of rank 0; 0: it was not measured what that costs */
    struct quartiles turns; /* half a round trip of 8 bytes between two of them */
    bool is_partial;        /* Ctrl-C came: larger messages, or further ranks, are missing */
    double clock;           /* seconds that reading the clock takes: subtracted already */
};

/* Compiles and runs: launcher ends with NULL. */
bool network_measure(const char *const *launcher, size_t launcher_words, double largest,
                     struct network_measured *measured, struct error *error);
/* What the program printed, read; is_partial: as far as it came. */
bool network_read_measured(char *text, bool is_partial, struct network_measured *measured,
                           struct error *error);
void network_measured_free(struct network_measured *measured);
/* The points as comments of the network's file, each beside what the regions say. */
void network_write_points(const struct network_measured *measured, const struct network *network, FILE *out);

/* Regions of all pairs, and how ranks are laid out as far as this run shows it. */
void network_of_measured(const struct network_measured *measured, const char *name, const char *description,
                         struct network *network);
#endif
