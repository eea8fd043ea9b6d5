/* The time of a function on its lines (src/run/sample/heat.c), what is shown of it, and arrows for jumps
   (src/show/report/heat/): every figure here is added up by hand. */
#include "show/report/heat/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_LINE = 1, IN_NORM, IN_DOT, IN_DOT_AGAIN, NO_LINE };
enum { NORM = 1, DOT, DOT_AGAIN };
enum { COUNT = 10 };

static uint32_t add_call(struct model *model, uint32_t parent, const char *name, const char *file,
                         uint32_t line, uint32_t call_line)
{
    string_id text = model_string(model, name);
    uint32_t own = model_file_id(model, file), caller = model_file_id(model, parent ? "vector.h" : "solve.c");
    *(struct inlined_call *)model_add(&model->inlined_calls) = (struct inlined_call){.program = 1,
                                                                                     .function = 1,
                                                                                     .parent = parent,
                                                                                     .name = text,
                                                                                     .file = own,
                                                                                     .line = line,
                                                                                     .call_file = caller,
                                                                                     .call_line = call_line};
    return model_last(&model->inlined_calls);
}

static void add_position(struct model *model, const char *file, uint32_t line, uint32_t call, double self,
                         double total)
{
    *(struct run_position *)model_add(&model->run_positions) =
        (struct run_position){.run = 1,
                              .function = 1,
                              .source = file ? model_file_id(model, file) : 0,
                              .line = line,
                              .inlined_call = call,
                              .samples = (uint64_t)lround(self * 100),
                              .self_seconds = self,
                              .total_seconds = total};
}

static void add_source(struct model *model, const char *file, uint32_t line, uint32_t call)
{
    uint32_t id = file ? model_file_id(model, file) : 0;
    *(struct source_line *)model_add(&model->source_lines) =
        (struct source_line){.program = 1, .file = id, .line = line, .inlined_call = call};
}

/* solve (solve.c:10) calls norm in line 12, which calls dot (vector.h) twice from one line; ten instructions of four bytes,
   of which the last but one jumps to the third, and the second to the last. */
static void make(struct model *model)
{
    model_init(model);
    string_id name = model_string(model, "solve");
    *(struct program *)model_add(&model->programs) = (struct program){.isa = isa_X86_64, .bits = 64};
    *(struct function *)model_add(&model->functions) =
        (struct function){.program = 1,
                          .name = name,
                          .file = model_file_id(model, "solve.c"),
                          .line = 10,
                          .address = 0x1000,
                          .first_block = 1,
                          .block_count = 1};
    *(struct sampled_run *)model_add(&model->runs) = (struct sampled_run){.sampled_seconds = 10};
    add_call(model, 0, "norm", "vector.h", 1, 12);
    add_call(model, NORM, "dot", "vector.h", 20, 3);
    add_call(model, NORM, "dot", "vector.h", 20, 3);
    add_source(model, "solve.c", 12, 0);
    add_source(model, "vector.h", 3, NORM);
    add_source(model, "vector.h", 21, DOT);
    add_source(model, "vector.h", 21, DOT_AGAIN);
    add_source(model, NULL, 0, 0);
    *(struct encoding *)model_add(&model->encodings) = (struct encoding){.size = 4};
    *(struct encoding *)model_add(&model->encodings) = (struct encoding){.size = 4, .flow = flow_BRANCH};
    static const uint32_t lines[COUNT] = {OWN_LINE,     OWN_LINE, IN_NORM,  IN_DOT,   IN_DOT,
                                          IN_DOT_AGAIN, IN_NORM,  OWN_LINE, OWN_LINE, NO_LINE};
    *(struct block *)model_add(&model->blocks) = (struct block){
        .function = 1, .address = 0x1000, .size = 40, .first_instruction = 1, .instruction_count = COUNT};
    for (uint32_t i = 0; i < COUNT; i++)
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = 1,
                                 .offset = 4 * i,
                                 .encoding = i == 8 || i == 1 ? 2 : 1,
                                 .source_line = lines[i],
                                 .target = i == 8   ? 0x1008
                                           : i == 1 ? 0x1024
                                                    : NO_ADDRESS};
    add_position(model, NULL, 0, 0, 0.5, 0.5);
    add_position(model, "solve.c", 12, 0, 1, 3);
    add_position(model, "vector.h", 3, NORM, 0.5, 0.5);
    add_position(model, "vector.h", 21, DOT, 2, 2);
    add_position(model, "vector.h", 21, DOT_AGAIN, 4, 4);
    *(struct sample_row *)model_add(&model->samples) =
        (struct sample_row){.function = 1, .instruction = 4, .count = 200, .seconds = 2};
    *(struct sample_row *)model_add(&model->samples) =
        (struct sample_row){.function = 1, .instruction = 4, .count = 100, .seconds = 1};
    *(struct sample_row *)model_add(&model->samples) =
        (struct sample_row){.function = 1, .instruction = 99, .count = 100, .seconds = 1};
}

static const struct heat_node *node_at(const struct heat *heat, uint32_t place)
{
    return ARRAY_AT(struct heat_node, &heat->nodes, place);
}

static void check_node(const struct heat *heat, uint32_t place, enum heat_kind kind, uint32_t depth,
                       uint32_t line, uint32_t end, uint32_t instructions, double self, double total)
{
    const struct heat_node *node = node_at(heat, place);
    assert_int_equal(node->kind, kind);
    assert_int_equal(node->depth, depth);
    assert_int_equal(node->line, line);
    assert_int_equal(node->end, end);
    assert_int_equal(node->instruction_count, instructions);
    assert_true(fabs(node->self - self) < 1e-9 && fabs(node->total - total) < 1e-9);
}

static void inlined_code_is_folded(void **state)
{
    (void)state;
    struct model model;
    struct heat heat;
    make(&model);
    heat_find(&heat, &model, 1, 1);
    assert_int_equal(heat.nodes.count, 7);
    check_node(&heat, 0, HEAT_FUNCTION, 0, 10, 7, 10, 8, 10);
    check_node(&heat, 1, HEAT_LINE, 1, 12, 6, 9, 7.5, 9.5);
    check_node(&heat, 2, HEAT_CALL, 2, 1, 6, 5, 6.5, 6.5);
    check_node(&heat, 3, HEAT_LINE, 3, 3, 6, 5, 6.5, 6.5);
    check_node(&heat, 4, HEAT_CALL, 4, 20, 6, 3, 6, 6); /* both calls */
    check_node(&heat, 5, HEAT_LINE, 5, 21, 6, 3, 6, 6);
    check_node(&heat, 6, HEAT_LINE, 1, 0, 7, 1, 0.5, 0.5);
    assert_true(node_at(&heat, 3)->own == 0.5 && node_at(&heat, 1)->own == 1);
    assert_true(heat.hottest_line == 7.5 && heat.hottest_instruction == 3);
    const struct heat_instruction *it = ARRAY_AT(struct heat_instruction, &heat.instructions, 3);
    assert_int_equal(it->samples, 300);
    assert_int_equal(it->node, 5);
    assert_int_equal(heat_line_of(&heat, it->node), 1);
    assert_true(heat_is_calling(&heat, 1));
    assert_false(heat_is_calling(&heat, 3));
    heat_free(&heat);
    model_free(&model);
}

/* As a damaged database has it. */
static void calls_without_end_end(void **state)
{
    (void)state;
    struct model model;
    struct heat heat;
    make(&model);
    model_inlined_call(&model, NORM)->parent = DOT;
    heat_find(&heat, &model, 1, 1);
    assert_true(fabs(node_at(&heat, 0)->self - 8) < 1e-9);
    assert_int_equal(node_at(&heat, 0)->end, heat.nodes.count);
    heat_free(&heat);
    model_free(&model);
}

static void jumps_have_arrows(void **state)
{
    (void)state;
    struct model model;
    struct heat heat;
    struct heat_jumps jumps;
    make(&model);
    heat_find(&heat, &model, 1, 1);
    struct array rows = heat_choose_instructions(&heat, COUNT);
    assert_int_equal(rows.count, COUNT);
    heat_jumps_find(&jumps, &heat, &rows);
    assert_int_equal(jumps.lanes, 2);
    assert_int_equal(jumps.left_out, 0);
    /* The shorter one is nearer: rows 2 to 8; the longer one goes around it, from 1 to 9. */
    const uint8_t *cells = jumps.cells + HEAT_LANES - 2;
    assert_int_equal(cells[0 * HEAT_LANES], 0);
    assert_int_equal(cells[1 * HEAT_LANES], HEAT_DOWN | HEAT_RIGHT);
    assert_int_equal(cells[1 * HEAT_LANES + 1], HEAT_LEFT | HEAT_RIGHT);
    assert_int_equal(cells[2 * HEAT_LANES], HEAT_UP | HEAT_DOWN);
    assert_int_equal(cells[2 * HEAT_LANES + 1], HEAT_DOWN | HEAT_RIGHT);
    assert_int_equal(cells[5 * HEAT_LANES + 1], HEAT_UP | HEAT_DOWN);
    assert_int_equal(cells[8 * HEAT_LANES + 1], HEAT_UP | HEAT_RIGHT);
    assert_int_equal(cells[9 * HEAT_LANES], HEAT_UP | HEAT_RIGHT);
    assert_int_equal(jumps.ends[1], HEAT_STARTS);
    assert_int_equal(jumps.ends[2], HEAT_LEADS_HERE);
    assert_int_equal(jumps.ends[8], HEAT_STARTS);
    assert_int_equal(jumps.ends[9], HEAT_LEADS_HERE);
    heat_jumps_free(&jumps);
    array_free(&rows);
    heat_free(&heat);
    model_free(&model);
}

/* Only what is near the hot instruction, and the loop around it, is left of a function that is too long. */
static void long_functions_are_cut(void **state)
{
    (void)state;
    struct model model;
    struct heat heat;
    make(&model);
    model_instruction(&model, 2)->target = NO_ADDRESS;
    model_instruction(&model, 9)->target = NO_ADDRESS;
    heat_find(&heat, &model, 1, 1);
    struct array rows = heat_choose_instructions(&heat, COUNT - 1);
    /* The hot one is the fourth: three before, three behind; the rest is a row of its own. */
    assert_int_equal(rows.count, 8);
    const struct heat_row *last = ARRAY_AT(struct heat_row, &rows, 7);
    assert_int_equal(last->place, 7);
    assert_int_equal(last->skipped, 3);
    array_free(&rows);
    heat_free(&heat);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_code_is_folded),
        cmocka_unit_test(calls_without_end_end),
        cmocka_unit_test(jumps_have_arrows),
        cmocka_unit_test(long_functions_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
