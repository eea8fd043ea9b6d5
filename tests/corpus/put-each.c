/* A call of the library for each number: another function takes all of them at once.
   build: gcc -O2
   says: calls hint whole-array
   remedy: calls whole-array -DREMEDY
   measured: calls whole-array neoverse-v1 3.94 */
#include <stdio.h>
typedef double number;
#include "arrays.h"
static FILE *file;

KERNEL void kernel(FILE *file, const double *restrict x, int n)
{
#ifdef REMEDY
    char text[N];
    for (int i = 0; i < n; i++)
        text[i] = (char) (x[i] * 2.5);
    fwrite(text, 1, (size_t) n, file);
#else
    for (int i = 0; i < n; i++)
        fputc((char) (x[i] * 2.5), file);
#endif
}

void run(void)
{
    static char buffer[1 << 16];
    if (!file) {
        file = fopen("/dev/null", "w");
        setvbuf(file, buffer, _IOFBF, sizeof buffer);
    }
    kernel(file, x, N);
}
