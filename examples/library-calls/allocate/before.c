/* Memory is taken and given back in each iteration. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000, PIECE = 8 };
static unsigned rows[LENGTH];

__attribute__((noinline)) static unsigned sum_of(const unsigned *from, unsigned *piece, int first)
{
    unsigned sum = 0;
    for (int i = 0; i < PIECE; i++)
        piece[i] = from[(first + i) % LENGTH];
    for (int i = 0; i < PIECE; i++)
        sum = sum * 3 + piece[i];
    return sum;
}

__attribute__((noinline)) static unsigned kernel(int start)
{
    unsigned sum = 0;
    for (int i = start; i < LENGTH; i++) {
        unsigned *piece = malloc(PIECE * sizeof *piece); /* the call */
        if (!piece)
            abort();
        sum += sum_of(rows, piece, i);
        free(piece);
    }
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned sum = 0;
    for (int i = 0; i < LENGTH; i++)
        rows[i] = (unsigned)(i * 2654435761u);
    for (long k = 0; k < repetitions; k++)
        sum = sum * 31 + kernel((int)(k % 7));
    printf("%u\n", sum);
}
