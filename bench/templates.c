/* The loops of docs/templates.md beside the library calls that do the same, timed in turns: bench/templates
   compiles this with several compilers and options. Prints: name, length, nanoseconds of the loop and of the
   call. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 20, TURNS = 9 };
static double x[MOST], y[MOST], z[MOST];
static volatile double sink;
static int n;

__attribute__((noinline)) static void copy_loop(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}
__attribute__((noinline)) static void fill_loop(double *to, double value, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = value;
}
__attribute__((noinline)) static double dot_loop(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
__attribute__((noinline)) static void axpy_loop(double *y, const double *x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
__attribute__((noinline)) static void gemv_loop(double *y, const double *a, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
__attribute__((noinline)) static void gemm_ijk_loop(double *c, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
__attribute__((noinline)) static void gemm_ikj_loop(double *restrict c, const double *restrict a,
                                                    const double *restrict b, int n)
{
    memset(c, 0, (size_t)n * n * sizeof *c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void copy(int is_call)
{
    is_call ? (void)memmove(y, x, n * sizeof *x) : copy_loop(y, x, n);
}
static void fill(int is_call)
{
    is_call ? (void)memset(y, 0, n * sizeof *y) : fill_loop(y, 0, n);
}
static void dot(int is_call)
{
    sink = is_call ? cblas_ddot(n, x, 1, y, 1) : dot_loop(x, y, n);
}
static void axpy(int is_call)
{
    is_call ? cblas_daxpy(n, 1e-9, x, 1, y, 1) : axpy_loop(y, x, 1e-9, n);
}
static void gemv(int is_call)
{
    is_call ? cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, x, n, z, 1, 0, y, 1) : gemv_loop(y, x, z, n);
}
static void gemm_ijk(int is_call)
{
    is_call ? cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x, n, z, n, 0, y, n)
            : gemm_ijk_loop(y, x, z, n);
}
static void gemm_ikj(int is_call)
{
    is_call ? cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x, n, z, n, 0, y, n)
            : gemm_ikj_loop(y, x, z, n);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void measure(const char *name, void (*run)(int), int length)
{
    double best[2] = {1e30, 1e30};
    long repetitions = 1;
    n = length;
    for (double spent = 0; spent < 2e6; repetitions *= 2) {
        double start = now();
        for (long i = 0; i < repetitions; i++)
            run(0);
        spent = now() - start;
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int is_call = 0; is_call < 2; is_call++) {
            double start = now();
            for (long i = 0; i < repetitions; i++)
                run(is_call);
            double spent = (now() - start) / (double)repetitions;
            best[is_call] = spent < best[is_call] ? spent : best[is_call];
        }
    printf("%s %d %.1f %.1f\n", name, length, best[0], best[1]);
}

int main(void)
{
    static const int vectors[] = {16, 100, 1000, 10000}, matrices[] = {8, 32, 128, 512};
    for (int i = 0; i < MOST; i++)
        x[i] = i % 7, y[i] = i % 5, z[i] = i % 3;
    for (unsigned i = 0; i < 4; i++) {
        measure("copy", copy, vectors[i]);
        measure("fill", fill, vectors[i]);
        measure("dot", dot, vectors[i]);
        measure("axpy", axpy, vectors[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        measure("gemv", gemv, matrices[i]);
        if (matrices[i] < 512) {
            measure("gemm-ijk", gemm_ijk, matrices[i]);
            measure("gemm-ikj", gemm_ikj, matrices[i]);
        }
    }
    return 0;
}
