/* A text that grows by s = s + c: each iteration copies all of it. (With -O2 GCC 14 puts loops of the library inside.)
   build: g++ -Os
   says: copies potential no-copy
   remedy: copies no-copy -DREMEDY
   measured: copies no-copy cascade-lake 15.29 */
#include <string>
#include "corpus.h"

static double total;
static char letters[300];

KERNEL std::size_t kernel(const char *letters, int n)
{
    std::string s;
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        s += letters[i];
#else
        s = s + letters[i];
#endif
    return s.size();
}

extern "C" void set_up(void)
{
    for (int i = 0; i < 300; i++)
        letters[i] = (char) ('a' + i % 26);
}

extern "C" void run(void)
{
    total = (double) kernel(letters, 300);
}

extern "C" double result(void)
{
    return total;
}
