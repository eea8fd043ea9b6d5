/* A sum over objects of two classes in random order, with a virtual call for each.
   build: g++ -O2
   says: indirect-call potential direct-call
   remedy: indirect-call direct-call -DREMEDY
   measured: indirect-call direct-call golden-cove 12.36
   measured: indirect-call direct-call neoverse-v1 5.86 */
#include "corpus.h"

struct shape {
    virtual long area() const = 0;
};
struct square final : shape {
    long side;
    long area() const override { return side * side; }
};
struct rectangle final : shape {
    long width, height;
    long area() const override { return width * height; }
};

static square squares[N];
static rectangle rectangles[N];
static shape *shapes[N];
static int square_count, rectangle_count;
static double total;

#ifdef REMEDY
KERNEL long kernel_rectangles(const rectangle *all, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += all[i].area();
    return sum;
}

KERNEL long kernel_squares(const square *all, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += all[i].area();
    return sum;
}
#else
KERNEL long kernel(shape *const *all, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += all[i]->area();
    return sum;
}
#endif

void set_up(void)
{
    unsigned random = 1;
    for (int i = 0; i < N; i++) {
        random = random * 1664525 + 1013904223;
        if (random >> 31) {
            squares[square_count].side = i;
            shapes[i] = &squares[square_count++];
        } else {
            rectangles[rectangle_count].width = i;
            rectangles[rectangle_count].height = 3;
            shapes[i] = &rectangles[rectangle_count++];
        }
    }
}

void run(void)
{
#ifdef REMEDY
    total = (double) (kernel_squares(squares, square_count) + kernel_rectangles(rectangles, rectangle_count));
#else
    total = (double) kernel(shapes, N);
#endif
}

double result(void)
{
    return total;
}
