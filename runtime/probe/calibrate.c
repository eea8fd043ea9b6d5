/* The clock, and what probes cost.

   Core cycles are counted by chains of additions, each of which needs the result of the one before: one cycle
   each on every core we know.  (Additions of constants would not do: some cores fold them.)

   What probes cost is measured by doing what trampolines do, a few hundred times into a buffer of its own,
   and taking the quickest of several rounds.  The cost depends on what is around a probe: alone, one pair
   after the other, it is largest; between instructions that wait for each other a core executes the probe
   meanwhile, and the pair is nearly free (it may even read the clock before what is in front of it is done).
   Both are measured, and the middle is taken, so that times are wrong by half of the difference at most,
   either way. All of it takes a fraction of a millisecond.

   The clock's frequency: AArch64 has a register for it; x86 compares with the system's clock between the
   start and the end of the library's own start, which a reader replaces by start and end of the process. */
#include "runtime/probe/probe.h"

enum { PAIRS = 128, ROUNDS = 8, CHAINS = 128, CHAIN = 64, LEAST_TICKS = 1000, MOST_CHAINS = 1 << 16 };

/* CHAIN additions. */
static inline __attribute__((always_inline)) uint64_t chain(uint64_t value)
{
    uint64_t one = 1;
#ifdef __aarch64__
    __asm__ volatile(".rept 64\n add %0, %0, %1\n .endr" : "+r"(value) : "r"(one));
#else
    __asm__ volatile(".rept 64\n add %1, %0\n .endr" : "+r"(value) : "r"(one) : "cc");
#endif
    return value;
}

static uint64_t chain_ticks(uint64_t chains)
{
    uint64_t value = 1, before = clock_ticks();
    for (uint64_t i = 0; i < chains; i++)
        value = chain(value);
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

/* What a trampoline does. */
static inline __attribute__((always_inline)) void event(bool has_clock)
{
    volatile struct thread_locals *locals = &probe_locals;
    struct probe_event *position = locals->position;
    uintptr_t stack;
#ifdef __aarch64__
    __asm__ volatile("b 1f\n1: mov %0, sp" : "=r"(stack));
#else
    __asm__ volatile("jmp 1f\n1: mov %%rsp, %0" : "=r"(stack));
#endif
    locals->position = position + 1;
    volatile struct probe_event *written = position;
    if (written->identity == UINT32_MAX) /* trampolines look whether the place is taken */
        __builtin_trap();
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

/* Costs in 1/64 ticks; what a pair of probes costs whoever is around it, and what its own time contains. */
struct costs {
    int64_t pair, inner;
};

static int64_t sum_of_pairs(const struct probe_event *events)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < 2 * PAIRS; i += 2)
        sum += (int64_t)(events[i + 1].value - events[i].value);
    return sum;
}

/* One pair after the other. */
static struct costs costs_alone(struct probe_event *buffer)
{
    probe_locals.position = buffer;
    uint64_t before = clock_ticks();
    for (unsigned i = 0; i < PAIRS; i++) {
        event(true);
        event(true);
    }
    int64_t ticks = (int64_t)(clock_ticks() - before);
    return (struct costs){ticks * 64 / PAIRS, sum_of_pairs(buffer) * 64 / PAIRS};
}

/* Each around a chain of additions that goes on from pair to pair, and takes `chain_cost`. */
static struct costs costs_between(struct probe_event *buffer, int64_t chain_cost)
{
    uint64_t value = 1;
    probe_locals.position = buffer;
    uint64_t before = clock_ticks();
    for (unsigned i = 0; i < PAIRS; i++) {
        event(true);
        value = chain(value);
        event(true);
    }
    int64_t ticks = (int64_t)(clock_ticks() - before);
    return (struct costs){ticks * 64 / PAIRS - chain_cost, sum_of_pairs(buffer) * 64 / PAIRS - chain_cost};
}

static struct costs least_costs(struct costs a, struct costs b)
{
    return (struct costs){a.pair < b.pair ? a.pair : b.pair, a.inner < b.inner ? a.inner : b.inner};
}

static uint64_t middle(int64_t a, int64_t b)
{
    return a + b > 0 ? (uint64_t)(a + b) / 2 : 0;
}

static void measure_probes(struct probe_event *buffer)
{
    uint64_t reading = UINT64_MAX, value = UINT64_MAX, chain_cost = UINT64_MAX;
    struct costs alone = {INT64_MAX, INT64_MAX}, between = {INT64_MAX, INT64_MAX};
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t before = clock_ticks();
        for (unsigned i = 0; i < PAIRS; i++)
            clock_ticks();
        reading = least(reading, (clock_ticks() - before) * 64 / (PAIRS + 1));
        chain_cost = least(chain_cost, chain_ticks(PAIRS) * 64 / PAIRS);
        alone = least_costs(alone, costs_alone(buffer));
        between = least_costs(between, costs_between(buffer, (int64_t)chain_cost));
        probe_locals.position = buffer;
        before = clock_ticks();
        for (unsigned i = 0; i < PAIRS; i++)
            event(false);
        value = least(value, (clock_ticks() - before) * 64 / PAIRS);
    }
    recording->reading_cost = reading;
    recording->inner_cost = middle(alone.inner, between.inner);
    recording->pair_cost = middle(alone.pair, between.pair > 0 ? between.pair : 0);
    recording->value_cost = value / 2;
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
