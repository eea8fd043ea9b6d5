/* A model with a sampled run, made by hand, and what the report says of it: for tests of show/report/run. */
#ifndef TESTS_UNIT_RUN_FIXTURE_H
#define TESTS_UNIT_RUN_FIXTURE_H
#include "show/report/run/run.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct model model;
static uint32_t loops[] = {1, 2, 3};
static struct run_view view;

static string_id text(const char *words)
{
    return model_string(&model, words);
}

static struct sampled_run *run(void)
{
    return model_sampled_run(&model, 1);
}
static struct run_loop *figures(uint32_t loop)
{
    return model_run_loop(&model, loop - 1);
}

static uint32_t add_file(const char *path, unsigned state, uint32_t program, double share)
{
    *(struct run_file *)model_add(&model.run_files) = (struct run_file){.run = 1,
                                                                        .path = path ? text(path) : 0,
                                                                        .state = (uint8_t)state,
                                                                        .program = program,
                                                                        .samples = (uint64_t)(share * 10000),
                                                                        .seconds = share * 10,
                                                                        .share = share};
    return model_last(&model.run_files);
}

static void add_function(uint32_t function, const char *name, uint32_t file, unsigned activity, double self,
                         double total)
{
    *(struct run_function *)model_add(&model.run_functions) =
        (struct run_function){.run = 1,
                              .function = function,
                              .name = name ? text(name) : 0,
                              .file = file,
                              .activity = (uint8_t)activity,
                              .samples = (uint64_t)(self * 10000),
                              .self_seconds = self * 10,
                              .self_share = self,
                              .total_seconds = total * 10,
                              .total_share = total};
}

static void add_loop(uint32_t loop, double share, double predicted)
{
    *(struct run_loop *)model_add(&model.run_loops) = (struct run_loop){.run = 1,
                                                                        .loop = loop,
                                                                        .samples = (uint64_t)(share * 10000),
                                                                        .self_seconds = share * 10,
                                                                        .self_share = share,
                                                                        .total_seconds = share * 10,
                                                                        .total_share = share,
                                                                        .error = 1 / sqrt(share * 10000),
                                                                        .cycles_per_iteration = NAN,
                                                                        .sampled_cycles = NAN,
                                                                        .probed_cycles = NAN,
                                                                        .predicted_cycles = predicted};
}

static void add_thread(uint32_t process, uint32_t number, double cpu, double waiting, double parallel,
                       double mpi)
{
    *(struct run_thread *)model_add(&model.run_threads) =
        (struct run_thread){.process = process,
                            .thread = number,
                            .seconds = 10,
                            .cpu_seconds = cpu,
                            .waiting_seconds = waiting,
                            .parallel_wait_seconds = parallel,
                            .mpi_seconds = mpi,
                            .samples = (uint64_t)(cpu * 1000)};
}

static void add_process(uint32_t number, int32_t rank)
{
    *(struct run_process *)model_add(&model.run_processes) = (struct run_process){
        .run = 1, .process = number, .command = text("./solver"), .rank = rank, .seconds = 10};
}

static void add_limit(unsigned kind, uint64_t count)
{
    *(struct run_limit *)model_add(&model.run_limits) = (struct run_limit){
        .run = 1, .position = (uint32_t)model.run_limits.count, .kind = (uint8_t)kind, .count = count};
}

static void add_gap(uint32_t loop, unsigned rule, unsigned certainty, double value, double reference)
{
    *(struct run_gap *)model_add(&model.run_gaps) = (struct run_gap){.run = 1,
                                                                     .loop = loop,
                                                                     .position = 1,
                                                                     .rule = (uint8_t)rule,
                                                                     .certainty = (uint8_t)certainty,
                                                                     .cycles = NAN,
                                                                     .value = value,
                                                                     .reference = reference};
}

static void add_saving(uint32_t loop, double gain, double saving, const char *title, const char *remedy)
{
    *(struct rule_row *)model_add(&model.rules) =
        (struct rule_row){.name = text("a-rule"), .title = text(title), .meaning = text("Because.")};
    *(struct advice *)model_add(&model.advice) = (struct advice){.loop = loop,
                                                                 .path = 1,
                                                                 .rule = model_last(&model.rules),
                                                                 .level = advice_level_POTENTIAL,
                                                                 .cycles = 1,
                                                                 .gain = gain,
                                                                 .text = text("Found.")};
    *(struct remedy_row *)model_add(&model.remedies) =
        (struct remedy_row){.advice = model_last(&model.advice), .position = 1, .text = text(remedy)};
    *(struct run_saving *)model_add(&model.run_savings) =
        (struct run_saving){.run = 1,
                            .position = (uint32_t)model.run_savings.count,
                            .loop = loop,
                            .advice = model_last(&model.advice),
                            .share = 0.4,
                            .gain = gain,
                            .saving = saving};
}

/* A program (solve with loops 1 and 2 at solver.c, main) and a library (exp without lines, with loop 3). */
static void make_code(void)
{
    static const struct {
        const char *name;
        uint32_t program, file, line;
    } functions[] = {{"solve", 1, 1, 30}, {"main", 1, 1, 90}, {"exp", 2, 0, 0}};
    static const struct loop places[] = {
        {.function = 1, .header = 1, .file = 1, .first_line = 40, .last_line = 52},
        {.function = 1, .header = 1, .file = 1, .first_line = 60, .last_line = 60},
        {.function = 3, .header = 1}};
    *(struct program *)model_add(&model.programs) =
        (struct program){.path = text("/x/solver"), .format = format_PIE};
    *(struct program *)model_add(&model.programs) =
        (struct program){.path = text("/lib/libm.so.6"), .format = format_SHARED};
    model_file_id(&model, "/src/solver.c");
    *(struct block *)model_add(&model.blocks) = (struct block){.function = 1, .address = 0x11a0};
    for (size_t i = 0; i < 3; i++)
        *(struct function *)model_add(&model.functions) = (struct function){.program = functions[i].program,
                                                                            .name = text(functions[i].name),
                                                                            .file = functions[i].file,
                                                                            .line = functions[i].line};
    for (size_t i = 0; i < 3; i++) {
        struct loop *loop = model_add(&model.loops);
        *loop = places[i];
        loop->is_innermost = 1;
        loop->depth = 1;
    }
}

/* 10 s: 41 % in loop 1, 20 % in loop 2, 9 % elsewhere in solve, 1 % in main, 12 % in exp, 17 % in the kernel.
 */
static int begin(void **state)
{
    (void)state;
    model_init(&model);
    make_code();
    *(struct sampled_run *)model_add(&model.runs) = (struct sampled_run){.command = text("./solver grid.dat"),
                                                                         .processor = text("Arm Neoverse V1"),
                                                                         .host = text("node1"),
                                                                         .sampler = run_sampler_CPU_CLOCK,
                                                                         .frequency = 1000,
                                                                         .samples = 10000,
                                                                         .seconds = 12.4,
                                                                         .cpu_seconds = 10.1,
                                                                         .kernel_seconds = 1.7,
                                                                         .sampled_seconds = 10,
                                                                         .waiting_seconds = 2.3,
                                                                         .queued_seconds = NAN,
                                                                         .others_share = NAN,
                                                                         .processes = 1,
                                                                         .threads = 1,
                                                                         .cycles_per_second = 2.6e9,
                                                                         .slowest_clock = 2.59e9,
                                                                         .fastest_clock = 2.6e9,
                                                                         .exit_status = 0,
                                                                         .end_signal = NO_NUMBER,
                                                                         .minor_faults = 1234};
    uint32_t solver = add_file("/x/solver", run_file_state_READ, 1, 0.71);
    uint32_t libm = add_file("/lib/libm.so.6", run_file_state_READ, 2, 0.12);
    uint32_t kernel = add_file(NULL, run_file_state_KERNEL, 0, 0.17);
    add_function(1, NULL, solver, run_activity_COMPUTE, 0.70, 0.70);
    add_function(0, "clear_page", kernel, run_activity_COMPUTE, 0.17, 0.17);
    add_function(3, NULL, libm, run_activity_MATHEMATICS, 0.12, 0.12);
    add_function(2, NULL, solver, run_activity_COMPUTE, 0.01, 1);
    add_loop(1, 0.41, 4.1);
    add_loop(2, 0.20, 2);
    add_process(4711, NO_NUMBER);
    add_thread(1, 4711, 10, 2.3, 0, 0);
    view = (struct run_view){.quality = {.model = &model,
                                         .path = "run.db",
                                         .loops = loops,
                                         .analysed_count = 2,
                                         .loop_count = 2,
                                         .demangle = true,
                                         .level = advice_level_POTENTIAL},
                             .run = 1,
                             .top = 10,
                             .database = "run.db"};
    return 0;
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    return 0;
}

static char *printed(unsigned width, bool unicode)
{
    struct report_style style = {.format = report_TABLE, .unicode = unicode, .width = width};
    struct error error = {0};
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    bool is_done = report_run_text(&view, &style, out, &error);
    fclose(out);
    if (!is_done)
        fail_msg("%s", error.text);
    return got;
}

/* Lines of paragraphs joined. */
static char *joined(void)
{
    char *got = printed(100, true), *to = got;
    for (const char *at = got; *at; at++) {
        bool is_blank = *at == ' ' || *at == '\n';
        if (!is_blank || to == got || to[-1] != ' ')
            *to++ = is_blank ? ' ' : *at;
    }
    *to = 0;
    return got;
}

static void expect(const char *wanted)
{
    char *got = joined();
    if (!strstr(got, wanted))
        fail_msg("\"%s\" is missing in: %s", wanted, got);
    free(got);
}

static void expect_not(const char *unwanted)
{
    char *got = joined();
    if (strstr(got, unwanted))
        fail_msg("\"%s\" is in: %s", unwanted, got);
    free(got);
}

typedef bool printer(const struct run_view *of, FILE *out, struct error *error);

static char *written(printer *print)
{
    struct error error = {0};
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    bool is_done = print(&view, out, &error);
    fclose(out);
    if (!is_done)
        fail_msg("%s", error.text);
    return got;
}

static void expect_in(printer *print, const char *wanted)
{
    char *got = written(print);
    if (!strstr(got, wanted))
        fail_msg("%s is missing in: %s", wanted, got);
    free(got);
}

static void add_usual_savings(void)
{
    add_saving(1, 4, 0.12, "The loop is not vectorised",
               "Compile with -O3. With -O2, GCC does not vectorise up to version 11, and only the simplest "
               "loops from 12 on.");
    add_saving(2, 2, 0.1, "Each iteration waits for the sum of the previous one",
               "Put #pragma omp simd reduction(+:sum) above the loop and compile with -fopenmp-simd.");
}

static void measure(uint32_t loop, double cycles, unsigned by)
{
    figures(loop)->cycles_per_iteration = cycles;
    figures(loop)->measured_by = (uint8_t)by;
    figures(loop)->entries = 10;
    figures(loop)->iterations = 1000000;
}
#endif
