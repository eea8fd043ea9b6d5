/* What is free at a point, against a search that shares nothing with the code but the rules: from each point
   of random functions, along every path, each register by itself, until it is read, written or leaves the
   function.  And the rules about the red zone on functions made by hand. */
#include "flow_fixture.h"
#include "run/probe/site/free.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { MOST_CODE = 80, MOST_BLOCKS = 12, REGISTERS = 6 };

/* Registers of the random functions: what calls and returns of conventional functions do not need. */
static const struct {
    const char *name;
    unsigned number; /* 32: flags */
    bool is_unread_by_calls, is_lost;
} arm[REGISTERS] = {{"x0", 0, false, false}, {"x3", 3, false, true},    {"x9", 9, true, true},
                    {"x17", 17, true, true}, {"x20", 20, false, false}, {"nzcv", 32, true, true}};

struct effect {
    bool reads, kills, writes;
};

struct sketch {
    uint32_t code, blocks, start[MOST_BLOCKS + 1], block_of[MOST_CODE];
    struct effect effects[MOST_CODE][REGISTERS];
    uint8_t flow[MOST_CODE], ends[MOST_BLOCKS];
    uint32_t next[MOST_BLOCKS][2]; /* fall, taken; numbers of blocks, or NOWHERE */
    bool is_conventional;
    bool is_broken; /* x17 carries values over calls */
};
enum { NOWHERE = 99 };

static bool is_between(const struct sketch *sketch, unsigned r)
{
    return arm[r].number == 17 && !sketch->is_broken;
}

static bool is_needed_by_return(const struct sketch *sketch, unsigned r)
{
    bool is_written = false;
    for (uint32_t i = 0; i < sketch->code; i++)
        is_written |= sketch->effects[i][r].writes;
    bool is_flags = arm[r].number == 32;
    return !is_flags && !is_between(sketch, r) && !(sketch->is_conventional && arm[r].is_lost && is_written);
}

static bool search(const struct sketch *sketch, uint32_t i, unsigned r, bool *seen);

static bool search_end(const struct sketch *sketch, uint32_t block, unsigned r, bool *seen)
{
    bool is_needed = false;
    if (sketch->ends[block] == block_end_RETURN)
        return is_needed_by_return(sketch, r);
    if (sketch->ends[block] == block_end_NO_RETURN)
        return false;
    if (sketch->ends[block] == block_end_INDIRECT || sketch->ends[block] == block_end_TAIL_CALL)
        return true;
    for (unsigned way = 0; way < 2; way++)
        if (sketch->next[block][way] != NOWHERE)
            is_needed |= search(sketch, sketch->start[sketch->next[block][way]], r, seen);
    return is_needed;
}

static bool call_reads(const struct sketch *sketch, unsigned r)
{
    bool is_flags = arm[r].number == 32;
    return !is_flags && !is_between(sketch, r) && !(sketch->is_conventional && arm[r].is_unread_by_calls);
}

/* Whether what register r holds before instruction i is needed on some path. */
static bool search(const struct sketch *sketch, uint32_t i, unsigned r, bool *seen)
{
    for (;; i++) {
        if (seen[i])
            return false;
        seen[i] = true;
        const struct effect *effect = &sketch->effects[i][r];
        if (effect->reads)
            return true;
        if (sketch->flow[i] == flow_CALL && call_reads(sketch, r))
            return true;
        if (effect->kills || (sketch->flow[i] == flow_CALL && arm[r].number == 32))
            return false;
        uint32_t block = sketch->block_of[i];
        if (i + 1 == sketch->start[block + 1])
            return search_end(sketch, block, r, seen);
    }
}

/* Whether register r is the first thing that is read after a call, in a straight line. */
static bool carries_over_calls(const struct sketch *sketch, unsigned r)
{
    for (uint32_t call = 0; call < sketch->code; call++) {
        uint32_t block = sketch->block_of[call], i = call + 1;
        bool is_last = i == sketch->start[block + 1];
        if (sketch->flow[call] != flow_CALL || (is_last && sketch->ends[block] != block_end_CALL))
            continue;
        uint32_t end = sketch->start[block + 1 + is_last];
        while (i < end && sketch->flow[i] != flow_CALL && !sketch->effects[i][r].reads &&
               !sketch->effects[i][r].writes)
            i++;
        if (i < end && sketch->effects[i][r].reads)
            return true;
    }
    return false;
}

static bool expected(const struct sketch *sketch, uint32_t i, enum probe_where where, unsigned r)
{
    bool seen[MOST_CODE] = {false};
    uint32_t block = sketch->block_of[i];
    bool is_last = i + 1 == sketch->start[block + 1];
    if (where == PROBE_BEFORE)
        return !search(sketch, i, r, seen);
    if (!is_last)
        return where == PROBE_AFTER && !search(sketch, i + 1, r, seen);
    uint32_t next = sketch->next[block][where == PROBE_TAKEN];
    return next != NOWHERE && !search(sketch, sketch->start[next], r, seen);
}

static void add_instruction(struct sketch *sketch, struct fixture *fixture, const uint32_t *rows,
                            uint32_t block, enum flow flow)
{
    uint32_t i = sketch->code++;
    sketch->block_of[i] = block;
    sketch->flow[i] = (uint8_t)flow;
    uint32_t encoding = fixture_encoding(fixture, isa_AARCH64, "test", class_OTHER, flow);
    for (unsigned r = 0; r < REGISTERS && flow != flow_CALL; r++) {
        enum access access = random_below(4) ? access_NONE : 1 + random_below(3);
        bool keeps = random_below(4) == 0;
        if (!access)
            continue;
        fixture_use(fixture, rows[r], access, keeps);
        sketch->effects[i][r] = (struct effect){.reads = access & access_READ,
                                                .writes = access & access_WRITE,
                                                .kills = access & access_WRITE && !keeps};
    }
    fixture_instruction(fixture, encoding);
}

static const struct {
    uint8_t ends, flow;
    bool falls, jumps;
} endings[] = {{block_end_FALL, flow_NEXT, true, false},      {block_end_JUMP, flow_JUMP, false, true},
               {block_end_BRANCH, flow_BRANCH, true, true},   {block_end_BRANCH, flow_BRANCH, true, true},
               {block_end_BRANCH, flow_BRANCH, true, true},   {block_end_CALL, flow_CALL, true, false},
               {block_end_RETURN, flow_RETURN, false, false}, {block_end_NO_RETURN, flow_CALL, false, false},
               {block_end_INDIRECT, flow_JUMP, false, false}};

static void add_block(struct sketch *sketch, struct fixture *fixture, const uint32_t *rows, uint32_t b)
{
    unsigned ending = random_below(sizeof endings / sizeof *endings);
    bool is_last = b + 1 == sketch->blocks;
    if (is_last && endings[ending].falls)
        ending = 6;
    fixture_block(fixture, endings[ending].ends);
    sketch->start[b] = sketch->code;
    sketch->ends[b] = endings[ending].ends;
    for (uint32_t left = random_below(5); left-- > 0;)
        add_instruction(sketch, fixture, rows, b, random_below(12) ? flow_NEXT : flow_CALL);
    add_instruction(sketch, fixture, rows, b, endings[ending].flow);
    sketch->next[b][0] = endings[ending].falls ? b + 1 : NOWHERE;
    sketch->next[b][1] = endings[ending].jumps ? random_below(sketch->blocks) : NOWHERE;
}

/* Rows are in order of source, target and kind. */
static void add_edges(const struct sketch *sketch, struct fixture *fixture)
{
    for (uint32_t b = 0; b < sketch->blocks; b++) {
        for (uint32_t target = 0; target < sketch->blocks; target++) {
            for (unsigned way = 0; way < 2; way++) {
                if (sketch->next[b][way] != target)
                    continue;
                fixture_edge(fixture, b + 1, target + 1);
                model_edge(&fixture->model, (uint32_t)fixture->model.edges.count - 1)->kind =
                    way ? edge_kind_TAKEN : edge_kind_FALL;
            }
        }
    }
}

/* Calls of imports, which keep the convention. */
static void add_calls(const struct sketch *sketch, struct fixture *fixture)
{
    for (uint32_t i = 0; i < sketch->code; i++)
        if (sketch->flow[i] == flow_CALL)
            *(struct call *)model_add(&fixture->model.calls) =
                (struct call){.caller = 1, .instruction = i + 1, .kind = call_kind_IMPORT};
}

static void check(const struct sketch *sketch, const struct model *model)
{
    struct probe_freedom freedom;
    probe_free_begin(&freedom, model);
    for (uint32_t i = 0; i < sketch->code; i++) {
        for (enum probe_where where = PROBE_BEFORE; where <= PROBE_TAKEN; where++) {
            struct probe_free_registers free = probe_free_at(&freedom, i + 1, where);
            for (unsigned r = 0; r < REGISTERS; r++) {
                bool is_free = arm[r].number == 32 ? free.has_flags : free.general >> arm[r].number & 1;
                assert_int_equal(is_free, expected(sketch, i, where, r));
            }
            assert_false(free.general >> 18 & 1);
            assert_false(free.general >> 31 & 1);
            assert_true(free.has_red_zone || !freedom.is_known);
        }
    }
    probe_free_end(&freedom);
}

static void random_functions_agree_with_a_search(void **unused)
{
    (void)unused;
    unsigned broken = 0;
    for (unsigned round = 0; round < 4000; round++) {
        static struct sketch sketch;
        struct fixture fixture;
        uint32_t rows[REGISTERS];
        memset(&sketch, 0, sizeof sketch);
        fixture_init(&fixture, isa_AARCH64);
        for (unsigned r = 0; r < REGISTERS; r++)
            rows[r] = fixture_register(&fixture, isa_AARCH64, arm[r].name, arm[r].number == 32 ? 4 : 64,
                                       arm[r].number == 32 ? register_kind_FLAGS : register_kind_GENERAL);
        sketch.is_conventional = random_below(2);
        if (sketch.is_conventional) {
            ((struct unit *)model_add(&fixture.model.units))->language = language_C;
            model_function(&fixture.model, 1)->unit = model_last(&fixture.model.units);
        }
        sketch.blocks = 1 + random_below(MOST_BLOCKS);
        for (uint32_t b = 0; b < sketch.blocks; b++)
            add_block(&sketch, &fixture, rows, b);
        sketch.start[sketch.blocks] = sketch.code;
        sketch.is_broken = carries_over_calls(&sketch, 3);
        broken += sketch.is_broken;
        add_edges(&sketch, &fixture);
        add_calls(&sketch, &fixture);
        check(&sketch, &fixture.model);
        model_free(&fixture.model);
    }
    assert_in_range(broken, 300, 3700);
}

enum { WRITES, READS, NOTHING };

/* Function 1 writes x17 and ends with a call of, or a jump to, function 2, which reads x17, or not.  What is
   free before that. */
static uint32_t free_before(bool is_call, unsigned second)
{
    struct fixture fixture;
    fixture_init(&fixture, isa_AARCH64);
    uint32_t x17 = fixture_register(&fixture, isa_AARCH64, "x17", 64, register_kind_GENERAL);
    fixture_block(&fixture, is_call ? block_end_CALL : block_end_TAIL_CALL);
    uint32_t other = fixture_encoding(&fixture, isa_AARCH64, "nop", class_OTHER, flow_NEXT);
    uint32_t reads = fixture_encoding(&fixture, isa_AARCH64, "reads", class_OTHER, flow_NEXT);
    fixture_use(&fixture, x17, access_READ, false);
    uint32_t writes = fixture_encoding(&fixture, isa_AARCH64, "writes", class_OTHER, flow_NEXT);
    fixture_use(&fixture, x17, access_WRITE, false);
    uint32_t leaves =
        fixture_encoding(&fixture, isa_AARCH64, "b", class_OTHER, is_call ? flow_CALL : flow_JUMP);
    uint32_t returns = fixture_encoding(&fixture, isa_AARCH64, "ret", class_OTHER, flow_RETURN);
    fixture_instruction(&fixture, writes);
    fixture_instruction(&fixture, leaves);
    model_instruction(&fixture.model, 2)->target = 0x9000;
    if (is_call) {
        fixture_block(&fixture, block_end_RETURN);
        fixture_instruction(&fixture, returns);
    }
    uint32_t target = (uint32_t)fixture.model.blocks.count;
    fixture_block(&fixture, block_end_RETURN);
    fixture_instruction(&fixture, second == READS ? reads : second == WRITES ? writes : other);
    fixture_instruction(&fixture, returns);
    struct function *callee = model_add(&fixture.model.functions);
    *callee = (struct function){
        .program = model_function(&fixture.model, 1)->program, .first_block = target, .block_count = 1};
    callee->address = model_block(&fixture.model, target)->address = 0x9000;
    model_block(&fixture.model, target)->function = model_last(&fixture.model.functions);
    model_function(&fixture.model, 1)->block_count = target - 1;
    fixture_edge(&fixture, 1, is_call ? 2 : target);
    model_edge(&fixture.model, (uint32_t)fixture.model.edges.count - 1)->kind =
        is_call ? edge_kind_FALL : edge_kind_TAIL_CALL;
    *(struct call *)model_add(&fixture.model.calls) =
        (struct call){.caller = 1,
                      .instruction = 2,
                      .kind = call_kind_DIRECT,
                      .callee = model_last(&fixture.model.functions)};
    struct probe_freedom freedom;
    probe_free_begin(&freedom, &fixture.model);
    uint32_t free = probe_free_at(&freedom, 2, PROBE_BEFORE).general;
    probe_free_end(&freedom);
    model_free(&fixture.model);
    return free;
}

static void what_lies_between_functions(void **unused)
{
    (void)unused;
    for (unsigned is_call = 0; is_call < 2; is_call++) {
        assert_int_equal(free_before(is_call, NOTHING), 3 << 16);
        assert_int_equal(free_before(is_call, WRITES), 3 << 16);
    }
    assert_int_equal(free_before(false, READS), 1 << 16); /* a cold part */
    assert_int_equal(free_before(true, READS), 0);        /* a convention of its own */
}

/* x86 functions of one block: an instruction, perhaps a call, a return or a jump away. */
enum { PLAIN, BELOW, INDEXED, COPY, ADJUSTED };
static bool has_red_zone(unsigned what, bool has_call, bool jumps_away)
{
    struct fixture fixture;
    fixture_init(&fixture, isa_X86_64);
    uint32_t rsp = fixture_register(&fixture, isa_X86_64, "rsp", 64, register_kind_GENERAL);
    uint32_t rax = fixture_register(&fixture, isa_X86_64, "rax", 64, register_kind_GENERAL);
    fixture_block(&fixture, jumps_away ? block_end_TAIL_CALL : block_end_RETURN);
    uint32_t encoding = fixture_encoding(&fixture, isa_X86_64, "test", class_OTHER, flow_NEXT);
    if (what == COPY) {
        fixture_operand(&fixture, operand_kind_REGISTER, access_WRITE, rax, 0);
        fixture_operand(&fixture, operand_kind_REGISTER, access_READ, rsp, 0);
    } else if (what == ADJUSTED) {
        fixture_operand(&fixture, operand_kind_REGISTER, access_BOTH, rsp, 0);
    } else {
        struct operand *operand =
            fixture_operand(&fixture, operand_kind_MEMORY, access_READ, rsp, what == BELOW ? -8 : 8);
        operand->index_register = what == INDEXED ? rax : 0;
    }
    fixture_instruction(&fixture, encoding);
    if (has_call)
        fixture_instruction(&fixture, fixture_encoding(&fixture, isa_X86_64, "call", class_OTHER, flow_CALL));
    fixture_instruction(&fixture, fixture_encoding(&fixture, isa_X86_64, "ret", class_OTHER,
                                                   jumps_away ? flow_JUMP : flow_RETURN));
    struct probe_freedom freedom;
    probe_free_begin(&freedom, &fixture.model);
    bool has = probe_free_at(&freedom, 1, PROBE_BEFORE).has_red_zone;
    probe_free_end(&freedom);
    model_free(&fixture.model);
    return has;
}

static void red_zone_is_free_where_nothing_can_be_below(void **unused)
{
    (void)unused;
    assert_true(has_red_zone(PLAIN, false, false));
    assert_true(has_red_zone(PLAIN, true, false));
    assert_true(has_red_zone(ADJUSTED, false, false));
    assert_true(has_red_zone(COPY, true, false)); /* rbp of a function with calls */
    assert_true(has_red_zone(PLAIN, true, true));
    assert_false(has_red_zone(BELOW, false, false));
    assert_false(has_red_zone(BELOW, true, false));
    assert_false(has_red_zone(INDEXED, false, false));
    assert_false(has_red_zone(COPY, false, false)); /* a leaf with rbp */
    assert_false(has_red_zone(PLAIN, false, true)); /* part of a function may lie there */
}

/* al keeps the rest of rax; a shift by cl may leave the flags; each flag is by itself. */
static void parts_of_registers_and_single_flags(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_init(&fixture, isa_X86_64);
    uint32_t rax = fixture_register(&fixture, isa_X86_64, "rax", 64, register_kind_GENERAL);
    uint32_t al = fixture_register(&fixture, isa_X86_64, "al", 8, register_kind_GENERAL);
    uint32_t eax = fixture_register(&fixture, isa_X86_64, "eax", 32, register_kind_GENERAL);
    uint32_t rflags = fixture_register(&fixture, isa_X86_64, "rflags", 64, register_kind_FLAGS);
    uint32_t zf = fixture_register(&fixture, isa_X86_64, "zf", 1, register_kind_FLAGS);
    uint32_t cf = fixture_register(&fixture, isa_X86_64, "cf", 1, register_kind_FLAGS);
    model_register(&fixture.model, al)->full = model_register(&fixture.model, eax)->full = rax;
    model_register(&fixture.model, zf)->full = model_register(&fixture.model, cf)->full = rflags;
    model_register(&fixture.model, zf)->bit_offset = 6;
    fixture_block(&fixture, block_end_RETURN);
    /* 1: al = …, keeps the rest; 2: eax = …, zf = …; 3: reads cf; 4: returns */
    uint32_t first = fixture_encoding(&fixture, isa_X86_64, "setc", class_OTHER, flow_NEXT);
    fixture_use(&fixture, al, access_WRITE, false);
    model_register_use(&fixture.model, (uint32_t)fixture.model.register_uses.count - 1)->keeps_rest = 1;
    uint32_t second = fixture_encoding(&fixture, isa_X86_64, "inc", class_OTHER, flow_NEXT);
    fixture_use(&fixture, eax, access_WRITE, false);
    fixture_use(&fixture, zf, access_WRITE, false);
    model_register_use(&fixture.model, (uint32_t)fixture.model.register_uses.count - 1)->keeps_rest = 1;
    uint32_t third = fixture_encoding(&fixture, isa_X86_64, "adc", class_OTHER, flow_NEXT);
    fixture_use(&fixture, cf, access_READ, false);
    fixture_instruction(&fixture, first);
    fixture_instruction(&fixture, second);
    fixture_instruction(&fixture, third);
    fixture_instruction(&fixture, fixture_encoding(&fixture, isa_X86_64, "ret", class_OTHER, flow_RETURN));
    struct probe_freedom freedom;
    probe_free_begin(&freedom, &fixture.model);
    assert_true(probe_free_at(&freedom, 1, PROBE_BEFORE).general & 1);
    assert_true(probe_free_at(&freedom, 2, PROBE_BEFORE).general & 1);
    assert_false(probe_free_at(&freedom, 2, PROBE_AFTER).general & 1);
    assert_false(probe_free_at(&freedom, 1, PROBE_BEFORE).has_flags); /* cf */
    assert_false(probe_free_at(&freedom, 3, PROBE_BEFORE).has_flags);
    assert_true(probe_free_at(&freedom, 3, PROBE_AFTER).has_flags);
    probe_free_end(&freedom);
    model_free(&fixture.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_functions_agree_with_a_search),
                                       cmocka_unit_test(what_lies_between_functions),
                                       cmocka_unit_test(red_zone_is_free_where_nothing_can_be_below),
                                       cmocka_unit_test(parts_of_registers_and_single_flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
