/* Both pointers are loaded before the loop: the stores of the loop cannot change them any more. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4000, SHADES = 256 };
struct plane {
    int width;
    unsigned char *pixels;
};
struct curve {
    int size;
    const unsigned char *value;
};
struct image {
    struct plane *plane;
    struct curve *curve;
};

__attribute__((noinline)) static void kernel(struct image *image, int count)
{
    unsigned char *pixels = image->plane->pixels;
    const unsigned char *value = image->curve->value;
    for (int i = 0; i < count; i++)
        pixels[i] = value[pixels[i]];
}

int main(int count, char **words)
{
    static unsigned char pixels[LENGTH], value[SHADES];
    struct plane plane = {LENGTH, pixels};
    struct curve curve = {SHADES, value};
    struct image image = {&plane, &curve};
    long repetitions = count > 1 ? atol(words[1]) : 100, sum = 0;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    for (int i = 0; i < LENGTH; i++)
        pixels[i] = i % 251;
    for (int i = 0; i < SHADES; i++)
        value[i] = i * 5 + 3;
    for (long k = 0; k < repetitions; k++)
        kernel(&image, length);
    for (int i = 0; i < LENGTH; i++)
        sum += pixels[i] * i;
    printf("%ld\n", sum);
}
