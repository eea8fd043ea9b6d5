/* x1 walks, x2 and x3 are in the other arrays, at the distances x12 and x13; x10 is the end, x11 the period.
 */
#include "run/bench/memory/unit.h"

#include <string.h>

enum { WALK = BENCH_WALKING, TEMPORARY = 9, END = 10, PERIOD = 11, DISTANCE = 12, NUMBERS = 14, ONE = 31 };

static void put(struct memory_unit *unit, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        *(uint8_t *)array_push(&unit->planned->code) = (uint8_t)(word >> 8 * i);
    unit->planned->instruction_count++;
}

static void begin(struct memory_unit *unit)
{
    unit->planned->vector_bytes = 16;
    bench_put_value(unit->planned, domain_GENERAL, END, bench_WALKER, unit->end);
    bench_put_value(unit->planned, domain_GENERAL, PERIOD, bench_NUMBER, unit->period);
    for (unsigned i = 1; i < unit->arrays; i++) {
        bench_put_value(unit->planned, domain_GENERAL, DISTANCE + i - 1, bench_NUMBER,
                        unit->distances[i - 1]);
        put(unit, 0x8b000000 | (DISTANCE + i - 1) << 16 | WALK << 5 | (WALK + i)); /* add */
    }
}

static void end(struct memory_unit *unit)
{
    bool is_shifted = unit->step >= 4096;
    put(unit, 0x91000000 | (unsigned)is_shifted << 22 | (is_shifted ? unit->step >> 12 : unit->step) << 10 |
                  WALK << 5 | WALK);                                      /* add, a constant */
    put(unit, 0xeb00001f | END << 16 | WALK << 5);                        /* cmp */
    put(unit, 0x9a800000 | 31 << 16 | 2 << 12 | PERIOD << 5 | TEMPORARY); /* csel, hs */
    put(unit, 0xcb000000 | TEMPORARY << 16 | WALK << 5 | WALK);           /* sub */
}

static void load(struct memory_unit *unit, unsigned to, unsigned array, unsigned offset)
{
    put(unit, 0x3dc00000 | offset / 16 << 10 | (WALK + array) << 5 | to); /* ldr q */
}

static void store(struct memory_unit *unit, unsigned from, unsigned array, unsigned offset)
{
    put(unit, 0x3d800000 | offset / 16 << 10 | (WALK + array) << 5 | from); /* str q */
}

static void add(struct memory_unit *unit, unsigned to, unsigned from)
{
    put(unit, 0x4e60d400 | from << 16 | to << 5 | to); /* fadd 2d */
}

static void work(struct memory_unit *unit, unsigned from, unsigned turn)
{
    put(unit, 0x4e60d400 | ONE << 16 | from << 5 | (8 + turn % 16)); /* fadd 2d */
}

static void load_number(struct memory_unit *unit, unsigned turn, unsigned offset)
{
    put(unit, 0xf9400000 | offset / 8 << 10 | WALK << 5 | (NUMBERS + turn % 8)); /* ldr */
}

static void chase(struct memory_unit *unit)
{
    put(unit, 0xf9400000 | WALK << 5 | WALK); /* ldr */
}

const struct memory_code memory_code_aarch64 = {begin, end, load, store, add, work, load_number, chase};
