/* The home, the president, watchers and sentries: see simulator.h. */
#include "runtime/simgrid/simulator.h"

#include <simgrid/semaphore.h>

#include <stdlib.h>
#include <string.h>

sg_host_t simulator_home;
bool simulator_has_files;

FILE *simulator_events;

static char *event_text;
static size_t event_size;
static sg_sem_t news;

void simulator_wake(void)
{
    sg_sem_release(news);
}

_Noreturn void simulator_fail(const char *what, const char *which)
{
    printf("%s\t%s: %s\n", SIMULATOR_ERROR, what, which);
    fflush(stdout);
    _Exit(2);
}

/* To this time, or to the first moment that has news; what else happens at that moment is told with it. */
static void advance(double until)
{
    double now = simgrid_get_clock();
    if (until > now && sg_sem_would_block(news))
        (void)sg_sem_acquire_timeout(news, until - now);
    for (int round = 0; round < 4; round++)
        sg_actor_yield();
    while (!sg_sem_would_block(news))
        sg_sem_acquire(news);
}

static void lose_home(int failed, void *home)
{
    if (failed)
        simulator_fail("the scheduler's own host failed; mark one that does not fail with "
                       "<prop id=\"" SIMULATOR_ROLE_PROPERTY "\" value=\"" SIMULATOR_ROLE_FILES "\"/>",
                       sg_host_get_name(home));
}

static void preside(int count, char **words)
{
    (void)count, (void)words;
    sg_actor_on_exit(lose_home, simulator_home);
    double until;
    while (orders_read(&until)) {
        advance(until);
        fflush(simulator_events);
        fwrite(event_text, 1, (size_t)ftell(simulator_events), stdout);
        printf("%s\t%.17g\n", SIMULATOR_NOW, simgrid_get_clock());
        fflush(stdout);
        rewind(simulator_events);
    }
    _Exit(0);
}

static void tell_host(const char *event, const_sg_host_t host)
{
    if (simgrid_get_clock() > 0) { /* before, it is in our first lines */
        fprintf(simulator_events, "%s\t%s\t%.17g\n", event, sg_host_get_name(host), simgrid_get_clock());
        simulator_wake();
    }
}

/* Data: the sentry. */
static void watch(int count, char **words)
{
    (void)count, (void)words;
    sg_actor_t sentry = sg_actor_self_get_data();
    sg_host_t host = sg_actor_get_host(sentry);
    sg_actor_join(sentry, -1);
    sg_actor_unref(sentry);
    jobs_lose(host);
    tell_host(SIMULATOR_DOWN, host);
}

static void stand_sentry(int count, char **words)
{
    (void)count, (void)words;
    sg_actor_t watcher = sg_actor_init("watcher", simulator_home);
    sg_actor_ref(sg_actor_self());
    sg_actor_set_data(watcher, sg_actor_self());
    sg_actor_start(watcher, watch, 0, NULL);
    tell_host(SIMULATOR_UP, sg_host_self());
    for (;;)
        sg_actor_suspend(sg_actor_self());
}

static void introduce(sg_host_t host)
{
    const char *role = sg_host_get_property_value(host, SIMULATOR_ROLE_PROPERTY);
    const char *memory = sg_host_get_property_value(host, SIMULATOR_MEMORY_PROPERTY);
    const char *name = sg_host_get_name(host);
    bool has_files = role && !strcmp(role, SIMULATOR_ROLE_FILES);
    if (role && !has_files)
        simulator_fail("the property \"" SIMULATOR_ROLE_PROPERTY
                       "\" of a host can only be \"" SIMULATOR_ROLE_FILES "\", but is",
                       role);
    if (has_files && simulator_has_files)
        simulator_fail("two hosts have the common file system, but there can be one; the second is", name);
    if (has_files || !simulator_home)
        simulator_home = host;
    simulator_has_files |= has_files;
    if (strpbrk(name, "\t\n,:"))
        simulator_fail("a host's name may have no commas, colons or tabs", name);
    printf("%s\t%s\t%d\t%.17g\t%s\t%s\t%s\n", SIMULATOR_HOST, name, sg_host_core_count(host),
           sg_host_get_speed(host), sg_host_is_on(host) ? "up" : "down",
           has_files ? SIMULATOR_ROLE_FILES : "tasks", memory ? memory : "");
}

void simulator_tell_routes(void)
{
    size_t count = sg_host_count();
    sg_host_t *hosts = sg_host_list();
    for (size_t i = 0; i < count; i++)
        if (hosts[i] != simulator_home)
            fprintf(simulator_events, "%s\t%s\t%.17g\t%.17g\n", SIMULATOR_ROUTE, sg_host_get_name(hosts[i]),
                    sg_host_get_route_bandwidth(simulator_home, hosts[i]),
                    sg_host_get_route_latency(simulator_home, hosts[i]));
    free(hosts);
}

int main(int count, char **words)
{
    if (count != 2) {
        fputs("assay-simulator PLATFORM: runs jobs on a simulated cluster, for assay schedule\n", stderr);
        return 2;
    }
    /* Bytes over bandwidth, plus latency, as anybody would reckon it. */
    char *simple[] = {words[0],
                      "--cfg=network/model:CM02",
                      "--cfg=network/crosstraffic:0",
                      "--cfg=contexts/stack-size:128",
                      "--log=root.thres:error",
                      NULL};
    int simple_count = 5;
    simulator_events = open_memstream(&event_text, &event_size);
    if (!simulator_events)
        return 2;
    simgrid_init(&simple_count, simple);
    simgrid_load_platform(words[1]);
    news = sg_sem_init(0);
    sg_host_t *hosts = sg_host_list();
    size_t host_count = sg_host_count();
    for (size_t i = 0; i < host_count; i++)
        introduce(hosts[i]);
    if (!host_count)
        simulator_fail("the platform has no hosts", words[1]);
    sg_actor_create("president", simulator_home, preside, 0, NULL);
    for (size_t i = 0; i < host_count; i++)
        if (hosts[i] != simulator_home)
            sg_actor_set_auto_restart(sg_actor_create("sentry", hosts[i], stand_sentry, 0, NULL), 1);
    free(hosts);
    printf("%s\t%d\n", SIMULATOR_READY, SIMULATOR_LAYOUT);
    fflush(stdout);
    simgrid_run();
    simulator_fail("the simulation has nothing to do", words[1]);
}
