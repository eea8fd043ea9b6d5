/* Redundant accesses, checked by execution: a small interpreter runs random functions with a frame, with and
   without the accesses found redundant; results, arguments of callees and memory must be the same.  The
   machine is a few registers of AArch64; callees get arguments, change every register that they may, and read
   and write memory through pointers that they were given. */
#include "flow_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { REGISTERS = 7, STACK = REGISTERS, FRAME = 64, MOST = 80, RUNS = 12, STEPS = 300, LOG = 4096 };

enum what { ADJUST, LOAD, STORE, ADD, COPY, CALL, ADDRESS, LOAD_BY, STORE_BY, JUMP, LEAVE };

/* x0 … x3 are scratch and arguments, x9 is scratch, x19 and x20 are preserved. */
static const char *const names[REGISTERS] = {"x0", "x1", "x2", "x3", "x9", "x19", "x20"};
static bool is_scratch(uint32_t index)
{
    return index < 5;
}

struct instruction_sketch {
    enum what what;
    uint32_t to, from;
    int64_t number;
    uint32_t bytes;
};

struct program_sketch {
    struct instruction_sketch code[MOST];
    uint32_t count, blocks, start[16], successors[16][2];
    uint32_t rows[REGISTERS + 1];
    bool takes_addresses;
};

static uint32_t add_encoding(struct fixture *fixture, const struct program_sketch *sketch,
                             const struct instruction_sketch *it)
{
    static const struct {
        const char *name;
        enum class class;
        enum flow flow;
        enum operation operation;
    } kinds[] = {[ADJUST] = {"add", class_ADD, flow_NEXT, operation_ADD},
                 [LOAD] = {"ldr", class_LOAD, flow_NEXT, operation_COPY},
                 [STORE] = {"str", class_STORE, flow_NEXT, operation_COPY},
                 [ADD] = {"add", class_ADD, flow_NEXT, operation_ADD},
                 [COPY] = {"mov", class_MOVE, flow_NEXT, operation_COPY},
                 [CALL] = {"bl", class_CALL, flow_CALL},
                 [ADDRESS] = {"add", class_ADD, flow_NEXT, operation_ADD},
                 [LOAD_BY] = {"ldr", class_LOAD, flow_NEXT, operation_COPY},
                 [STORE_BY] = {"str", class_STORE, flow_NEXT, operation_COPY},
                 [JUMP] = {"b", class_BRANCH, flow_BRANCH},
                 [LEAVE] = {"ret", class_RETURN, flow_RETURN}};
    uint32_t id = fixture_encoding(fixture, isa_AARCH64, kinds[it->what].name, kinds[it->what].class,
                                   kinds[it->what].flow);
    struct encoding *encoding = model_encoding(&fixture->model, id);
    encoding->operation = kinds[it->what].operation;
    bool loads = it->what == LOAD || it->what == LOAD_BY, stores = it->what == STORE || it->what == STORE_BY;
    uint32_t to = sketch->rows[it->to], from = sketch->rows[it->from];
    if (it->what == CALL || it->what == JUMP || it->what == LEAVE)
        return id;
    encoding->load_bytes = loads ? it->bytes : 0;
    encoding->store_bytes = stores ? it->bytes : 0;
    if (loads || stores) {
        uint32_t data = loads ? to : from, base = loads ? from : to;
        fixture_operand(fixture, operand_kind_REGISTER, loads ? access_WRITE : access_READ, data, 0);
        fixture_operand(fixture, operand_kind_MEMORY, loads ? access_READ : access_WRITE, base, it->number);
        if (data == base) {
            fixture_use(fixture, data, loads ? access_BOTH : access_READ, false);
        } else {
            fixture_use(fixture, data < base ? data : base, data < base && loads ? access_WRITE : access_READ,
                        false);
            fixture_use(fixture, data < base ? base : data, data > base && loads ? access_WRITE : access_READ,
                        false);
        }
        return id;
    }
    fixture_operand(fixture, operand_kind_REGISTER, access_WRITE, to, 0);
    fixture_operand(fixture, operand_kind_REGISTER, access_READ, from, 0);
    if (it->what != COPY)
        fixture_operand(fixture, operand_kind_IMMEDIATE, access_READ, 0, it->number);
    if (to == from) {
        fixture_use(fixture, to, access_BOTH, false);
    } else {
        fixture_use(fixture, to < from ? to : from, to < from ? access_WRITE : access_READ, false);
        fixture_use(fixture, to < from ? from : to, to < from ? access_READ : access_WRITE, false);
    }
    return id;
}

static void add(struct program_sketch *sketch, enum what what, uint32_t to, uint32_t from, int64_t number,
                uint32_t bytes)
{
    if (sketch->count < MOST)
        sketch->code[sketch->count++] = (struct instruction_sketch){what, to, from, number, bytes};
}

/* Few slots and few registers, so that they meet; now and then one of another size across two. */
static void add_random(struct program_sketch *sketch)
{
    uint32_t one = random_below(REGISTERS), other = random_below(REGISTERS), kind = random_below(20);
    int64_t place = 8 * random_below(3) + 16;
    uint32_t bytes = random_below(12) ? 8 : 4;
    if (bytes == 4)
        place += 4 * random_below(2);
    if (kind < 6)
        add(sketch, LOAD, one, STACK, place, bytes);
    else if (kind < 12)
        add(sketch, STORE, STACK, one, place, bytes);
    else if (kind < 14)
        add(sketch, ADD, one, other, 1 + random_below(100), 0);
    else if (kind == 14)
        add(sketch, COPY, one, other, 0, 0);
    else if (kind == 15)
        add(sketch, CALL, 0, 0, 0, 0);
    else if (kind == 16 && sketch->takes_addresses)
        add(sketch, ADDRESS, one, STACK, place, 0);
    else if (kind == 17)
        add(sketch, STORE_BY, one, other, 0, 8);
    else if (kind == 18)
        add(sketch, LOAD_BY, one, other, 0, 8);
}

static void make_program(struct program_sketch *sketch, struct fixture *fixture)
{
    memset(sketch, 0, sizeof *sketch);
    sketch->takes_addresses = random_below(3) == 0;
    fixture_init(fixture, isa_AARCH64);
    for (uint32_t i = 0; i < REGISTERS; i++)
        sketch->rows[i] = fixture_register(fixture, isa_AARCH64, names[i], 64, register_kind_GENERAL);
    sketch->rows[STACK] = fixture_register(fixture, isa_AARCH64, "sp", 64, register_kind_GENERAL);
    sketch->blocks = 1 + random_below(6);
    for (uint32_t b = 0; b < sketch->blocks; b++) {
        sketch->start[b] = sketch->count;
        if (b == 0)
            add(sketch, ADJUST, STACK, STACK, -FRAME, 0);
        for (uint32_t k = 1 + random_below(7); k-- > 0;)
            add_random(sketch);
        bool leaves = b + 1 == sketch->blocks || random_below(6) == 0;
        if (leaves) {
            add(sketch, ADJUST, STACK, STACK, FRAME, 0);
            add(sketch, LEAVE, 0, 0, 0, 0);
            sketch->successors[b][0] = sketch->successors[b][1] = UINT32_MAX;
        } else {
            add(sketch, JUMP, 0, 0, 0, 0);
            sketch->successors[b][0] = b + 1;
            sketch->successors[b][1] = random_below(sketch->blocks);
        }
    }
    sketch->start[sketch->blocks] = sketch->count;
    for (uint32_t b = 0; b < sketch->blocks; b++) {
        fixture_block(fixture, block_end_BRANCH);
        for (uint32_t i = sketch->start[b]; i < sketch->start[b + 1]; i++)
            fixture_instruction(fixture, add_encoding(fixture, sketch, &sketch->code[i]));
        uint32_t one = sketch->successors[b][0], two = sketch->successors[b][1];
        if (one == UINT32_MAX)
            continue;
        fixture_edge(fixture, b + 1, (one < two ? one : two) + 1);
        if (one != two)
            fixture_edge(fixture, b + 1, (one < two ? two : one) + 1);
    }
}

/* Addresses of the stack are these; everything else is memory that the function does not own. */
enum { TOP = 1 << 20, BOTTOM = TOP - 4096 };

struct machine {
    uint64_t registers[REGISTERS + 1];
    uint8_t stack[TOP - BOTTOM + 64];
    uint64_t log[LOG];
    uint32_t logged;
    uint64_t chance;
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

static void log_value(struct machine *machine, uint64_t value)
{
    if (machine->logged < LOG)
        machine->log[machine->logged++] = value;
}

static bool is_stack(uint64_t address)
{
    return address >= BOTTOM && address <= TOP;
}

static uint64_t read_memory(struct machine *machine, uint64_t address, uint32_t bytes)
{
    uint64_t value = 0;
    if (!is_stack(address))
        return mix(address);
    memcpy(&value, machine->stack + (address - BOTTOM), bytes);
    return value;
}

static void write_memory(struct machine *machine, uint64_t address, uint64_t value, uint32_t bytes)
{
    if (is_stack(address)) {
        memcpy(machine->stack + (address - BOTTOM), &value, bytes);
    } else {
        log_value(machine, address);
        log_value(machine, value);
    }
}

/* What the callee sees and does: arguments, memory behind pointers; everything below the stack pointer is its
 * own. */
static void run_call(struct machine *machine)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t value = machine->registers[i];
        log_value(machine, value);
        seen = mix(seen ^ value);
        if (!is_stack(value))
            continue;
        for (int64_t offset = -32; offset <= 32; offset += 8) {
            uint64_t held = read_memory(machine, value + (uint64_t)offset, 8);
            log_value(machine, held);
            if (mix(held + machine->logged) % 3 == 0)
                write_memory(machine, value + (uint64_t)offset, mix(held + 1), 8);
        }
    }
    for (uint64_t at = BOTTOM; at < machine->registers[STACK]; at += 8)
        write_memory(machine, at, mix(at ^ seen ^ machine->logged), 8);
    for (uint32_t i = 0; i < REGISTERS; i++)
        if (is_scratch(i))
            machine->registers[i] = mix(seen + i + machine->logged) >> 20;
}

static void run_one(struct machine *machine, const struct instruction_sketch *it)
{
    uint64_t *to = &machine->registers[it->to], from = machine->registers[it->from];
    switch (it->what) {
    case ADJUST:
    case ADD:
    case ADDRESS:
        *to = from + (uint64_t)it->number;
        break;
    case COPY:
        *to = from;
        break;
    case LOAD:
    case LOAD_BY:
        *to = read_memory(machine, from + (uint64_t)it->number, it->bytes);
        break;
    case STORE:
    case STORE_BY:
        write_memory(machine, *to + (uint64_t)it->number, from, it->bytes);
        break;
    case CALL:
        run_call(machine);
        break;
    case JUMP:
    case LEAVE:
        break;
    }
}

static void run(struct machine *machine, const struct program_sketch *sketch, const bool *without,
                uint64_t seed)
{
    memset(machine, 0, sizeof *machine);
    machine->chance = mix(seed);
    for (uint32_t i = 0; i < REGISTERS; i++)
        machine->registers[i] = mix(seed + i) >> 20;
    machine->registers[STACK] = TOP - 1024;
    for (size_t i = 0; i < sizeof machine->stack; i++)
        machine->stack[i] = (uint8_t)mix(seed ^ i);
    uint32_t block = 0;
    for (unsigned steps = 0; block != UINT32_MAX && steps < STEPS; steps++) {
        for (uint32_t i = sketch->start[block]; i < sketch->start[block + 1]; i++)
            if (!without[i])
                run_one(machine, &sketch->code[i]);
        machine->chance = mix(machine->chance + 1);
        block = sketch->successors[block][machine->chance >> 7 & 1];
    }
    if (block == UINT32_MAX) { /* it returned: results and preserved registers */
        log_value(machine, machine->registers[0]);
        log_value(machine, machine->registers[1]);
        log_value(machine, machine->registers[5]);
        log_value(machine, machine->registers[6]);
    }
}

static unsigned compare(const struct program_sketch *sketch, const struct model *model)
{
    static struct machine before, after;
    bool nothing[MOST] = {false}, found[MOST] = {false};
    for (uint32_t i = 0; i < model->useless_accesses.count; i++)
        found[model_useless_access(model, i)->instruction - 1] = true;
    for (unsigned k = 0; k < RUNS && model->useless_accesses.count; k++) {
        run(&before, sketch, nothing, k);
        run(&after, sketch, found, k);
        assert_int_equal(before.logged, after.logged);
        assert_memory_equal(before.log, after.log, before.logged * sizeof *before.log);
    }
    return (unsigned)model->useless_accesses.count;
}

static void programs_do_the_same_without_what_is_useless(void **unused)
{
    (void)unused;
    unsigned by_reason[uselessness_COUNT] = {0}, total = 0;
    for (unsigned round = 0; round < 6000; round++) {
        struct fixture fixture;
        static struct program_sketch sketch;
        make_program(&sketch, &fixture);
        flow_build(&fixture.model, &(struct flow_options){.threads = 1});
        total += compare(&sketch, &fixture.model);
        for (uint32_t i = 0; i < fixture.model.useless_accesses.count; i++)
            by_reason[model_useless_access(&fixture.model, i)->reason]++;
        model_free(&fixture.model);
    }
    for (unsigned reason = 0; reason < uselessness_COUNT; reason++)
        assert_true(by_reason[reason] > 20);
    assert_true(total > 1000);
}

/* The shapes of the paper, and what must not be found. */
static void check_reasons(const struct instruction_sketch *code, uint32_t count,
                          const uint32_t successors[][2], const uint32_t *start, uint32_t blocks,
                          const int *expected)
{
    struct fixture fixture;
    static struct program_sketch sketch;
    memset(&sketch, 0, sizeof sketch);
    fixture_init(&fixture, isa_AARCH64);
    for (uint32_t i = 0; i < REGISTERS; i++)
        sketch.rows[i] = fixture_register(&fixture, isa_AARCH64, names[i], 64, register_kind_GENERAL);
    sketch.rows[STACK] = fixture_register(&fixture, isa_AARCH64, "sp", 64, register_kind_GENERAL);
    for (uint32_t b = 0; b < blocks; b++) {
        fixture_block(&fixture, block_end_BRANCH);
        for (uint32_t i = start[b]; i < (b + 1 < blocks ? start[b + 1] : count); i++)
            fixture_instruction(&fixture, add_encoding(&fixture, &sketch, &code[i]));
        for (unsigned k = 0; k < 2; k++)
            if (successors[b][k])
                fixture_edge(&fixture, b + 1, successors[b][k]);
    }
    flow_build(&fixture.model, &(struct flow_options){.threads = 1});
    int found[MOST];
    memset(found, -1, sizeof found);
    for (uint32_t i = 0; i < fixture.model.useless_accesses.count; i++) {
        const struct useless_access *access = model_useless_access(&fixture.model, i);
        found[access->instruction - 1] = access->reason;
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found[i], expected[i]);
    model_free(&fixture.model);
}

/* Figure 8: loaded, and stored to the same place. */
static void value_put_back_within_a_block(void **unused)
{
    (void)unused;
    const struct instruction_sketch code[] = {{ADJUST, STACK, STACK, -64, 0},
                                              {LOAD, 0, STACK, 24, 8},
                                              {STORE, STACK, 0, 24, 8},
                                              {LOAD, 0, STACK, 16, 8},
                                              {LOAD, 1, STACK, 24, 8},
                                              {ADJUST, STACK, STACK, 64, 0},
                                              {LEAVE, 0, 0, 0, 0}};
    const uint32_t start[] = {0}, successors[][2] = {{0, 0}};
    const int expected[] = {-1, uselessness_ONLY_PUT_BACK, uselessness_PUT_BACK, -1, -1, -1, -1};
    check_reasons(code, 7, successors, start, 1, expected);
}

/* The case of r44: one path writes the register, but leaves the function before the store. */
static void value_put_back_across_blocks(void **unused)
{
    (void)unused;
    const struct instruction_sketch code[] = {{ADJUST, STACK, STACK, -64, 0},
                                              {LOAD, 4, STACK, 24, 8},
                                              {JUMP, 0, 0, 0, 0},
                                              {ADD, 4, 0, 1, 0},
                                              {COPY, 0, 4, 0, 0},
                                              {ADJUST, STACK, STACK, 64, 0},
                                              {LEAVE, 0, 0, 0, 0},
                                              {ADD, 0, 0, 5, 0},
                                              {STORE, STACK, 4, 24, 8},
                                              {LOAD, 0, STACK, 24, 8},
                                              {ADD, 4, 0, 1, 0},
                                              {COPY, 0, 4, 0, 0},
                                              {ADJUST, STACK, STACK, 64, 0},
                                              {LEAVE, 0, 0, 0, 0}};
    const uint32_t start[] = {0, 3, 7}, successors[][2] = {{2, 3}, {0, 0}, {0, 0}};
    const int expected[] = {-1, uselessness_ONLY_PUT_BACK, -1, -1, -1, -1, -1,
                            -1, uselessness_PUT_BACK,      -1, -1, -1, -1, -1};
    check_reasons(code, 14, successors, start, 3, expected);
}

/* The same, but the path that writes the register goes on to the store. */
static void changed_value_is_not_put_back(void **unused)
{
    (void)unused;
    const struct instruction_sketch code[] = {{ADJUST, STACK, STACK, -64, 0},
                                              {LOAD, 4, STACK, 24, 8},
                                              {JUMP, 0, 0, 0, 0},
                                              {ADD, 4, 0, 1, 0},
                                              {STORE, STACK, 4, 24, 8},
                                              {LOAD, 0, STACK, 24, 8},
                                              {ADJUST, STACK, STACK, 64, 0},
                                              {LEAVE, 0, 0, 0, 0}};
    const uint32_t start[] = {0, 3, 4}, successors[][2] = {{2, 3}, {3, 0}, {0, 0}};
    const int expected[] = {-1, -1, -1, -1, -1, -1, -1, -1};
    check_reasons(code, 8, successors, start, 3, expected);
}

/* A callee may have changed the place through the pointer that it got. */
static void escaped_frame_is_left_alone(void **unused)
{
    (void)unused;
    const struct instruction_sketch code[] = {{ADJUST, STACK, STACK, -64, 0}, {ADDRESS, 0, STACK, 16, 0},
                                              {LOAD, 5, STACK, 24, 8},        {CALL, 0, 0, 0, 0},
                                              {STORE, STACK, 5, 24, 8},       {CALL, 0, 0, 0, 0},
                                              {ADJUST, STACK, STACK, 64, 0},  {LEAVE, 0, 0, 0, 0}};
    const uint32_t start[] = {0}, successors[][2] = {{0, 0}};
    const int expected[] = {-1, -1, -1, -1, -1, -1, -1, -1};
    check_reasons(code, 8, successors, start, 1, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_do_the_same_without_what_is_useless),
        cmocka_unit_test(value_put_back_within_a_block),
        cmocka_unit_test(value_put_back_across_blocks),
        cmocka_unit_test(changed_value_is_not_put_back),
        cmocka_unit_test(escaped_frame_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
