/* MACS bounds on hand-made models: the integer programs against each other and against exhaustive search, the
   figure of the paper, and schedules whose cycles can be counted by hand. */
#include "code/cost/macs/macs.h"
#include "code/machine/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct machine *load(const char *name)
{
    const char *directories[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load(name, directories, 1, &error);
    if (!machine)
        fail_msg("%s", error.text);
    return machine;
}

/* A program with one loop, made instruction by instruction. */
struct sketch {
    struct model model;
    struct machine *machine;
    uint32_t registers; /* names, from r1 on */
};

static void sketch_start(struct sketch *sketch, struct machine *machine)
{
    *sketch = (struct sketch){.machine = machine};
    struct model *model = &sketch->model;
    model_init(model);
    struct program *program = model_add(&model->programs);
    program->isa = (uint8_t)sketch->machine->isa;
    struct function *function = model_add(&model->functions);
    *function = (struct function){.program = 1, .first_block = 1, .block_count = 1};
    struct block *block = model_add(&model->blocks);
    *block = (struct block){.function = 1, .position = 1, .first_instruction = 1, .loop = 1};
    struct loop *loop = model_add(&model->loops);
    *loop = (struct loop){.function = 1, .header = 1, .depth = 1, .is_innermost = 1, .block_count = 1};
    struct loop_block *row = array_add(&model->loop_blocks);
    *row = (struct loop_block){.loop = 1, .block = 1};
}

static void sketch_begin(struct sketch *sketch, const char *machine)
{
    sketch_start(sketch, load(machine));
}

/* On a machine with these facts beside the usual ones. */
static void sketch_begin_with(struct sketch *sketch, const char *facts)
{
    char text[2000];
    struct error error = {0};
    snprintf(text, sizeof text,
             "name small\ntitle Small\nfigures invented\nwidth 4\nfloating 2\nmemory 3\nloads 2\n"
             "stores 1\nbranches 2\ntaken 1\n%s",
             facts);
    struct machine *machine = machine_parse("small", text, strlen(text), &error);
    if (!machine)
        fail_msg("%s", error.text);
    sketch_start(sketch, machine);
}

static void sketch_end(struct sketch *sketch)
{
    model_free(&sketch->model);
    machine_free(sketch->machine);
}

static uint32_t sketch_register(struct sketch *sketch, const char *name)
{
    struct model *model = &sketch->model;
    string_id text = model_string(model, name);
    for (uint32_t id = 1; id < model->registers.count; id++)
        if (model_register(model, id)->name == text)
            return id;
    struct register_ *row = model_add(&model->registers);
    *row = (struct register_){.isa = (uint8_t)sketch->machine->isa, .name = text, .bits = 64};
    row->full = model_last(&model->registers);
    return row->full;
}

struct made {
    const char *name, *completers, *form;
    enum class class;
    enum operation operation;
    enum element element;
    enum slot_kind slot;
    const char *writes, *reads, *address; /* registers, at most one each */
    bool writes_address;                  /* post-increment */
    unsigned load_bytes, store_bytes;
};

static void add_use(struct model *model, uint32_t encoding, uint32_t register_id, enum access access,
                    bool is_address)
{
    struct register_use *use = array_add(&model->register_uses);
    *use = (struct register_use){
        .encoding = encoding, .register_ = register_id, .access = (uint8_t)access, .is_address = is_address};
}

static uint32_t sketch_add(struct sketch *sketch, const struct made *made)
{
    struct model *model = &sketch->model;
    struct encoding *encoding = model_add(&model->encodings);
    uint32_t id = model_last(&model->encodings);
    *encoding = (struct encoding){.isa = (uint8_t)sketch->machine->isa,
                                  .name = model_string(model, made->name),
                                  .completers = model_string(model, made->completers),
                                  .form = model_string(model, made->form),
                                  .slot = (uint8_t)made->slot,
                                  .class = (uint8_t)made->class,
                                  .operation = (uint8_t)made->operation,
                                  .flow = made->class == class_BRANCH ? flow_BRANCH : flow_NEXT,
                                  .element = (uint8_t)made->element,
                                  .load_bytes = (uint16_t)made->load_bytes,
                                  .store_bytes = (uint16_t)made->store_bytes};
    uint32_t written = made->writes ? sketch_register(sketch, made->writes) : 0;
    if (written) {
        struct operand *operand = array_add(&model->operands);
        *operand = (struct operand){.encoding = id,
                                    .position = 1,
                                    .kind = operand_kind_REGISTER,
                                    .access = access_WRITE,
                                    .register_ = written};
        bool is_read = made->reads && !strcmp(made->reads, made->writes);
        bool is_address = made->address && !strcmp(made->address, made->writes);
        add_use(model, id, written, is_read || is_address ? access_BOTH : access_WRITE, is_address);
    }
    if (made->reads && (!made->writes || strcmp(made->reads, made->writes)))
        add_use(model, id, sketch_register(sketch, made->reads), access_READ, false);
    if (made->address && (!made->writes || strcmp(made->address, made->writes)))
        add_use(model, id, sketch_register(sketch, made->address),
                made->writes_address ? access_BOTH : access_READ, true);
    struct instruction *instruction = model_add(&model->code);
    *instruction = (struct instruction){.block = 1, .encoding = id, .target = NO_ADDRESS};
    model_block(model, 1)->instruction_count++;
    model_loop(model, 1)->instruction_count++;
    model_function(model, 1)->instruction_count++;
    return model_last(&model->code);
}

static void sketch_bundle(struct sketch *sketch, const char *template, uint32_t first, unsigned count,
                          unsigned stops)
{
    struct model *model = &sketch->model;
    struct bundle *bundle = model_add(&model->bundles);
    *bundle = (struct bundle){.block = 1,
                              .template = model_string(model, template),
                              .first_instruction = first,
                              .instruction_count = (uint8_t)count,
                              .stops = (uint8_t)stops};
}

static void sketch_cycle(struct sketch *sketch, uint32_t instruction, int32_t cycle)
{
    struct listing_instruction *row = array_add(&sketch->model.listing_instructions);
    *row = (struct listing_instruction){.instruction = instruction,
                                        .cycle = cycle,
                                        .number = NO_NUMBER,
                                        .latency = NO_NUMBER,
                                        .probability = NAN};
}

static struct macs bound(struct sketch *sketch, double measured, bool single)
{
    struct macs_options options = {.proves = true, .single_bundles = single, .measured = measured};
    struct macs_work *work = cost_macs_begin(&sketch->model, sketch->machine, &options);
    struct macs macs;
    struct error error = {0};
    assert_true(cost_macs_loop(work, 1, &macs, &error));
    cost_macs_end(work);
    return macs;
}

static const struct made multiply_add = {
    .name = "fma", .class = class_FMA, .element = element_FP64, .slot = slot_kind_F};
static const struct made load_pair = {
    .name = "ldfpd", .class = class_LOAD, .element = element_FP64, .slot = slot_kind_M, .load_bytes = 16};
static const struct made store = {
    .name = "stfd", .class = class_STORE, .element = element_FP64, .slot = slot_kind_M, .store_bytes = 8};
static const struct made branch = {
    .name = "br", .completers = ".cloop", .class = class_BRANCH, .slot = slot_kind_B};
static const struct made no_op = {.name = "nop", .class = class_NOP, .slot = slot_kind_ANY};
static const struct made prefetch = {
    .name = "lfetch", .class = class_PREFETCH, .slot = slot_kind_M, .load_bytes = 64};

static void assert_close(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12g is not %.12g", a, b);
}

/* The figure of the paper: 16 fma, 16 double loads, 16 stores, one branch in 12 cycles. */
static void test_daxpy(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    for (int i = 0; i < 16; i++) {
        sketch_cycle(&sketch, sketch_add(&sketch, &load_pair), i / 2);
        sketch_cycle(&sketch, sketch_add(&sketch, &store), i / 2);
        sketch_cycle(&sketch, sketch_add(&sketch, &multiply_add), i / 2);
    }
    for (int i = 0; i < 3; i++) {
        sketch_cycle(&sketch, sketch_add(&sketch, &no_op), NO_NUMBER);
        sketch_cycle(&sketch, sketch_add(&sketch, &prefetch), 8 + i);
    }
    sketch_cycle(&sketch, sketch_add(&sketch, &branch), 11);
    uint32_t file = model_file_id(&sketch.model, "daxpy.c");
    struct loop *loop = model_loop(&sketch.model, 1);
    loop->file = file;
    loop->first_line = 5;
    loop->last_line = 6;
    struct source_loop *outer = model_add(&sketch.model.source_loops);
    *outer = (struct source_loop){.file = file, .first_line = 3, .last_line = 9, .floating = 99};
    struct source_loop *source = model_add(&sketch.model.source_loops);
    *source = (struct source_loop){.file = file,
                                   .first_line = 5,
                                   .last_line = 6,
                                   .parent = 1,
                                   .is_innermost = 1,
                                   .floating = 2,
                                   .memory = 3,
                                   .branches = 1};
    static const double wanted[bound_level_COUNT][7] = {
        {2, 3, 4, 1, 0.5, 1 / 3.0, 0.25},
        {2, 1, 3, 1, 0.5, 1, 1 / 3.0},
        {16, 1, 32, 9, 9 / 16.0, 9, 9 / 32.0},
        {16, 1, 32, 12, 0.75, 12, 0.375},
        {16, 1, 32, 13.5, 13.5 / 16, 13.5, 13.5 / 32},
    };
    for (int single = 0; single < 2; single++) {
        struct macs macs = bound(&sketch, 13.5, single);
        for (unsigned level = 0; level < bound_level_COUNT; level++) {
            const struct macs_bound *row = &macs.bounds[level];
            const double got[7] = {row->floating, row->branches, row->memory, row->cycles,
                                   row->cpf,      row->cpb,      row->cpm};
            assert_true(macs.is_known[level]);
            for (unsigned i = 0; i < 7; i++)
                assert_close(got[i], wanted[level][i]);
        }
        assert_close(macs.copies_by_floating, 16);
        assert_close(macs.copies_by_memory, 16);
        assert_close(macs.counts.noops, 3);
        assert_close(macs.counts.prefetches, 3);
        assert_close(macs.counts.wide_loads, 16);
        assert_int_equal(macs.cycles_from, macs_COMPILER);
    }
    sketch_end(&sketch);
}

/* A pipelined loop takes its initiation interval, though its cycles span the stages. */
static void test_interval(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    sketch_cycle(&sketch, sketch_add(&sketch, &load_pair), 0);
    sketch_cycle(&sketch, sketch_add(&sketch, &multiply_add), 9);
    sketch_cycle(&sketch, sketch_add(&sketch, &branch), 1);
    struct pipelined_loop *row = model_add(&sketch.model.pipelined_loops);
    *row = (struct pipelined_loop){.loop = 1, .branch = 3, .initiation_interval = 2, .stages = NO_NUMBER};
    struct macs macs = bound(&sketch, NAN, false);
    assert_int_equal(macs.cycles_from, macs_INTERVAL);
    assert_close(macs.bounds[bound_level_MACS].cycles, 2);
    assert_false(macs.is_known[bound_level_MA]);
    assert_false(macs.is_known[bound_level_MEASURED]);
    sketch_end(&sketch);
}

/* A block that the compiler says runs half as often counts half. */
static void test_frequencies(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    struct model *model = &sketch.model;
    sketch_cycle(&sketch, sketch_add(&sketch, &multiply_add), 3);
    uint32_t branches = sketch_add(&sketch, &branch);
    sketch_cycle(&sketch, branches, 6);
    sketch_cycle(&sketch, sketch_add(&sketch, &multiply_add), 0);
    model_block(model, 1)->instruction_count = 2;
    struct block *block = model_add(&model->blocks);
    *block = (struct block){
        .function = 1, .position = 2, .first_instruction = 3, .instruction_count = 1, .loop = 1};
    struct loop_block *part = array_add(&model->loop_blocks);
    *part = (struct loop_block){.loop = 1, .block = 2};
    for (uint32_t id = 1; id <= 2; id++) {
        struct compiler_block *row = model_add(&model->compiler_blocks);
        *row = (struct compiler_block){.program = 1, .block = id, .frequency = id == 1 ? 100 : 50};
    }
    struct macs macs = bound(&sketch, NAN, false);
    assert_true(macs.is_weighted);
    assert_close(macs.counts.floating, 1.5);
    assert_close(macs.bounds[bound_level_MACS].cycles, 4.5); /* 3 … 6 and half of one */
    model_compiler_block(model, 2)->frequency = NAN;
    macs = bound(&sketch, NAN, false);
    assert_false(macs.is_weighted);
    assert_close(macs.counts.floating, 2);
    assert_close(macs.bounds[bound_level_MACS].cycles, 5);
    sketch_end(&sketch);
}

/* What a chk leads to where speculation failed does not count, and chk is no branch. */
static void test_recovery(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    struct model *model = &sketch.model;
    const struct made check = {.name = "chk",
                               .completers = ".s",
                               .class = class_BRANCH,
                               .operation = operation_CHECK,
                               .slot = slot_kind_M};
    sketch_add(&sketch, &check);
    sketch_add(&sketch, &multiply_add);
    sketch_add(&sketch, &branch);
    sketch_add(&sketch, &load_pair);
    sketch_add(&sketch, &branch);
    model_block(model, 1)->instruction_count = 1;
    for (uint32_t id = 2; id <= 3; id++) {
        struct block *block = model_add(&model->blocks);
        *block = (struct block){.function = 1,
                                .position = id,
                                .first_instruction = id == 2 ? 2 : 4,
                                .instruction_count = 2,
                                .loop = 1};
        struct loop_block *part = array_add(&model->loop_blocks);
        *part = (struct loop_block){.loop = 1, .block = id};
    }
    static const struct edge edges[] = {{.source = 1, .target = 2, .kind = edge_kind_FALL},
                                        {.source = 1, .target = 3, .kind = edge_kind_TAKEN},
                                        {.source = 2, .target = 1, .kind = edge_kind_TAKEN},
                                        {.source = 3, .target = 2, .kind = edge_kind_TAKEN}};
    for (unsigned i = 0; i < 4; i++)
        *(struct edge *)array_add(&model->edges) = edges[i];
    struct macs macs = bound(&sketch, NAN, false);
    assert_int_equal(macs.recovery_count, 1);
    assert_close(macs.counts.branches, 1);
    assert_close(macs.counts.memory, 0);
    assert_close(macs.counts.floating, 1);
    assert_false(macs.is_weighted);
    /* Another way into it makes it code like any other. */
    struct edge *edge = array_add(&model->edges);
    *edge = (struct edge){.source = 3, .target = 3, .kind = edge_kind_FALL};
    macs = bound(&sketch, NAN, false);
    assert_int_equal(macs.recovery_count, 0);
    assert_close(macs.counts.memory, 1);
    sketch_end(&sketch);
}

/* A bundle whose middle a block begins in is one bundle: two of them fit a cycle. */
static void test_split_bundle(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    struct model *model = &sketch.model;
    for (unsigned i = 0; i < 6; i++)
        sketch_add(&sketch, &no_op);
    sketch_bundle(&sketch, "mmi", 1, 3, 0);
    sketch_bundle(&sketch, "mmi", 4, 3, 4);
    model_block(model, 1)->instruction_count = 2;
    struct block *block = model_add(&model->blocks);
    *block = (struct block){
        .function = 1, .position = 2, .first_instruction = 3, .instruction_count = 4, .loop = 1};
    struct loop_block *part = array_add(&model->loop_blocks);
    *part = (struct loop_block){.loop = 1, .block = 2};
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.schedule.cycles, 1);
    assert_close(macs.schedule.bundles, 2);
    sketch_end(&sketch);
}

/* The formula, GLPK and a search over all ways to use n shapes agree. */
static void test_programs_agree(void **unused)
{
    (void)unused;
    struct machine *machine = load("itanium2");
    for (int single = 0; single < 2; single++) {
        struct bundle_program program;
        bundles_prepare(&program, machine, single);
        assert_true(program.is_usual);
        assert_int_equal(program.count, single ? 10 : 10 + 76);
        unsigned tried = 0, state = 12345;
        for (unsigned i = 0; i < 400; i++) {
            state = state * 1103515245 + 12345;
            unsigned scale = i % 3 == 0 ? 5 : i % 3 == 1 ? 40 : 3000;
            unsigned f = (state >> 8) % scale, m = (state >> 11) % (2 * scale),
                     b = (state >> 5) % (scale / 2 + 1);
            unsigned least, counts[MOST_SHAPES], sum[3] = {0};
            struct error error = {0};
            assert_true(bundles_solve(&program, f, m, b, &least, counts, &error));
            double formula = ceil(bundles_formula(&program, f, m, b) - 1e-9);
            if ((unsigned)formula != least)
                fail_msg("%u %u %u: formula %g, program %u", f, m, b, formula, least);
            unsigned used = 0;
            for (unsigned k = 0; k < program.count; k++) {
                used += counts[k];
                sum[0] += counts[k] * program.shapes[k].floating;
                sum[1] += counts[k] * program.shapes[k].memory;
                sum[2] += counts[k] * program.shapes[k].branches;
            }
            assert_int_equal(used, least);
            assert_true(sum[0] >= f && sum[1] >= m && sum[2] >= b);
            tried++;
        }
        assert_int_equal(tried, 400);
    }
    machine_free(machine);
}

/* Whether n shapes hold the operations: a search that knows neither formula nor GLPK. */
static bool holds(const struct bundle_program *program, unsigned from, int n, int f, int m, int b)
{
    if (f <= 0 && m <= 0 && b <= 0)
        return true;
    for (unsigned i = from; n > 0 && i < program->count; i++)
        if (holds(program, i, n - 1, f - program->shapes[i].floating, m - program->shapes[i].memory,
                  b - program->shapes[i].branches))
            return true;
    return false;
}

static void test_least_is_least(void **unused)
{
    (void)unused;
    struct machine *machine = load("itanium2");
    for (int single = 0; single < 2; single++) {
        struct bundle_program program;
        bundles_prepare(&program, machine, single);
        int most = single ? 4 : 3;
        for (int f = 0; f <= most; f++)
            for (int m = 0; m <= 2 * most; m++)
                for (int b = 0; b <= most; b++) {
                    int least = (int)ceil(bundles_formula(&program, f, m, b) - 1e-9);
                    if (least > most)
                        continue;
                    assert_true(holds(&program, 0, least, f, m, b));
                    assert_true(least == 0 || !holds(&program, 0, least - 1, f, m, b));
                }
    }
    machine_free(machine);
}

/* A machine whose table of pairs is another one has no formula, but the same bounds by the program. */
static void test_other_pairs(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    for (unsigned i = 0; i < MOST_TEMPLATES; i++)
        memset(sketch.machine->pairs[i], 0, MOST_TEMPLATES);
    sketch_add(&sketch, &multiply_add);
    sketch_add(&sketch, &multiply_add);
    sketch_add(&sketch, &branch);
    struct bundle_program program;
    bundles_prepare(&program, sketch.machine, false);
    assert_false(program.is_usual);
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MAC].cycles, 2);
    sketch_end(&sketch);
}

/* In order: a chain of loads through their own results takes the latency of a load to an address. */
static void test_pointer_chase(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    const struct made chase = {.name = "ld8",
                               .class = class_LOAD,
                               .element = element_INT64,
                               .slot = slot_kind_M,
                               .writes = "r32",
                               .address = "r32",
                               .load_bytes = 8};
    uint32_t first = sketch_add(&sketch, &chase);
    sketch_add(&sketch, &no_op);
    sketch_add(&sketch, &branch);
    sketch_bundle(&sketch, "mib", first, 3, 4);
    struct macs macs = bound(&sketch, NAN, false);
    assert_int_equal(macs.cycles_from, macs_IN_ORDER);
    assert_close(macs.bounds[bound_level_MAC].cycles, 1);
    assert_close(macs.bounds[bound_level_MACS].cycles, 2);
    assert_close(macs.schedule.stalls, 1);
    sketch_end(&sketch);
}

/* In order: a load advances its address in one cycle, and what it loads waits six. */
static void test_load_then_use(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    const struct made load_one = {.name = "ldfd",
                                  .class = class_LOAD,
                                  .element = element_FP64,
                                  .slot = slot_kind_M,
                                  .writes = "f8",
                                  .address = "r33",
                                  .writes_address = true,
                                  .load_bytes = 8};
    const struct made add = {.name = "fma",
                             .class = class_FMA,
                             .element = element_FP64,
                             .slot = slot_kind_F,
                             .writes = "f9",
                             .reads = "f8"};
    uint32_t first = sketch_add(&sketch, &load_one);
    sketch_add(&sketch, &no_op);
    sketch_add(&sketch, &no_op);
    sketch_bundle(&sketch, "mmi", first, 3, 4);
    first = sketch_add(&sketch, &no_op);
    sketch_add(&sketch, &add);
    sketch_add(&sketch, &branch);
    sketch_bundle(&sketch, "mfb", first, 3, 4);
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MACS].cycles, 7); /* load, six cycles, use with the branch */
    sketch_end(&sketch);
}

/* The same loop pipelined by rotating registers: a value is used in the next iteration under another name. */
static void test_rotation(void **unused)
{
    (void)unused;
    for (int stages = 1; stages <= 6; stages += 5) {
        struct sketch sketch;
        sketch_begin(&sketch, "itanium2");
        char name[16];
        const struct made load_one = {.name = "ldfd",
                                      .class = class_LOAD,
                                      .element = element_FP64,
                                      .slot = slot_kind_M,
                                      .writes = "f32",
                                      .address = "r33",
                                      .writes_address = true,
                                      .load_bytes = 8};
        const struct made rotate = {.name = "br",
                                    .completers = ".ctop.sptk",
                                    .class = class_BRANCH,
                                    .operation = operation_COUNTED_TOP,
                                    .slot = slot_kind_B};
        for (int i = 32; i < 128; i++) {
            snprintf(name, sizeof name, "f%d", i);
            sketch_register(&sketch, name);
        }
        snprintf(name, sizeof name, "f%d", 32 + stages);
        const struct made add = {.name = "fma",
                                 .class = class_FMA,
                                 .element = element_FP64,
                                 .slot = slot_kind_F,
                                 .writes = "f6",
                                 .reads = name};
        uint32_t first = sketch_add(&sketch, &load_one);
        sketch_add(&sketch, &add);
        sketch_add(&sketch, &rotate);
        sketch_bundle(&sketch, "mfb", first, 3, 4);
        struct macs macs = bound(&sketch, NAN, false);
        /* One stage later the load's six cycles must pass; six stages later nobody waits. */
        assert_close(macs.bounds[bound_level_MACS].cycles, stages == 1 ? 6 : 1);
        sketch_end(&sketch);
    }
}

/* Bundles that cannot pair and ports that are taken make cycles of their own. */
static void test_pairs_and_ports(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *second;
        double cycles;
    } cases[] = {{"mmf", "mmf", 1}, {"mbb", "mmf", 2}, {"mii", "mlx", 2}};
    for (unsigned i = 0; i < 3; i++) {
        struct sketch sketch;
        sketch_begin(&sketch, "itanium2");
        for (unsigned k = 0; k < 2; k++) {
            uint32_t first = sketch_add(&sketch, &no_op);
            sketch_add(&sketch, &no_op);
            sketch_add(&sketch, &no_op);
            sketch_bundle(&sketch, k ? cases[i].second : cases[i].first, first, 3, k ? 4 : 0);
        }
        struct macs macs = bound(&sketch, NAN, false);
        assert_close(macs.schedule.cycles, cases[i].cycles);
        sketch_end(&sketch);
    }
    /* Three double loads: only M0 and M1 take them. */
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    uint32_t first = sketch_add(&sketch, &load_pair);
    sketch_add(&sketch, &load_pair);
    sketch_add(&sketch, &no_op);
    sketch_bundle(&sketch, "mmi", first, 3, 0);
    first = sketch_add(&sketch, &load_pair);
    sketch_add(&sketch, &no_op);
    sketch_add(&sketch, &branch);
    sketch_bundle(&sketch, "mmb", first, 3, 4);
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MAC].cycles, 1);
    assert_close(macs.bounds[bound_level_MACS].cycles, 2);
    sketch_end(&sketch);
}

/* Out of order, by classes alone: a sum takes the latency of its addition, a product of two loads what the
 * units allow. */
static void test_recurrence(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin_with(&sketch, "isa x86-64\nlatency load fp64 6\nlatency add fp64 4\n");
    const struct made sum = {.name = "vaddsd",
                             .class = class_ADD,
                             .element = element_FP64,
                             .writes = "xmm0",
                             .reads = "xmm0",
                             .address = "rsi",
                             .load_bytes = 8};
    const struct made count = {
        .name = "add", .class = class_ADD, .element = element_INT64, .writes = "rsi", .reads = "rsi"};
    const struct made jump = {.name = "jnz", .class = class_BRANCH};
    sketch_add(&sketch, &sum);
    sketch_add(&sketch, &count);
    sketch_add(&sketch, &jump);
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.counts.floating, 1);
    assert_close(macs.counts.memory, 1);
    assert_close(macs.bounds[bound_level_M].cpf, 0.5);
    assert_close(macs.bounds[bound_level_MAC].cycles, 1);
    assert_close(macs.bounds[bound_level_MACS].cycles, 4);
    assert_close(macs.schedule.recurrence, 4);
    assert_int_equal(macs.cycles_from, macs_OUT_OF_ORDER);
    sketch_end(&sketch);
    sketch_begin_with(&sketch, "isa aarch64\nlatency load 4\n");
    const struct made chase = {.name = "ldr",
                               .class = class_LOAD,
                               .element = element_INT64,
                               .writes = "x0",
                               .address = "x0",
                               .load_bytes = 8};
    const struct made walk = {.name = "ldr",
                              .class = class_LOAD,
                              .element = element_INT64,
                              .writes = "x2",
                              .address = "x1",
                              .writes_address = true,
                              .load_bytes = 8};
    sketch_add(&sketch, &walk);
    sketch_add(&sketch, &jump);
    macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MACS].cycles, 1);
    sketch_add(&sketch, &chase);
    macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MACS].cycles, 4);
    sketch_end(&sketch);
}

/* With a table of forms: MAC knows that one port alone multiplies, although a cycle has two operations on
   floats; what does not count stands in MACS only, which names the part that takes longest. */
static void test_forms(void **unused)
{
    (void)unused;
    static const char facts[] = "isa x86-64\nports 0 1 2\nissue 4\n"
                                "form mulsd xmm,xmm : uops 1 ports p0 latency 3\n"
                                "form addsd xmm,xmm : uops 1 ports p1 latency 4\n"
                                "form or r64,r64 : uops 1 ports p2 latency 1\n"
                                "form jne rel8 : uops 1 ports p2\n";
    static const struct made multiply[] = {{.name = "mulsd",
                                            .form = "mulsd xmm,xmm",
                                            .class = class_MULTIPLY,
                                            .element = element_FP64,
                                            .writes = "xmm1",
                                            .reads = "xmm2"},
                                           {.name = "mulsd",
                                            .form = "mulsd xmm,xmm",
                                            .class = class_MULTIPLY,
                                            .element = element_FP64,
                                            .writes = "xmm3",
                                            .reads = "xmm2"},
                                           {.name = "mulsd",
                                            .form = "mulsd xmm,xmm",
                                            .class = class_MULTIPLY,
                                            .element = element_FP64,
                                            .writes = "xmm4",
                                            .reads = "xmm2"}};
    static const struct made jump = {.name = "jne", .form = "jne rel8", .class = class_BRANCH};
    static const struct made sum = {.name = "addsd",
                                    .form = "addsd xmm,xmm",
                                    .class = class_ADD,
                                    .element = element_FP64,
                                    .writes = "xmm0",
                                    .reads = "xmm0"};
    static const struct made merge = {.name = "or",
                                      .form = "or r64,r64",
                                      .class = class_LOGIC,
                                      .element = element_INT64,
                                      .writes = "rax",
                                      .reads = "rbx"};
    struct sketch sketch;
    sketch_begin_with(&sketch, facts);
    for (unsigned i = 0; i < 3; i++)
        sketch_add(&sketch, &multiply[i]);
    sketch_add(&sketch, &jump);
    struct macs macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MAC].cycles, 3);
    assert_int_equal(macs.bounds[bound_level_MAC].origin, bound_origin_PORTS);
    assert_close(macs.bounds[bound_level_MACS].cycles, 3);
    assert_int_equal(macs.bounds[bound_level_MACS].origin, bound_origin_CORE);
    assert_int_equal(macs.limit, core_part_PORTS);
    sketch_end(&sketch);
    sketch_begin_with(&sketch, facts);
    sketch_add(&sketch, &sum);
    sketch_add(&sketch, &jump);
    macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MAC].cycles, 1);
    assert_close(macs.bounds[bound_level_MACS].cycles, 4);
    assert_int_equal(macs.limit, core_part_LATENCY);
    sketch_end(&sketch);
    sketch_begin_with(&sketch, facts);
    for (unsigned i = 0; i < 5; i++)
        sketch_add(&sketch, &merge);
    sketch_add(&sketch, &jump);
    macs = bound(&sketch, NAN, false);
    assert_close(macs.bounds[bound_level_MAC].cycles, 1);
    assert_close(macs.bounds[bound_level_MACS].cycles, 6);
    sketch_end(&sketch);
}

/* Nothing to divide by gives no figure, and an empty kind of operation none of the others. */
static void test_nothing_counted(void **unused)
{
    (void)unused;
    struct sketch sketch;
    sketch_begin(&sketch, "itanium2");
    sketch_add(&sketch, &branch);
    struct error error = {0};
    struct macs_options options = {.measured = NAN};
    assert_true(cost_macs(&sketch.model, sketch.machine, &options, &error));
    assert_int_equal(sketch.model.bounds.count, 3);
    const struct macs_bound *row = model_macs_bound(&sketch.model, 1);
    assert_int_equal(row->level, bound_level_MAC);
    assert_true(isnan(row->cpf) && isnan(row->cpm));
    assert_close(row->cpb, 1);
    sketch_end(&sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_daxpy),           cmocka_unit_test(test_interval),
        cmocka_unit_test(test_frequencies),     cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_split_bundle),    cmocka_unit_test(test_programs_agree),
        cmocka_unit_test(test_least_is_least),  cmocka_unit_test(test_other_pairs),
        cmocka_unit_test(test_pointer_chase),   cmocka_unit_test(test_load_then_use),
        cmocka_unit_test(test_rotation),        cmocka_unit_test(test_pairs_and_ports),
        cmocka_unit_test(test_recurrence),      cmocka_unit_test(test_forms),
        cmocka_unit_test(test_nothing_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
