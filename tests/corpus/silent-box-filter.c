/* A mean of three by three pixels: the loop over three rows stays in three lines of the cache, whatever their length is, and the
   loops that were exchanged are less than half as fast.
   build: gcc -O2
   silent: loop-order */
#include "corpus.h"

enum { WIDTH = 128, HEIGHT = 60 };
static unsigned char from[WIDTH * HEIGHT], to[WIDTH * HEIGHT];

KERNEL void kernel(unsigned char *to, const unsigned char *from, int width, int height)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    sum += from[(y + j) * width + x + i];
            to[y * width + x] = (unsigned char) (sum / 9);
        }
}

void set_up(void)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        from[i] = (unsigned char) (i * 37);
}

void run(void)
{
    kernel(to, from, WIDTH, HEIGHT);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum += to[i] * (i % 5 + 1);
    return sum;
}
