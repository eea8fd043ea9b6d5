/* The array is a member of a structure that the loop's stores may change (they are characters): it is loaded every time.
   build: gcc -O3
   says: double-indirection potential hoist
   remedy: double-indirection hoist -DREMEDY
   measured: double-indirection hoist golden-cove 17.11
   measured: double-indirection hoist neoverse-v1 23.39 */
#include "corpus.h"

struct image { unsigned char *pixels; int count; };
static unsigned char data[4 * N];
static struct image image = { data, 4 * N };

KERNEL void kernel(struct image *image)
{
#ifdef REMEDY
    unsigned char *pixels = image->pixels;
    int count = image->count;
    for (int i = 0; i < count; i++)
        pixels[i] = (unsigned char) (255 - pixels[i]);
#else
    for (int i = 0; i < image->count; i++)
        image->pixels[i] = (unsigned char) (255 - image->pixels[i]);
#endif
}

void set_up(void)
{
    for (int i = 0; i < 4 * N; i++)
        data[i] = (unsigned char) (i * 7);
}

void run(void)
{
    kernel(&image);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 4 * N; i++)
        sum += data[i] * (i % 3 + 1);
    return sum;
}
