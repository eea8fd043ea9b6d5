/* A loop that reads a file: the calls are its purpose.
   build: gcc -O2
   silent: * */
#include <fcntl.h>
#include <unistd.h>
#include "corpus.h"

static double total;
static int file;

KERNEL long kernel(int file, int n)
{
    char buffer[64];
    long sum = 0, count;
    while (n-- > 0 && (count = read(file, buffer, sizeof buffer)) > 0)
        sum += count;
    return sum;
}

void set_up(void)
{
    file = open("/dev/zero", O_RDONLY);
}

void run(void)
{
    total = (double) kernel(file, 4);
}

double result(void)
{
    return total;
}
