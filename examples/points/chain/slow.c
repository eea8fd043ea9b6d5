/* A list whose nodes are all over memory. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 262144 };
struct node {
    struct node *next;
    unsigned value;
    char text[112];
};

__attribute__((noipa)) static unsigned add_up(const struct node *node)
{
    unsigned sum = 0;
    for (; node; node = node->next) /* the point */
        sum += node->value;
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    struct node *nodes = calloc(COUNT, sizeof *nodes), *first = NULL;
    unsigned sum = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        struct node *node = &nodes[i * 40503u % COUNT]; /* each once, as the factor is odd */
        node->value = i;
        node->next = first;
        first = node;
    }
    for (long k = 0; k < repetitions; k++)
        sum = sum * 3 + add_up(first);
    printf("%u\n", sum);
}
