/* Areas of shapes, by a virtual function.
   build: g++ -O2
   cure: direct-call -DCURE=1
   best: -DCURE=1 */
#include <memory>
#include <vector>
#include "fresh.h"
struct shape {
    char kind;
    double a, b;
    virtual ~shape() {}
    virtual double area() const = 0;
};
struct circle : shape {
    double area() const override { return 3.14159 * a * a; }
};
struct box : shape {
    double area() const override { return a * b; }
};
static std::vector<std::unique_ptr<shape>> shapes;
KERNEL double kernel(const std::vector<std::unique_ptr<shape>> &shapes)
{
    double sum = 0;
    for (const auto &one : shapes)
#if CURE == 1
        sum += one->kind ? static_cast<const box &>(*one).box::area() : static_cast<const circle &>(*one).circle::area();
#else
        sum += one->area();
#endif
    return sum;
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        int kind = draw() % 8 == 0;
        shapes.emplace_back(kind ? static_cast<shape *>(new box) : new circle);
        shapes.back()->kind = (char) kind;
        shapes.back()->a = uniform();
        shapes.back()->b = uniform();
    }
}
void run(void) { total = kernel(shapes); }
RESULT_TOTAL
