/* Recordings of programs with nodes: their tables of subjects become a plan (src/watch/recording_nodes.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "probe_recording.h"
#include "runtime/probe/nodes_file.h"

enum { AT_LINE = 12, CALL_LINE = 13 };

static void name_things(struct model *model)
{
    model_program(model, 1)->path = model_string(model, "/home/me/prog");
    for (uint32_t i = 1; i <= 2; i++) {
        struct function *function = model_function(model, i);
        function->name = model_string(model, i == 1 ? "inner" : "outer");
        function->block_count = 1;
    }
    model_function(model, 1)->loop_count = 2;
    model_block(model, 1)->first_instruction = 1;
    model_block(model, 1)->instruction_count = 8;
    for (uint32_t i = 1; i <= 2; i++) {
        *(struct source_line *)model_add(&model->source_lines) =
            (struct source_line){.program = 1, .line = i == 1 ? AT_LINE : CALL_LINE};
        model_instruction(model, i + 1)->source_line = i;
    }
    *(struct call *)model_add(&model->calls) = (struct call){.caller = 1, .instruction = 3, .callee = 2};
}

/* Texts at fixed places behind the subjects. */
static uint32_t put_text(uint8_t *table, uint32_t *at, const char *text)
{
    uint32_t offset = *at;
    memcpy(table + offset, text, strlen(text) + 1);
    *at += (uint32_t)strlen(text) + 1;
    return offset;
}

static void put_subjects(struct tape *tape, const char *module)
{
    uint64_t bytes = sizeof(struct probe_subjects) + sizeof(struct probe_node_table) +
                     SUBJECTS * sizeof(struct probe_node_subject) + 512;
    struct probe_subjects *segment = tape_segment(tape, PROBE_SEGMENT_SUBJECTS, 0, bytes);
    struct probe_node_table *table = (void *)(segment + 1);
    struct probe_node_subject *subjects = (void *)(table + 1);
    uint32_t at = sizeof *table + SUBJECTS * sizeof *subjects;
    uint32_t inner = put_text((uint8_t *)table, &at, "inner"),
             outer = put_text((uint8_t *)table, &at, "outer");
    for (uint32_t i = 0; i < SUBJECTS; i++) {
        const struct watch_subject *from = ARRAY_AT(struct watch_subject, &tape->plan->subjects, i);
        subjects[i] = (struct probe_node_subject){.how = from->how,
                                                  .kind = from->kind,
                                                  .counting = from->counting,
                                                  .position = (uint16_t)from->position,
                                                  .function = from->function == 2 ? outer : inner,
                                                  .loop = from->loop};
    }
    subjects[CALL].name = outer;
    subjects[CALL].line = CALL_LINE;
    subjects[SIGNED_VALUE].name = put_text((uint8_t *)table, &at, "n");
    subjects[FLOAT_VALUE].line = AT_LINE;
    *table = (struct probe_node_table){.size = at, .version = PROBE_NODE_VERSION, .subject_count = SUBJECTS};
    segment->count = SUBJECTS;
    segment->module = sizeof *segment + at;
    strcpy((char *)segment + segment->module, module);
}

static uint8_t *node_recording(struct fixture *fixture, size_t *size)
{
    struct tape tape;
    struct tape_thread thread;
    uint64_t now = 3000;
    tape_init(&tape, &fixture->plan);
    put_subjects(&tape, "/home/me/prog");
    tape_thread_init(&thread, &tape, 1);
    tape_event(&thread, PROBE_ENTER, OUTER, STACK, 2000);
    tape_event(&thread, PROBE_LEAVE, OUTER, STACK, 2100);
    tape_event(&thread, PROBE_ENTER, CALL, STACK, 2200);
    tape_event(&thread, PROBE_LEAVE, CALL, STACK, 2250);
    record_loop(&thread, &now, 5, 10);
    tape_event(&thread, PROBE_SEEN, SIGNED_VALUE, STACK, 9);
    tape_event(&thread, PROBE_SEEN, FLOAT_VALUE, STACK, 0);
    tape_thread_end(&thread, true);
    return tape_bytes(&tape, size);
}

static void from_the_recording_alone(void **state)
{
    (void)state;
    struct fixture fixture;
    struct watch_plan plan;
    struct array files;
    struct error error = {0};
    size_t size;
    set_up(&fixture);
    name_things(&fixture.model);
    uint8_t *bytes = node_recording(&fixture, &size);
    put(&fixture, bytes, size);
    put(&fixture, bytes, size);
    assert_true(recording_files(&fixture.paths, &files, &error));
    assert_int_equal(files.count, 1);
    assert_string_equal(*ARRAY_AT(char *, &files, 0), "/home/me/prog");
    assert_true(recording_plan(&plan, &fixture.model, *ARRAY_AT(char *, &fixture.paths, 0), &error));
    assert_int_equal(plan.subjects.count, SUBJECTS);
    assert_true(recording_add(&fixture.model, &plan, &fixture.paths, &error));
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_runs.count, 3);
    const struct probe_function *function = model_probe_function(model, 0);
    assert_true(function->run == 1 && function->function == 2 && function->total_ns == 100 * TICK_NS);
    const struct probe_call *call = model_probe_call(model, 0);
    assert_true(call->instruction == 3 && call->caller == 1 && call->callee == 2 && call->calls == 1);
    const struct probe_loop *loop = model_probe_loop(model, 0);
    assert_true(loop->loop == 1 && loop->iterations == 5 && loop->counting == probe_counting_REGISTER);
    const struct probe_value *value = model_probe_value(model, 1);
    assert_int_equal(value->kind, probe_value_kind_PARAMETER);
    assert_true(value->instruction == 1 && value->position == 1 && value->minimum == 9);
    assert_string_equal(model_text(model, value->name), "n");
    value = model_probe_value(model, 2);
    assert_true(value->kind == probe_value_kind_REGISTER && value->instruction == 2);
    watch_plan_free(&plan);
    free(*ARRAY_AT(char *, &files, 0));
    array_free(&files);
    free(bytes);
    tear_down(&fixture);
}

static void damaged_tables(void **state)
{
    (void)state;
    static const uint32_t odd[] = {0, 1, 7, 0xffff, INT32_MAX, UINT32_MAX};
    struct fixture fixture;
    size_t size;
    set_up(&fixture);
    uint8_t *bytes = node_recording(&fixture, &size), *damaged = memory_get(size);
    for (unsigned round = 0; round < 2000; round++) {
        struct fixture again;
        struct watch_plan plan;
        struct array files;
        struct error error = {0};
        memcpy(damaged, bytes, size);
        for (uint64_t i = 0; i <= random_below(4); i++)
            memcpy(damaged + TAPE_PAGE + 4 * random_below(300), &odd[random_below(6)], 4);
        set_up(&again);
        name_things(&again.model);
        put(&again, damaged, random_below(4) ? size : random_below(size));
        if (recording_files(&again.paths, &files, &error))
            for (size_t i = 0; i < files.count; i++)
                free(*ARRAY_AT(char *, &files, i));
        array_free(&files);
        if (recording_plan(&plan, &again.model, *ARRAY_AT(char *, &again.paths, 0), &error))
            recording_add(&again.model, &plan, &again.paths, &error);
        for (uint32_t i = 0; i < again.model.probe_functions.count; i++)
            assert_in_range(model_probe_function(&again.model, i)->function, 1, 2);
        for (uint32_t i = 0; i < again.model.probe_loops.count; i++)
            assert_in_range(model_probe_loop(&again.model, i)->loop, 1, 2);
        watch_plan_free(&plan);
        tear_down(&again);
    }
    free(bytes);
    free(damaged);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_recording_alone),
        cmocka_unit_test(damaged_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
