/* The function that reads the settings gets the addresses of local variables.  From then on the compiler must assume
   that any pointer may point to them: it keeps them on the stack, although there are enough registers. */
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
    double scale, total;
    if (sscanf(settings, "%lf %lf", &scale, &total) != 2)
        return 0;
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
