/* flush: compiled with -ffast-math, whose start-up code switches flush-to-zero on. */
#include "counted.h"

int main(void)
{
    for (int i = 0; i < 10; i++) {
        underflow_event();
        operand_event();
    }
    return 0;
}
