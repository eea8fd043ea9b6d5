/* The tags of memory: for each 32-bit word a mark, which holds only while the word has the value it had then.
   With a log each word also has the number of an entry of it.

   Marks lie in leaves of one page of the program each, found by a hash of the page's number; a leaf is made
   when the first tag of its page is set, and freed when the page is unmapped.  So there are at most two bytes
   here for each byte of the program that shares a page with a denormal number. */
#include "tags.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { PAGE_BYTES = 1 << PAGE_BITS, LEAF_WORDS = PAGE_BYTES / 4, FIRST_ENTRIES = 1 << 10 };

struct word {
    UInt value, tag;
};
struct leaf {
    Addr page;     /* its number */
    UInt *numbers; /* of entries; NULL: no log */
    struct word words[LEAF_WORDS];
};

static struct leaf **table; /* open addressing; NULL: free */
static UInt entries, used;
static struct leaf *last; /* that was asked for */
UChar pages_of_interest[PAGE_ENTRIES];

static UInt place_of(Addr page, UInt size)
{
    return (UInt)((page * 0x9e3779b97f4a7c15ULL) >> 32) & (size - 1);
}

static UInt find_place(struct leaf **where, UInt size, Addr page)
{
    UInt place = place_of(page, size);
    while (where[place] && where[place]->page != page)
        place = (place + 1) & (size - 1);
    return place;
}

static void grow(void)
{
    UInt size = entries ? entries * 2 : FIRST_ENTRIES;
    struct leaf **larger = VG_(calloc)("trace.shadow", size, sizeof *larger);
    for (UInt i = 0; i < entries; i++)
        if (table[i])
            larger[find_place(larger, size, table[i]->page)] = table[i];
    VG_(free)(table);
    table = larger;
    entries = size;
}

static struct leaf *leaf_find(Addr page)
{
    if (last && last->page == page)
        return last;
    if (entries == 0)
        return NULL;
    struct leaf *leaf = table[find_place(table, entries, page)];
    if (leaf)
        last = leaf;
    return leaf;
}

static struct leaf *leaf_make(Addr page)
{
    struct leaf *leaf = leaf_find(page);
    if (leaf)
        return leaf;
    if (used * 2 >= entries)
        grow();
    leaf = VG_(calloc)("trace.shadow", 1, sizeof *leaf);
    leaf->page = page;
    if (settings.log)
        leaf->numbers = VG_(calloc)("trace.shadow", LEAF_WORDS, sizeof *leaf->numbers);
    table[find_place(table, entries, page)] = leaf;
    used++;
    pages_of_interest[page & (PAGE_ENTRIES - 1)] |= PAGE_HAS_TAGS;
    return last = leaf;
}

static void leaf_remove(Addr page)
{
    UInt place = find_place(table, entries, page);
    if (!table[place])
        return;
    if (last == table[place])
        last = NULL;
    if (table[place]->numbers)
        VG_(free)(table[place]->numbers);
    VG_(free)(table[place]);
    table[place] = NULL;
    used--;
    for (UInt next = (place + 1) & (entries - 1); table[next]; next = (next + 1) & (entries - 1)) {
        struct leaf *moved = table[next];
        table[next] = NULL;
        table[find_place(table, entries, moved->page)] = moved;
    }
}

Tag shadow_tag(Addr address, UInt value)
{
    struct leaf *leaf = leaf_find(address >> PAGE_BITS);
    if (!leaf || (address & 3) != 0)
        return 0;
    UInt place = (address & (PAGE_BYTES - 1)) / 4;
    const struct word *word = &leaf->words[place];
    if (word->value != value || !word->tag)
        return 0;
    return leaf->numbers ? word->tag | (Tag)leaf->numbers[place] << TAG_ENTRY_SHIFT : word->tag;
}

void shadow_forget(Addr address)
{
    struct leaf *leaf = leaf_find(address >> PAGE_BITS);
    if (leaf && (address & 3) == 0)
        leaf->words[(address & (PAGE_BYTES - 1)) / 4].tag = 0;
}

void shadow_set(Addr address, UInt value, Tag tag)
{
    if ((address & 3) != 0)
        return;
    struct leaf *leaf = leaf_make(address >> PAGE_BITS);
    UInt place = (address & (PAGE_BYTES - 1)) / 4;
    leaf->words[place] = (struct word){value, (UInt)tag};
    if (leaf->numbers)
        leaf->numbers[place] = tag >> TAG_ENTRY_SHIFT;
}

/* Only whole pages: the marks of the rest no longer hold once the memory has other contents. */
void shadow_clear(Addr address, SizeT bytes)
{
    Addr first = (address + PAGE_BYTES - 1) >> PAGE_BITS, end = (address + bytes) >> PAGE_BITS;
    if (used == 0 || bytes < PAGE_BYTES)
        return;
    if (end - first < entries) {
        for (Addr page = first; page < end; page++)
            leaf_remove(page);
        return;
    }
    for (UInt i = 0; i < entries;) /* removing moves others here: look again */
        if (table[i] && table[i]->page >= first && table[i]->page < end)
            leaf_remove(table[i]->page);
        else
            i++;
}

void shadow_copy(Addr from, Addr to, SizeT bytes)
{
    if (used == 0 || ((from | to) & 3) != 0)
        return;
    for (SizeT at = 0; at + 4 <= bytes;) {
        struct leaf *leaf = leaf_find((from + at) >> PAGE_BITS);
        SizeT rest = PAGE_BYTES - ((from + at) & (PAGE_BYTES - 1));
        SizeT count = rest < bytes - at ? rest : bytes - at;
        for (SizeT i = 0; leaf && i + 4 <= count; i += 4) {
            UInt value = leaf->words[((from + at + i) & (PAGE_BYTES - 1)) / 4].value;
            Tag tag = shadow_tag(from + at + i, value);
            if (tag)
                shadow_set(to + at + i, value, tag);
        }
        at += count;
    }
}
