/* Windows on random x86-64 code, checked by what its maker knows of it: where jumps lead, what is padding and
   whether anything runs through it, and what the model says about functions with unknown jumps.  And on a few words of AArch64. */
#include "runtime/probe/plan_file.h"
#include "code/structure/structure.h"
#include "run/probe/trampoline/trampoline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PLACE = 0x1000, MOST_INSTRUCTIONS = 4000, MOST_BYTES = 15 * MOST_INSTRUCTIONS };

enum kind { PLAIN, BRANCH, JUMP, CALL, RETURN, UNKNOWN_JUMP, IDLE };

struct made {
    uint64_t address;
    uint8_t size, kind;
    uint8_t has_odd_target;     /* a jump leads into its middle */
    uint8_t is_target, is_wild; /* wild: its function jumps to unknown places */
    uint8_t is_run_through;     /* a no-op that the function before falls into */
    uint8_t is_near_entry;      /* a window that starts here is at the function's entry */
    uint32_t target;            /* number of an instruction */
};

struct program_made {
    struct made all[MOST_INSTRUCTIONS];
    uint32_t count;
    uint8_t bytes[MOST_BYTES];
    size_t size;
    struct array symbols; /* of uint32_t: numbers of instructions */
    struct array labels;  /* the same: pointers in the data lead there */
};

static uint64_t state;

static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static struct made *put(struct program_made *program, enum kind kind, const char *bytes, uint8_t size)
{
    struct made *made = &program->all[program->count++];
    *made = (struct made){.address = PLACE + program->size, .size = size, .kind = (uint8_t)kind};
    memcpy(program->bytes + program->size, bytes, size);
    program->size += size;
    return made;
}

static void put_plain(struct program_made *program)
{
    static const struct {
        const char *bytes;
        uint8_t size;
    } plain[] = {{"\x53", 1},
                 {"\x5b", 1},
                 {"\x31\xc0", 2},
                 {"\x48\x01\xd0", 3},
                 {"\x48\x83\xc0\x01", 4},
                 {"\xb8\1\2\3\4", 5},
                 {"\x48\xc7\xc0\1\2\3\4", 7},
                 {"\x48\xb8\1\2\3\4\5\6\7\x08", 10}};
    uint32_t which = chance(sizeof plain / sizeof plain[0]);
    put(program, PLAIN, plain[which].bytes, plain[which].size);
}

/* Jumps of 4 bytes and of 1; those are set when all places are known. */
static void put_flow(struct program_made *program, bool is_wild)
{
    switch (chance(is_wild ? 8 : 7)) {
    case 0:
        put(program, BRANCH, "\x0f\x84\0\0\0\0", 6);
        break;
    case 1:
    case 2:
        put(program, BRANCH, "\x74\0", 2);
        break;
    case 3:
        put(program, JUMP, "\xeb\0", 2);
        break;
    case 4:
        put(program, CALL, "\xff\xd0", 2); /* call rax */
        break;
    case 5:
        put(program, CALL, "\xff\x50\x08", 3);
        break;
    case 6:
        put(program, RETURN, "\xc3", 1);
        break;
    default:
        put(program, UNKNOWN_JUMP, "\xff\xe0", 2); /* jmp rax */
    }
}

/* A target of the function that the displacement reaches. */
static void aim(struct program_made *program, uint32_t number, uint32_t first, uint32_t end)
{
    struct made *jump = &program->all[number];
    bool is_short = jump->size == 2;
    for (unsigned tries = 0;; tries++) {
        uint32_t target = tries < 50 ? first + chance(end - first) : number;
        int64_t distance = (int64_t)(program->all[target].address - (jump->address + jump->size));
        if (program->all[target].kind == IDLE || (is_short && (distance < -128 || distance > 127)))
            continue;
        bool is_odd = !chance(40) && program->all[target].size > 1 && distance < 127;
        jump->target = target;
        program->all[target].is_target = 1;
        program->all[target].has_odd_target |= is_odd;
        distance += is_odd;
        memcpy(program->bytes + (jump->address - PLACE) + jump->size - (is_short ? 1 : 4), &distance,
               is_short ? 1 : 4);
        return;
    }
}

static void put_function(struct program_made *program)
{
    uint32_t first = program->count, length = 3 + chance(40);
    bool is_wild = !chance(5);
    *(uint32_t *)array_push(&program->symbols) = first;
    if (chance(2))
        put(program, PLAIN, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
    for (uint32_t i = 0; i < length; i++) {
        if (chance(3))
            put_plain(program);
        else
            put_flow(program, is_wild);
        if (!chance(60))
            *(uint32_t *)array_push(&program->symbols) = program->count;
    }
    bool falls = !chance(6);
    if (falls)
        put(program, PLAIN, "\x31\xc0", 2);
    else
        put(program, RETURN, "\xc3", 1);
    if (!chance(3))
        *(uint32_t *)array_push(&program->labels) = first + chance(program->count - first);
    for (uint32_t i = first; i < program->count; i++)
        if (program->all[i].kind == BRANCH || program->all[i].kind == JUMP)
            aim(program, i, first, program->count);
    for (uint32_t idle = chance(3) ? chance(16) : 0; idle; idle--)
        put(program, IDLE, falls || chance(2) ? "\x90" : "\xcc", 1)->is_run_through = falls;
}

static void build(struct model *model, struct program_made *program, enum isa isa)
{
    model_init(model);
    *(struct program *)model_add(&model->programs) =
        (struct program){.isa = (uint8_t)isa, .format = format_EXECUTABLE, .bits = 64, .entry = NO_ADDRESS};
    *(struct section *)model_add(&model->sections) =
        (struct section){.program = 1,
                         .address = PLACE,
                         .size = program->size,
                         .is_code = 1,
                         .is_loaded = 1,
                         .contents = {program->bytes, program->size}};
    for (size_t i = 0; i < program->symbols.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &program->symbols, i);
        if (number >= program->count)
            continue;
        program->all[number].is_target = 1;
        struct symbol *symbol = model_add(&model->symbols);
        symbol->program = 1;
        symbol->name = model_string(model, "f");
        symbol->address = program->all[number].address;
        symbol->origin = origin_SYMBOL;
    }
    for (size_t i = 0; i < program->labels.count; i++) {
        struct made *made = &program->all[*ARRAY_AT(uint32_t, &program->labels, i)];
        made->is_target = 1;
        *(struct relocation *)model_add(&model->relocations) = (struct relocation){
            .program = 1, .address = PLACE + program->size + 4096 + 8 * i, .value = made->address};
    }
    struct error error = {0};
    assert_true(structure_build(model, &(struct structure_options){.threads = 1}, &error));
}

static struct made *made_at(struct program_made *program, uint64_t address)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->all[i].address == address)
            return &program->all[i];
    return NULL;
}

/* Which functions have jumps of unknown target, and where functions begin. */
static void note_functions(struct program_made *program, const struct model *model)
{
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        bool is_wild = false;
        for (uint32_t i = 0; i < function->block_count; i++)
            is_wild |= model_block(model, function->first_block + i)->ends == block_end_INDIRECT;
        for (uint32_t i = 0; i < program->count; i++)
            if (program->all[i].address - function->address < function->size)
                program->all[i].is_wild = is_wild;
        struct made *first = made_at(program, function->address);
        first->is_near_entry = 1;
        if (first->size == 4 && program->bytes[first->address - PLACE] == 0xf3)
            first[1].is_near_entry = 1;
    }
}

static void check_window(struct program_made *program, const struct probe_window *window)
{
    uint64_t at = window->address;
    assert_in_range(window->moved_count, 1, PROBE_MOST_MOVED);
    assert_in_range(window->size, 1, PROBE_PATCH_BYTES);
    for (unsigned i = 0; i < window->moved_count; i++) {
        const struct probe_moved *moved = &window->moved[i];
        const struct made *made = made_at(program, at);
        assert_non_null(made);
        assert_true(moved->address == at && moved->size == made->size);
        assert_memory_equal(moved->bytes, program->bytes + (at - PLACE), made->size);
        assert_false(i && made->is_target);
        assert_false(window->way == PROBE_BY_JUMP && made->has_odd_target);
        bool goes_on = made->kind == PLAIN || made->kind == BRANCH;
        assert_true(goes_on || i + 1 == window->moved_count);
        if (made->is_wild && i)
            assert_true(made_at(program, window->address)->is_near_entry);
        at += made->size;
        if (i + 1 == window->moved_count && goes_on)
            assert_true(at == window->address + window->size);
        if (i + 1 == window->moved_count && made->kind == CALL)
            assert_true(at == window->address + window->size);
    }
    while (at < window->address + window->size) {
        const struct made *idle = made_at(program, at);
        assert_true(idle && idle->kind == IDLE && !idle->is_target && !idle->is_run_through);
        at += idle->size;
    }
    if (window->way == PROBE_BY_JUMP) {
        assert_true(window->size >= (window->hop ? 2 : 5));
        assert_int_equal(window->refusal, PROBE_NOT_REFUSED);
    } else {
        assert_int_equal(window->moved_count, 1);
        assert_true(window->refusal == PROBE_REFUSED_SMALL || window->refusal == PROBE_REFUSED_UNKNOWN_JUMPS);
    }
}

/* The jump that a short one leads to lies in padding of its own, or after the jump of a window. */
static void check_hop(struct program_made *program, const struct probe_windows *windows,
                      const struct probe_window *window, uint8_t *is_used)
{
    uint64_t place = window->address + 2 + (uint64_t)(int64_t)window->hop;
    for (uint64_t at = place; at < place + 5; at++) {
        const struct probe_window *owner = NULL;
        for (size_t i = 0; i < windows->windows.count; i++) {
            const struct probe_window *other = ARRAY_AT(struct probe_window, &windows->windows, i);
            if (at - other->address < other->size)
                owner = other;
        }
        assert_false(is_used[at - PLACE]);
        is_used[at - PLACE] = 1;
        if (owner) {
            assert_true(owner->way == PROBE_BY_JUMP && !owner->hop && at - owner->address >= 5);
            continue;
        }
        const struct made *idle = made_at(program, at);
        assert_true(idle && idle->kind == IDLE && !idle->is_target && !idle->is_run_through);
    }
}

struct seen {
    size_t points, jumps, hops, traps, ways;
};

/* How many ways lead to an instruction: jumps, and what falls through. */
static uint32_t count_ways(struct program_made *program, const struct made *made)
{
    uint32_t ways = 0;
    for (uint32_t i = 0; i < program->count; i++)
        ways += (program->all[i].kind == BRANCH || program->all[i].kind == JUMP) &&
                &program->all[program->all[i].target] == made;
    bool falls = made > program->all && (made[-1].kind == PLAIN || made[-1].kind == BRANCH);
    return ways + falls;
}

/* A point is where it was wished, or after the instruction before a call, or on a way to its place. */
static bool is_on_way(struct program_made *program, const struct model *model, const struct probe_point *wish,
                      const struct probe_point *point)
{
    const struct made *from = made_at(program, model_address(model, point->instruction));
    const struct made *to = made_at(program, model_address(model, wish->instruction));
    if (point->instruction == wish->instruction && point->where == wish->where)
        return false;
    assert_int_equal(wish->where, PROBE_BEFORE);
    if (point->where == PROBE_TAKEN)
        assert_true(&program->all[from->target] == to);
    else
        assert_true(point->where == PROBE_AFTER && from + 1 == to);
    return true;
}

static void check_points(struct program_made *program, const struct probe_windows *windows,
                         const struct model *model, const struct array *wishes, struct seen *seen)
{
    size_t found = 0;
    uint64_t end = 0;
    uint32_t *times = calloc(wishes->count, sizeof *times), *on_ways = calloc(wishes->count, sizeof *on_ways);
    for (size_t i = 0; i < windows->windows.count; i++) {
        const struct probe_window *window = ARRAY_AT(struct probe_window, &windows->windows, i);
        assert_true(window->address >= end);
        end = window->address + window->size;
        seen->jumps += window->way == PROBE_BY_JUMP;
        seen->hops += window->hop != 0;
        seen->traps += window->way == PROBE_BY_TRAP;
        for (unsigned j = 0; j < window->moved_count; j++)
            for (uint32_t k = 0; k < window->moved[j].point_count; k++) {
                const struct probe_point *point =
                    ARRAY_AT(struct probe_point, &windows->points, window->moved[j].first_point + k);
                assert_true(model_address(model, point->instruction) == window->moved[j].address);
                const struct probe_point *wish = ARRAY_AT(struct probe_point, wishes, point->subject);
                times[point->subject]++;
                on_ways[point->subject] += is_on_way(program, model, wish, point);
                found++;
            }
    }
    assert_int_equal(found, windows->points.count);
    for (size_t i = 0; i < windows->refused.count; i++) {
        uint32_t subject = ARRAY_AT(struct probe_refused, &windows->refused, i)->subject;
        assert_int_equal(times[subject], 0);
        times[subject] = 1;
    }
    for (size_t i = 0; i < wishes->count; i++) {
        const struct probe_point *wish = ARRAY_AT(struct probe_point, wishes, i);
        const struct made *made = made_at(program, model_address(model, wish->instruction));
        bool stays_at_call = made->kind == CALL && times[i] == 1;
        assert_int_equal(times[i], on_ways[i] && !stays_at_call ? count_ways(program, made) : 1);
        seen->ways += on_ways[i];
    }
    seen->points += found;
    free(times);
    free(on_ways);
}

static void try_program(uint64_t seed, uint32_t density, struct seen *seen)
{
    struct program_made *program = calloc(1, sizeof *program);
    struct model model;
    struct array points = ARRAY_OF(struct probe_point);
    struct probe_windows windows;
    state = seed * 7919 + 17;
    program->symbols = program->labels = ARRAY_OF(uint32_t);
    while (program->count < MOST_INSTRUCTIONS / 2)
        put_function(program);
    build(&model, program, isa_X86_64);
    note_functions(program, &model);
    for (uint32_t row = 1; row < model.code.count; row++)
        for (unsigned where = PROBE_BEFORE; where <= PROBE_TAKEN; where++)
            if (chance(100) < density)
                *(struct probe_point *)array_add(&points) =
                    (struct probe_point){.instruction = row, .where = (uint8_t)where};
    for (size_t i = points.count; i > 1; i--) { /* in any order */
        struct probe_point *a = array_at(&points, i - 1), *b = array_at(&points, chance((uint32_t)i));
        struct probe_point kept = *a;
        *a = *b;
        *b = kept;
    }
    struct array wishes = ARRAY_OF(struct probe_point);
    for (size_t i = 0; i < points.count; i++) {
        ARRAY_AT(struct probe_point, &points, i)->subject = (uint32_t)i;
        *(struct probe_point *)array_push(&wishes) = *ARRAY_AT(struct probe_point, &points, i);
    }
    probe_windows_make(&windows, &model, &points);
    assert_int_equal(points.count, 0);
    uint8_t *is_used = calloc(1, MOST_BYTES);
    for (size_t i = 0; i < windows.windows.count; i++) {
        const struct probe_window *window = ARRAY_AT(struct probe_window, &windows.windows, i);
        check_window(program, window);
        if (window->hop)
            check_hop(program, &windows, window, is_used);
    }
    free(is_used);
    check_points(program, &windows, &model, &wishes, seen);
    probe_windows_free(&windows);
    array_free(&wishes);
    array_free(&points);
    array_free(&program->symbols);
    array_free(&program->labels);
    model_free(&model);
    free(program);
}

static void test_random_code(void **unused)
{
    (void)unused;
    struct seen seen = {0};
    for (uint64_t seed = 1; seed <= 40; seed++)
        try_program(seed, seed % 4 == 0 ? 60 : seed % 4 == 1 ? 25 : 5, &seen);
    assert_true(seen.points > 10000 && seen.jumps > seen.traps && seen.traps > 100 && seen.hops > 100 &&
                seen.ways > 100);
}

/* The order of points at one instruction: entries first, then by order; after, then taken. */
static void test_order(void **unused)
{
    (void)unused;
    struct program_made *program = calloc(1, sizeof *program);
    struct model model;
    struct array points = ARRAY_OF(struct probe_point);
    struct probe_windows windows;
    program->symbols = program->labels = ARRAY_OF(uint32_t);
    *(uint32_t *)array_push(&program->symbols) = 0;
    put(program, PLAIN, "\x48\xff\xc8", 3); /* dec rax */
    put(program, BRANCH, "\x75\xfb", 2);    /* jnz to the start */
    put(program, RETURN, "\xc3", 1);
    build(&model, program, isa_X86_64);
    static const struct probe_point given[] = {
        {.instruction = 2, .where = PROBE_TAKEN, .is_past_entry = 1, .subject = 6},
        {.instruction = 2, .where = PROBE_TAKEN, .subject = 5},
        {.instruction = 1, .where = PROBE_AFTER, .subject = 4},
        {.instruction = 1, .where = PROBE_BEFORE, .order = 2, .subject = 3},
        {.instruction = 1, .where = PROBE_BEFORE, .order = 1, .subject = 2},
        {.instruction = 1, .where = PROBE_BEFORE, .order = 9, .is_entry = 1, .subject = 1}};
    memcpy(array_add_many(&points, 6), given, sizeof given);
    probe_windows_make(&windows, &model, &points);
    assert_int_equal(windows.windows.count, 1);
    const struct probe_window *window = array_at(&windows.windows, 0);
    assert_int_equal(window->size, 5);
    assert_int_equal(window->moved_count, 2);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(ARRAY_AT(struct probe_point, &windows.points, i)->subject, i + 1);
    assert_int_equal(window->moved[1].past_entry, 1); /* its own window */
    probe_windows_free(&windows);
    array_free(&points);
    array_free(&program->symbols);
    array_free(&program->labels);
    model_free(&model);
    free(program);
}

/* ldxr, then what decides, then stxr: nothing may come between, but what leaves the loop may be watched. */
static void test_exclusives(void **unused)
{
    (void)unused;
    static const uint32_t words[] = {0xd503201f, /* 1: nop */
                                     0xc85f7c01, /* 2: ldxr x1, [x0] */
                                     0xeb02003f, /* 3: cmp x1, x2 */
                                     0x54000081, /* 4: b.ne 8 */
                                     0x91000421, /* 5: add x1, x1, 1 */
                                     0xc8037c01, /* 6: stxr w3, x1, [x0] */
                                     0x35ffff63, /* 7: cbnz w3, 2 */
                                     0xd65f03c0, /* 8: ret */
                                     0x48207c82, /* 9: casp x0, x1, x2, x3, [x4]: not one of them */
                                     0xd65f03c0};
    static const uint8_t is_between[11][3] = {
        [2] = {0, 1, 0}, [3] = {1, 1, 0}, [4] = {1, 1, 0}, [5] = {1, 1, 0}, [6] = {1, 0, 0}};
    struct program_made *program = calloc(1, sizeof *program);
    struct model model;
    program->symbols = program->labels = ARRAY_OF(uint32_t);
    *(uint32_t *)array_push(&program->symbols) = 0;
    *(uint32_t *)array_push(&program->symbols) = 8;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        put(program, PLAIN, (const char *)&words[i], 4);
    build(&model, program, isa_AARCH64);
    for (uint32_t row = 1; row <= 10; row++)
        for (unsigned where = PROBE_BEFORE; where <= PROBE_TAKEN; where++) {
            struct array points = ARRAY_OF(struct probe_point);
            struct probe_windows windows;
            *(struct probe_point *)array_add(&points) =
                (struct probe_point){.instruction = row, .where = (uint8_t)where};
            probe_windows_make(&windows, &model, &points);
            const struct probe_refused *refused = array_at(&windows.refused, 0);
            bool is_exclusive = windows.refused.count && refused->refusal == PROBE_REFUSED_EXCLUSIVE;
            assert_int_equal(is_exclusive, is_between[row][where]);
            if (windows.windows.count) {
                const struct probe_window *window = array_at(&windows.windows, 0);
                assert_int_equal(window->size, 4);
                assert_int_equal(window->way, PROBE_BY_JUMP);
            }
            probe_windows_free(&windows);
            array_free(&points);
        }
    array_free(&program->symbols);
    array_free(&program->labels);
    model_free(&model);
    free(program);
}

/* A call stays where it is if nothing jumps to it. */
static void test_before_calls(void **unused)
{
    (void)unused;
    static const uint32_t words[] = {0xd503201f, /* 1: nop */
                                     0xd63f0100, /* 2: blr x8 */
                                     0xd63f0100, /* 3: blr x8: only control from 2 comes here, after a call */
                                     0xd503201f, /* 4: nop */
                                     0xd63f0100, /* 5: blr x8: a branch leads here */
                                     0xb5ffffe0, /* 6: cbnz x0, 5 */
                                     0xd65f03c0}; /* 7: ret */
    static const uint32_t expected[8] = {[2] = 1, [3] = 3, [5] = 5};
    struct program_made *program = calloc(1, sizeof *program);
    struct model model;
    program->symbols = program->labels = ARRAY_OF(uint32_t);
    *(uint32_t *)array_push(&program->symbols) = 0;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        put(program, PLAIN, (const char *)&words[i], 4);
    build(&model, program, isa_AARCH64);
    for (uint32_t row = 1; row < 8; row++) {
        struct array points = ARRAY_OF(struct probe_point);
        struct probe_windows windows;
        if (!expected[row])
            continue;
        for (unsigned i = 0; i < 2; i++)
            *(struct probe_point *)array_add(&points) =
                (struct probe_point){.instruction = row - i, .where = i ? PROBE_AFTER : PROBE_BEFORE};
        probe_windows_make(&windows, &model, &points);
        const struct probe_point *last = array_at(&windows.points, windows.points.count - 1);
        assert_int_equal(last->instruction, expected[row]);
        assert_int_equal(last->where, expected[row] < row ? PROBE_AFTER : PROBE_BEFORE);
        probe_windows_free(&windows);
        array_free(&points);
    }
    array_free(&program->symbols);
    array_free(&program->labels);
    model_free(&model);
    free(program);
}

/* Rows that do not exist, and places that an instruction does not have. */
static void test_refusals(void **unused)
{
    (void)unused;
    struct program_made *program = calloc(1, sizeof *program);
    struct model model;
    struct array points = ARRAY_OF(struct probe_point);
    struct probe_windows windows;
    program->symbols = program->labels = ARRAY_OF(uint32_t);
    *(uint32_t *)array_push(&program->symbols) = 0;
    put(program, PLAIN, "\xb8\1\0\0\0", 5);
    put(program, PLAIN, "\x0f\x05", 2); /* syscall */
    put(program, RETURN, "\xc3", 1);
    build(&model, program, isa_X86_64);
    static const struct probe_point given[] = {{.instruction = 0},
                                               {.instruction = 1, .where = PROBE_TAKEN},
                                               {.instruction = 2},
                                               {.instruction = 3, .where = PROBE_AFTER},
                                               {.instruction = 100}};
    static const uint8_t expected[] = {PROBE_REFUSED_NO_CODE, PROBE_REFUSED_NO_PLACE,
                                       PROBE_REFUSED_NOT_MOVABLE, PROBE_REFUSED_NO_PLACE,
                                       PROBE_REFUSED_NO_CODE};
    memcpy(array_add_many(&points, 5), given, sizeof given);
    probe_windows_make(&windows, &model, &points);
    assert_int_equal(windows.windows.count, 0);
    assert_int_equal(windows.refused.count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(ARRAY_AT(struct probe_refused, &windows.refused, i)->refusal, expected[i]);
    probe_windows_free(&windows);
    array_free(&points);
    array_free(&program->symbols);
    array_free(&program->labels);
    model_free(&model);
    free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_code), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_exclusives), cmocka_unit_test(test_before_calls),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
