/* Trampolines of AArch64, executed: random instructions with random actions around them, each run in place
   and from a trampoline.  All registers, the flags, the stack and where control goes must be the same; events
   and counters must be what the actions say, computed here from the state before or after the instruction.
   Needs an AArch64 processor; trampoline_aarch64.c has what can be tried anywhere. */
#include "able.h"
#include "trampoline_machine.h"
#include "run/probe/trampoline/trampoline.h"
#include "runtime/probe/record_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <cmocka.h>

#ifdef __aarch64__

static uint64_t random_word(void) /* the same in every run */
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static unsigned below(unsigned limit)
{
    return (unsigned)((random_word() >> 32) % limit);
}

/* The module: its first word leads to the window; after that a place for branches to go to, data,
   trampolines. */
enum { MODULE = 0x30000, TRAMPOLINES = 0x80000 };
enum { WINDOW = MODULE + 0x100, LANDING = MODULE + 0x2000, DATA = MODULE + 0x4000, DATA_BYTES = 0x8000 };
static uint8_t *memory_of(uint64_t address)
{
    return trampoline_machine_code + (address - MODULE);
}
static uint64_t real_address(uint64_t address)
{
    return (uint64_t)memory_of(address);
}

enum { COUNTERS = 2200000, STACK_BYTES = 1 << 16 };
static __thread uint64_t locals[PROBE_LOCALS];
static uint64_t *counters, *shadow; /* as trampolines, as this file changes them */
static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
static uint8_t buffer[2 * PROBE_BUFFER_BYTES] __attribute__((aligned(2 * PROBE_BUFFER_BYTES)));

static void put_word(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, 4);
}

static void put_branch(uint8_t *at, const uint8_t *to)
{
    put_word(at, 0x14000000 | ((uint32_t)((to - at) / 4) & 0x3ffffff));
}

static void apply_fix(const struct probe_plan_fix *fix)
{
    uint8_t *at = memory_of(MODULE + TRAMPOLINES) + fix->at;
    uint32_t word;
    memcpy(&word, at, 4);
    uint64_t offset = 0;
    if (fix->kind == PROBE_FIX_LOCAL_HIGH12 || fix->kind == PROBE_FIX_LOCAL_LOW12)
        offset = (uint64_t)&locals[fix->target] - (uint64_t)__builtin_thread_pointer();
    switch (fix->kind) {
    case PROBE_FIX_RUNTIME64: {
        uint64_t entry =
            (uint64_t)(fix->target == PROBE_ENTRY_FULL ? trampoline_machine_full : trampoline_machine_large);
        memcpy(at, &entry, 8);
        return;
    }
    case PROBE_FIX_BRANCH26:
        assert_int_equal(word & 0x7fffffff, 0x14000000);
        put_branch(at, memory_of(fix->target));
        return;
    case PROBE_FIX_PAGE21: {
        assert_int_equal(word & 0xffffffe0, 0x90000000);
        uint64_t pages = (real_address(fix->target) >> 12) - ((uint64_t)at >> 12);
        put_word(at, word | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5);
        return;
    }
    case PROBE_FIX_LOCAL_HIGH12:
        assert_int_equal(word & 0xfffffc00, 0x91400000);
        put_word(at, word | (uint32_t)(offset >> 12 & 0xfff) << 10);
        return;
    case PROBE_FIX_LOCAL_LOW12:
        assert_int_equal(word & 0xffbffc00, 0xf9000000);
        put_word(at, word | (uint32_t)(offset >> 3 & 0x1ff) << 10);
        return;
    default:
        fail();
    }
}

/* A trial: a window of some instructions, with points. */

enum { MOST_EVENTS = 64, MOST_MOVED = 3, POINTER = 28, INDEX = 27, NULL_POINTER = 29 };
enum { FRESH = 128 }; /* bytes at the stack pointer that may be new and contain anything */
struct trial {
    struct machine_state before, after; /* after: what the program would have, but for free registers */
    struct probe_windows windows;
    struct probe_window window;
    struct probe_moved moved[MOST_MOVED];
    unsigned moved_count;
    uint32_t free; /* registers that may be anything at the end */
    uint32_t kept; /* registers that actions must not change */
    struct probe_event events[MOST_EVENTS];
    bool is_clock[MOST_EVENTS];
    size_t event_count;
    uint64_t highest; /* stack pointer */
    uint64_t tally_calls, tally, iterations;
};

static void randomise(struct machine_state *state)
{
    for (unsigned i = 0; i < 31; i++)
        state->x[i] = below(4) ? random_word() : below(3);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < 2; j++)
            state->v[i][j] = random_word();
    state->x[POINTER] = real_address(DATA + 2048);
    state->x[INDEX] = below(32);
    state->x[NULL_POINTER] = 0;
    state->nzcv = random_word() & UINT64_C(0xf0000000);
    state->sp = (uint64_t)(stack + STACK_BYTES / 2 + below(16) * 16);
    state->is_taken = 0;
}

static int64_t random_displacement(void)
{
    static const int64_t some[] = {0,    8,      16,      -8,      255,        -256,        -257,
                                   4096, 123456, -123456, 1 << 24, -(1 << 24), 0x123456789, INT64_MIN};
    return some[below(sizeof some / sizeof *some)];
}

static struct probe_source random_source(void)
{
    uint8_t kind = (uint8_t)below(PROBE_FROM_PLACE_MEMORY + 1);
    struct probe_source source = {.kind = kind == PROBE_FROM_LOOP_COUNT ? PROBE_FROM_PLACE
                                                                        : kind, /* not of nodes */
                                  .base = (uint8_t)below(31),
                                  .index = PROBE_NO_REGISTER};
    switch (source.kind) {
    case PROBE_FROM_GENERAL:
        source.base = below(5) ? source.base : PROBE_AARCH64_SP;
        break;
    case PROBE_FROM_ADDRESS:
        source.base = below(4) ? source.base : below(2) ? PROBE_AARCH64_SP : PROBE_NO_REGISTER;
        source.displacement = random_displacement();
        if (below(2)) {
            source.index = (uint8_t)below(31);
            source.scale = (uint8_t)(1 << below(5));
            source.extend = (uint8_t)below(3);
        }
        break;
    case PROBE_FROM_MEMORY:
        source.bytes = (uint8_t)(1 << below(4));
        source.is_signed = below(2);
        source.base = below(2) ? PROBE_AARCH64_SP : POINTER;
        source.displacement = below(2) ? below(300) : below(1 << 14);
        if (source.base == PROBE_AARCH64_SP)
            source.displacement += FRESH;
        else if (below(2))
            source.displacement = -(int64_t)below(2000);
        source.may_be_null = below(4) == 0;
        if (source.may_be_null)
            source.base = below(2) ? POINTER : NULL_POINTER;
        else if (below(3) == 0) {
            source.index = INDEX;
            source.scale = (uint8_t)(1 << below(5));
            source.extend = (uint8_t)below(3);
        }
        break;
    case PROBE_FROM_COUNTER:
        source.counter = below(2) ? below(4000) : below(COUNTERS);
        break;
    case PROBE_FROM_PLACE:
    case PROBE_FROM_PLACE_MEMORY:
        source.bytes = (uint8_t)(1 << below(4));
        source.is_signed = below(2);
        source.displacement = DATA + below(DATA_BYTES - 8);
        break;
    }
    return source;
}

static uint64_t value_of(const struct probe_source *source, const struct machine_state *state)
{
    uint64_t base = source->base == PROBE_NO_REGISTER  ? 0
                    : source->base == PROBE_AARCH64_SP ? state->sp
                                                       : state->x[source->base];
    uint64_t index = source->index == PROBE_NO_REGISTER ? 0 : state->x[source->index];
    if (source->extend == PROBE_UNSIGNED32)
        index = (uint32_t)index;
    if (source->extend == PROBE_SIGNED32)
        index = (uint64_t)(int64_t)(int32_t)index;
    uint64_t address = base + index * source->scale + (uint64_t)source->displacement, value = 0;
    switch (source->kind) {
    case PROBE_FROM_GENERAL:
        return base;
    case PROBE_FROM_VECTOR:
        return state->v[source->base][0];
    case PROBE_FROM_ADDRESS:
        return address;
    case PROBE_FROM_PLACE_MEMORY:
    case PROBE_FROM_MEMORY:
        if (source->kind == PROBE_FROM_PLACE_MEMORY)
            address = real_address((uint64_t)source->displacement);
        else if (source->may_be_null && !base)
            return 0;
        memcpy(&value, (const void *)address, source->bytes);
        if (source->is_signed && source->bytes < 8 && value >> (8 * source->bytes - 1))
            value |= UINT64_MAX << 8 * source->bytes;
        return value;
    case PROBE_FROM_COUNTER:
        return shadow[source->counter];
    case PROBE_FROM_PLACE:
        return real_address((uint64_t)source->displacement);
    default:
        return 0;
    }
}

static uint64_t random_inverse(void)
{
    switch (below(4)) {
    case 0:
        return 1;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << 32;
    default:
        return -(UINT64_C(1) << below(64));
    }
}

/* A variable that moved by a step per iteration, in a register. */
static void make_tally_exact(struct trial *trial, struct probe_action *action)
{
    uint64_t odd = random_word() >> below(64) | 1, inverse = odd, kept = random_word();
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    unsigned r = below(27);
    if (trial->kept >> r & 1)
        return;
    action->shift = (uint8_t)below(20);
    action->inverse = inverse;
    action->source = (struct probe_source){.kind = PROBE_FROM_GENERAL, .base = (uint8_t)r};
    counters[action->counter] = shadow[action->counter] = kept;
    trial->before.x[r] = kept + (below(300) * odd << action->shift);
}

static struct probe_action random_action(struct trial *trial)
{
    struct probe_action action = {.kind = (uint8_t)(below(2) ? PROBE_DO_EVENT : below(PROBE_DO_TALLY + 1)),
                                  .register_ = (uint8_t)below(27),
                                  .identity = (1 + below(below(2) ? 4000 : 1 << 27)) << 4 | (1 + below(6)),
                                  .counter = below(2) ? below(3000) : below(COUNTERS - 300),
                                  .tally = below(2) ? below(100) : (uint32_t)random_word(),
                                  .inverse = random_inverse(),
                                  .shift = (uint8_t)(below(2) ? 0 : below(64)),
                                  .bias = (int8_t)(below(2) ? 0 : (int)below(5) - 2),
                                  .is_summed = below(2),
                                  .enough_bits = (uint8_t)(below(2) ? below(6) : below(64)),
                                  .enough_sum_bits = (uint8_t)(below(2) ? below(12) : below(64))};
    do
        action.source = random_source();
    while (action.kind != PROBE_DO_EVENT && action.source.kind == PROBE_FROM_CLOCK);
    if (action.kind == PROBE_DO_TALLY && below(4))
        make_tally_exact(trial, &action);
    if ((action.kind == PROBE_DO_EVENT || action.kind == PROBE_DO_TALLY) && !below(4)) {
        action.limit = 1 + (below(2) ? below(3000) : below(COUNTERS));
        action.limit_bits = (uint8_t)below(64);
    }
    bool changes_kept = trial->kept >> action.register_ & 1;
    if ((action.kind == PROBE_DO_INCREMENT || action.kind == PROBE_DO_CLEAR) && changes_kept)
        action.kind = PROBE_DO_COUNT;
    return action;
}

static void add_points(struct trial *trial, struct probe_moved *moved, unsigned where)
{
    unsigned count = below(4);
    for (unsigned i = 0; i < count; i++) {
        struct probe_point *point = array_add(&trial->windows.points);
        point->where = (uint8_t)where;
        point->action = random_action(trial);
        point->is_entry = where == PROBE_BEFORE && i == 0 && below(4) == 0;
        moved->point_count++;
    }
}

static uint32_t registers_of(const struct probe_action *action)
{
    if (action->kind == PROBE_DO_INCREMENT || action->kind == PROBE_DO_CLEAR)
        return 1U << action->register_;
    uint32_t registers = 0;
    if (action->source.base < 31)
        registers |= 1U << action->source.base;
    if (action->source.index < 31)
        registers |= 1U << action->source.index;
    return registers;
}

/* Registers are free where nobody needs them later: neither an instruction nor an action of another place.
   What an action needs itself may be free, too. */
static void choose_free(struct trial *trial, uint32_t later)
{
    for (unsigned m = trial->moved_count; m-- > 0;) {
        const struct probe_moved *moved = &trial->moved[m];
        unsigned way = below(4);
        uint32_t some = (uint32_t)(random_word() & random_word());
        uint32_t free = way == 0 ? 0 : way == 1 ? 3U << 16 : way == 2 ? some : some & (uint32_t)random_word();
        uint32_t own = 0;
        free &= 0x7fffffff & ~later & ~trial->kept;
        for (uint32_t i = 0; i < moved->point_count; i++) {
            struct probe_point *point =
                ARRAY_AT(struct probe_point, &trial->windows.points, moved->first_point + i);
            point->free.general = free;
            own |= registers_of(&point->action);
        }
        later |= own;
        trial->free |= moved->point_count ? free : 0;
    }
}

/* What the actions do, by the words of action.h. */

static void expect_tally(struct trial *trial, const struct probe_action *action, uint64_t value)
{
    uint64_t product = (value - shadow[action->counter]) * action->inverse;
    uint64_t n = (uint64_t)((int64_t)product >> action->shift) + (uint64_t)action->bias;
    uint64_t *behind = &shadow[action->counter + 1 + PROBE_TALLY_WORDS];
    bool is_small = n < PROBE_TALLY_WORDS, calls = !action->is_summed && !is_small;
    uint8_t enough = is_small ? action->enough_bits : action->enough_sum_bits;
    if (is_small)
        shadow[action->counter + 1 + n]++;
    else if (action->is_summed) {
        behind[0]++;
        behind[1] += n;
    }
    if (action->is_summed && enough)
        calls = (is_small ? shadow[action->counter + 1 + n] : behind[1]) >> enough & 1;
    if (calls) {
        trial->tally_calls++;
        trial->tally = action->tally;
        trial->iterations = n;
    }
}

static void expect_event(struct trial *trial, const struct probe_action *action, uint64_t value)
{
    assert_true(trial->event_count < MOST_EVENTS);
    trial->is_clock[trial->event_count] = action->source.kind == PROBE_FROM_CLOCK;
    trial->events[trial->event_count++] =
        (struct probe_event){.identity = action->identity,
                             .stack = (uint32_t)(trial->after.sp >> PROBE_STACK_SHIFT),
                             .value = value};
}

static void expect_actions(struct trial *trial, const struct probe_moved *moved, unsigned where)
{
    for (uint32_t i = 0; i < moved->point_count; i++) {
        const struct probe_point *point =
            ARRAY_AT(struct probe_point, &trial->windows.points, moved->first_point + i);
        const struct probe_action *action = &point->action;
        if (point->where != where)
            continue;
        bool is_over = action->limit && shadow[action->limit - 1] >> action->limit_bits & 1;
        if (action->limit && !is_over)
            shadow[action->limit - 1]++;
        if (action->limit && is_over == (action->kind == PROBE_DO_EVENT))
            continue;
        uint64_t value =
            action->kind == PROBE_DO_EVENT || action->kind == PROBE_DO_KEEP || action->kind == PROBE_DO_TALLY
                ? value_of(&action->source, &trial->after)
                : 0;
        if (action->kind == PROBE_DO_EVENT)
            expect_event(trial, action, value);
        else if (action->kind == PROBE_DO_COUNT)
            shadow[action->counter]++;
        else if (action->kind == PROBE_DO_INCREMENT)
            trial->after.x[action->register_]++;
        else if (action->kind == PROBE_DO_CLEAR)
            trial->after.x[action->register_] = 0;
        else if (action->kind == PROBE_DO_KEEP)
            shadow[action->counter] = value;
        else
            expect_tally(trial, action, value);
    }
}

static void run(const struct machine_state *before, size_t trampoline_bytes)
{
    char *code = (char *)trampoline_machine_code, *trampolines = code + TRAMPOLINES;
    __builtin___clear_cache(code, code + 0x200);
    __builtin___clear_cache(trampolines, trampolines + trampoline_bytes);
    trampoline_machine_run(before);
}

/* In place, one instruction after the other, with what their actions do between. */
static void run_in_place(struct trial *trial)
{
    trial->after = trial->before;
    trial->highest = trial->before.sp;
    for (unsigned i = 0; i < trial->moved_count; i++) {
        const struct probe_moved *moved = &trial->moved[i];
        uint8_t *at = memory_of(moved->address);
        put_branch(memory_of(MODULE), at);
        memcpy(at, moved->bytes, 4);
        put_branch(at + 4, trampoline_machine_next);
        expect_actions(trial, moved, PROBE_BEFORE);
        run(&trial->after, 0);
        trial->after = trampoline_machine_after;
        if (trial->after.sp > trial->highest)
            trial->highest = trial->after.sp;
        expect_actions(trial, moved, trial->after.is_taken ? PROBE_TAKEN : PROBE_AFTER);
        if (trial->after.is_taken)
            return;
    }
}

static size_t place_trampolines(struct trial *trial)
{
    struct probe_trampolines trampolines;
    probe_trampolines_init(&trampolines, 0);
    trial->window.moved = trial->moved;
    trial->window.moved_count = (uint8_t)trial->moved_count;
    trial->window.address = trial->moved[0].address;
    *(struct probe_window *)array_add(&trial->windows.windows) = trial->window;
    assert_true(aarch64_trampolines.encode(&trampolines, &trial->windows,
                                           ARRAY_AT(struct probe_window, &trial->windows.windows, 0)));
    aarch64_trampolines.finish(&trampolines);
    size_t bytes = trampolines.code.count;
    memcpy(memory_of(MODULE + TRAMPOLINES), trampolines.code.data, bytes);
    for (size_t i = 0; i < trampolines.fixes.count; i++)
        apply_fix(ARRAY_AT(struct probe_plan_fix, &trampolines.fixes, i));
    put_branch(memory_of(MODULE), memory_of(WINDOW));
    put_branch(memory_of(WINDOW),
               memory_of(MODULE + TRAMPOLINES) + *ARRAY_AT(uint32_t, &trampolines.starts, 0));
    probe_trampolines_free(&trampolines);
    return bytes;
}

static uint64_t clock_now(void)
{
    uint64_t ticks;
    __asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks));
    return ticks;
}

static void check_events(const struct trial *trial, size_t first, uint64_t start)
{
    const struct probe_event *events = (const struct probe_event *)buffer;
    uint64_t last = start, full_calls = 0;
    for (size_t i = 0; i < trial->event_count; i++) {
        const struct probe_event *event = &events[first];
        assert_int_equal(event->identity, trial->events[i].identity);
        assert_int_equal(event->stack, trial->events[i].stack);
        if (trial->is_clock[i]) {
            assert_in_range(event->value, last, clock_now());
            last = event->value;
        } else
            assert_int_equal(event->value, trial->events[i].value);
        first++;
        if (first == PROBE_BUFFER_EVENTS) {
            first = 0;
            full_calls++;
        }
    }
    assert_int_equal(locals[PROBE_POSITION], (uint64_t)&events[first]);
    assert_int_equal(trampoline_machine_runtime.full_calls, full_calls);
}

static void check_state(const struct trial *trial)
{
    const struct machine_state *after = &trampoline_machine_after;
    for (unsigned i = 0; i < 31; i++)
        if (!(trial->free >> i & 1) && after->x[i] != trial->after.x[i])
            fail_msg("x%u is %#lx, not %#lx", i, after->x[i], trial->after.x[i]);
    assert_int_equal(after->sp, trial->after.sp);
    assert_int_equal(after->nzcv, trial->after.nzcv);
    assert_int_equal(after->is_taken, trial->after.is_taken);
    assert_memory_equal(after->v, trial->after.v, sizeof after->v);
}

static void check_counters(const struct trial *trial)
{
    for (size_t i = 0; i < trial->windows.points.count; i++) {
        size_t first = ARRAY_AT(struct probe_point, &trial->windows.points, i)->action.counter;
        assert_memory_equal(&counters[first], &shadow[first], 8 * (PROBE_TALLY_WORDS + 1));
    }
    assert_int_equal(trampoline_machine_runtime.tally_calls, trial->tally_calls);
    if (trial->tally_calls) {
        assert_int_equal(trampoline_machine_runtime.tally, trial->tally);
        assert_int_equal(trampoline_machine_runtime.iterations, trial->iterations);
    }
}

/* A handler has interrupted the trampoline while the position was moving on: it used so many places. */
static size_t occupy_places(const struct trial *trial, size_t first)
{
    struct probe_event *events = (struct probe_event *)buffer;
    size_t count = below(4) ? 0 : 1 + below(3);
    if (!trial->event_count || first + count + trial->event_count >= PROBE_BUFFER_EVENTS)
        return 0;
    for (size_t i = 0; i < count; i++)
        events[first + i].identity = 1 + (uint32_t)below(1 << 27);
    return count;
}

/* Trampolines change nothing at and above the stack pointer. */
static void run_and_check(struct trial *trial)
{
    static uint8_t stack_before[STACK_BYTES], stack_after[STACK_BYTES];
    memcpy(stack_before, stack, STACK_BYTES);
    run_in_place(trial);
    memcpy(stack_after, stack, STACK_BYTES);
    memcpy(stack, stack_before, STACK_BYTES);
    size_t bytes = place_trampolines(trial);
    size_t first = below(4) ? below(PROBE_BUFFER_EVENTS) : PROBE_BUFFER_EVENTS - 1 - below(4);
    memset(buffer, 0, sizeof buffer);
    locals[PROBE_POSITION] = (uint64_t)(buffer + 16 * first);
    first += occupy_places(trial, first);
    locals[PROBE_COUNTERS] = (uint64_t)counters;
    trampoline_machine_runtime =
        (struct machine_runtime){.position = (uint64_t)&locals[PROBE_POSITION], .buffer = (uint64_t)buffer};
    uint64_t start = clock_now();
    run(&trial->before, bytes);
    check_state(trial);
    check_events(trial, first, start);
    check_counters(trial);
    size_t offset = trial->highest - (uint64_t)stack;
    assert_memory_equal(stack + offset, stack_after + offset, STACK_BYTES - offset);
}

/* Instructions: a word at an address, and registers that it reads (bit by register). */
struct made_word {
    uint32_t word, reads;
};

static struct made_word plain(struct trial *trial, uint64_t address)
{
    unsigned d = below(27), n = below(31), m = below(31);
    (void)trial;
    (void)address;
    static const uint32_t on_registers[] = {
        0x8b000000 /* add */, 0xab000000 /* adds */,    0xcb000000,
        0xeb000000,           0x9a800000 /* csel eq */, 0xba000000 /* adcs */};
    switch (below(6)) {
    case 0:
        return (struct made_word){0xf94003e0 | (FRESH / 8 + below(256)) << 10 | d, 0}; /* ldr d, [sp, #…] */
    case 1:
        return (struct made_word){0xf90003e0 | (FRESH / 8 + below(256)) << 10 | n,
                                  1U << n}; /* str n, [sp, #…] */
    case 2:
        return (struct made_word){below(2) ? 0x910083ff : 0xd10083ff, 0}; /* add or sub sp, sp, #32 */
    case 3:
        return (struct made_word){0x4e228420 | below(8), 0}; /* add vd.16b, v1.16b, v2.16b */
    default:
        return (struct made_word){on_registers[below(6)] | m << 16 | n << 5 | d, 1U << n | 1U << m};
    }
}

static struct made_word address_of(struct trial *trial, uint64_t address)
{
    unsigned d = below(8) ? below(27) : 31;
    uint32_t value =
        (uint32_t)((int32_t)random_word() >> 12) & 0x1fffff; /* far, but trampolines reach it, too */
    (void)trial;
    (void)address;
    return (struct made_word){0x10000000 | below(2) << 31 | (value & 3) << 29 | value >> 2 << 5 | d, 0};
}

static struct made_word literal_load(struct trial *trial, uint64_t address)
{
    static const uint32_t kinds[] = {0x18000000, 0x58000000, 0x98000000, 0xd8000000,
                                     0x1c000000, 0x5c000000, 0x9c000000};
    uint32_t distance = (uint32_t)(DATA + 4 * below(DATA_BYTES / 4 - 4) - address) / 4;
    uint32_t kind = kinds[below(7)];
    unsigned to = kind >> 26 & 1 ? below(32) : below(8) ? below(27) : 31;
    (void)trial;
    return (struct made_word){kind | distance << 5 | to, 0};
}

static struct made_word jump(struct trial *trial, uint64_t address)
{
    (void)trial;
    return (struct made_word){0x14000000 | below(2) << 31 | (uint32_t)(LANDING - address) / 4, 0};
}

static struct made_word conditional(struct trial *trial, uint64_t address)
{
    uint32_t distance = (uint32_t)(LANDING - address) / 4 << 5;
    unsigned t = below(31);
    (void)trial;
    switch (below(3)) {
    case 0:
        return (struct made_word){0x54000000 | distance | below(16), 0};
    case 1:
        return (struct made_word){0x34000000 | below(2) << 31 | below(2) << 24 | distance | t, 1U << t};
    default:
        return (struct made_word){
            0x36000000 | below(2) << 31 | below(2) << 24 | below(32) << 19 | distance | t, 1U << t};
    }
}

static struct made_word indirect(struct trial *trial, uint64_t address)
{
    static const uint32_t kinds[] = {0xd61f0000, 0xd63f0000, 0xd65f0000}; /* br, blr, ret */
    unsigned n = !below(5) || address != WINDOW ? 30 : below(27);         /* nothing before it writes x30 */
    uint32_t word = kinds[below(3)] | n << 5;
    trial->before.x[n] = real_address(LANDING);
    trial->kept |= 1U << n;
    /* A call by x30 may change what stands between caller and callee. */
    if (word == (0xd63f0000 | 30U << 5))
        trial->free |= 3U << 16;
    return (struct made_word){word, 1U << n};
}

static uint64_t sign(uint64_t address, uint64_t modifier)
{
    __asm__(".arch_extension pauth\n  pacia %0, %1" : "+r"(address) : "r"(modifier));
    return address;
}

/* Branches that check a signature in their register: made with another one, with 0, with the stack pointer.
 */
static struct made_word authenticated(struct trial *trial, uint64_t address)
{
    static const uint32_t kinds[] = {0xd71f0800, 0xd73f0800}, /* braa, blraa */
        of_zero[] = {0xd61f081f, 0xd63f081f};                 /* braaz, blraaz */
    unsigned n = !below(5) || address != WINDOW ? 30 : below(27), m = below(5) ? POINTER : 31;
    uint64_t landing = real_address(LANDING);
    trial->kept |= 1U << n;
    trial->free |= n == 30 ? 3U << 16 : 0;
    switch (address != WINDOW ? 1 : below(3)) {
    case 0:
        trial->kept |= 1U << 30;
        trial->before.x[30] = sign(landing, trial->before.sp);
        return (struct made_word){0xd65f0bff, 1U << 30}; /* retaa */
    case 1:
        trial->before.x[n] = sign(landing, 0);
        return (struct made_word){of_zero[below(2)] | n << 5, 1U << n};
    default:
        trial->before.x[n] = sign(landing, m == 31 ? trial->before.sp : trial->before.x[m]);
        return (struct made_word){kinds[below(2)] | n << 5 | m, 1U << n | (m < 31 ? 1U << m : 0)};
    }
}

typedef struct made_word word_maker(struct trial *trial, uint64_t address);

static void try_window(word_maker *const *makers, unsigned count)
{
    struct trial trial = {
        .moved_count = count,
        .kept = 1U << POINTER | 1U << INDEX | 1U << NULL_POINTER,
        .windows = {.windows = ARRAY_OF(struct probe_window), .points = ARRAY_OF(struct probe_point)}};
    uint32_t reads = 0;
    randomise(&trial.before);
    for (unsigned i = 0; i < count; i++) {
        struct probe_moved *moved = &trial.moved[i];
        moved->address = WINDOW + 4 * i;
        moved->size = 4;
        struct made_word instruction = makers[i](&trial, moved->address);
        put_word(moved->bytes, instruction.word);
        reads |= instruction.reads;
        assert_true(aarch64_trampolines.can_move(moved));
    }
    /* Only the last one may be a branch. */
    for (unsigned i = 0; i < count; i++) {
        struct probe_moved *moved = &trial.moved[i];
        word_maker *maker = makers[i];
        moved->first_point = (uint32_t)trial.windows.points.count;
        add_points(&trial, moved, PROBE_BEFORE);
        bool is_by_register = maker == indirect || maker == authenticated;
        bool is_call = is_by_register ? moved->bytes[2] == 0x3f : maker == jump && moved->bytes[3] >> 7;
        if (maker != jump && !is_by_register)
            add_points(&trial, moved, PROBE_AFTER);
        if ((maker == jump || is_by_register || maker == conditional) && !is_call)
            add_points(&trial, moved, PROBE_TAKEN);
    }
    choose_free(&trial, reads);
    run_and_check(&trial);
    array_free(&trial.windows.windows);
    array_free(&trial.windows.points);
}

static void try_many(word_maker *last)
{
    word_maker *makers[MOST_MOVED] = {last};
    for (unsigned i = 0; i < 4000; i++)
        try_window(makers, 1);
    for (unsigned i = 0; i < 1000; i++) {
        unsigned before = 1 + below(MOST_MOVED - 1);
        for (unsigned j = 0; j < before; j++)
            makers[j] = below(2) ? plain : below(2) ? address_of : literal_load;
        makers[before] = last;
        try_window(makers, before + 1);
    }
    assert_memory_equal(counters, shadow, 8 * (size_t)COUNTERS);
}

static void test_plain(void **state)
{
    (void)state;
    try_many(plain);
}

static void test_addresses(void **state)
{
    (void)state;
    try_many(address_of);
}

static void test_literal_loads(void **state)
{
    (void)state;
    try_many(literal_load);
}

static void test_jumps(void **state)
{
    (void)state;
    try_many(jump);
}

static void test_conditional_branches(void **state)
{
    (void)state;
    try_many(conditional);
}

static void test_indirect_branches(void **state)
{
    (void)state;
    try_many(indirect);
}

static void test_authenticated_branches(void **state)
{
    (void)state;
    if (!(getauxval(AT_HWCAP) & HWCAP_PACA))
        unable("this processor does not authenticate pointers");
    try_many(authenticated);
}

static int set_up(void **state)
{
    (void)state;
    if (mprotect(trampoline_machine_code, MACHINE_CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC))
        return 1;
    counters = calloc(COUNTERS + PROBE_TALLY_WORDS + 1, 8);
    shadow = calloc(COUNTERS + PROBE_TALLY_WORDS + 1, 8);
    for (size_t i = 0; i < STACK_BYTES; i++)
        stack[i] = (uint8_t)random_word();
    for (size_t i = 0; i < DATA_BYTES; i++)
        memory_of(DATA)[i] = (uint8_t)random_word();
    put_branch(memory_of(LANDING), trampoline_machine_taken);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(counters);
    free(shadow);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_literal_loads),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_indirect_branches),
        cmocka_unit_test(test_authenticated_branches),
        cmocka_unit_test(test_conditional_branches),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#else

static void test_execution(void **state)
{
    (void)state;
    unable("this is not an AArch64 processor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_execution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
