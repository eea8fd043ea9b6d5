/* Interned strings: equal texts have equal ids.  Id 0 is "no text" and is not the empty string.
   Texts may hold any byte but zero.  Not safe to share between threads while texts are added. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H
#include "base/memory.h"

typedef uint32_t string_id;

struct strings {
    struct arena texts;
    struct array entries; /* of struct string_entry */
    uint32_t *slots;
    size_t slot_count;
};

string_id strings_add(struct strings *strings, const char *text); /* NULL gives 0 */
string_id strings_add_length(struct strings *strings, const char *text, size_t length);
string_id strings_find(const struct strings *strings, const char *text); /* 0 if it was never added */
string_id strings_find_length(const struct strings *strings, const char *text, size_t length);
const char *strings_text(const struct strings *strings, string_id id); /* NULL for id 0 */
size_t strings_length(const struct strings *strings, string_id id);
void strings_free(struct strings *strings);

uint64_t strings_hash(const void *bytes, size_t size);
/* A hash of one number more. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}
#endif
