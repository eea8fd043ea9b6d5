/* The engines that there are. */
#include "schedule/engine.h"

#include <stdlib.h>
#include <string.h>

static const struct engine_kind *const engines[] = {&engine_local, &engine_slurm, &engine_simgrid};

const struct engine_kind *engine_find(const char *name)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}

void engine_hosts_free(struct array *hosts)
{
    for (size_t i = 0; i < hosts->count; i++) {
        struct engine_host *host = ARRAY_AT(struct engine_host, hosts, i);
        free(host->name);
        free(host->why);
        free(host->machine);
    }
    array_free(hosts);
}
