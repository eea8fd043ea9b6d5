/* With -fno-strict-aliasing the stores of numbers may change the pointers and sizes in the structures: each iteration loads them
   and computes the addresses anew.
   build: gcc -O2 -fno-strict-aliasing
   says: double-indirection potential drop-option
   says: scalar-integer potential hoist
   remedy: double-indirection drop-option -fstrict-aliasing
   measured: double-indirection drop-option neoverse-v1 4.21
   remedy: scalar-integer hoist -DREMEDY
   measured: scalar-integer hoist neoverse-v1 4.22 */
#include "corpus.h"

struct plane {
    long width, row;
    double *values;
};
struct image {
    struct plane *from, *to;
    long step;
};
static double x[2 * N], y[2 * N];

KERNEL void kernel(struct image *image, long n)
{
#ifdef REMEDY
    const double *from = image->from->values + image->from->row * image->from->width;
    double *to = image->to->values + image->to->row * image->to->width;
    long step = image->step;
    for (long i = 0; i < n; i++)
        to[i * step] = from[i * step] * 0.5 + 1;
#else
    for (long i = 0; i < n; i++)
        image->to->values[image->to->row * image->to->width + i * image->step] =
            image->from->values[image->from->row * image->from->width + i * image->step] * 0.5 + 1;
#endif
}

void set_up(void)
{
    for (int i = 0; i < 2 * N; i++)
        x[i] = i % 17;
}

void run(void)
{
    struct plane a = {50, 2, x}, b = {50, 3, y};
    struct image image = {&a, &b, 1};
    kernel(&image, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 2 * N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
