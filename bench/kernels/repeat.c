/* repeat SECONDS NAME…: calls each kernel for so many seconds of processor time, with its largest trip count:
   a program whose hot loops are known, for bench/run kernels. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL(name, kinds) {#name, name, kinds},
static const struct kernel kernels[] = {
#include "kernels.def"
};
#undef KERNEL

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void repeat(const struct kernel *kernel, double wanted)
{
    enum { CALLS = 1000 };
    struct counts counts = choose_counts(kernel);
    struct arrays arrays;
    for (double start = seconds(); seconds() - start < wanted;) {
        fill_arrays(kernel, &arrays);
        for (int i = 0; i < CALLS; i++)
            kernel->run(&arrays, counts.values[counts.number - 1]);
    }
}

int main(int count, char **words)
{
    for (int word = 2; word < count; word++)
        for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
            if (!strcmp(kernels[i].name, words[word]))
                repeat(&kernels[i], atof(words[1]));
    return count < 3;
}
