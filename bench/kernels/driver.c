/* kernels list|time|trace [NAME…]: names of the kernels; cycles of an iteration; the loop that does the work.
 */
#define _GNU_SOURCE
#include "driver.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define KERNEL(name, kinds) {#name, name, kinds},
static const struct kernel kernels[] = {
#include KERNELS_DEF
};
#undef KERNEL

static bool is_wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return count == 0;
}

bool stay_on(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return !sched_setaffinity(0, sizeof set, &set);
}

int main(int count, char **words)
{
    const char *verb = count > 1 ? words[1] : "";
    bool lists = !strcmp(verb, "list"), times = !strcmp(verb, "time"), traces = !strcmp(verb, "trace");
    if (!lists && !times && !traces) {
        fprintf(stderr, "usage: %s list|time|trace [KERNEL…]\n", words[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (!is_wanted(kernels[i].name, words + 2, count - 2))
            continue;
        if (lists)
            printf("%s\n", kernels[i].name);
        else if (times)
            print_time(&kernels[i]);
        else
            print_trace(&kernels[i]);
        fflush(stdout);
    }
    return 0;
}
