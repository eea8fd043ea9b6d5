/* x87: results of instructions with denormal operands must be right although the processor reports them late.
 */
#include "counted.h"

static volatile float sums[4];
static volatile long double wide;

int main(void)
{
    volatile float tiny = tiny_float, one = 1, three = 3;
    for (int i = 0; i < 100; i++) {
        float sum;
        /* 1·2^-140 + 3·2^-140, by a load and an addition from memory: two events. */
        __asm__ volatile("flds %1\n\tfadds %1\n\tfadds %1\n\tfadds %1\n\tfstps %0" : "=m"(sum) : "m"(tiny));
        if (sum != 0x1p-138f)
            return 1;
        __asm__ volatile("flds %1\n\tfmuls %2\n\tfstps %0" : "=m"(sum) : "m"(three), "m"(tiny));
        if (sum != 0x1.8p-139f)
            return 2;
        double quotient;
        __asm__ volatile("flds %1\n\tfdivrs %2\n\tnop\n\tnop\n\tfstpl %0"
                         : "=m"(quotient)
                         : "m"(one), "m"(tiny));
        if (quotient != 0x1p-140)
            return 3;
        __asm__ volatile("fldl %1\n\tfaddl %1\n\tfstpl %0" : "=m"(result_double) : "m"(tiny_double));
        if (result_double != 0x1p-1059)
            return 4;
    }
    return 0;
}
