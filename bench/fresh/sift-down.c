/* A heap of 1023 numbers: the top is replaced by a random one, 5000 times.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { SIZE = 1023, TURNS = 5000 };
static int heap[SIZE + 2], values[TURNS];
KERNEL void kernel(int *a, int n, int value)
{
    int i = 1;
    while (2 * i + 1 <= n) {
#if CURE == 1
        int child = 2 * i + (a[2 * i + 1] < a[2 * i]);
#else
        int child = 2 * i;
        if (a[child + 1] < a[child])
            child++;
#endif
        if (value <= a[child])
            break;
        a[i] = a[child];
        i = child;
    }
    a[i] = value;
}
void set_up(void)
{
    for (int i = 1; i <= SIZE; i++)
        heap[i] = i;
    for (int i = 0; i < TURNS; i++)
        values[i] = (int)(draw() >> 8);
}
void run(void)
{
    for (int i = 1; i <= SIZE; i++)
        heap[i] = i;
    for (int i = 0; i < TURNS; i++)
        kernel(heap, SIZE, values[i]);
}
RESULT(heap, SIZE + 1)
