/* A library that is loaded while the program runs. */
#include "counted.h"

void plugin_work(int events);
void plugin_work(int events)
{
    while (events-- > 0)
        operand_event();
}
