/* Messages between nodes as flows of SimGrid, which share links.

   The simulator of `assay schedule` serves here, too (runtime/simgrid): a message is a job that computes
   nothing and needs one file, of the message's size, from the sender's host. Latency and bandwidth are those
   of the platform's links in place of L and G; overheads and handshakes stay those of the network file.

   Two ways lead to when a message arrives. Mostly the simulator is only asked for routes, once for each pair
   of hosts, and links.c reckons with the same rules. Where a platform changes in time, or has links with
   rules of their own, each message becomes a job of the simulator: its time follows ours, passes until the
   next turn of a rank, and stops where a message arrives before that. Nodes are the platform's hosts in the
   order of their names, numbers as numbers. */
#include "plan/modelling/events/events.h"

#include "base/hash_index.h"
#include "base/regular_file.h"
#include "plan/modelling/events/links.h"
#include "runtime/simgrid/lines_file.h"
#include "plan/schedule/engine/simulation.h"

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
    struct links *links;     /* NULL: the simulator is asked for each message */
    struct array link_names; /* of char *, by number of the link */
    struct array routes;     /* of struct route */
    struct hash_index links_by_name, routes_by_nodes;
    struct array ended; /* of int32_t */
};

struct route {
    int32_t from, to;
    struct links_route *known;
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

/* SimGrid's usual window of TCP: a flow cannot be faster than this over the round trip. */
static const double tcp_window = 4194304;

static int32_t link_of(struct event_flows *flows, const char *name, double bandwidth)
{
    uint64_t hash = strings_hash(name, strlen(name));
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&flows->links_by_name, hash, &slot)) != UINT32_MAX;)
        if (!strcmp(*ARRAY_AT(char *, &flows->link_names, place), name))
            return (int32_t)place;
    hash_index_add(&flows->links_by_name, hash, (uint32_t)flows->link_names.count);
    *(char **)array_add(&flows->link_names) = memory_copy_text(name, strlen(name));
    return links_add(flows->links, bandwidth);
}

static bool ask_route(struct event_flows *flows, int32_t from, int32_t to, struct links_route *route,
                      struct error *error)
{
    simulation_order(&flows->simulation, "%s\t%s\t%s\n", SIMULATOR_LINKS,
                     *ARRAY_AT(char *, &flows->hosts, (size_t)from),
                     *ARRAY_AT(char *, &flows->hosts, (size_t)to));
    char *line =
        simulation_send(&flows->simulation, error) ? simulation_line(&flows->simulation, error) : NULL;
    if (!line)
        return false;
    simulation_word(&line);
    route->latency = strtod(simulation_word(&line), NULL);
    if (!(route->latency >= 0) || isinf(route->latency))
        return error_set(error, NULL, "a route of the platform has no latency that could be waited for");
    route->bound = route->latency > 0 ? tcp_window / (2 * route->latency) : INFINITY;
    for (long count = strtol(simulation_word(&line), NULL, 10); count > 0; count--) {
        const char *name = simulation_word(&line);
        double bandwidth = strtod(simulation_word(&line), NULL);
        if (!(bandwidth > 0))
            return error_set(error, NULL,
                             "the link %s of the platform has no bandwidth: nothing arrives over it", name);
        if (!strcmp(simulation_word(&line), SIMULATOR_WIDE))
            route->bound = fmin(route->bound, bandwidth);
        else
            *(int32_t *)array_add(&route->shared) = link_of(flows, name, bandwidth);
    }
    return true;
}

static const struct links_route *route_between(struct event_flows *flows, int32_t from, int32_t to,
                                               struct error *error)
{
    uint64_t hash = hash_mix(hash_mix(7, (uint32_t)from), (uint32_t)to);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&flows->routes_by_nodes, hash, &slot)) != UINT32_MAX;) {
        const struct route *route = ARRAY_AT(struct route, &flows->routes, place);
        if (route->from == from && route->to == to)
            return route->known;
    }
    struct links_route *known = memory_get(sizeof *known);
    known->shared = ARRAY_OF(int32_t);
    if (!ask_route(flows, from, to, known, error)) {
        array_free(&known->shared);
        free(known);
        return NULL;
    }
    hash_index_add(&flows->routes_by_nodes, hash, (uint32_t)flows->routes.count);
    *(struct route *)array_add(&flows->routes) = (struct route){from, to, known};
    return known;
}

/* Whether routes say all: bandwidths that change in time and wireless links do not show in them. */
static bool routes_are_enough(const char *platform)
{
    static const char *const marks[] = {"_file=", "<trace", "WIFI", "wifi", "NONLINEAR"};
    struct error ignored = {0};
    char *text = regular_file_text(platform, 64 << 20, "a platform", &ignored);
    bool is_enough = text != NULL;
    for (size_t i = 0; is_enough && i < sizeof marks / sizeof *marks; i++)
        is_enough = !strstr(text, marks[i]);
    free(text);
    return is_enough;
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
    flows->link_names = ARRAY_OF(char *);
    flows->routes = ARRAY_OF(struct route);
    flows->ended = ARRAY_OF(int32_t);
    events->flows = flows;
    if (!network->asks_simulator && routes_are_enough(network->platform))
        flows->links = links_begin();
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
    for (size_t i = 0; i < flows->link_names.count; i++)
        free(*ARRAY_AT(char *, &flows->link_names, i));
    for (size_t i = 0; i < flows->routes.count; i++) {
        struct links_route *known = ARRAY_AT(struct route, &flows->routes, i)->known;
        array_free(&known->shared);
        free(known);
    }
    links_end(flows->links);
    hash_index_free(&flows->links_by_name);
    hash_index_free(&flows->routes_by_nodes);
    array_free(&flows->routes);
    array_free(&flows->link_names);
    array_free(&flows->ended);
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
    event_order_add(&events->order, left, -1 - number, 0);
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
    if (flows->links) {
        const struct links_route *route =
            route_between(flows, flight->sender / flows->ranks_per_node,
                          flight->receiver / flows->ranks_per_node, events->error);
        if (route)
            links_start(flows->links, number, flows->now, fmax(flight->bytes, 1), route);
        flows->started++;
        return route;
    }
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
    } else {
        event_any_arrived(events, (int32_t)number, flight.receiver, time);
    }
}

/* What links.c says of the time until the next turn. */
static bool pass_links(struct events *events, double until, bool *is_turn)
{
    struct event_flows *flows = events->flows;
    double next = links_next(flows->links);
    *is_turn = next > until;
    if (*is_turn)
        flows->now = until;
    if (*is_turn || isinf(next))
        return true;
    flows->now = next;
    flows->ended.count = 0;
    links_step(flows->links, &flows->ended);
    for (size_t i = 0; i < flows->ended.count; i++)
        arrive(events, (size_t)*ARRAY_AT(int32_t, &flows->ended, i), next);
    return true;
}

bool event_flows_pass(struct events *events, bool *is_turn)
{
    static const double forever = 1e10;
    struct event_flows *flows = events->flows;
    double until = events->order.turns.count ? event_order_first(&events->order)->time : forever;
    bool is_leaving = events->order.turns.count && event_order_first(&events->order)->rank < 0;
    if (flows->links)
        return pass_links(events, until, is_turn);
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
