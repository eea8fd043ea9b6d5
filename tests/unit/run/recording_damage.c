/* Damaged recordings of probes: a reader of src/run/probe/recording/read.c must not crash, and rows keep
 * their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "probe_recording_files.h"

static void other_files(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct error error = {0};
    set_up(&fixture);
    put(&fixture, "ASSAYPRB", 8);
    assert_false(recording_add(&fixture.model, &fixture.plan, &fixture.paths, &error));
    assert_non_null(strstr(error.text, "is too short for a recording of probes"));
    tear_down(&fixture);
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape.header.version = 99;
    put_tape(&fixture, &tape);
    error.set = false;
    assert_false(recording_add(&fixture.model, &fixture.plan, &fixture.paths, &error));
    assert_non_null(strstr(error.text, "another version of libassay-probe (99, not 1)"));
    tear_down(&fixture);
}

/* Keys are there and have one row each, and counts make sense, whatever the file says. */
static void check_rows(const struct model *model)
{
    for (uint32_t i = 0; i < model->probe_functions.count; i++) {
        const struct probe_function *row = model_probe_function(model, i);
        assert_in_range(row->function, 1, 2);
        assert_true(!i || row[-1].function < row->function);
        assert_false(row->total_ns < 0 || row->self_ns < 0);
    }
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = model_probe_loop(model, i);
        assert_in_range(row->loop, 1, 2);
        assert_false(row->usual_share < 0 || row->usual_share > 1 || row->setup_cycles < 0);
    }
    for (uint32_t i = 0; i < model->probe_addresses.count; i++) {
        const struct probe_address *row = model_probe_address(model, i);
        assert_in_range(row->instruction, 4, 5);
        assert_false(row->stride_share > 1 || row->misaligned_share > 1 || row->set_share > 1);
    }
    for (uint32_t i = 0; i < model->probe_frequent.count; i++)
        assert_in_range(model_probe_frequent(model, i)->value, 1, model->probe_values.count - 1);
    for (uint32_t i = 0; i < model->probe_histograms.count; i++) {
        const struct probe_histogram *row = model_probe_histogram(model, i);
        assert_true(row->count > 0 && row->low <= row->high && row->subject > 0);
        assert_true(!i || row[-1].quantity != row->quantity || row[-1].subject != row->subject ||
                    row[-1].low < row->low);
    }
    for (uint32_t i = 1; i < model->probe_events.count; i++) {
        const struct probe_event_row *row = model_probe_event_row(model, i);
        assert_true(row[-1].thread < row->thread ||
                    (row[-1].thread == row->thread && row[-1].position + 1 == row->position));
    }
}

static void check_damaged(const uint8_t *bytes, size_t size)
{
    struct fixture fixture;
    struct error error = {0};
    set_up(&fixture);
    put(&fixture, bytes, size);
    if (recording_add(&fixture.model, &fixture.plan, &fixture.paths, &error)) {
        recording_conclude(&fixture.model);
        check_rows(&fixture.model);
    } else {
        assert_true(error.set);
    }
    tear_down(&fixture);
}

static void cut_short(void **state)
{
    (void)state;
    struct fixture fixture;
    size_t size;
    set_up(&fixture);
    uint8_t *bytes = whole_recording(&fixture, &size);
    for (size_t left = 0; left < size; left += left < 8192 ? 97 : 1531)
        check_damaged(bytes, left);
    put(&fixture, bytes, size / 2);
    add(&fixture);
    assert_true(limit_of(&fixture.model, 1, probe_limit_kind_DAMAGED) > 0);
    free(bytes);
    tear_down(&fixture);
}

/* Recordings of programs with nodes bring their plan along: it may lie about what a subject is. */
static void subjects_of_other_kinds(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct fixture fixture;
        struct error error = {0};
        size_t size;
        set_up(&fixture);
        uint8_t *bytes = whole_recording(&fixture, &size);
        for (size_t i = 0; i < SUBJECTS; i++)
            ARRAY_AT(struct probe_subject, &fixture.plan.subjects, i)->kind = (uint8_t)random_below(7);
        put(&fixture, bytes, size);
        assert_true(recording_add(&fixture.model, &fixture.plan, &fixture.paths, &error));
        free(bytes);
        tear_down(&fixture);
    }
}

static void flipped_bytes(void **state)
{
    (void)state;
    static const uint64_t odd[] = {0, 1, 0xff, 0xffff, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    struct fixture fixture;
    size_t size;
    set_up(&fixture);
    uint8_t *bytes = whole_recording(&fixture, &size), *damaged = memory_get(size);
    /* Headers of the file and of segments, slots and frames, rather than what follows them, which is zero. */
    struct array places = ARRAY_OF(size_t);
    for (size_t i = 0; i + 8 <= size; i += 4)
        if (memcmp(bytes + i, "\0\0\0\0", 4))
            *(size_t *)array_push(&places) = i;
    for (unsigned round = 0; round < 3000; round++) {
        memcpy(damaged, bytes, size);
        for (uint64_t i = 0; i <= random_below(8); i++) {
            size_t place = *ARRAY_AT(size_t, &places, random_below(places.count));
            if (random_below(2))
                damaged[place + random_below(8)] ^= (uint8_t)(1 << random_below(8));
            else
                memcpy(damaged + place, &odd[random_below(sizeof odd / sizeof *odd)],
                       random_below(2) ? 4 : 8);
        }
        check_damaged(damaged, size);
    }
    array_free(&places);
    free(bytes);
    free(damaged);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_files),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(flipped_bytes),
        cmocka_unit_test(subjects_of_other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
