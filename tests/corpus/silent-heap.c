/* Sifting down in a heap: the next place depends on a comparison of the two children.
   build: gcc -O2
   silent: * */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *heap, int at, int n)
{
    int value = heap[at];
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

void run(void)
{
    kernel(z, 0, N);
}
