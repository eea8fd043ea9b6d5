/* Loops whose accesses of memory move in a known way: tests/commands/code/subjects.py has what is known. */
#include <stddef.h>

void axpy(double *restrict y, const double *restrict x, double a, long n)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

void saxpy(float *restrict y, const float *restrict x, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

double strided(const double *x, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[3 * i];
    return sum;
}

double column(const double *x, long n, long width)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i * width];
    return sum;
}

double gather(const double *x, const int *index, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[index[i]];
    return sum;
}

void scatter(double *restrict y, const long *restrict index, const double *restrict x, long n)
{
    for (long i = 0; i < n; i++)
        y[index[i]] = x[i];
}

struct node {
    struct node *next;
    double value;
};

double list(const struct node *node)
{
    double sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    return sum;
}

void stencil(double *a, long n)
{
    for (long i = 1; i < n - 1; i++)
        a[i] = 0.5 * (a[i - 1] + a[i + 1]);
}

unsigned bytes(const unsigned char *p, long n)
{
    unsigned sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

size_t length(const char *p)
{
    size_t n = 0;
    while (p[n])
        n++;
    return n;
}

void backwards(double *restrict y, const double *restrict x, long n)
{
    for (long i = n - 1; i >= 0; i--)
        y[i] = x[i] * 2;
}

struct point {
    double x, y, z;
};

double one_member(const struct point *points, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += points[i].y;
    return sum;
}

double all_members(const struct point *points, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += points[i].x * points[i].y + points[i].z;
    return sum;
}

void complex_scale(double *restrict z, double re, double im, long n)
{
    for (long i = 0; i < n; i++) {
        double x = z[2 * i], y = z[2 * i + 1];
        z[2 * i] = x * re - y * im;
        z[2 * i + 1] = x * im + y * re;
    }
}

static double matrix[1000][2000];

double row_sum(int row)
{
    double sum = 0;
    for (int i = 0; i < 2000; i++)
        sum += matrix[row][i];
    return sum;
}

double column_sum(int column_number)
{
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += matrix[i][column_number];
    return sum;
}

void set_matrix(double value)
{
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 2000; k++)
            matrix[i][k] = value;
}
