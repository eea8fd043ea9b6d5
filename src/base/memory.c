#include "base/memory.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <sys/mman.h>

static const char *_Atomic used_for;

void memory_used_for(const char *what)
{
    used_for = what;
}

static void *checked(void *memory)
{
    if (!memory) {
        fputs("assay: ", stderr);
        const char *what = used_for;
        if (what)
            text_print_safe(what, strlen(what), stderr);
        fprintf(stderr, "%sout of memory\n", what ? ": " : "");
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

void memory_autofree(void *variable)
{
    free(*(void **)variable);
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

/* Arrays of hundreds of megabytes would spend much time in page faults and in copying as they grow. So large
   arrays are separate mappings, which the kernel moves without copying, and ask for huge pages. */
enum { LARGE_ARRAY = 4 << 20 };

static size_t mapping_size(size_t size)
{
    size_t page = 2 << 20;
    return (size + page - 1) / page * page;
}

static void *grow_large(void *old, size_t old_size, size_t size)
{
    void *memory;
    if (old_size >= LARGE_ARRAY) {
        memory = mremap(old, mapping_size(old_size), mapping_size(size), MREMAP_MAYMOVE);
    } else {
        memory = mmap(NULL, mapping_size(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED && old_size)
            memcpy(memory, old, old_size);
        free(old);
    }
    checked(memory == MAP_FAILED ? NULL : memory);
    madvise(memory, mapping_size(size), MADV_HUGEPAGE); /* only a hint */
    return memory;
}

void array_reserve(struct array *array, size_t capacity)
{
    if (capacity <= array->capacity)
        return;
    if (capacity > SIZE_MAX / 4 / array->width)
        checked(NULL);
    size_t old_size = array->capacity * array->width, size = capacity * array->width;
    array->data =
        size >= LARGE_ARRAY ? grow_large(array->data, old_size, size) : checked(realloc(array->data, size));
    array->capacity = capacity;
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

void *array_push_many(struct array *array, size_t n)
{
    make_room(array, n);
    void *first = array_at(array, array->count);
    array->count += n;
    return first;
}

void *array_add_many(struct array *array, size_t n)
{
    void *first = array_push_many(array, n);
    if (n)
        memset(first, 0, n * array->width);
    return first;
}

void *array_add(struct array *array)
{
    return array_add_many(array, 1);
}

static int by_number(const void *left, const void *right)
{
    uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    return one < other ? -1 : one > other;
}

void array_sort_numbers(struct array *numbers)
{
    size_t kept = 0;
    if (numbers->count)
        qsort(numbers->data, numbers->count, sizeof(uint32_t), by_number);
    for (size_t i = 0; i < numbers->count; i++)
        if (!kept || *ARRAY_AT(uint32_t, numbers, kept - 1) != *ARRAY_AT(uint32_t, numbers, i))
            *ARRAY_AT(uint32_t, numbers, kept++) = *ARRAY_AT(uint32_t, numbers, i);
    numbers->count = kept;
}

size_t array_first_not_below(const struct array *array, size_t first, size_t offset, uint32_t value)
{
    struct bisection search = {first, array->count};
    while (bisect(&search))
        bisect_past(&search, *(const uint32_t *)((uintptr_t)array_at(array, search.middle) + offset) < value);
    return search.first;
}

void array_release(struct array *array, size_t count)
{
    /* Whole huge pages only: freeing a part would split one. */
    size_t page = mapping_size(1), bytes = count * array->width / page * page;
    if (array->capacity * array->width >= LARGE_ARRAY && bytes)
        madvise(array->data, bytes, MADV_DONTNEED);
}

void array_free(struct array *array)
{
    size_t size = array->capacity * array->width;
    if (size >= LARGE_ARRAY)
        munmap(array->data, mapping_size(size));
    else
        free(array->data);
    array->data = NULL;
    array->count = array->capacity = 0;
}

void array_free_texts(struct array *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(*ARRAY_AT(char *, texts, i));
    array_free(texts);
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(16) char bytes[];
};

enum { SMALLEST_CHUNK = 64 << 10, LARGEST_CHUNK = 1 << 20 };

void *arena_get(struct arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!arena->chunks || arena->chunks->size - arena->used < size) {
        size_t chunk_size = arena->chunks ? arena->chunks->size * 2 : SMALLEST_CHUNK;
        chunk_size = chunk_size > LARGEST_CHUNK ? LARGEST_CHUNK : chunk_size;
        chunk_size = chunk_size > size ? chunk_size : size;
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

void arena_empty(struct arena *arena)
{
    struct arena_chunk *newest = arena->chunks;
    if (!newest)
        return;
    for (struct arena_chunk *chunk = newest->next, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    newest->next = NULL;
    memset(newest->bytes, 0, arena->used); /* pieces must be zero when handed out */
    arena->used = 0;
}

uint64_t memory_budget(void)
{
    static _Atomic uint64_t known; /* also in processes that got it as their own limit */
    if (known)
        return known;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    struct rlimit allowed;
    if (!getrlimit(RLIMIT_AS, &allowed) && allowed.rlim_cur != RLIM_INFINITY && allowed.rlim_cur < all)
        all = allowed.rlim_cur;
    all /= 2;
    known = all;
    return all;
}
