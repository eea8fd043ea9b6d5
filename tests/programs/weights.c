/* Calls from loops, recursion, options and constants: how often each loop runs. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double table[64], cells[30][40];

/* Three loops around the call in total, and its own. */
__attribute__((noinline)) static void inner(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * 2 + 1;
}

__attribute__((noinline)) static void middle(double *x, long n)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            inner(x + i + k, n);
}

/* Once. */
__attribute__((noinline)) static void fill(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] = (double)i;
}

/* A tree: recursion is one loop. */
struct node {
    struct node *left, *right;
    double values[8];
    long count;
};
__attribute__((noinline)) static double walk(const struct node *node)
{
    double sum = 0;
    for (long i = 0; i < node->count; i++)
        sum += node->values[i & 7];
    if (node->left)
        sum += walk(node->left);
    if (node->right)
        sum += walk(node->right);
    return sum;
}

/* A constant number of iterations. */
__attribute__((noinline)) static void hundred(double *x)
{
    for (int i = 0; i < 100; i++)
        x[i] /= 3;
}

__attribute__((noinline)) static void downwards(double *x)
{
    for (unsigned i = 50; i > 0; i--)
        x[i & 7] /= 3;
}

/* The end of the array is an address. */
__attribute__((noinline)) static double by_address(void)
{
    double sum = 0;
    for (const double *p = table; p != table + 64; p++)
        sum = sum * 3 + *p;
    return sum;
}

__attribute__((noinline)) static void grid(double factor)
{
    for (int i = 0; i < 30; i++)
        for (int k = 0; k < 40; k++)
            cells[i][k] = cells[i][k] * factor + i;
}

/* The constant is hardly ever reached. */
__attribute__((noinline)) static double series(double x)
{
    double sum = 1, term = 1;
    for (int i = 1; i < 20000; i++) {
        term *= x / i;
        sum += term;
        if (term < sum * 1e-16)
            break;
    }
    return sum;
}

/* Only option parsing leads here. */
__attribute__((noinline)) static long number(const char *text)
{
    long value = 0;
    for (; *text; text++)
        value = value * 10 + (*text - '0');
    return value;
}

/* Ends the program. */
__attribute__((noinline, noreturn)) static void usage(char **names)
{
    for (; *names; names++)
        printf("%s\n", *names);
    exit(2);
}

__attribute__((constructor)) static void prepare(void)
{
    for (int i = 0; i < 64; i++)
        table[i] = table[63 - i] * 3 + i;
}

/* Called through a pointer. */
static void by_pointer(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * x[i];
}
void (*volatile pointer)(double *, long) = by_pointer;

#ifdef LIBRARY
void library_part(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] += 3;
}

void library_repeat(double *x, long n)
{
    for (long i = 0; i < n; i++)
        library_part(x, n);
}

void library_entry(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] -= 3;
    fill(x, n);
}
#endif

int main(int argc, char **argv)
{
    long n = 10, repeat = 3;
    int option;
    while ((option = getopt(argc, argv, "n:r:h")) >= 0)
        switch (option) {
        case 'n':
            n = number(optarg);
            break;
        case 'r':
            repeat = number(optarg);
            break;
        default:
            usage(argv);
        }
    double *x = malloc((size_t)n * sizeof *x * 4);
    fill(x, n);
    for (long i = 0; i < repeat; i++)
        middle(x, n);
    hundred(x);
    downwards(x);
    grid(x[0]);
    pointer(x, n);
    struct node node = {0};
    memcpy(node.values, x, sizeof node.values);
    printf("%g %g\n", walk(&node) + by_address() + series(x[1]), table[n & 63] + cells[1][n & 31]);
    return 0;
}
