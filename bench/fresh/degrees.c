/* How many edges end at each of 2000 places.
   build: gcc -O2
   cure: partial-sums -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { PLACES = 2000, EDGES = 4000 };
static int ends[EDGES], degree[PLACES];
KERNEL void kernel(int *degree, const int *ends, int n)
{
#if CURE == 1
    static int more[4][PLACES];
    memset(more, 0, sizeof more);
    for (int e = 0; e < n; e += 4) {
        more[0][ends[e]]++;
        more[1][ends[e + 1]]++;
        more[2][ends[e + 2]]++;
        more[3][ends[e + 3]]++;
    }
    for (int i = 0; i < PLACES; i++)
        degree[i] += more[0][i] + more[1][i] + more[2][i] + more[3][i];
#else
    for (int e = 0; e < n; e++)
        degree[ends[e]]++;
#endif
}
void set_up(void)
{
    for (int i = 0; i < EDGES; i++)
        ends[i] = (int)(draw() % PLACES);
}
void run(void)
{
    memset(degree, 0, sizeof degree);
    kernel(degree, ends, EDGES);
}
RESULT(degree, PLACES)
