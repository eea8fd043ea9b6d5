/* Recordings made by hand, and a small model that they fit.

   Two functions with loops in "prog":
       main   0x1000 outside loops, 0x1010 in the outer loop 1, 0x1020 in the inner loop 2
       work   0x1100 in loop 3
       again  0x1200 outside loops
   Every block has three instructions of 4 bytes; instruction n of the model is the n-th of them. */
#ifndef TESTS_UNIT_SAMPLE_FIXTURE_H
#define TESTS_UNIT_SAMPLE_FIXTURE_H
#include "run/sample/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* each test uses some of these */

enum { MAIN = 1, WORK, AGAIN };
enum { OUTER = 1, INNER, WORKING };

struct sampled {
    struct model model;
    struct sample_recording recording;
    uint32_t prog, kernel; /* files */
};

/* ---- the model ---- */

static void add_block(struct model *model, uint32_t function, uint64_t address, uint32_t loop)
{
    *(struct block *)model_add(&model->blocks) =
        (struct block){.function = function,
                       .section = 1,
                       .address = address,
                       .size = 12,
                       .first_instruction = (uint32_t)model->code.count,
                       .instruction_count = 3,
                       .loop = loop};
    for (uint32_t i = 0; i < 3; i++)
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = model_last(&model->blocks),
                                 .offset = i * 4,
                                 .source_line = function,
                                 .target = NO_ADDRESS};
}

static void make_model(struct model *model)
{
    static const char *const names[] = {"main", "work", "again"};
    static const uint64_t addresses[] = {0x1000, 0x1100, 0x1200};
    model_init(model);
    string_id path = model_string(model, "/opt/run/prog"), build_id = model_string(model, "aabb");
    *(struct program *)model_add(&model->programs) =
        (struct program){.path = path, .build_id = build_id, .isa = isa_X86_64, .bits = 64};
    *(struct section *)model_add(&model->sections) =
        (struct section){.program = 1, .is_code = 1, .is_loaded = 1};
    for (uint32_t i = 0; i < 3; i++) {
        string_id name = model_string(model, names[i]);
        uint32_t file = model_file_id(model, "prog.c");
        *(struct function *)model_add(&model->functions) =
            (struct function){.program = 1, .name = name, .address = addresses[i], .size = 0x40};
        *(struct source_line *)model_add(&model->source_lines) =
            (struct source_line){.program = 1, .file = file, .line = 10 * (i + 1)};
    }
    add_block(model, MAIN, 0x1000, 0);
    add_block(model, MAIN, 0x1010, OUTER);
    add_block(model, MAIN, 0x1020, INNER);
    add_block(model, WORK, 0x1100, WORKING);
    add_block(model, AGAIN, 0x1200, 0);
    *(struct loop *)model_add(&model->loops) = (struct loop){.function = MAIN, .depth = 1};
    *(struct loop *)model_add(&model->loops) =
        (struct loop){.function = MAIN, .depth = 2, .parent = OUTER, .is_innermost = 1};
    *(struct loop *)model_add(&model->loops) = (struct loop){.function = WORK, .depth = 1, .is_innermost = 1};
}

/* ---- the recording ---- */

static char *copy(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static uint32_t add_file(struct sampled *sampled, enum sample_file_kind kind, const char *path,
                         const char *build_id)
{
    struct sample_file *file = array_add(&sampled->recording.files);
    file->kind = (uint8_t)kind;
    file->path = copy(path);
    strcpy(file->build_id, build_id);
    return (uint32_t)sampled->recording.files.count - 1;
}

static uint32_t add_process(struct sampled *sampled, uint32_t number, int32_t rank, double start, double end)
{
    *(struct sample_process *)array_add(&sampled->recording.processes) =
        (struct sample_process){.process = number,
                                .parent = 1,
                                .command = copy("prog --fast"),
                                .host = copy("node1"),
                                .rank = rank,
                                .start = start,
                                .end = end,
                                .cpu = NAN,
                                .kernel_cpu = NAN};
    return (uint32_t)sampled->recording.processes.count - 1;
}

static uint32_t add_thread(struct sampled *sampled, uint32_t process, uint32_t number, double start,
                           double end)
{
    *(struct sample_thread *)array_add(&sampled->recording.threads) = (struct sample_thread){
        .process = process, .thread = number, .name = copy("worker"), .start = start, .end = end};
    return (uint32_t)sampled->recording.threads.count - 1;
}

static uint16_t add_event(struct sampled *sampled, const char *name, double total)
{
    *(struct sample_event *)array_add(&sampled->recording.events) =
        (struct sample_event){.name = copy(name), .total = total, .running = 1};
    return (uint16_t)(sampled->recording.events.count - 1);
}

/* A place in a file; stacks end with {0, 0}. */
struct at {
    uint32_t file;
    uint64_t address;
};

static uint32_t frame_of(struct sampled *sampled, struct at at)
{
    struct array *frames = &sampled->recording.frames;
    for (uint32_t i = 1; i < frames->count; i++) {
        const struct sample_frame *frame = ARRAY_AT(struct sample_frame, frames, i);
        if (frame->file == at.file && frame->address == at.address)
            return i;
    }
    *(struct sample_frame *)array_add(frames) = (struct sample_frame){at.file, at.address};
    return (uint32_t)frames->count - 1;
}

static uint32_t node_of(struct sampled *sampled, uint32_t caller, uint32_t frame)
{
    struct array *nodes = &sampled->recording.nodes;
    for (uint32_t i = 1; i < nodes->count; i++) {
        const struct sample_node *node = ARRAY_AT(struct sample_node, nodes, i);
        if (node->caller == caller && node->frame == frame)
            return i;
    }
    *(struct sample_node *)array_add(nodes) = (struct sample_node){.caller = caller, .frame = frame};
    return (uint32_t)nodes->count - 1;
}

/* The outermost caller first. */
static uint32_t stack_of(struct sampled *sampled, const struct at *stack)
{
    uint32_t node = 0;
    for (; stack->file || stack->address; stack++)
        node = node_of(sampled, node, frame_of(sampled, *stack));
    return node;
}

/* Samples of a stack, 10 ms each for event 0, 1000 events for the others. */
static void count(struct sampled *sampled, uint32_t thread, uint16_t event, uint64_t samples,
                  const struct at *stack)
{
    *(struct sample_count *)array_add(&sampled->recording.counts) =
        (struct sample_count){.thread = thread,
                              .node = stack_of(sampled, stack),
                              .event = event,
                              .samples = samples,
                              .amount = (double)samples * (event ? 1000 : 0.01)};
}
#define STACK(...) ((const struct at[]){__VA_ARGS__, {0, 0}})

static int begin(void **state)
{
    struct sampled *sampled = memory_get(sizeof *sampled);
    make_model(&sampled->model);
    struct sample_recording *recording = &sampled->recording;
    sample_recording_init(recording);
    recording->command = copy("prog --fast");
    recording->processor = copy("Test 1");
    recording->host = copy("node1");
    recording->source = SAMPLE_BY_CPU_CLOCK;
    recording->has_kernel = true;
    recording->frequency = 100;
    recording->seconds = 4;
    add_event(sampled, "time", NAN);
    sampled->prog = add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/prog", "aabb");
    sampled->kernel = add_file(sampled, SAMPLE_FILE_KERNEL, NULL, "");
    *state = sampled;
    return 0;
}

static int end(void **state)
{
    struct sampled *sampled = *state;
    sample_recording_free(&sampled->recording);
    model_free(&sampled->model);
    free(sampled);
    return 0;
}

/* ---- rows ---- */

static const struct run_function *function_row(const struct sampled *sampled, uint32_t function,
                                               const char *name)
{
    for (uint32_t i = 1; i < sampled->model.run_functions.count; i++) {
        const struct run_function *row = model_run_function(&sampled->model, i);
        const char *its_name = model_text(&sampled->model, row->name);
        if (function ? row->function == function : its_name && name && !strcmp(its_name, name))
            return row;
    }
    return NULL;
}

static const struct run_loop *loop_row(const struct sampled *sampled, uint32_t loop)
{
    for (uint32_t i = 0; i < sampled->model.run_loops.count; i++)
        if (model_run_loop(&sampled->model, i)->loop == loop)
            return model_run_loop(&sampled->model, i);
    return NULL;
}

static void check_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("%.12g, not %.12g", found, expected);
}
#endif
