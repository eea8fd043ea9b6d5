/* The objects of each class are in an array of their own: both loops are plain and have no call. */
#include <cstdio>
#include <cstdlib>
#include <vector>

struct square {
    long side;
    long area() const { return side * side; }
};

struct rectangle {
    long width, height;
    long area() const { return width * height; }
};

enum { LENGTH = 1000 };

extern "C" __attribute__((noipa)) long kernel(const square *squares, int square_count,
                                                 const rectangle *rectangles, int rectangle_count)
{
    long sum = 0;
    for (int i = 0; i < square_count; i++)
        sum += squares[i].area();
    for (int i = 0; i < rectangle_count; i++)
        sum += rectangles[i].area();
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned random = 1;
    long sum = 0;
    std::vector<square> squares;
    std::vector<rectangle> rectangles;
    for (int i = 0; i < LENGTH; i++) {
        random = random * 1664525 + 1013904223;
        if (random >> 31)
            squares.push_back({i});
        else
            rectangles.push_back({i, 3});
    }
    for (long k = 0; k < repetitions; k++)
        sum += kernel(squares.data(), (int)squares.size(), rectangles.data(), (int)rectangles.size());
    printf("%ld\n", sum);
}
