#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *used_for;

void memory_used_for(const char *what)
{
    used_for = what;
}

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "assay: %s%sout of memory\n", used_for ? used_for : "", used_for ? ": " : "");
        exit(2);
    }
    return memory;
}

void *memory_get(size_t size)
{
    return checked(calloc(size ? size : 1, 1));
}

void *memory_grow(void *old, size_t old_size, size_t size)
{
    char *memory = checked(realloc(old, size ? size : 1));
    if (size > old_size)
        memset(memory + old_size, 0, size - old_size);
    return memory;
}

char *memory_copy_text(const char *text, size_t length)
{
    char *copy = memory_get(length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return checked(text);
}

/* Arrays of hundreds of megabytes spend much of their time in page faults otherwise.  Only a hint. */
static void use_large_pages(void *memory, size_t size)
{
    enum { LARGE = 2 << 20 };
    uintptr_t first = ((uintptr_t)memory + LARGE - 1) & ~(uintptr_t)(LARGE - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)(LARGE - 1);
    if (size >= 16 * (size_t)LARGE && end > first)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
}

void array_reserve(struct array *array, size_t capacity)
{
    if (capacity <= array->capacity)
        return;
    if (capacity > SIZE_MAX / 2 / array->width)
        checked(NULL);
    array->data = checked(realloc(array->data, capacity * array->width));
    array->capacity = capacity;
    use_large_pages(array->data, capacity * array->width);
}

static void make_room(struct array *array, size_t n)
{
    if (array->count + n <= array->capacity)
        return;
    size_t wanted = array->capacity + array->capacity / 2;
    array_reserve(array, wanted > array->count + n ? wanted : array->count + n + 16);
}

void array_grow(struct array *array)
{
    make_room(array, 1);
}

void *array_add_many(struct array *array, size_t n)
{
    make_room(array, n);
    void *first = array_at(array, array->count);
    if (n)
        memset(first, 0, n * array->width);
    array->count += n;
    return first;
}

void *array_add(struct array *array)
{
    return array_add_many(array, 1);
}

void array_free(struct array *array)
{
    free(array->data);
    array->data = NULL;
    array->count = array->capacity = 0;
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(16) char bytes[];
};

void *arena_get(struct arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!arena->chunks || arena->chunks->size - arena->used < size) {
        size_t chunk_size = size > 65536 ? size : 65536;
        struct arena_chunk *chunk = memory_get(sizeof *chunk + chunk_size);
        chunk->size = chunk_size;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->used = 0;
    }
    void *piece = arena->chunks->bytes + arena->used;
    arena->used += size;
    return piece;
}

void arena_free(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (struct arena){0};
}
