/* A row of the edit distance of two texts.
   build: gcc -O2
   cure: branch-free -DCURE=1 */
#include "fresh.h"
static char one[N], two[N];
static int before[N + 1], row[N + 1];
KERNEL void kernel(int *R now, const int *R old, const char *R text, char c, int n)
{
    for (int j = 1; j <= n; j++) {
        int best = old[j - 1] + (text[j - 1] != c);
#if CURE == 1
        int up = old[j] + 1, left = now[j - 1] + 1;
        best = up < best ? up : best;
        best = left < best ? left : best;
#else
        if (old[j] + 1 < best)
            best = old[j] + 1;
        if (now[j - 1] + 1 < best)
            best = now[j - 1] + 1;
#endif
        now[j] = best;
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        one[i] = (char)('a' + draw() % 4);
        two[i] = (char)('a' + draw() % 4);
        before[i] = (int)(draw() % 20) + i / 2;
    }
}
void run(void)
{
    static int k;
    k = (k + 1) % N;
    row[0] = 1;
    kernel(row, before, one, two[k], N);
}
RESULT_TOTAL
