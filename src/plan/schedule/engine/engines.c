/* The engines that there are. */
#include "plan/schedule/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct engine_kind *const engines[] = {&engine_local, &engine_slurm, &engine_simgrid};

enum { ENGINES = sizeof engines / sizeof *engines };

const struct engine_kind *engine_find(const char *name, struct error *error)
{
    char choice[200] = "";
    for (size_t i = 0; i < ENGINES; i++) {
        if (!strcmp(engines[i]->name, name))
            return engines[i];
        size_t length = strlen(choice);
        snprintf(choice + length, sizeof choice - length, "%s%s",
                 !i                ? ""
                 : i + 1 < ENGINES ? ", "
                                   : " or ",
                 engines[i]->name);
    }
    error_set(error, NULL, "there is no engine %s; choose %s", name, choice);
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
