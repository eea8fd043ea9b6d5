/* sums: plain arithmetic on floats in memory, for the compiler to do as it likes; the result is known. */
#include <stdio.h>

enum { COUNT = 1000 };
static volatile float numbers[COUNT];

int main(void)
{
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 0x1p-140f;
    float sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += numbers[i];
    return sum == COUNT * 0x1p-140f ? 0 : 1;
}
