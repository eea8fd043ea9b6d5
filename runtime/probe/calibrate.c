/* The clock, and what probes cost.

   Core cycles are counted by chains of additions, each of which needs the result of the one before: one cycle
   each on every core we know.  (Additions of constants would not do: some cores fold them.)  What probes cost
   is measured by doing what islets do, a few hundred times into a buffer of its own, and taking the quickest
   of several rounds.  All of it takes a fraction of a millisecond.

   The clock's frequency: AArch64 has a register for it; x86 compares with the system's clock between the
   start and the end of the library's own start, which a reader replaces by start and end of the process. */
#include "runtime/probe/probe.h"

enum { PAIRS = 128, ROUNDS = 8, CHAINS = 128, CHAIN = 64, LEAST_TICKS = 1000, MOST_CHAINS = 1 << 16 };

static uint64_t chain_ticks(uint64_t chains)
{
    uint64_t value = 1, one = 1, before = clock_ticks();
    for (uint64_t i = 0; i < chains; i++) {
#ifdef __aarch64__
        __asm__ volatile(".rept 64\n add %0, %0, %1\n .endr" : "+r"(value) : "r"(one));
#else
        __asm__ volatile(".rept 64\n add %1, %0\n .endr" : "+r"(value) : "r"(one) : "cc");
#endif
    }
    return clock_ticks() - before;
}

uint64_t calibrate_cycles(void)
{
    uint64_t chains = CHAINS, best = chain_ticks(chains);
    while (best < LEAST_TICKS && chains < MOST_CHAINS)
        best = chain_ticks(chains *= 2);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t ticks = chain_ticks(chains);
        best = ticks < best ? ticks : best;
    }
    return best ? chains * CHAIN * 1024 / best : 0;
}

/* What an islet does. */
static inline __attribute__((always_inline)) void event(bool has_clock)
{
    volatile struct probe_locals *locals = &probe_locals;
    struct probe_event *position = locals->position;
    uintptr_t stack;
#ifdef __aarch64__
    __asm__ volatile("b 1f\n1: mov %0, sp" : "=r"(stack));
#else
    __asm__ volatile("jmp 1f\n1: mov %%rsp, %0" : "=r"(stack));
#endif
    locals->position = position + 1;
    volatile struct probe_event *written = position;
    written->identity = 16 | PROBE_ENTER;
    written->stack = (uint32_t)(stack >> 3);
    written->value = has_clock ? clock_ticks() : stack;
    if ((uintptr_t)(position + 1) >> PROBE_BUFFER_BIT & 1)
        __builtin_trap();
#ifdef __aarch64__
    __asm__ volatile("b 1f\n1:");
#else
    __asm__ volatile("jmp 1f\n1:");
#endif
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void measure_probes(struct probe_event *buffer)
{
    uint64_t reading = UINT64_MAX, pair = UINT64_MAX, inner = UINT64_MAX, value = UINT64_MAX;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t before = clock_ticks();
        for (unsigned i = 0; i < PAIRS; i++)
            clock_ticks();
        reading = least(reading, (clock_ticks() - before) * 64 / (PAIRS + 1));
        probe_locals.position = buffer;
        before = clock_ticks();
        for (unsigned i = 0; i < PAIRS; i++) {
            event(true);
            event(true);
        }
        pair = least(pair, (clock_ticks() - before) * 64 / PAIRS);
        uint64_t sum = 0;
        for (unsigned i = 0; i < 2 * PAIRS; i += 2)
            sum += buffer[i + 1].value - buffer[i].value;
        inner = least(inner, sum * 64 / PAIRS);
        probe_locals.position = buffer;
        before = clock_ticks();
        for (unsigned i = 0; i < PAIRS; i++)
            event(false);
        value = least(value, (clock_ticks() - before) * 64 / PAIRS);
    }
    recording->reading_cost = reading;
    recording->inner_cost = inner;
    recording->pair_cost = pair;
    recording->value_cost = value;
}

void calibrate_begin(void)
{
    size_t size = 4 * PROBE_BUFFER_BYTES;
    uint8_t *memory = system_memory(size);
    recording->cycles_per_kilotick = calibrate_cycles();
    if (!memory)
        return;
    uintptr_t buffer =
        ((uintptr_t)memory + 2 * PROBE_BUFFER_BYTES - 1) & ~(uintptr_t)(2 * PROBE_BUFFER_BYTES - 1);
    measure_probes((struct probe_event *)buffer);
    system_unmap(memory, size);
}

void calibrate_clock(void)
{
#ifdef __aarch64__
    uint64_t frequency;
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    recording->ticks_per_second = frequency;
#else
    uint64_t ticks = clock_ticks() - recording->start_ticks,
             nanoseconds = system_nanoseconds() - recording->start_nanoseconds;
    recording->ticks_per_second =
        nanoseconds ? (uint64_t)((unsigned __int128)ticks * 1000000000u / nanoseconds) : 0;
#endif
}
