/* Run lengths of bytes that change at random.
   build: gcc -O2 */
#include "fresh.h"
enum { BYTES = 30000 };
static uint8_t bytes[BYTES], codes[2 * BYTES];
KERNEL int kernel(uint8_t *R to, const uint8_t *R from, int n)
{
    int used = 0;
    for (int i = 0; i < n;) {
        int j = i + 1;
        while (j < n && from[j] == from[i] && j - i < 255)
            j++;
        to[used++] = (uint8_t)(j - i);
        to[used++] = from[i];
        i = j;
    }
    return used;
}
void set_up(void)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = draw() % 3 ? (i ? bytes[i - 1] : 0) : (uint8_t)draw();
}
void run(void)
{
    total = kernel(codes, bytes, BYTES);
}
RESULT(codes, 1000)
