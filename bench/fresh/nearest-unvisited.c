/* The scan of Dijkstra's algorithm: the nearest place that is not done.
   build: gcc -O2
   cure: branch-free -DCURE=1 */
#include "fresh.h"
enum { PLACES = 20000 }; /* so many that no predictor learns which are done */
static int distance[PLACES];
static char done[PLACES];
KERNEL int kernel(const int *far, const char *done, int n)
{
    int best = -1, least = 1 << 30;
    for (int i = 0; i < n; i++)
#if CURE == 1
    {
        int here = done[i] ? 1 << 30 : far[i];
        best = here < least ? i : best;
        least = here < least ? here : least;
    }
#else
        if (!done[i] && far[i] < least) {
            least = far[i];
            best = i;
        }
#endif
    return best;
}
void set_up(void)
{
    for (int i = 0; i < PLACES; i++) {
        distance[i] = (int)draw();
        done[i] = draw() % 4 == 0;
    }
}
void run(void)
{
    total = kernel(distance, done, PLACES);
}
RESULT_TOTAL
