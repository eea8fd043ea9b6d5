/* Arrays and trip counts of the kernels: at most 16 KB are touched, so that all of it stays in the L1 cache.
   Arrays begin at lines of the cache. SHIFTS in the environment moves them: bytes for the first, the second
   and so on, with commas between them. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 4, PAGE = 4096, SLOT = 5 * PAGE, CYCLE = 512, TABLE = 256 };

static _Alignas(4096) unsigned char memory[ARRAYS * SLOT + PAGE];
static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double between_one_and_two(void)
{
    return 1.0 + (double)(next_random() >> 11) * 0x1p-53;
}

/* Bytes that one element of an array takes, and those of an iteration. */
static long element_bytes(char kind)
{
    switch (kind) {
    case 'd':
    case 'D':
    case 'l':
        return 8;
    case 's':
        return 2;
    case 'b':
        return 1;
    default:
        return 4;
    }
}

static long iteration_bytes(char kind)
{
    switch (kind) {
    case 'p':
    case 't':
        return 0;
    case 'F':
    case 'D':
        return 2 * element_bytes(kind);
    default:
        return element_bytes(kind);
    }
}

struct counts choose_counts(const struct kernel *kernel)
{
    long bytes = 0, granule = 16, fixed = 0;
    for (const char *kind = kernel->arrays; *kind; kind++) {
        bytes += iteration_bytes(*kind);
        fixed += *kind == 't' ? 4 * TABLE : *kind == 'p' ? 16 * CYCLE : 0;
        if (iteration_bytes(*kind) && *kind != 'x' && 128 / iteration_bytes(*kind) > granule)
            granule = 128 / iteration_bytes(*kind);
    }
    long limit = bytes ? (DATA_BYTES - fixed) / bytes : 4096;
    limit = (limit > 4096 ? 4096 : limit) - (COUNTS_OF_SAMPLE - 1) * granule;
    long stride = granule;
    if ((limit - FIRST_COUNT) / (2 * granule) + 1 >= COUNTS_AT_LEAST)
        stride = 2 * granule;
    while ((limit - FIRST_COUNT) / stride + 1 > COUNTS_AT_MOST)
        stride += 2 * granule;
    struct counts counts = {.step = granule};
    for (long n = FIRST_COUNT; n <= limit && counts.number < COUNTS_AT_MOST; n += stride)
        counts.values[counts.number++] = n;
    return counts;
}

/* One cycle through all places (Sattolo's shuffle). */
static void make_cycle(int32_t next[CYCLE])
{
    for (int i = 0; i < CYCLE; i++)
        next[i] = i;
    for (int i = CYCLE - 1; i > 0; i--) {
        int j = (int)(next_random() % (uint64_t)i);
        int32_t kept = next[i];
        next[i] = next[j];
        next[j] = kept;
    }
}

static void fill_walk(char kind, void *array)
{
    int32_t next[CYCLE];
    make_cycle(next);
    if (kind == 'x') {
        for (int i = 0; i < SLOT / 4; i++)
            ((int32_t *)array)[i] = next[i % CYCLE];
        return;
    }
    struct {
        void *next;
        int64_t value;
    } *nodes = array;
    for (int i = 0; i < CYCLE; i++) {
        nodes[i].next = &nodes[next[i]];
        nodes[i].value = i;
    }
}

static void fill_array(char kind, void *array)
{
    if (kind == 'x' || kind == 'p') {
        fill_walk(kind, array);
        return;
    }
    for (long i = 0; i < SLOT / element_bytes(kind); i++)
        switch (kind) {
        case 'f':
        case 'F':
            ((float *)array)[i] = (float)between_one_and_two();
            break;
        case 'd':
        case 'D':
            ((double *)array)[i] = between_one_and_two();
            break;
        case 'l':
            ((uint64_t *)array)[i] = next_random();
            break;
        case 's':
            ((int16_t *)array)[i] = (int16_t)(next_random() % 1000);
            break;
        case 'b':
            ((uint8_t *)array)[i] = (uint8_t)(1 + i * 167 % 255);
            break;
        case 'z':
            ((int32_t *)array)[i] = 0;
            break;
        default:
            ((int32_t *)array)[i] = (int32_t)(next_random() % 100000);
            break;
        }
}

/* Bytes that an array begins after its place. */
static long shift_of(long number)
{
    const char *shifts = getenv("SHIFTS");
    for (; shifts && number > 0; number--) {
        shifts = strchr(shifts, ',');
        shifts = shifts ? shifts + 1 : NULL;
    }
    return shifts ? strtol(shifts, NULL, 10) : 0;
}

void fill_arrays(const struct kernel *kernel, struct arrays *arrays)
{
    static const struct kernel *filled_for;
    static _Alignas(4096) unsigned char fresh[sizeof memory];
    void **places[ARRAYS] = {&arrays->a, &arrays->b, &arrays->c, &arrays->d};
    long number = (long)strlen(kernel->arrays);
    *arrays = (struct arrays){.factor = 1.0, .key = 3};
    for (long i = 0; i < number; i++) {
        *places[i] = memory + i * SLOT + PAGE * i / number / 64 * 64 + shift_of(i);
    }
    if (filled_for != kernel) {
        state = 88172645463325252u;
        for (long i = 0; i < number; i++)
            fill_array(kernel->arrays[i], *places[i]);
        memcpy(fresh, memory, sizeof memory);
        filled_for = kernel;
    }
    memcpy(memory, fresh, sizeof memory);
}
