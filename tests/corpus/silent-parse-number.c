/* Digits to a number, up to the first character that is none.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static const char text[] = "1234567890123456 ";
static double total;

KERNEL unsigned long kernel(const char *text)
{
    unsigned long value = 0;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + (unsigned long) (*text++ - '0');
    return value;
}

void set_up(void)
{
}

void run(void)
{
    total = (double) kernel(text);
}

double result(void)
{
    return total;
}
