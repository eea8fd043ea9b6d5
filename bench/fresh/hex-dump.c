/* Bytes as hexadecimal digits, from a table.
   build: gcc -O2 */
#include "fresh.h"
static uint8_t bytes[N];
static char text[2 * N];
KERNEL void kernel(char *R to, const uint8_t *R from, int n)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < n; i++) {
        to[2 * i] = digits[from[i] >> 4];
        to[2 * i + 1] = digits[from[i] & 15];
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        bytes[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(text, bytes, N);
}
RESULT(text, 2 * N)
