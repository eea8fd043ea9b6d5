/* One step of quicksort: small numbers to the left of a pivot.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { COUNT = 20000 };
static int kept[COUNT], work[COUNT];
KERNEL int kernel(int *a, int n, int pivot)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        int value = a[i];
        a[i] = a[k];
        a[k] = value;
        k += value < pivot;
#else
        if (a[i] < pivot) {
            int value = a[i];
            a[i] = a[k];
            a[k] = value;
            k++;
        }
#endif
    }
    return k;
}
void set_up(void)
{
    for (int i = 0; i < COUNT; i++)
        kept[i] = (int)(draw() % 1000);
}
void run(void)
{
    memcpy(work, kept, sizeof work);
    total = kernel(work, COUNT, 500);
}
RESULT_TOTAL
