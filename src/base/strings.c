#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

struct string_entry {
    const char *text;
    uint32_t length, hash;
};

/* Eight bytes at a time, folded by multiplication; good enough for tables of a few million keys. */
uint64_t strings_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0x9e3779b97f4a7c15u ^ size;
    while (size >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
        at += 8;
        size -= 8;
    }
    uint64_t word = 0;
    if (size)
        memcpy(&word, at, size);
    hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 29);
}

static const struct string_entry *entry(const struct strings *strings, string_id id)
{
    return ARRAY_AT(const struct string_entry, &strings->entries, id - 1);
}

/* No hash_index: it is hot, and slots are half as large because entries have their hashes. */
static uint32_t *slot_of(const struct strings *strings, const char *text, size_t length, uint32_t hash)
{
    size_t mask = strings->slot_count - 1, at = hash & mask;
    while (strings->slots[at]) {
        const struct string_entry *found = entry(strings, strings->slots[at]);
        if (found->hash == hash && found->length == length && !memcmp(found->text, text, length))
            break;
        at = (at + 1) & mask;
    }
    return &strings->slots[at];
}

static void grow_slots(struct strings *strings)
{
    free(strings->slots);
    strings->slot_count = strings->slot_count ? strings->slot_count * 2 : 1024;
    strings->slots = memory_get(strings->slot_count * sizeof *strings->slots);
    for (uint32_t id = 1; id <= strings->entries.count; id++) {
        size_t mask = strings->slot_count - 1, at = entry(strings, id)->hash & mask;
        while (strings->slots[at])
            at = (at + 1) & mask;
        strings->slots[at] = id;
    }
}

string_id strings_add_length(struct strings *strings, const char *text, size_t length)
{
    if (!strings->entries.width)
        strings->entries = ARRAY_OF(struct string_entry);
    if ((strings->entries.count + 1) * 2 > strings->slot_count)
        grow_slots(strings);
    uint32_t hash = (uint32_t)strings_hash(text, length);
    uint32_t *slot = slot_of(strings, text, length, hash);
    if (*slot)
        return *slot;
    char *copy = arena_get(&strings->texts, length + 1);
    memcpy(copy, text, length);
    struct string_entry *added = array_add(&strings->entries);
    *added = (struct string_entry){.text = copy, .length = (uint32_t)length, .hash = hash};
    return *slot = (uint32_t)strings->entries.count;
}

string_id strings_add(struct strings *strings, const char *text)
{
    return text ? strings_add_length(strings, text, strlen(text)) : 0;
}

string_id strings_find_length(const struct strings *strings, const char *text, size_t length)
{
    return strings->slot_count ? *slot_of(strings, text, length, (uint32_t)strings_hash(text, length)) : 0;
}

string_id strings_find(const struct strings *strings, const char *text)
{
    return strings_find_length(strings, text, strlen(text));
}

const char *strings_text(const struct strings *strings, string_id id)
{
    return id ? entry(strings, id)->text : NULL;
}

size_t strings_length(const struct strings *strings, string_id id)
{
    return id ? entry(strings, id)->length : 0;
}

void strings_free(struct strings *strings)
{
    arena_free(&strings->texts);
    array_free(&strings->entries);
    free(strings->slots);
    *strings = (struct strings){0};
}
