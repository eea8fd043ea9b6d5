/* A job for libopenblas: products, solutions, factors and eigenvalues of matrices, with sums of what came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
            const int *, const float *, const int *, const float *, float *, const int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
            int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
double dnrm2_(const int *, const double *, const int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
int idamax_(const int *, const double *, const int *);

static double next(void)
{
    static unsigned state = 1;
    state = state * 1103515245u + 12345u;
    return (state >> 8) / 16777216.0 - 0.5;
}

static double *matrix(int n)
{
    double *a = malloc(sizeof *a * n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = next();
    return a;
}

static void show(const char *what, const double *a, int n)
{
    double sum = 0, absolute = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        absolute += fabs(a[i]);
    }
    printf("%-8s %.12g %.12g\n", what, sum, absolute);
}

int main(void)
{
    int n = 181, one = 1, many = 17, all = n * n, info;
    double alpha = 1.25, beta = -0.5;
    double *a = matrix(n), *b = matrix(n), *c = matrix(n);
    const char *forms = "NT";
    for (int i = 0; i < 4; i++) {
        dgemm_(&forms[i & 1], &forms[i >> 1], &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
        show("dgemm", c, all);
    }
    float *f = malloc(3 * sizeof *f * all), single = 1.5f;
    for (int i = 0; i < 3 * all; i++)
        f[i] = (float)next();
    sgemm_("N", "T", &n, &n, &n, &single, f, &n, f + all, &n, &single, f + 2 * all, &n);
    double sum = 0;
    for (int i = 0; i < all; i++)
        sum += f[2 * all + i];
    printf("sgemm    %.6g\n", sum);
    dgemv_("T", &n, &n, &alpha, a, &n, b, &one, &beta, c, &one);
    show("dgemv", c, n);
    dtrsm_("L", "U", "N", "U", &n, &many, &alpha, a, &n, c, &n);
    printf("%-8s %.8g\n", "dtrsm", dnrm2_(&all, c, &one) > 0 ? 1.0 : 0.0);
    daxpy_(&all, &alpha, a, &one, b, &one);
    show("daxpy", b, all);
    printf("ddot     %.10g idamax %d\n", ddot_(&all, a, &one, b, &one), idamax_(&all, b, &one));
    double *s = matrix(n);
    dgemm_("N", "T", &n, &n, &n, &alpha, a, &n, a, &n, &(double){0}, s, &n);
    for (int i = 0; i < n; i++)
        s[i * n + i] += n;
    double *e = matrix(n), *w = malloc(sizeof *w * n), *work = malloc(sizeof *work * n * 40);
    for (int i = 0; i < all; i++)
        e[i] = s[i];
    int *pivot = malloc(sizeof *pivot * n), size = n * 40;
    dsyev_("V", "U", &n, e, &n, w, work, &size, &info);
    printf("dsyev    %d %.10g %.10g\n", info, w[0], w[n - 1]);
    double *x = matrix(n);
    dpotrf_("L", &n, s, &n, &info);
    printf("dpotrf   %d %.10g\n", info, s[0]);
    dgesv_(&n, &many, a, &n, pivot, x, &n, &info);
    printf("dgesv    %d %.8g\n", info, fabs(x[3]));
    return 0;
}
