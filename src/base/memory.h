/* Allocation that never returns NULL. Running out of memory is the one failure that is not returned as an
   error value: nothing sensible can be done about it half-way through a model, so the process reports it and
   exits with code 2.  Sizes that come from a file must be checked against that file before they get here. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H
#include "base/bisect.h"

#include <stdint.h>

/* What the out-of-memory message names, such as the file being read; NULL for nothing. The text must stay
   valid. */
void memory_used_for(const char *what);

/* What a single piece of work may take that a stranger's text asked for: half of this computer's memory, or
   of what this process is allowed. */
uint64_t memory_budget(void);

void *memory_get(size_t size);                              /* zeroed */
void *memory_grow(void *old, size_t old_size, size_t size); /* the new part is zeroed */
char *memory_copy_text(const char *text, size_t length);    /* with a terminating zero */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a variable holds is freed where the variable ends, whichever way leads there: texts of a sentence need no
   lines that only free them.  `autofree char *name = memory_format(…);`  Nothing else may free or keep it. */
#define autofree __attribute__((cleanup(memory_autofree)))
void memory_autofree(void *variable);

/* A growable array of records of one width.  data moves when it grows. */
struct array {
    void *data;
    size_t count, capacity, width;
};
#define ARRAY_OF(type) ((struct array){.width = sizeof(type)})

void *array_add(struct array *array);                /* one zeroed record at the end */
void *array_add_many(struct array *array, size_t n); /* n zeroed records at the end; the first of them */
void array_reserve(struct array *array, size_t capacity);
void array_grow(struct array *array); /* room for at least one more */
/* One record at the end, not zeroed: the caller sets all of it. */
static inline void *array_push(struct array *array)
{
    if (array->count == array->capacity)
        array_grow(array);
    return (char *)array->data + array->count++ * array->width;
}
void *array_push_many(struct array *array, size_t n); /* n records, not zeroed either */
/* The first count records are not read again: their memory may be freed, and their contents are undefined. */
void array_release(struct array *array, size_t count);
void array_free(struct array *array);
/* Of char *: the texts, too. */
void array_free_texts(struct array *texts);
static inline void *array_at(const struct array *array, size_t index)
{
    /* Computed with integers, because an empty array has no data to point into. */
    return (void *)((uintptr_t)array->data + index * array->width);
}
#define ARRAY_AT(type, array, index) ((type *)array_at((array), (index)))

/* Puts an array of uint32_t in order, each number once. */
void array_sort_numbers(struct array *numbers);
/* For an array sorted, from index first on, by a uint32_t at this offset of its records: the index of the
   first record whose number is not below value, or count. */
size_t array_first_not_below(const struct array *array, size_t first, size_t offset, uint32_t value);
/* The same for a uint64_t, such as an address. */
static inline size_t array_first_at(const struct array *array, size_t first, size_t offset, uint64_t value)
{
    struct bisection search = {first, array->count};
    while (bisect(&search))
        bisect_past(&search, *(const uint64_t *)((uintptr_t)array_at(array, search.middle) + offset) < value);
    return search.first;
}
/* The last record whose uint64_t is not above value: what starts last at or before an address.  NULL for
   none. */
static inline void *array_last_at(const struct array *array, size_t offset, uint64_t value)
{
    struct bisection search = {0, array->count};
    while (bisect(&search))
        bisect_past(&search,
                    *(const uint64_t *)((uintptr_t)array_at(array, search.middle) + offset) <= value);
    return search.first ? array_at(array, search.first - 1) : NULL;
}

/* Many small pieces that are freed together. */
struct arena {
    struct arena_chunk *chunks;
    size_t used;
};
void *arena_get(struct arena *arena, size_t size); /* zeroed, aligned for any type */
void arena_free(struct arena *arena);
/* Frees all pieces but keeps the memory for the next ones: cheap to repeat. */
void arena_empty(struct arena *arena);
#endif
