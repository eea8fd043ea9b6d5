/* The number of planes of a picture is a byte: such a loop is short, whatever its iterations cost.
   build: gcc -O2
   silent: * */
#include "corpus.h"

struct picture {
    int width;
    unsigned char planes;
    float scales[255];
};
static struct picture picture = {.width = 640, .planes = 3};
static float result_of[255];

KERNEL void kernel(float *restrict to, const struct picture *picture)
{
    int n = picture->planes;
    for (int i = 0; i < n; i++)
        to[i] = picture->scales[i] * 0.5f;
}

void set_up(void)
{
    for (int i = 0; i < 255; i++)
        picture.scales[i] = (float) (i + 1);
}

void run(void)
{
    for (int i = 0; i < N; i++)
        kernel(result_of, &picture);
}

double result(void)
{
    return result_of[0] + result_of[1] + result_of[2];
}
