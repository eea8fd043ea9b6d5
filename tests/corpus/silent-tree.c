/* Looking a key up in a binary tree.
   build: gcc -O2
   silent: * */
#include "corpus.h"

struct node { struct node *children[2]; int key; };
static struct node nodes[N], *root;
static double total;

KERNEL const struct node *kernel(const struct node *at, int key)
{
    while (at && at->key != key)
        at = at->children[key > at->key];
    return at;
}

void set_up(void)
{
    root = &nodes[0];
    nodes[0].key = 500;
    for (int i = 1; i < N; i++) {
        struct node *at = root;
        nodes[i].key = i * 377 % N;
        while (at->children[nodes[i].key > at->key])
            at = at->children[nodes[i].key > at->key];
        at->children[nodes[i].key > at->key] = &nodes[i];
    }
}

void run(void)
{
    total = kernel(root, 123) != 0;
}

double result(void)
{
    return total;
}
