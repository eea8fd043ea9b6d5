#include "run/sample/jit/parts.h"

#include <stdlib.h>
#include <string.h>

void jit_codes_begin(struct jit_codes *codes, const uint64_t *wanted, size_t count)
{
    *codes = (struct jit_codes){.wanted = wanted,
                                .wanted_count = count,
                                .codes = ARRAY_OF(struct jit_code),
                                .files = ARRAY_OF(char *)};
}

static void free_code(struct jit_code *code)
{
    free(code->name);
    free(code->bytes);
    array_free(&code->lines);
}

void jit_codes_free(struct jit_codes *codes)
{
    for (size_t i = 0; i < codes->codes.count; i++)
        free_code(ARRAY_AT(struct jit_code, &codes->codes, i));
    array_free(&codes->codes);
    array_free_texts(&codes->files);
}

bool jit_is_wanted(const struct jit_codes *codes, uint64_t address, uint64_t size)
{
    struct bisection search = {0, codes->wanted_count};
    if (!size || size > UINT64_MAX - address)
        return false;
    while (bisect(&search))
        bisect_past(&search, codes->wanted[search.middle] < address);
    return search.first < codes->wanted_count && codes->wanted[search.first] - address < size;
}

struct jit_code *jit_codes_add(struct jit_codes *codes, uint64_t address, uint64_t size, const char *name,
                               size_t length)
{
    if (codes->codes.count >= JIT_MOST_CODES) {
        codes->was_cut = true;
        return NULL;
    }
    struct jit_code *code = array_add(&codes->codes);
    length = strnlen(name, length < JIT_LONGEST_NAME ? length : JIT_LONGEST_NAME);
    *code = (struct jit_code){.address = address,
                              .size = size,
                              .name = memory_copy_text(name, length),
                              .lines = ARRAY_OF(struct jit_line)};
    return code;
}

/* What came later has higher places: the keys are sorted, and the codes moved once. */
struct place {
    uint64_t address;
    uint32_t place;
};

static int by_address(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

void jit_codes_settle(struct jit_codes *codes)
{
    size_t count = codes->codes.count;
    autofree struct place *places = memory_get((count + 1) * sizeof *places);
    autofree uint32_t *kept = memory_get((count + 1) * sizeof *kept); /* places in codes, by address */
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){ARRAY_AT(struct jit_code, &codes->codes, i)->address, (uint32_t)i};
    if (count)
        qsort(places, count, sizeof *places, by_address);
    for (size_t i = 0; i < count; i++) {
        struct jit_code *code = ARRAY_AT(struct jit_code, &codes->codes, places[i].place);
        bool is_kept = true;
        while (kept_count && is_kept) {
            struct jit_code *last = ARRAY_AT(struct jit_code, &codes->codes, kept[kept_count - 1]);
            if (code->address - last->address >= last->size)
                break;
            is_kept = places[i].place > kept[kept_count - 1];
            (is_kept ? code : last)->is_reused = true;
            kept_count -= is_kept;
        }
        if (is_kept)
            kept[kept_count++] = places[i].place;
    }
    struct array result = ARRAY_OF(struct jit_code);
    for (size_t i = 0; i < kept_count; i++) {
        struct jit_code *code = ARRAY_AT(struct jit_code, &codes->codes, kept[i]);
        *(struct jit_code *)array_push(&result) = *code;
        *code = (struct jit_code){.lines = ARRAY_OF(struct jit_line)};
    }
    for (size_t i = 0; i < count; i++)
        free_code(ARRAY_AT(struct jit_code, &codes->codes, i));
    array_free(&codes->codes);
    codes->codes = result;
}

const struct jit_code *jit_codes_at(const struct jit_codes *codes, uint64_t address)
{
    const struct jit_code *code = array_last_at(&codes->codes, offsetof(struct jit_code, address), address);
    return code && address - code->address < code->size ? code : NULL;
}

void jit_put(struct array *bytes, const void *data, size_t size)
{
    if (size)
        memcpy(array_push_many(bytes, size), data, size);
}

void jit_put_number(struct array *bytes, uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        *(uint8_t *)array_push(bytes) = (uint8_t)(number >> 8 * i);
}
