/* Compiled for IA-64 by gcc 12: -O2 gives kernels-O2.s, -O2 -g kernels-g.s, -O3 -funroll-loops kernels-O3.s;
   kernels-plain.s is kernels-O2.s without its template lines. */
struct point {
    double x, y;
    struct point *next;
};

extern int observe(const char *text, long value);
static int calls;

void daxpy(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

unsigned checksum(const unsigned char *bytes, unsigned long size)
{
    unsigned sum = 1, carry = 0;
    while (size--) {
        sum = (sum + *bytes++) % 65521;
        carry = (carry + sum) % 65521;
    }
    return carry << 16 | sum;
}

long pick(int what, long value)
{
    switch (what) {
    case 0:
        return value + 3;
    case 1:
        return value * 7;
    case 2:
        return value >> 2;
    case 3:
        return value ^ 0x123456789abcdefL;
    case 4:
        return value / 10;
    case 5:
        return -value;
    case 6:
        return observe("six", value);
    default:
        return 0;
    }
}

double length(const struct point *list)
{
    double sum = 0;
    for (; list; list = list->next)
        sum += list->x * list->x + list->y * list->y;
    return sum;
}

int fibonacci(int n)
{
    calls++;
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

void multiply(float (*restrict c)[64], float (*a)[64], float (*b)[64])
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            float sum = 0;
            for (int k = 0; k < 64; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return observe(a, calls) ? *a - *b : 0;
}
