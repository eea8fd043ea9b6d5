/* A program that deletes its own file ("delete"), or replaces it by another one ("replace FILE"), then computes. */
#include "own_clock.h"
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) double spin(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 10000; i++)
            x = x * 0.5 + 1;
    return x;
}
int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "delete") && unlink(argv[0]))
        return 2;
    if (argc > 2 && !strcmp(argv[1], "replace") && rename(argv[2], argv[0]))
        return 2;
    return spin(0.5) == 0;
}
