/* The loop uses local copies of the variables whose addresses were passed to the function: the copies stay in registers. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double x[COUNT], y[COUNT];
struct grid {
    double *from, *to;
};
struct grid grid = {x, y};

__attribute__((noinline)) double kernel(const char *settings, int n)
{
    double first_scale, first_total;
    if (sscanf(settings, "%lf %lf", &first_scale, &first_total) != 2)
        return 0;
    double scale = first_scale, total = first_total;
    const double *from = grid.from;
    double *to = grid.to;
    for (int i = 0; i < n; i++) {
        to[i] = scale * from[i];
        total += to[i];
    }
    return total;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = 1.0 / (1 + i);
    for (long r = 0; r < repetitions; r++)
        sum += kernel("0.5 0", COUNT);
    printf("%.6g\n", sum / (double)repetitions);
    return 0;
}
