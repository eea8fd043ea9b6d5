/* phases: three events, a mark, five events, a signal, seven events. */
#include "counted.h"
#include <assay/denormals.h>
#include <signal.h>

int main(void)
{
    for (int i = 0; i < 3; i++)
        operand_event();
    ASSAY_DENORMAL_PHASE("second");
    for (int i = 0; i < 5; i++)
        operand_event();
    raise(SIGUSR1);
    for (int i = 0; i < 7; i++)
        operand_event();
    return 0;
}
