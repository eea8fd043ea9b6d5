/* Messages between nodes as flows of SimGrid, which share links.

   The simulator of `assay schedule` serves here, too (runtime/simgrid): a message is a job that computes
   nothing and needs one file, of the message's size, from the sender's host. Latency and bandwidth are those
   of the platform's links in place of L and G; overheads and handshakes stay those of the network file.

   The simulator's time follows ours: it passes until the next turn of a rank, and stops where a message
   arrives before that. Nodes are the platform's hosts in the order of their names, numbers as numbers. */
#include "modelling/events/events.h"

#include "runtime/simgrid/lines_file.h"
#include "schedule/engine/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct flight {
    int32_t sender, receiver, next_free;
    double bytes, arrival; /* NAN: it is under way */
    const struct network_region *region;
    struct event_side receive;
    bool has_receive;
};

struct event_flows {
    struct simulation simulation;
    struct array hosts;   /* of char *, by node */
    struct array flights; /* of struct flight */
    int32_t free_flight;  /* plus 1 */
    size_t under_way;     /* started, or waiting to be */
    size_t started;
    double now;
    int32_t ranks_per_node;
};

static int by_name(const void *left, const void *right)
{
    return strverscmp(*(char *const *)left, *(char *const *)right);
}

static bool read_hosts(struct event_flows *flows, struct error *error)
{
    for (char *line; (line = simulation_line(&flows->simulation, error));) {
        const char *verb = simulation_word(&line);
        if (!strcmp(verb, SIMULATOR_READY)) {
            qsort(flows->hosts.data, flows->hosts.count, sizeof(char *), by_name);
            return true;
        }
        const char *name = simulation_word(&line);
        bool is_files = line && strstr(line, "\t" SIMULATOR_ROLE_FILES);
        if (!strcmp(verb, SIMULATOR_HOST) && !is_files)
            *(char **)array_add(&flows->hosts) = memory_copy_text(name, strlen(name));
    }
    return false;
}

bool event_flows_begin(struct events *events)
{
    const struct network *network = events->network;
    if (!network->simulator)
        return error_set(events->error, network->platform,
                         "needs the simulator of clusters, which is not there: install libsimgrid-dev and "
                         "build Assay again");
    struct event_flows *flows = memory_get(sizeof *flows);
    *flows = (struct event_flows){.hosts = ARRAY_OF(char *),
                                  .flights = ARRAY_OF(struct flight),
                                  .ranks_per_node = network->cores_per_chip * network->chips_per_node};
    events->flows = flows;
    if (!simulation_begin(&flows->simulation, network->simulator, network->platform, events->error) ||
        !read_hosts(flows, events->error))
        return false;
    size_t nodes =
        ((size_t)events->rank_count + (size_t)flows->ranks_per_node - 1) / (size_t)flows->ranks_per_node;
    if (nodes > flows->hosts.count)
        return error_set(events->error, network->platform,
                         "has %zu hosts, but %d ranks need %zu nodes (%d ranks on each)", flows->hosts.count,
                         events->rank_count, nodes, flows->ranks_per_node);
    return true;
}

void event_flows_end(struct events *events)
{
    struct event_flows *flows = events->flows;
    if (!flows)
        return;
    simulation_end(&flows->simulation);
    for (size_t i = 0; i < flows->hosts.count; i++)
        free(*ARRAY_AT(char *, &flows->hosts, i));
    array_free(&flows->hosts);
    array_free(&flows->flights);
    free(flows);
    events->flows = NULL;
}

size_t event_flows_under_way(const struct events *events)
{
    return events->flows ? events->flows->under_way : 0;
}

int32_t event_flow_leave(struct events *events, int32_t sender, int32_t receiver, double bytes, double left)
{
    struct event_flows *flows = events->flows;
    int32_t number = flows->free_flight - 1;
    if (number >= 0)
        flows->free_flight = ARRAY_AT(struct flight, &flows->flights, (size_t)number)->next_free;
    else {
        number = (int32_t)flows->flights.count;
        array_add(&flows->flights);
    }
    *ARRAY_AT(struct flight, &flows->flights, (size_t)number) =
        (struct flight){.sender = sender, .receiver = receiver, .bytes = bytes, .arrival = NAN};
    flows->under_way++;
    event_order_add(&events->order, left, -1 - number);
    return number;
}

static void forget(struct event_flows *flows, int32_t number)
{
    ARRAY_AT(struct flight, &flows->flights, (size_t)number)->next_free = flows->free_flight;
    flows->free_flight = number + 1;
}

bool event_flow_receive(struct events *events, int32_t flow, const struct event_side *receive,
                        const struct network_region *region, double *arrival)
{
    struct flight *flight = ARRAY_AT(struct flight, &events->flows->flights, (size_t)flow);
    *arrival = flight->arrival;
    flight->receive = *receive;
    flight->region = region;
    flight->has_receive = true;
    if (isnan(flight->arrival))
        return false;
    forget(events->flows, flow);
    return true;
}

static const char *host_of(const struct event_flows *flows, int32_t rank)
{
    return *ARRAY_AT(char *, &flows->hosts, (size_t)(rank / flows->ranks_per_node));
}

bool event_flow_start(struct events *events, int32_t number)
{
    struct event_flows *flows = events->flows;
    const struct flight *flight = ARRAY_AT(struct flight, &flows->flights, (size_t)number);
    simulation_order(&flows->simulation, "%s\t%d\t0\t1\t%s\t1\t1\t%s\t%.17g\n", SIMULATOR_START, number,
                     host_of(flows, flight->receiver), host_of(flows, flight->sender),
                     fmax(flight->bytes, 1));
    flows->started++;
    return true;
}

static void arrive(struct events *events, size_t number, double time)
{
    struct event_flows *flows = events->flows;
    if (number >= flows->flights.count)
        return;
    struct flight flight = *ARRAY_AT(struct flight, &flows->flights, number);
    ARRAY_AT(struct flight, &flows->flights, number)->arrival = time;
    flows->under_way--;
    flows->started--;
    if (flight.has_receive) {
        forget(flows, (int32_t)number);
        event_rank_settle(events, &flight.receive, flight.region, time, false);
    }
}

bool event_flows_pass(struct events *events, bool *is_turn)
{
    static const double forever = 1e10;
    struct event_flows *flows = events->flows;
    double until = events->order.turns.count ? event_order_first(&events->order)->time : forever;
    bool is_leaving = events->order.turns.count && event_order_first(&events->order)->rank < 0;
    *is_turn = true;
    if (until <= flows->now || (!flows->started && !is_leaving))
        return true;
    simulation_order(&flows->simulation, "%s\t%.17g\n", SIMULATOR_ADVANCE, until);
    if (!simulation_send(&flows->simulation, events->error))
        return false;
    for (char *line; (line = simulation_line(&flows->simulation, events->error));) {
        const char *verb = simulation_word(&line), *first = simulation_word(&line);
        if (!strcmp(verb, SIMULATOR_NOW)) {
            flows->now = *is_turn ? until : strtod(first, NULL);
            return true;
        }
        if (!strcmp(verb, SIMULATOR_LOST))
            return error_set(events->error, events->network->platform,
                             "a host failed on the way of a message; models need platforms whose hosts stay");
        if (strcmp(verb, SIMULATOR_DONE))
            continue;
        *is_turn = false;
        arrive(events, strtoul(first, NULL, 10), strtod(simulation_word(&line), NULL));
    }
    return false;
}
