/* Tags: the arrays that a denormal value's denormal operands were loaded from, and the births of all
   denormals it descends from.

   A tag numbers such a record; records are kept once each, and what two of them unite to, or one loaded from
   an array becomes, is remembered in caches, so that a run has as many records as it has kinds of values. */
#include "tags.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { MOST_SOURCES = 8, MOST_PARENTS = 4 }; /* what has more counts for these only */
enum { MOST_RECORDS = 1 << 18, CACHE = 1 << 12, FIRST_ENTRIES = 1 << 10 };

struct record {
    UInt sources, parents;
    Bool more_parents;
    UInt source[MOST_SOURCES], parent[MOST_PARENTS]; /* ascending; 0 after */
};
struct remembered {
    UInt tag, other, result;
};
struct pair {
    UInt destination, source;
    ULong values;
};

static struct record *records; /* number - 1 */
static UInt record_count, record_room, *table, entries;
static struct remembered unions[CACHE], loads[CACHE];
static struct pair *pairs;
static UInt pair_entries, pair_count;

static UInt hash_record(const struct record *record)
{
    ULong hash = record->sources * 16 + record->parents;
    for (UInt i = 0; i < record->sources; i++)
        hash = (hash ^ record->source[i]) * 0x9e3779b97f4a7c15ULL;
    for (UInt i = 0; i < record->parents; i++)
        hash = (hash ^ record->parent[i]) * 0xc2b2ae3d27d4eb4fULL;
    return hash >> 24;
}

static void enter(UInt number)
{
    UInt place = hash_record(&records[number - 1]) & (entries - 1);
    while (table[place])
        place = (place + 1) & (entries - 1);
    table[place] = number;
}

static Tag keep(const struct record *record)
{
    for (UInt place = hash_record(record) & (entries - 1); entries && table[place];
         place = (place + 1) & (entries - 1))
        if (VG_(memcmp)(&records[table[place] - 1], record, sizeof *record) == 0)
            return table[place];
    if (record_count == MOST_RECORDS) {
        limit_add("values with origins beyond the tracer's limit of kinds", 1);
        return record_count;
    }
    if (record_count == record_room) {
        record_room = record_room ? record_room * 2 : 64;
        records = VG_(realloc)("trace.tags", records, record_room * sizeof *records);
    }
    records[record_count++] = *record;
    if (record_count * 2 > entries) {
        entries = entries ? entries * 2 : FIRST_ENTRIES;
        VG_(free)(table);
        table = VG_(calloc)("trace.tags", entries, sizeof *table);
        for (UInt i = 1; i < record_count; i++)
            enter(i);
    }
    enter(record_count);
    return record_count;
}

static Bool insert(UInt *list, UInt *count, UInt most, UInt number)
{
    UInt place = 0;
    while (place < *count && list[place] < number)
        place++;
    if (place < *count && list[place] == number)
        return True;
    if (*count == most)
        return False;
    for (UInt i = *count; i > place; i--)
        list[i] = list[i - 1];
    list[place] = number;
    (*count)++;
    return True;
}

static const struct record *record_of(Tag tag)
{
    return &records[(tag & TAG_RECORD) - 1];
}

Tag tag_born(UInt birth)
{
    struct record record;
    VG_(memset)(&record, 0, sizeof record);
    insert(record.parent, &record.parents, MOST_PARENTS, birth);
    return keep(&record);
}

Tag tag_outside(void)
{
    static Tag tag;
    if (!tag)
        tag = tag_born(birth_outside());
    return tag;
}

static struct remembered *memory(struct remembered *cache, UInt tag, UInt other)
{
    return &cache[((tag * 0x9e3779b1u) ^ (other * 0x85ebca6bu)) >> 20 & (CACHE - 1)];
}

Tag tag_union(Tag a, Tag b)
{
    a &= TAG_RECORD, b &= TAG_RECORD;
    if (a == b || b == 0)
        return a;
    if (a == 0)
        return b;
    if (a > b) {
        Tag swapped = a;
        a = b, b = swapped;
    }
    struct remembered *known = memory(unions, a, b);
    if (known->tag == a && known->other == b)
        return known->result;
    struct record record = *record_of(a);
    const struct record *other = record_of(b);
    record.more_parents |= other->more_parents;
    for (UInt i = 0; i < other->sources; i++)
        if (!insert(record.source, &record.sources, MOST_SOURCES, other->source[i]))
            limit_add("values that descend from more arrays than the tracer records", 1);
    for (UInt i = 0; i < other->parents; i++)
        if (!insert(record.parent, &record.parents, MOST_PARENTS, other->parent[i]))
            record.more_parents = True;
    *known = (struct remembered){(UInt)a, (UInt)b, (UInt)keep(&record)};
    return known->result;
}

Tag tag_loaded(Tag tag, UInt array)
{
    tag = tag & TAG_RECORD ? tag & TAG_RECORD : tag_outside();
    if (array == 0)
        return tag;
    struct remembered *known = memory(loads, tag, array);
    if (known->tag == tag && known->other == array)
        return known->result;
    struct record record = *record_of(tag);
    VG_(memset)(record.source, 0, sizeof record.source);
    record.sources = 0;
    insert(record.source, &record.sources, MOST_SOURCES, array);
    *known = (struct remembered){(UInt)tag, array, (UInt)keep(&record)};
    return known->result;
}

static struct pair *pair_find(struct pair *list, UInt size, UInt destination, UInt source)
{
    UInt place = ((destination * 0x9e3779b1u) ^ (source * 0x85ebca6bu)) >> 7 & (size - 1);
    while (list[place].destination &&
           (list[place].destination != destination || list[place].source != source))
        place = (place + 1) & (size - 1);
    return &list[place];
}

static void pairs_grow(void)
{
    UInt size = pair_entries ? pair_entries * 2 : FIRST_ENTRIES;
    struct pair *larger = VG_(calloc)("trace.pairs", size, sizeof *larger);
    for (UInt i = 0; i < pair_entries; i++)
        if (pairs[i].destination)
            *pair_find(larger, size, pairs[i].destination, pairs[i].source) = pairs[i];
    VG_(free)(pairs);
    pairs = larger;
    pair_entries = size;
}

static void pair_count_one(UInt destination, UInt source)
{
    if (pair_count * 2 >= pair_entries)
        pairs_grow();
    struct pair *pair = pair_find(pairs, pair_entries, destination, source);
    if (!pair->destination) {
        *pair = (struct pair){destination, source, 0};
        pair_count++;
    }
    pair->values++;
}

void tag_stored(Tag tag, UInt array, Addr address, UInt bytes)
{
    if (array == 0)
        return;
    const struct record *record = record_of(tag);
    if (record->sources == 0) {
        pair_count_one(array, 0);
        array_count_origin(array, address, bytes, 0);
        for (UInt i = 0; i < record->parents; i++)
            birth_stored(record->parent[i], array);
    }
    for (UInt i = 0; i < record->sources; i++) {
        pair_count_one(array, record->source[i]);
        array_count_origin(array, address, bytes, record->source[i]);
    }
}

void tag_operated(Tag tag)
{
    const struct record *record = record_of(tag);
    for (UInt i = 0; i < record->parents; i++) {
        struct birth *birth = birth_of(record->parent[i]);
        birth->descendants++;
        if (record->parents == 1 && !record->more_parents)
            birth->removable++;
    }
}

void origins_each(void (*visit)(UInt destination, UInt source, ULong values, void *context), void *context)
{
    for (UInt i = 0; i < pair_entries; i++)
        if (pairs[i].destination)
            visit(pairs[i].destination, pairs[i].source, pairs[i].values, context);
}

void events_forget(void)
{
    births_forget();
    for (UInt i = 0; i < pair_entries; i++)
        pairs[i].values = 0;
}
