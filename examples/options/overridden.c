/* slow: -O3 -O1   fast: -O3
   A loop that the higher level vectorises. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 60000;
    static float a[4096], b[4096];
    for (int i = 0; i < 4096; i++)
        b[i] = i;
    for (long s = 0; s < steps; s++)
        for (int i = 0; i < 4096; i++)
            a[i] = a[i] * 0.5f + b[i];
    printf("%g\n", a[100]);
}
