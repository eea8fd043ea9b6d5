/* Counts for each instruction, and the stretches whose executions they add up.

   Arithmetic instructions are counted with their stretch: each stretch has one counter, which is added to its
   sites when they are read. */
#include "pendings.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { CHUNK = 256, FIRST_ENTRIES = 1 << 12, STRETCH_CHAINS = 1 << 13 };

struct chunk {
    struct chunk *next;
    UInt used;
    struct site sites[CHUNK];
};

static struct chunk *chunks;
static struct site **table;
static UInt entries, count;
static struct stretch *stretches[STRETCH_CHAINS];

static struct site **place_of(struct site **where, UInt size, Addr address)
{
    UInt place = (UInt)((address * 0x9e3779b97f4a7c15ULL) >> 32) & (size - 1);
    while (where[place] && where[place]->address != address)
        place = (place + 1) & (size - 1);
    return &where[place];
}

static void grow(void)
{
    UInt size = entries ? entries * 2 : FIRST_ENTRIES;
    struct site **larger = VG_(calloc)("trace.sites", size, sizeof *larger);
    for (UInt i = 0; i < entries; i++)
        if (table[i])
            *place_of(larger, size, table[i]->address) = table[i];
    VG_(free)(table);
    table = larger;
    entries = size;
}

struct site *site_at(Addr address)
{
    if (count * 2 >= entries)
        grow();
    struct site **place = place_of(table, entries, address);
    if (*place)
        return *place;
    if (!chunks || chunks->used == CHUNK) {
        struct chunk *chunk = VG_(calloc)("trace.sites", 1, sizeof *chunk);
        chunk->next = chunks;
        chunks = chunk;
    }
    struct site *site = &chunks->sites[chunks->used++];
    site->address = address;
    count++;
    return *place = site;
}

static struct stretch **chain(Addr superblock)
{
    return &stretches[(superblock * 0x9e3779b97f4a7c15ULL) >> 32 & (STRETCH_CHAINS - 1)];
}

void stretch_keep(struct stretch *stretch)
{
    struct stretch **first = chain(stretch->superblock);
    stretch->next = *first;
    *first = stretch;
}

static void settle(struct stretch *stretch)
{
    for (UInt i = 0; i < stretch->site_count; i++)
        stretch->sites[i]->counts.executions += stretch->executions - stretch->settled;
    stretch->settled = stretch->executions;
}

static void stretch_free(struct stretch *stretch)
{
    settle(stretch);
    VG_(free)(stretch->steps);
    VG_(free)(stretch->updates);
    VG_(free)(stretch->sites);
    VG_(free)(stretch);
}

/* A superblock may be translated twice (with and without redirection), and Valgrind does not say which
   translation goes: its stretches go with the last. */
void stretches_discard(Addr superblock)
{
    UInt translations = 0, last = 0;
    for (struct stretch *stretch = *chain(superblock); stretch; stretch = stretch->next)
        if (stretch->superblock == superblock && stretch->translation != last) {
            translations++;
            last = stretch->translation;
        }
    for (struct stretch **link = chain(superblock); *link;) {
        struct stretch *stretch = *link;
        if (stretch->superblock != superblock || ++stretch->discards < translations) {
            link = &stretch->next;
            continue;
        }
        *link = stretch->next;
        stretch_free(stretch);
    }
}

void sites_each(void (*visit)(struct site *site, void *context), void *context)
{
    for (UInt i = 0; i < STRETCH_CHAINS; i++)
        for (struct stretch *stretch = stretches[i]; stretch; stretch = stretch->next)
            settle(stretch);
    for (struct chunk *chunk = chunks; chunk; chunk = chunk->next)
        for (UInt i = 0; i < chunk->used; i++)
            visit(&chunk->sites[i], context);
}
