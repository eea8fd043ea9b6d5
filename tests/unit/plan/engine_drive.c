/* Drives an engine by lines of standard input, for tests/commands/plan/schedule_slurm.py:

       engine-drive KIND SPOOL SESSION [HOSTS]
       hosts
       start TAG FOLDER HOST:COUNT[,HOST:COUNT…] COMMAND…
       poll TAG…
       cancel TAG
       wait SECONDS

   Each line is answered by lines that end with one that is a dot. */
#include "plan/schedule/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = {
    [engine_UNKNOWN] = "unknown", [engine_QUEUED] = "queued", [engine_RUNNING] = "running",
    [engine_DONE] = "done",       [engine_LOST] = "lost",     [engine_UNREACHABLE] = "unreachable"};

static void say_hosts(const struct engine_kind *kind, struct engine *engine)
{
    static const char *const words[] = {"up", "drained", "down"};
    struct array hosts;
    struct error error = {0};
    if (!kind->hosts(engine, &hosts, &error)) {
        printf("error %s\n", error.text);
        return;
    }
    for (size_t i = 0; i < hosts.count; i++) {
        struct engine_host *host = ARRAY_AT(struct engine_host, &hosts, i);
        printf("%s %u %u %s %s\n", host->name, host->processors, host->taken, words[host->state],
               host->why ? host->why : "-");
        free(host->name);
        free(host->why);
    }
    array_free(&hosts);
}

static void start(const struct engine_kind *kind, struct engine *engine, char *rest)
{
    struct engine_place places[16];
    struct error error = {0};
    struct engine_job job = {.name = "a name",
                             .places = places,
                             .expected = NAN,
                             .memory = NAN,
                             .simulated = NAN,
                             .tag = strsep(&rest, " "),
                             .folder = strsep(&rest, " ")};
    char *list = strsep(&rest, " ");
    for (char *item; job.place_count < 16 && (item = strsep(&list, ",")); job.place_count++) {
        char *count = strchr(item, ':');
        *count++ = 0;
        places[job.place_count] =
            (struct engine_place){.host = item, .count = (uint32_t)strtoul(count, NULL, 10)};
    }
    job.command = rest;
    if (kind->start(engine, &job, &error))
        printf("started\n");
    else
        printf("error %s\n", error.text);
}

static void poll_tags(const struct engine_kind *kind, struct engine *engine, char *rest)
{
    const char *tags[64];
    struct engine_status status[64];
    struct error error = {0};
    unsigned count = 0;
    for (char *tag; count < 64 && (tag = strsep(&rest, " "));)
        tags[count++] = tag;
    if (!kind->poll(engine, tags, count, status, &error))
        printf("error %s\n", error.text);
    else
        for (unsigned i = 0; i < count; i++)
            printf("%s %d %s %s\n", states[status[i].state], status[i].exit_status,
                   status[i].job[0] ? status[i].job : "-", status[i].why);
}

int main(int count, char **words)
{
    if (count < 4)
        return 2;
    const struct engine_kind *kind = engine_find(words[1], &(struct error){0});
    struct error error = {0};
    struct engine_settings settings = {
        .spool = words[2], .session = words[3], .hosts = count > 4 ? words[4] : NULL};
    struct engine *engine = kind ? kind->open(&settings, &error) : NULL;
    if (!engine) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line, *verb = strsep(&rest, " ");
        struct error problem = {0};
        if (!strcmp(verb, "hosts"))
            say_hosts(kind, engine);
        else if (!strcmp(verb, "start"))
            start(kind, engine, rest);
        else if (!strcmp(verb, "poll"))
            poll_tags(kind, engine, rest);
        else if (!strcmp(verb, "cancel"))
            printf("%s\n", kind->cancel(engine, rest, &problem) ? "cancelled" : problem.text);
        else if (!strcmp(verb, "wait"))
            kind->wait(engine, kind->now(engine) + strtod(rest, NULL));
        printf(".\n");
    }
    kind->close(engine);
    return 0;
}
