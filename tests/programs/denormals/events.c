/* events OPERANDS UNDERFLOWS BOTH: so many of each, and the right results. */
#include "counted.h"
#include <stdlib.h>

int main(int count, char **words)
{
    for (int i = 0; i < 3 && i + 1 < count; i++)
        for (long k = atol(words[i + 1]); k > 0; k--)
            i == 0 ? operand_event() : i == 1 ? underflow_event() : double_event();
    double_event();
    if (result_float != 0x1p-139f)
        return 1;
    return 0;
}
