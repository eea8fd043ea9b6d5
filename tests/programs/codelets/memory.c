/* A call that gets memory from the kernel: small and large pieces, some grow, all but one are given back. */
#include <stdlib.h>
#include <string.h>

double *kept;

__attribute__((noinline)) double sums(const double *x, int n)
{
    double *squares = malloc((size_t)n * sizeof *squares), sum = 0;
    for (int i = 0; i < n; i++)
        squares[i] = x[i] * x[i] + 1;
    for (int i = 1; i < n; i++)
        sum += squares[i] * squares[i - 1];
    for (int k = 0; k < 3; k++) {
        char *large = malloc(400000 + (size_t)k);
        memset(large, k, 400000);
        sum += large[k];
        free(large);
    }
    double *grows = malloc(8);
    for (int i = 1; i < 20; i++) {
        grows = realloc(grows, (size_t)i * 50000);
        grows[i * 6000] = i;
    }
    sum += grows[6000];
    free(grows);
    free(squares);
    kept = malloc(1000000);
    for (int i = 0; i < 100000; i++)
        kept[i] = i + FACTOR * sum;
    return sum;
}

int main(void)
{
    static double x[20000];
    double sum = 0;
    for (int i = 0; i < 20000; i++)
        x[i] = i * 0.5;
    for (int i = 0; i < 3; i++)
        sum += sums(x, 20000 - i);
    return sum < 5 || !kept;
}
