/* Three kernels that caches couple: each has its data in the first cache when it runs alone, and two of them
   need more than it holds.

       cc -O2 -shared -fPIC -o kernels.so kernels.c
       assay model coupling kernels.txt

   -DPERCENT=70 makes tables that take 70 % of the cache.

   `walk` follows a list through table A, `scatter` adds to places of table B that a list in B names, and
   `gather` sums what a list through table C finds. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PERCENT
#define PERCENT 75
#endif

struct entry {
    uint32_t next, other;
    uint64_t value;
    uint64_t more[6]; /* a cache line each */
};

static struct entry *a, *b, *c;
static uint32_t count;
static volatile uint64_t result;

static struct entry *make_table(void)
{
    struct entry *table = aligned_alloc(4096, (count * sizeof *table + 4095) / 4096 * 4096);
    uint32_t *order = malloc(count * sizeof *order);
    if (!table || !order)
        abort();
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t list = 0; list < 2; list++) {
        for (uint32_t i = count - 1; i > 0; i--) { /* Sattolo: one circle through all entries */
            uint32_t j = (uint32_t)rand() % i, kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        for (uint32_t i = 0; i < count; i++) {
            struct entry *entry = &table[order[i]];
            *(list ? &entry->other : &entry->next) = order[(i + 1) % count];
            entry->value = i;
        }
    }
    free(order);
    return table;
}

void make_data(void)
{
    long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    count = (uint32_t)((cache > 0 ? cache : 65536) * PERCENT / 100 / (long)sizeof(struct entry));
    srand(7);
    a = make_table();
    b = make_table();
    c = make_table();
}

void walk(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0, at = 0; i < count; i++, at = a[at].next)
        sum += a[at].value;
    result = sum;
}

void scatter(void)
{
    for (uint32_t i = 0, at = 0; i < count; i++, at = b[at].next)
        b[b[at].other].value += i;
}

void gather(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0, at = 0; i < count; i++, at = c[at].other)
        sum ^= c[at].value * i;
    result = sum;
}
