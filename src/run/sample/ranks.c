/* The rank of a process, by the variables that launchers of MPI programs give to each.

   Those of MPI libraries come first: under Slurm, mpirun itself is a task with a SLURM_PROCID, which all its
   ranks inherit. */
#include "run/sample/collector.h"

#include <string.h>

static const char *const names[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",          "PMI_RANK",     "PMI_ID",
    "MV2_COMM_WORLD_RANK",  "MPT_MPI_RANK",       "ALPS_APP_PE",  "PALS_RANKID",
    "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "SLURM_PROCID",
};

/* The number of "NAME=number", or NO_NUMBER. */
static int32_t number_of(const char *text, size_t length, const char *name)
{
    size_t start = strlen(name);
    int64_t number = 0;
    if (length < start + 2 || memcmp(text, name, start) || text[start] != '=')
        return NO_NUMBER;
    for (size_t i = start + 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return NO_NUMBER;
        number = number * 10 + (text[i] - '0');
        if (number > INT32_MAX)
            return NO_NUMBER;
    }
    return (int32_t)number;
}

int32_t sample_rank(const char *environment, size_t size)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t at = 0; at < size;) {
            const char *end = memchr(environment + at, 0, size - at);
            size_t length = end ? (size_t)(end - environment) - at : size - at;
            int32_t rank = number_of(environment + at, length, names[i]);
            if (rank != NO_NUMBER)
                return rank;
            at += length + 1;
        }
    return NO_NUMBER;
}
