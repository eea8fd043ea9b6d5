/* Adds up pieces of 1 to 7 numbers.  Their lengths are random, so that the branch that ends the inner loop
   cannot be predicted; in short-trips-without.c they have 4096.

   Neoverse V1: 3.8 cycles an iteration, 2.0 without; predicted: 2.0. */
#include <stdint.h>
#include <stdio.h>
#ifndef SHORTEST
#define SHORTEST 1
#define LONGEST 7
#define PIECES 20000000
#endif
enum { NUMBERS = 4096 };

__attribute__((noipa)) static double add_pieces(const double *numbers, long pieces)
{
    uint64_t state = 88172645463325252U;
    double all = 0;
    for (long piece = 0; piece < pieces; piece++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t length = SHORTEST + (state >> 33) % (LONGEST - SHORTEST + 1);
        double sum = 0;
        for (uint64_t i = 0; i < length; i++)
            sum += numbers[i];
        all += sum;
    }
    return all;
}

int main(void)
{
    static double numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    printf("%g\n", add_pieces(numbers, PIECES));
    return 0;
}
