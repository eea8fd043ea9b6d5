/* Sums over all pixels to the left and above.
   build: gcc -O2 */
#include "fresh.h"
enum { WIDTH = 60, HEIGHT = 60 };
static uint8_t image[HEIGHT][WIDTH];
static unsigned sums[HEIGHT + 1][WIDTH + 1];
KERNEL void kernel(unsigned (*R to)[WIDTH + 1], const uint8_t (*R from)[WIDTH])
{
    for (int y = 0; y < HEIGHT; y++) {
        unsigned row = 0;
        for (int x = 0; x < WIDTH; x++) {
            row += from[y][x];
            to[y + 1][x + 1] = to[y][x + 1] + row;
        }
    }
}
void set_up(void)
{
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        ((uint8_t *)image)[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(sums, (const uint8_t(*)[WIDTH])image);
}
RESULT(sums[HEIGHT], WIDTH)
