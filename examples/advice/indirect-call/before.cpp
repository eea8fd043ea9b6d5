/* A sum over shapes of two classes in no particular order: a virtual call for each. */
#include <cstdio>
#include <cstdlib>

struct shape {
    virtual ~shape() = default;
    virtual long area() const = 0;
};

struct square final : shape {
    long side;
    explicit square(long length) : side(length) {}
    long area() const override { return side * side; }
};

struct rectangle final : shape {
    long width, height;
    rectangle(long w, long h) : width(w), height(h) {}
    long area() const override { return width * height; }
};

enum { LENGTH = 1000 };
static shape *shapes[LENGTH];

extern "C" __attribute__((noipa)) long kernel(shape *const *all, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += all[i]->area();
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned random = 1;
    long sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        random = random * 1664525 + 1013904223;
        if (random >> 31)
            shapes[i] = new square(i);
        else
            shapes[i] = new rectangle(i, 3);
    }
    for (long k = 0; k < repetitions; k++)
        sum += kernel(shapes, LENGTH);
    printf("%ld\n", sum);
}
