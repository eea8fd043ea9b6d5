/* A virtual function with a line of work is called for each element, although all objects are of one class.
   build: g++ -O2
   says: indirect-call|calls potential direct-call
   remedy: indirect-call direct-call -DREMEDY
   measured: indirect-call direct-call golden-cove 1.62
   measured: indirect-call direct-call neoverse-v1 1.47 */
#include "corpus.h"

struct Shape {
    virtual double area(double scale) const = 0;
    virtual ~Shape() {}
};

struct Square
#ifdef REMEDY
    final
#endif
    : Shape {
    double side = 1.5;
    double area(double scale) const override { return side * side * scale; }
};

static Square squares[N];
static double areas[N];
#ifdef REMEDY
typedef Square Element;
#else
typedef Shape Element;
#endif
static const Element *pointers[N];

KERNEL void kernel(double *areas, const Element *const *shapes, int n)
{
    for (int i = 0; i < n; i++)
        areas[i] = shapes[i]->area(0.5);
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++) {
        squares[i].side = i % 7;
        pointers[i] = &squares[i];
    }
}

extern "C" void run(void)
{
    kernel(areas, pointers, N);
}

extern "C" double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += areas[i] * (i % 3 + 1);
    return sum;
}
