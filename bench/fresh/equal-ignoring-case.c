/* Two texts that differ in case alone, by tolower() of the library.
   build: gcc -O2
   cure: cheaper -DCURE=1
   cure: hoist -DCURE=1
   best: -DCURE=1 */
#include <ctype.h>
#include "fresh.h"
static char one[N], two[N];
#if CURE == 1
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}
#else
#define lower tolower
#endif
KERNEL int kernel(const char *a, const char *b, int n)
{
    for (int i = 0; i < n; i++)
        if (lower((unsigned char)a[i]) != lower((unsigned char)b[i]))
            return i;
    return n;
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        one[i] = (char)('a' + draw() % 26);
        two[i] = (char)(draw() & 1 ? one[i] : one[i] - 32);
    }
}
void run(void)
{
    total = kernel(one, two, N);
}
RESULT_TOTAL
