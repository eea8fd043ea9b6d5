/* masks: the program itself loads MXCSR, for more than the time between two looks. */
#include "counted.h"
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
    unsigned plain = 0x1f80;
    __asm__ volatile("ldmxcsr %0" : : "m"(plain));
    operand_event();
    for (double start = seconds(); seconds() < start + 0.6;)
        ;
    for (int i = 0; i < 10; i++)
        operand_event();
    return 0;
}
