/* The inner loop of all shortest ways: a way over k that is shorter replaces one.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -O3 -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { SIZE = 100 };
static int graph[SIZE][SIZE], ways[SIZE][SIZE];
KERNEL void kernel(int *R row, const int *R over, int first, int n)
{
    for (int j = 0; j < n; j++) {
#if CURE == 1
        int way = first + over[j];
        row[j] = way < row[j] ? way : row[j];
#else
        if (first + over[j] < row[j])
            row[j] = first + over[j];
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            graph[i][j] = (int)(draw() % 1000);
}
void run(void)
{
    memcpy(ways, graph, sizeof ways);
    for (int k = 0; k < SIZE; k++)
        for (int i = 0; i < SIZE; i++)
            if (i != k)
                kernel(ways[i], ways[k], ways[i][k], SIZE);
}
RESULT(ways[7], SIZE)
