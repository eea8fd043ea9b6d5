/* A product of matrices by three loops, where a library works on blocks.
   build: gcc -O2
   says: library-call potential library
   remedy: library-call library -DREMEDY
   measured: library-call library neoverse-v1 18.94
   libraries: -ldl */
#include "corpus.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 128, ROWS = 101, AS_IT_IS = 111 }; /* as in cblas.h */
static double a[M * M], b[M * M], c[M * M];
typedef void product(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
#ifdef REMEDY
static product *dgemm;
#endif

KERNEL void kernel(double *c, const double *a, const double *b, int m)
{
#ifdef REMEDY
    dgemm(ROWS, AS_IT_IS, AS_IT_IS, m, m, m, 1, a, m, b, m, 0, c, m);
#else
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += a[i * m + k] * b[k * m + j];
            c[i * m + j] = sum;
        }
#endif
}

void set_up(void)
{
#ifdef REMEDY
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    dgemm = library ? (product *) dlsym(library, "cblas_dgemm") : NULL;
    if (!dgemm) {
        fprintf(stderr, "OpenBLAS is not there\n");
        exit(1);
    }
#endif
    for (int i = 0; i < M * M; i++)
        a[i] = i % 7, b[i] = i % 5;
}

void run(void)
{
    kernel(c, a, b, M);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < M * M; i++)
        sum += c[i] * (i % 3 + 1);
    return sum;
}
