/* The same by a BLAS, which is looked for when the program starts, so that it can be built without one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 128, ROWS = 101, AS_IT_IS = 111 }; /* as in cblas.h */
static double a[N * N], b[N * N], c[N * N];
typedef void product(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
static product *dgemm;

__attribute__((noipa)) void kernel(double *c, const double *a, const double *b, int n)
{
    dgemm(ROWS, AS_IT_IS, AS_IT_IS, n, n, n, 1, a, n, b, n, 0, c, n);
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double sum = 0;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library || !(dgemm = (product *) dlsym(library, "cblas_dgemm"))) {
        fprintf(stderr, "OpenBLAS is not there: %s\n", dlerror());
        return 1;
    }
    for (int i = 0; i < N * N; i++)
        a[i] = i % 7, b[i] = i % 5;
    for (long k = 0; k < repetitions; k++)
        kernel(c, a, b, N);
    for (int i = 0; i < N * N; i++)
        sum += c[i];
    printf("%.6g\n", sum);
}
