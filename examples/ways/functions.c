/* Functions without loops that are called often: what a call takes follows from their chain if calls wait for
   each other, from the number of operations if they do not. */
#include <stdio.h>
#include <stdlib.h>

#define NEVER_INLINE __attribute__((noinline, noclone))
struct tree { struct tree *left, *right; int key; };

/* FNV-1a of eight bytes. */
#define HASH \
    unsigned h = seed; \
    h = (h ^ p[0]) * 16777619u; h = (h ^ p[1]) * 16777619u; h = (h ^ p[2]) * 16777619u; h = (h ^ p[3]) * 16777619u; \
    h = (h ^ p[4]) * 16777619u; h = (h ^ p[5]) * 16777619u; h = (h ^ p[6]) * 16777619u; h = (h ^ p[7]) * 16777619u; \
    return h;
NEVER_INLINE unsigned hash_waits(const unsigned char *p, unsigned seed) { HASH }
NEVER_INLINE unsigned hash_overlaps(const unsigned char *p, unsigned seed) { HASH }

NEVER_INLINE double polynomial_waits(double x) { return ((((x * .1 + .2) * x + .3) * x + .4) * x + .5) * x + .6; }
NEVER_INLINE double polynomial_overlaps(double x) { return ((((x * .1 + .2) * x + .3) * x + .4) * x + .5) * x + .6; }

NEVER_INLINE unsigned recursion(unsigned n, unsigned depth)
{
    return depth ? recursion(n * 3 + 1, depth - 1) + recursion(n ^ 5, depth - 1) : n;
}

NEVER_INLINE int sum_tree(const struct tree *tree)
{
    return tree ? tree->key + sum_tree(tree->left) + sum_tree(tree->right) : 0;
}

NEVER_INLINE double divide(double x, double y) { return (x + 1) / (y + 2) / (x + 3); }

static struct tree *grow(int depth)
{
    struct tree *tree = depth ? calloc(1, sizeof *tree) : NULL;
    if (tree)
        *tree = (struct tree){grow(depth - 1), grow(depth - 1), depth};
    return tree;
}

int main(void)
{
    unsigned long all = 0;
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    double sum = 0, x = .5;
    struct tree *tree = grow(9);
    unsigned seed = 1;
    for (unsigned i = 0; i < 30000000; i++) seed = hash_waits(bytes, seed);
    for (unsigned i = 0; i < 60000000; i++) all += hash_overlaps(bytes, i);
    for (unsigned i = 0; i < 30000000; i++) x = polynomial_waits(x) * .1;
    for (unsigned i = 0; i < 60000000; i++) sum += polynomial_overlaps(i);
    for (unsigned i = 0; i < 4000; i++) all += recursion(i, 14);
    for (unsigned i = 0; i < 100000; i++) all += (unsigned)sum_tree(tree);
    for (unsigned i = 0; i < 30000000; i++) sum += divide(i, x);
    printf("%lu %u %g %g\n", all, seed, sum, x);
}
