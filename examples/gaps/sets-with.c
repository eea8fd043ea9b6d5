/* Follows a list of 40 nodes, 40 lines of memory in all.  They lie 4096 bytes apart, so that they share a few
   sets of the first cache; 4160 bytes apart (sets-without.c), each has a set of its own.

   Neoverse V1: 8.8 cycles a step, 4.04 without; predicted: 4.0. */
#include <stdio.h>
#include <stdlib.h>
#ifndef DISTANCE
#define DISTANCE 4096
#define STEPS 80000000
#endif
#ifndef NODES
#define NODES                                                                                                \
    40 /* each in a page of its own: more than 48 are slow for another reason, unexplained-with.c            \
        */
#endif

struct node {
    struct node *next;
};

__attribute__((noipa)) static struct node *follow(struct node *node, long steps)
{
    for (long i = 0; i < steps; i++)
        node = node->next;
    return node;
}

int main(void)
{
    char *memory = aligned_alloc(4096, (NODES + 1) * 4096L * 2);
    for (int i = 0; i < NODES; i++)
        ((struct node *)(memory + (long)i * DISTANCE))->next =
            (struct node *)(memory + (long)((i + 1) % NODES) * DISTANCE);
    printf("%ld\n", (long)((char *)follow((struct node *)memory, STEPS) - memory));
    free(memory);
    return 0;
}
