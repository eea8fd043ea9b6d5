/* Predictions of code of any shape (src/run/ways): functions as text, with samples put on their lines by hand.

   Behind the bar of a line: how many samples stand there.  A function's loops are numbered from the outermost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "able.h"
#include "code/machine/machine.h"
#include "code/read/read.h"
#include "code/structure/structure.h"
#include "run/ways/walk.h"
#include "run/ways/ways.h"

enum { MOST_LINES = 64 };
static struct model model;
static struct machine *machines[isa_COUNT];
static unsigned samples[MOST_LINES];

static unsigned cut(const char *text, FILE *out)
{
    unsigned count = 0;
    char *copy = strdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *bar = strchr(line, '|');
        if (bar)
            *bar++ = 0;
        fprintf(out, "%s\n", line);
        if (line[0] == '.')
            continue;
        assert_true(count < MOST_LINES);
        samples[count++] = bar ? (unsigned)atoi(bar) : 0;
    }
    free(copy);
    return count;
}

static uint32_t first_instruction(void)
{
    return model_block(&model, model_function(&model, 1)->first_block)->first_instruction;
}

/* A run of which all loops and the function outside them had a share. */
static void add_run(unsigned count)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++) {
        all += samples[i];
        if (samples[i])
            *(struct sample_row *)model_add(&model.samples) =
                (struct sample_row){.function = 1,
                                    .instruction = first_instruction() + i,
                                    .count = samples[i],
                                    .seconds = 1e-3 * samples[i]};
    }
    *(struct sampled_run *)model_add(&model.runs) =
        (struct sampled_run){.samples = all, .sampled_seconds = 1, .cycles_per_second = 1e9};
    for (uint32_t loop = 1; loop < model.loops.count; loop++)
        *(struct run_loop *)model_add(&model.run_loops) = (struct run_loop){.run = 1,
                                                                            .loop = loop,
                                                                            .samples = 10,
                                                                            .self_seconds = 0.25,
                                                                            .self_share = 0.25,
                                                                            .total_seconds = 0.5,
                                                                            .predicted_cycles = NAN,
                                                                            .cycles_per_iteration = NAN};
    *(struct run_function *)model_add(&model.run_functions) = (struct run_function){
        .run = 1, .function = 1, .self_seconds = 1, .total_seconds = 1, .calls = 1000000};
}

static void begin(const char *text)
{
    char path[] = "/tmp/assay-ways-XXXXXX.s";
    struct error error = {0};
    int descriptor = mkstemps(path, 2);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(".intel_syntax noprefix\n.text\n.globl f\n.type f, @function\nf:\n", file);
    unsigned count = cut(text, file);
    fputs(".size f, .-f\n", file);
    assert_int_equal(fclose(file), 0);
    model_init(&model);
    bool is_done =
        read_file(&model, path, &(struct read_options){.isa = isa_X86_64, .threads = 1}, &error) &&
        structure_build(&model, &(struct structure_options){.threads = 1, .path_limit = 64}, &error);
    unlink(path);
    if (!is_done && strstr(error.text, "not installed"))
        lacking("an assembler for x86-64");
    if (!is_done)
        fail_msg("%s", error.text);
    add_run(count);
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    return 0;
}

static int load(void **state)
{
    (void)state;
    const char *const folders[] = {MACHINES};
    struct error error = {0};
    machines[isa_X86_64] = machine_load("skylake", folders, 1, &error);
    return machines[isa_X86_64] ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    machine_free(machines[isa_X86_64]);
    return 0;
}

static const struct run_function *function_row(void)
{
    ways_predict(&model, machines);
    return model_run_function(&model, 1);
}

static const struct run_loop *loop_row(uint32_t loop)
{
    ways_predict(&model, machines);
    return model_run_loop(&model, loop - 1);
}

/* ---- */

static void a_call_takes_its_chain_or_its_operations(void **state)
{
    (void)state;
    begin("imul edi, esi | 9\nimul edi, esi\nimul edi, esi\nimul edi, esi\nmov eax, edi\nret");
    const struct run_function *row = function_row();
    assert_int_equal(row->predicted_by, run_prediction_ONLY);
    assert_int_equal(row->ways, 1);
    assert_true(row->predicted_cycles >= 4 && row->predicted_cycles < 6); /* one multiplier */
    assert_true(row->chain_cycles >= 12 && row->chain_cycles < 16);       /* four in a row */
    assert_true(fabs(row->cycles_per_call - 1000) < 1e-6);                /* 1 s of 1 GHz, a million calls */
}

static void samples_say_which_way(void **state)
{
    (void)state;
    /* Each instruction of the first block 20 samples, of the one in between 5: one time of four. */
    begin(
        "test edi, edi | 20\nje .Lskip | 20\nimul esi, esi | 5\nadd rsi, 2 | 5\n.Lskip:\nmov eax, 1 | 20\nret | 20");
    struct way_region region;
    struct ways ways;
    assert_true(way_region_make(&region, &model, 1, 0));
    double of_blocks[] = {0, 40, 10, 40, 0, 0};
    way_shares_find(&region, of_blocks);
    ways_walk(&ways, &region);
    assert_int_equal(ways.all.count, 2);
    assert_int_equal(ways.walkers, WAY_WALKERS);
    for (size_t i = 0; i < 2; i++) {
        const struct way *way = ARRAY_AT(struct way, &ways.all, i);
        assert_int_equal(way->walkers, way->count == 3 ? WAY_WALKERS / 4 : 3 * WAY_WALKERS / 4);
    }
    ways_free(&ways);
    way_region_free(&region);
    assert_int_equal(function_row()->predicted_by, run_prediction_SAMPLES);
}

static void counts_of_branches_say_it_exactly(void **state)
{
    (void)state;
    begin("push rbx | 9\ntest edi, edi\nje .Lskip\ncall g\ncall g\n.Lskip:\npop rbx | 90\nret");
    *(struct probe_branch *)model_add(&model.probe_branches) =
        (struct probe_branch){.instruction = first_instruction() + 2, .count = 800, .taken = 600};
    const struct run_function *row = function_row();
    assert_int_equal(row->predicted_by, run_prediction_COUNTS);
    assert_true(fabs(row->calls_per_call - 0.5) < 1e-9); /* two calls, one time of four */
}

static void a_loop_around_another_has_its_own_code(void **state)
{
    (void)state;
    begin(
        ".Lout:\nimul eax, edi | 10\nimul eax, edi | 10\nmov ecx, 9 | 10\n.Lin:\nadd rsi, 8 | 90\nsub ecx, 1 | 90\njne .Lin\n"
        "sub edx, 1 | 10\njne .Lout\nret");
    const struct run_loop *outer = loop_row(1);
    assert_int_equal(outer->predicted_by, run_prediction_ONLY);
    assert_int_equal(outer->silence, run_silence_NONE);
    /* The chain of two multiplications takes 6 cycles for the whole iteration; own code has half of its time. */
    assert_true(fabs(outer->predicted_cycles - 3) < 0.01);
    assert_int_equal(model_run_loop(&model, 1)->predicted_by, run_prediction_NONE); /* paths do that */
}

static void a_chain_through_the_loop_inside_counts_whole(void **state)
{
    (void)state;
    begin(
        ".Lout:\nimul eax, edi | 10\nimul eax, edi | 10\nmov ecx, 9 | 10\n.Lin:\nadd eax, esi | 90\nsub ecx, 1 | 90\njne .Lin\n"
        "sub edx, 1 | 10\njne .Lout\nret");
    assert_true(fabs(loop_row(1)->predicted_cycles - 6) < 0.01);
}

static void millions_of_ways_are_drawn(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 20; i++)
        sprintf(text + strlen(text), "test edi, %d | 4\nje .L%d | 4\nimul esi, esi | 2\n.L%d:\n", 1 << i, i,
                i);
    strcat(text, "mov eax, esi | 4\nret");
    begin(text);
    const struct run_function *row = function_row();
    assert_int_equal(row->predicted_by, run_prediction_SAMPLES);
    assert_true(row->ways > WAY_WALKERS / 2 && row->ways <= WAY_WALKERS);
    /* 42 instructions and half of 20 multiplications: four of them are issued in a cycle, and branches fuse. */
    assert_true(row->predicted_cycles > 8 && row->predicted_cycles < 32);
    double first = row->predicted_cycles;
    assert_true(function_row()->predicted_cycles == first); /* chance is the same each time */
}

static void few_samples_and_many_ways_are_no_prediction(void **state)
{
    (void)state;
    begin("test edi, edi | 1\nje .Lskip\ndiv ecx\ndiv ecx\n.Lskip:\nmov eax, 1 | 1\nret");
    const struct run_function *row = function_row();
    assert_true(isnan(row->predicted_cycles));
    assert_int_equal(row->predicted_by, run_prediction_NONE);
    assert_int_equal(row->silence, run_silence_UNKNOWN_WAYS);
}

static void code_that_never_returns_has_no_way(void **state)
{
    (void)state;
    begin("add edi, 1 | 90\nud2");
    assert_int_equal(function_row()->silence, run_silence_NO_WAY);
}

static void no_machine_no_prediction(void **state)
{
    (void)state;
    struct machine *none[isa_COUNT] = {NULL};
    begin("call g | 90\nret");
    ways_predict(&model, none);
    assert_int_equal(model_run_function(&model, 1)->silence, run_silence_COST);
    assert_true(model_run_function(&model, 1)->calls_per_call == 1);
}

static void a_probe_that_had_enough_is_continued(void **state)
{
    (void)state;
    begin(
        ".Lout:\nmov ecx, 9 | 10\n.Lin:\nadd rsi, 8 | 90\nsub ecx, 1 | 90\njne .Lin\nsub edx, 1 | 10\njne .Lout\nret");
    model_run_loop(&model, 0)->iterations = 1000000;
    struct run_loop *inner = model_run_loop(&model, 1);
    inner->seen_entries = 1000;
    inner->seen_iterations = 9000;
    ways_predict(&model, machines);
    assert_int_equal(inner->measured_by, run_measure_ESTIMATED);
    assert_true(fabs(inner->cycles_per_iteration - 0.25e9 / 9e6) < 0.01);
}

#define CASE(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(a_call_takes_its_chain_or_its_operations),
                                       CASE(samples_say_which_way),
                                       CASE(counts_of_branches_say_it_exactly),
                                       CASE(a_loop_around_another_has_its_own_code),
                                       CASE(a_chain_through_the_loop_inside_counts_whole),
                                       CASE(millions_of_ways_are_drawn),
                                       CASE(few_samples_and_many_ways_are_no_prediction),
                                       CASE(code_that_never_returns_has_no_way),
                                       CASE(no_machine_no_prediction),
                                       CASE(a_probe_that_had_enough_is_continued)};
    return cmocka_run_group_tests(tests, load, unload);
}
