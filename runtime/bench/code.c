/* A loop around copies of a unit: the only instructions that the runner makes itself.

       counter = trips
   loop: unit, unit, …            the start is aligned to 64 bytes
       counter = counter - 1      AArch64: flags stay; x86-64: dec keeps the carry, which chains may use
       jump to loop if counter is not 0
       jump to bench_leave

   Pages are written first and executed later, never both. */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, AROUND = 256 };

static void put(uint8_t **at, const void *bytes, size_t size)
{
    memcpy(*at, bytes, size);
    *at += size;
}

#ifdef __aarch64__
static void put_word(uint8_t **at, uint32_t word)
{
    put(at, &word, sizeof word);
}

static void put_trips(uint8_t **at, uint32_t trips, unsigned counter)
{
    put_word(at, 0xd2800000 | (trips & 0xffff) << 5 | counter); /* movz */
    put_word(at, 0xf2a00000 | (trips >> 16) << 5 | counter);    /* movk, lsl 16 */
}

static void put_padding(uint8_t **at, const uint8_t *end)
{
    while (*at < end)
        put_word(at, 0xd503201f);
}

static void put_end(uint8_t **at, const uint8_t *loop, unsigned counter)
{
    uint64_t target = (uint64_t)(uintptr_t)bench_leave;
    put_word(at, 0xd1000400 | counter << 5 | counter); /* sub */
    int32_t back = (int32_t)((loop - *at) / 4);
    put_word(at, 0xb5000000 | ((uint32_t)back & 0x7ffff) << 5 | counter); /* cbnz */
    put_word(at, 0x58000040 | counter);                                   /* ldr, from 8 bytes on */
    put_word(at, 0xd61f0000 | counter << 5);                              /* br */
    put(at, &target, sizeof target);
}
#else
static void put_trips(uint8_t **at, uint32_t trips, unsigned counter)
{
    uint8_t head[] = {counter >= 8 ? 0x41 : 0x40, (uint8_t)(0xb8 | (counter & 7))}; /* mov */
    put(at, head, sizeof head);
    put(at, &trips, sizeof trips);
}

static void put_padding(uint8_t **at, const uint8_t *end)
{
    memset(*at, 0x90, (size_t)(end - *at));
    *at += end - *at;
}

static void put_end(uint8_t **at, const uint8_t *loop, unsigned counter)
{
    uint64_t target = (uint64_t)(uintptr_t)bench_leave;
    uint8_t dec[] = {counter >= 8 ? 0x49 : 0x48, 0xff, (uint8_t)(0xc8 | (counter & 7))};
    static const uint8_t jnz[] = {0x0f, 0x85}, jmp[] = {0xff, 0x25, 0, 0, 0, 0};
    put(at, dec, sizeof dec);
    put(at, jnz, sizeof jnz);
    int32_t back = (int32_t)(loop - (*at + 4));
    put(at, &back, sizeof back);
    put(at, jmp, sizeof jmp);
    put(at, &target, sizeof target);
}
#endif

static int make_executable(struct bench_code *code)
{
    if (mprotect(code->memory, code->size, PROT_READ | PROT_EXEC))
        return errno;
    __builtin___clear_cache((char *)code->memory, (char *)code->memory + code->size);
    return 0;
}

int bench_code_make(struct bench_code *code, const uint8_t *unit, size_t unit_size, uint32_t copies,
                    uint32_t trips, unsigned counter)
{
    *code = (struct bench_code){.size = unit_size * copies + AROUND};
    code->memory = mmap(NULL, code->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code->memory == MAP_FAILED) {
        code->memory = NULL;
        return errno;
    }
    uint8_t *at = code->memory, *loop = at + ALIGNMENT;
    code->start = at;
    put_trips(&at, trips, counter);
    put_padding(&at, loop);
    for (uint32_t i = 0; i < copies; i++)
        put(&at, unit, unit_size);
    put_end(&at, loop, counter);
    return make_executable(code);
}

void bench_code_change_trips(struct bench_code *code, uint32_t trips, unsigned counter)
{
    uint8_t *at = code->start;
    if (mprotect(code->memory, code->size, PROT_READ | PROT_WRITE))
        return;
    put_trips(&at, trips, counter);
    make_executable(code);
}

void bench_code_free(struct bench_code *code)
{
    if (code->memory)
        munmap(code->memory, code->size);
    *code = (struct bench_code){0};
}
