/* The parts of the front end on blocks whose cycles can be counted by hand, or that Abel and Reineke publish
   figures for.  Machines and costs are made here, so that no file has a say. */
#include "code/cost/core/core.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_ITEMS = 64 };

/* A machine, and a block on it that is built item by item. */
struct bench {
    struct machine machine;
    struct machine_form fusible; /* fuses with jne */
    struct machine_cost costs[MOST_ITEMS];
    struct cost_item items[MOST_ITEMS];
    struct cost_block block;
    struct cost_scratch scratch;
    uint8_t marks[MOST_ITEMS];
};

static const struct form_ports arithmetic = {.ports = 0x63, .times = 1},
                               branch_port = {.ports = 0x40, .times = 1},
                               load_and_arithmetic[2] = {{.ports = 0xc, .times = 1},
                                                         {.ports = 0x63, .times = 1}};

static const char *const jne = "jne";

static void skylake(struct bench *bench)
{
    *bench = (struct bench){0};
    bench->machine.core = (struct machine_core){.predecode_bytes = 16,
                                                .predecode_width = 5,
                                                .length_change = 3,
                                                .instruction_queue = 25,
                                                .decoders = 4,
                                                .complex_uops = 4,
                                                .decode_uops = 5,
                                                .fuses_on_last_decoder = true,
                                                .microcode_switch = 2,
                                                .microcode_switch_cached = 2,
                                                .cache_width = 6,
                                                .cache_block = 32,
                                                .cache_lines = 3,
                                                .cache_line_uops = 6,
                                                .cache_in_pairs = true,
                                                .cache_without_borders = true,
                                                .decode_queue = 64,
                                                .issue = 4,
                                                .retire = 4,
                                                .eliminates_general = 4,
                                                .eliminates_vector = 4,
                                                .has_stack_engine = true};
    bench->machine.branches = 2;
    bench->machine.taken = 1;
    bench->machine.form_words = ARRAY_OF(const char *);
    *(const char **)array_add(&bench->machine.form_words) = jne;
    bench->fusible = (struct machine_form){.fuses = {.first = 0, .count = 1}};
    bench->block = (struct cost_block){.machine = &bench->machine, .items = bench->items};
}

static void haswell(struct bench *bench)
{
    skylake(bench);
    struct machine_core *core = &bench->machine.core;
    core->instruction_queue = 20;
    core->decode_uops = 4;
    core->fuses_on_last_decoder = core->cache_in_pairs = core->cache_without_borders = false;
    core->microcode_switch_cached = 4;
    core->cache_width = 4;
    core->loop_buffer = 56;
    for (unsigned i = 1; i <= 4; i++)
        core->loop_copies[i] = 8;
    core->loop_copies[5] = 6;
}

static void done(struct bench *bench)
{
    array_free(&bench->machine.form_words);
    arena_free(&bench->scratch.arena);
}

/* One more instruction of this many bytes; its cost can be changed afterwards. */
static struct machine_cost *add(struct bench *bench, unsigned size)
{
    struct cost_block *block = &bench->block;
    assert_true(block->count < MOST_ITEMS);
    struct machine_cost *cost = &bench->costs[block->count];
    *cost = (struct machine_cost){.name = "add",
                                  .size = (uint8_t)size,
                                  .fused = 1,
                                  .decoded = 1,
                                  .ports = &arithmetic,
                                  .port_count = 1,
                                  .throughput = NAN};
    bench->items[block->count] = (struct cost_item){.cost = cost, .id = block->count, .address = block->size};
    block->count++;
    block->size += size;
    return cost;
}

static struct machine_cost *add_branch(struct bench *bench, unsigned size)
{
    struct machine_cost *cost = add(bench, size);
    cost->name = jne;
    cost->is_branch = cost->is_conditional = true;
    cost->ports = &branch_port;
    return cost;
}

static struct machine_cost *add_fusible(struct bench *bench, unsigned size)
{
    struct machine_cost *cost = add(bench, size);
    cost->form = &bench->fusible;
    return cost;
}

static void move_to(struct bench *bench, uint64_t address)
{
    for (unsigned i = 0; i < bench->block.count; i++, address += bench->costs[i - 1].size)
        bench->items[i].address = address;
}

static double ask(struct bench *bench, enum cost_mode mode,
                  void (*part)(const struct cost_block *, struct cost_scratch *, struct cost_bound *))
{
    struct cost_bound bound = {.cycles = -1, .marks = bench->marks};
    memset(bench->marks, 0, sizeof bench->marks);
    bench->block.mode = mode;
    cost_prepare(&bench->block);
    part(&bench->block, &bench->scratch, &bound);
    return bound.cycles;
}

static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%.6f instead of %.6f", value, expected);
}

/* add ax,0x1234; dec r15: 7 bytes, so 16 iterations meet 7 windows; 48 cycles of stalls. */
static void length_changing_prefixes(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    struct machine_cost *cost = add(&bench, 4);
    cost->opcode_offset = 1;
    cost->has_length_change = true;
    add(&bench, 3)->opcode_offset = 1;
    near(ask(&bench, cost_UNROLLED, cost_predecode), 55 / 16.0);
    near(ask(&bench, cost_UNROLLED, cost_front_end), 55 / 16.0);
    assert_int_equal(bench.marks[0] + bench.marks[1], 2);
    ask(&bench, cost_UNROLLED, cost_predecode);
    assert_true(bench.marks[0] && !bench.marks[1]);
    near(ask(&bench, cost_UNROLLED, cost_decode), 0.5);
    /* As a loop both come from the µop cache. */
    add_branch(&bench, 2);
    near(ask(&bench, cost_LOOP, cost_predecode), 0);
    near(ask(&bench, cost_LOOP, cost_decode), 0);
    near(ask(&bench, cost_LOOP, cost_front_end), 0);
    near(ask(&bench, cost_LOOP, cost_uop_cache), 1);
    done(&bench);
}

/* Stalls of a window overlap with the cycles beyond the first of the one before. */
static void stalls_overlap(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    /* Window 0: 16 instructions of a byte, 4 cycles.  Window 1: one with a prefix, and the rest of 11. */
    for (unsigned i = 0; i < 16; i++)
        add(&bench, 1);
    struct machine_cost *cost = add(&bench, 5);
    cost->has_length_change = true;
    cost->opcode_offset = 1;
    add(&bench, 11);
    near(ask(&bench, cost_UNROLLED, cost_predecode), 4 + 1 + (3 - 3));
    near(ask(&bench, cost_LOOP, cost_predecode), 0); /* cached: 18 µops of two stretches */
    done(&bench);
}

static void windows_of_sixteen_bytes(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 8);
    near(ask(&bench, cost_UNROLLED, cost_predecode), 0.5);
    /* Lying across the border costs nothing where few instructions are in the window. */
    move_to(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_predecode), 0.5);
    done(&bench);
    skylake(&bench);
    add(&bench, 2); /* eight in a window: two cycles */
    near(ask(&bench, cost_UNROLLED, cost_predecode), 2 / 8.0);
    done(&bench);
    skylake(&bench);
    for (unsigned i = 0; i < 6; i++)
        add(&bench, i < 5 ? 3 : 1); /* six in a window */
    near(ask(&bench, cost_UNROLLED, cost_predecode), 2);
    done(&bench);
}

/* Five are found, and the sixth reaches into the next window: another cycle if its opcode is in this one. */
static void opcode_before_the_border(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 5; i++)
        add(&bench, 3);
    struct machine_cost *crossing = add(&bench, 4);
    add(&bench, 13);
    near(ask(&bench, cost_UNROLLED, cost_predecode), 3);
    crossing->opcode_offset = 1;
    near(ask(&bench, cost_UNROLLED, cost_predecode), 2);
    done(&bench);
}

static void no_predecoder_no_bound(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    bench.machine.core.predecode_bytes = 0;
    add(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_predecode), 0);
    near(ask(&bench, cost_UNROLLED, cost_front_end), 0);
    bench.machine.core.decoders = 0;
    near(ask(&bench, cost_UNROLLED, cost_decode), 0);
    done(&bench);
}

static void decoders_take_groups(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 6; i++)
        add(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_decode), 1.5);
    /* One of them needs the complex decoder: it starts a group each time, the other five fill a second. */
    bench.costs[2].needs_complex_decoder = true;
    bench.costs[2].simple_decoders = 3;
    near(ask(&bench, cost_UNROLLED, cost_decode), 2);
    assert_true(bench.marks[2]);
    /* No simple decoder beside it: it has a cycle alone, and the others two. */
    bench.costs[2].simple_decoders = 0;
    near(ask(&bench, cost_UNROLLED, cost_decode), 3);
    /* Two of two µops each, beside one another. */
    bench.costs[2].simple_decoders = 3;
    bench.costs[3].decoded = 2;
    near(ask(&bench, cost_UNROLLED, cost_decode), 3);
    done(&bench);
}

static void decoders_yield_so_many(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 4)->decoded = 4;
    for (unsigned i = 0; i < 3; i++)
        add(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_decode), 2); /* 4 + 1, then 2 */
    bench.machine.core.decode_uops = 7;
    near(ask(&bench, cost_UNROLLED, cost_decode), 1);
    /* All alike, two µops each. */
    bench.machine.core.complex_uops = 2;
    bench.machine.core.decode_uops = 8;
    for (unsigned i = 0; i < 4; i++)
        bench.costs[i].decoded = 2;
    near(ask(&bench, cost_UNROLLED, cost_decode), 1);
    done(&bench);
}

static void last_decoder_and_fusion(void **state)
{
    (void)state;
    struct bench bench;
    haswell(&bench);
    for (unsigned i = 0; i < 4; i++)
        add_fusible(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_decode), 4 / 3.0);
    bench.machine.core.fuses_on_last_decoder = true;
    near(ask(&bench, cost_UNROLLED, cost_decode), 1);
    done(&bench);
}

/* 48 instructions that are decoded one by one, then 12 with length-changing prefixes: the queue holds 25, so
   the predecoder waits through the first 23, and the decoders through the 39 cycles of the others less 25. */
static void parts_together(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 48; i++) {
        struct machine_cost *cost = add(&bench, 1);
        cost->needs_complex_decoder = true;
        cost->simple_decoders = 0;
    }
    for (unsigned i = 0; i < 12; i++) {
        struct machine_cost *cost = add(&bench, 4);
        cost->has_length_change = true;
        cost->opcode_offset = 1;
    }
    double predecode = ask(&bench, cost_UNROLLED, cost_predecode);
    double decode = ask(&bench, cost_UNROLLED, cost_decode);
    near(predecode, 3 * 4 + 3 * 13 - 3);
    near(decode, 48 + 3);
    double together = ask(&bench, cost_UNROLLED, cost_front_end);
    assert_true(together > 60 && together < 70);
    /* A queue that holds all of it makes the slower one the answer. */
    bench.machine.core.instruction_queue = 200;
    assert_true(ask(&bench, cost_UNROLLED, cost_front_end) < 53);
    done(&bench);
}

/* mov eax,[rdi+4]; test eax,eax: 5 bytes take 0.625 cycles on Haswell, by the predecoder (BHive: 0.60 to
 * 0.63). */
static void short_pair(void **state)
{
    (void)state;
    struct bench bench;
    haswell(&bench);
    add(&bench, 3);
    add_fusible(&bench, 2);
    near(ask(&bench, cost_UNROLLED, cost_decode), 0.5);
    near(ask(&bench, cost_UNROLLED, cost_front_end), 0.625);
    done(&bench);
}

/* Whatever the lengths and kinds: together never faster than apart, never slower than one after the other. */
static void together_is_between(void **state)
{
    (void)state;
    unsigned random = 12345;
    for (unsigned round = 0; round < 3000; round++) {
        struct bench bench;
        if (round % 2)
            skylake(&bench);
        else
            haswell(&bench);
        random = random * 1103515245 + 12345;
        unsigned count = 1 + (random >> 16) % 20;
        for (unsigned i = 0; i < count; i++) {
            random = random * 1103515245 + 12345;
            unsigned bits = random >> 8;
            struct machine_cost *cost =
                bits & 0x30 ? add(&bench, 1 + bits % 15) : add_fusible(&bench, 1 + bits % 8);
            cost->opcode_offset = cost->size > 3 ? (bits >> 6) % 3 : 0;
            cost->has_length_change = cost->size > 3 && (bits >> 8) % 16 == 0;
            cost->needs_complex_decoder = (bits >> 12) % 8 == 0;
            cost->simple_decoders = (bits >> 15) % 4;
            cost->microcoded = (bits >> 17) % 16 == 0 ? 7 : 0;
        }
        move_to(&bench, random % 64);
        double predecode = ask(&bench, cost_UNROLLED, cost_predecode);
        double decode = ask(&bench, cost_UNROLLED, cost_decode);
        double together = ask(&bench, cost_UNROLLED, cost_front_end);
        if (together < fmax(predecode, decode) * 0.98 || together > predecode + decode + 1e-9)
            fail_msg("round %u: %f of %f and %f", round, together, predecode, decode);
        done(&bench);
    }
}

/* 7 µops of microcode: two cycles and the switches. */
static void microcode(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 4);
    struct machine_cost *cost = add(&bench, 4);
    cost->decoded = 4;
    cost->microcoded = 7;
    cost->fused = 11;
    near(ask(&bench, cost_UNROLLED, cost_microcode), 2 + 2);
    assert_true(!bench.marks[0] && bench.marks[1]);
    near(ask(&bench, cost_UNROLLED, cost_decode), 2 + 4); /* each has its own group */
    cost->throughput = 21;
    near(ask(&bench, cost_UNROLLED, cost_microcode), 21);
    done(&bench);
}

static void fusion(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 4);
    struct machine_cost *compare = add_fusible(&bench, 4);
    compare->ports = load_and_arithmetic;
    compare->port_count = 2;
    add_branch(&bench, 2);
    bench.block.mode = cost_LOOP;
    cost_prepare(&bench.block);
    assert_true(!bench.items[0].is_fused && bench.items[1].is_fused && bench.items[2].is_absorbed);
    assert_int_equal(bench.block.issued, 2);
    /* The load stays with the comparison, the branch runs for both. */
    assert_int_equal(bench.items[1].port_count, 1);
    assert_int_equal(bench.items[1].ports[0].ports, 0xc);
    assert_int_equal(bench.items[2].port_count, 1);
    assert_int_equal(bench.items[2].ports[0].ports, 0x40);
    /* Not with a branch of another name, nor with one that does not follow it in memory. */
    bench.costs[2].name = "jp";
    cost_prepare(&bench.block);
    assert_false(bench.items[1].is_fused);
    assert_int_equal(bench.block.issued, 3);
    bench.costs[2].name = jne;
    bench.items[2].address += 64;
    cost_prepare(&bench.block);
    assert_false(bench.items[1].is_fused);
    done(&bench);
}

static void moves(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 3)->is_eliminated = true;
    struct machine_cost *vector = add(&bench, 4);
    vector->is_eliminated = vector->is_vector_move = true;
    bench.machine.core.eliminates_general = 0;
    cost_prepare(&bench.block);
    assert_true(!bench.items[0].is_eliminated && bench.items[0].port_count == 1);
    assert_true(bench.items[1].is_eliminated && bench.items[1].port_count == 0);
    assert_int_equal(bench.block.issued, 2);
    done(&bench);
}

static const struct form_ports three_ports = {.ports = 0x23, .times = 1};

/* A move from one resource to another. */
static void add_move(struct bench *bench, uint16_t from, uint16_t to)
{
    static struct cost_flow flows[MOST_ITEMS];
    static uint16_t writes[MOST_ITEMS];
    unsigned i = bench->block.count;
    struct machine_cost *cost = add(bench, 3);
    flows[i] = (struct cost_flow){.from = from, .to = to, .latency = 1};
    writes[i] = to;
    cost->flows = &flows[i];
    cost->writes = &writes[i];
    cost->flow_count = cost->write_count = 1;
    cost->ports = &three_ports;
    cost->is_eliminated = true;
}

static double executed(struct bench *bench, double delivered)
{
    double sum = 0;
    arena_empty(&bench->scratch.arena);
    cost_prepare(&bench->block);
    cost_eliminate(&bench->block, &bench->scratch, delivered);
    for (unsigned i = 0; i < bench->block.count; i++)
        for (unsigned k = 0; k < bench->items[i].port_count; k++)
            sum += (double)bench->items[i].ports[k].times;
    return sum;
}

/* Three moves from registers that nobody overwrites hold three of four slots for ever: little is left for
   more. mov rcx,r12; mov edx,10; mov rsi,r13; mov rdi,rbp takes 1.06 cycles on Ivy Bridge, whose three ports
   could do it in one if a single move an iteration is eliminated (BHive). */
static void slots_of_moves(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    bench.machine.core.elimination_delay = 3;
    for (uint16_t i = 0; i < 3; i++)
        add_move(&bench, 20 + i, 30 + i);
    add(&bench, 5)->ports = &three_ports;
    double some = executed(&bench, 0);
    assert_true(some > 2.5 && some < 3.5);
    /* Time between them, and there are slots for all. */
    near(executed(&bench, 40), 1);
    bench.machine.core.eliminates_general = ANY_NUMBER;
    near(executed(&bench, 0), 1);
    bench.machine.core.eliminates_general = 0;
    near(executed(&bench, 0), 4);
    /* With a fourth port it does not matter, and is not asked. */
    bench.machine.core.eliminates_general = 4;
    for (unsigned i = 0; i < 4; i++)
        bench.costs[i].ports = &arithmetic;
    near(executed(&bench, 0), 1);
    done(&bench);
    /* One move in two cycles. */
    skylake(&bench);
    add_move(&bench, 20, 30);
    for (unsigned i = 0; i < 7; i++)
        add(&bench, 3);
    near(executed(&bench, 0), 7);
    done(&bench);
}

static void stack_pointer(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 4)->reads_stack_pointer = true; /* pays for the push of the iteration before */
    add(&bench, 4)->reads_stack_pointer = true; /* nothing is owed any more */
    add(&bench, 1)->uses_stack_engine = true;
    cost_prepare(&bench.block);
    assert_int_equal(bench.items[0].synchronises, 1);
    assert_int_equal(bench.items[1].synchronises, 0);
    assert_int_equal(bench.block.issued, 4);
    bench.machine.core.has_stack_engine = false;
    cost_prepare(&bench.block);
    assert_int_equal(bench.block.issued, 3);
    done(&bench);
}

/* movzx edx,[m]; and dh,127; cmp edx,32 takes two cycles: what puts dh and edx together has one alone. */
static void high_bytes(void **state)
{
    (void)state;
    enum { EDX = 10, DH = 11 };
    static const uint16_t both[] = {EDX, DH}, high[] = {DH};
    struct bench bench;
    skylake(&bench);
    struct machine_cost *load = add(&bench, 4), *and = add(&bench, 3), *compare = add(&bench, 3);
    load->writes = both;
    load->write_count = 2;
    and->writes = high;
    and->write_count = 1;
    and->splits = DH;
    compare->merges[0] = DH;
    near(ask(&bench, cost_UNROLLED, cost_issue), 2);
    assert_int_equal(bench.items[2].merges, 1);
    assert_int_equal(bench.block.issued, 4);
    /* Whoever writes the whole register before it is read ends the matter. */
    compare->merges[0] = RESOURCE_NONE;
    load->merges[0] = RESOURCE_NONE;
    near(ask(&bench, cost_UNROLLED, cost_issue), 0.75);
    done(&bench);
}

static void issue_and_retirement(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 5; i++)
        add(&bench, 4);
    near(ask(&bench, cost_UNROLLED, cost_issue), 5 / 4.0);
    bench.machine.core.retire = 8;
    near(ask(&bench, cost_UNROLLED, cost_retire), 5 / 8.0);
    done(&bench);
    /* Three single slots and a pair that must go together: the fourth slot stays empty. */
    skylake(&bench);
    for (unsigned i = 0; i < 4; i++)
        add(&bench, 4);
    bench.costs[3].fused = 2;
    near(ask(&bench, cost_UNROLLED, cost_issue), 4 / 3.0);
    for (unsigned i = 0; i < 4; i++)
        bench.costs[i].fused = 2;
    near(ask(&bench, cost_UNROLLED, cost_issue), 2);
    done(&bench);
}

static void branches(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    add(&bench, 4);
    add_branch(&bench, 2);
    add_branch(&bench, 2);
    add_branch(&bench, 2);
    near(ask(&bench, cost_UNROLLED, cost_branches), 1.5);
    near(ask(&bench, cost_LOOP, cost_branches), 1.5);
    bench.items[2].address += 32; /* now two are taken: to there, and back */
    bench.items[3].address += 32;
    near(ask(&bench, cost_LOOP, cost_branches), 2);
    assert_true(!bench.marks[0] && bench.marks[1]);
    done(&bench);
}

static void cache_lines(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    bench.block.mode = cost_LOOP;
    for (unsigned i = 0; i < 18; i++)
        add(&bench, 1);
    cost_prepare(&bench.block);
    assert_true(cost_is_cached(&bench.block));
    near(ask(&bench, cost_LOOP, cost_uop_cache), 3);
    add(&bench, 1); /* 19 µops in 32 bytes */
    cost_prepare(&bench.block);
    assert_false(cost_is_cached(&bench.block));
    assert_true(ask(&bench, cost_LOOP, cost_decode) >= 19 / 4.0);
    move_to(&bench, 16); /* in two stretches they fit */
    assert_true(cost_is_cached(&bench.block));
    done(&bench);
}

/* µops of an instruction stay in one line: 4 + 4 + 4 + 4 need four lines. */
static void cache_lines_hold_whole_instructions(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    bench.block.mode = cost_LOOP;
    for (unsigned i = 0; i < 3; i++)
        add(&bench, 4)->decoded = 4;
    cost_prepare(&bench.block);
    assert_true(cost_is_cached(&bench.block));
    add(&bench, 4)->decoded = 4;
    cost_prepare(&bench.block);
    assert_false(cost_is_cached(&bench.block));
    done(&bench);
}

static void branch_on_the_border(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    bench.block.mode = cost_LOOP;
    add(&bench, 4);
    add_fusible(&bench, 4);
    add_branch(&bench, 2);
    cost_prepare(&bench.block);
    assert_true(cost_is_cached(&bench.block));
    move_to(&bench, 22); /* ends on the border */
    assert_false(cost_is_cached(&bench.block));
    move_to(&bench, 25); /* the pair crosses it */
    assert_false(cost_is_cached(&bench.block));
    move_to(&bench, 28); /* the pair lies behind it */
    assert_true(cost_is_cached(&bench.block));
    bench.machine.core.cache_without_borders = false;
    move_to(&bench, 22);
    assert_true(cost_is_cached(&bench.block));
    done(&bench);
}

/* The second half of 64 bytes does not fit: with pairs nothing is kept, without them the first half is. */
static void halves_of_a_line(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 4; i++)
        add(&bench, 8);
    for (unsigned i = 0; i < 20; i++)
        add(&bench, 1);
    double all = ask(&bench, cost_LOOP, cost_decode);
    near(all, 6);
    near(ask(&bench, cost_LOOP, cost_uop_cache), 0);
    bench.machine.core.cache_in_pairs = false;
    near(ask(&bench, cost_LOOP, cost_decode), 5);
    near(ask(&bench, cost_LOOP, cost_uop_cache), 1);
    assert_true(ask(&bench, cost_LOOP, cost_front_end) >= 6);
    done(&bench);
}

/* A loop in one stretch takes whole cycles.  One in two does not, but a cycle reads two lines only: of 4 and
   3 µops come 4 + 2, 1 + 4, 3 + 3, 1 + 3. */
static void whole_cycles_within_a_stretch(void **state)
{
    (void)state;
    struct bench bench;
    skylake(&bench);
    for (unsigned i = 0; i < 7; i++)
        add(&bench, 4);
    near(ask(&bench, cost_LOOP, cost_uop_cache), 2);
    move_to(&bench, 16);
    near(ask(&bench, cost_LOOP, cost_uop_cache), 4 / 3.0);
    done(&bench);
}

static void loop_buffer(void **state)
{
    (void)state;
    struct bench bench;
    haswell(&bench);
    for (unsigned i = 0; i < 4; i++)
        add(&bench, 4);
    add_branch(&bench, 2);
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 8 / 6.0); /* 30 µops of six copies: 8 cycles */
    near(ask(&bench, cost_LOOP, cost_uop_cache), 0);
    near(ask(&bench, cost_UNROLLED, cost_loop_buffer), 0);
    bench.machine.core.loop_copies[5] = 0;
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 2);
    bench.costs[0].leaves_loop_buffer = true;
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 0);
    assert_true(ask(&bench, cost_LOOP, cost_uop_cache) > 0);
    bench.costs[0].leaves_loop_buffer = false;
    bench.costs[0].uses_stack_engine = true;
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 0);
    bench.costs[0].uses_stack_engine = false;
    bench.machine.core.loop_buffer = 4;
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 0);
    /* A core with a loop buffer and no µop cache: nothing is decoded while it replays. */
    bench.machine.core.loop_buffer = 28;
    bench.machine.core.cache_width = 0;
    near(ask(&bench, cost_LOOP, cost_loop_buffer), 2);
    near(ask(&bench, cost_LOOP, cost_decode), 0);
    done(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_changing_prefixes),
        cmocka_unit_test(stalls_overlap),
        cmocka_unit_test(windows_of_sixteen_bytes),
        cmocka_unit_test(opcode_before_the_border),
        cmocka_unit_test(no_predecoder_no_bound),
        cmocka_unit_test(decoders_take_groups),
        cmocka_unit_test(decoders_yield_so_many),
        cmocka_unit_test(last_decoder_and_fusion),
        cmocka_unit_test(parts_together),
        cmocka_unit_test(short_pair),
        cmocka_unit_test(together_is_between),
        cmocka_unit_test(microcode),
        cmocka_unit_test(fusion),
        cmocka_unit_test(moves),
        cmocka_unit_test(slots_of_moves),
        cmocka_unit_test(stack_pointer),
        cmocka_unit_test(high_bytes),
        cmocka_unit_test(issue_and_retirement),
        cmocka_unit_test(branches),
        cmocka_unit_test(cache_lines),
        cmocka_unit_test(cache_lines_hold_whole_instructions),
        cmocka_unit_test(branch_on_the_border),
        cmocka_unit_test(halves_of_a_line),
        cmocka_unit_test(whole_cycles_within_a_stretch),
        cmocka_unit_test(loop_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
