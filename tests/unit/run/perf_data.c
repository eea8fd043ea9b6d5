/* Recordings of perf (src/run/sample/perf_data), made by hand (tests/unit/perf_data.h): what is read of a sound one, and
   that every damage to it ends in a reason or in a recording whose numbers hold together. */
#include "../perf_data.h"

#include "run/sample/perf_data/order.h"
#include "run/sample/perf_data/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/assay-perf-data-XXXXXX";

static bool try(const void *bytes, size_t size, struct sample_recording *recording, struct error *error)
{
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
    sample_recording_init(recording);
    bool is_read = perf_data_read(&(struct perf_data_wish){.path = path}, recording, error);
    unlink(path);
    memset(path + sizeof path - 7, 'X', 6);
    return is_read;
}

static void check_sound(const struct array *bytes, const char *host)
{
    struct sample_recording recording;
    struct error error = {0};
    assert_true(try(bytes->data, bytes->count, &recording, &error));
    assert_null(wrong_with(&recording));
    const struct sample_event *time = ARRAY_AT(struct sample_event, &recording.events, 0);
    assert_int_equal(time->samples, 3);
    assert_true(fabs(time->total - 0.00075) < 1e-9);
    assert_true(fabs(recording.seconds - 0.000899) < 1e-9);
    assert_int_equal(recording.lost, 5);
    assert_int_equal(recording.nonsense, 0);
    assert_false(recording.cut_short);
    assert_string_equal(recording.event, "cpu-clock");
    assert_int_equal(recording.source, SAMPLE_BY_CPU_CLOCK);
    assert_int_equal(recording.frequency, 4000);
    if (host)
        assert_string_equal(recording.host, host);
    assert_int_equal(recording.processes.count, 1);
    assert_string_equal(ARRAY_AT(struct sample_process, &recording.processes, 0)->command, "prog");
    assert_int_equal(recording.files.count, 2);
    assert_string_equal(ARRAY_AT(struct sample_file, &recording.files, 1)->path, "/not/there/prog");
    assert_true(ARRAY_AT(struct sample_file, &recording.files, 1)->is_missing);
    assert_int_equal(recording.counts.count, 2); /* two stacks */
    sample_recording_free(&recording);
}

static void sound_ones(void **state)
{
    (void)state;
    struct array file = make_perf_data(), pipe = make_perf_pipe();
    check_sound(&file, "faraway");
    check_sound(&pipe, NULL);
    array_free(&file);
    array_free(&pipe);
}

static void try_damage(const struct array *whole, size_t size, size_t at, uint8_t value)
{
    struct sample_recording recording;
    struct error error = {0};
    uint8_t *bytes = memory_get(size + !size);
    memcpy(bytes, whole->data, size);
    if (at < size)
        bytes[at] = value;
    bool is_read = try(bytes, size, &recording, &error);
    assert_int_equal(is_read, !error.set);
    if (is_read)
        assert_null(wrong_with(&recording));
    sample_recording_free(&recording);
    free(bytes);
}

static void damaged_ones(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0xff};
    struct array all[] = {make_perf_data(), make_perf_pipe()};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t size = 0; size < all[i].count; size++)
            try_damage(&all[i], size, SIZE_MAX, 0);
        for (size_t at = 0; at < all[i].count; at++)
            for (size_t j = 0; j < sizeof values; j++)
                try_damage(&all[i], all[i].count, at, values[j]);
        array_free(&all[i]);
    }
}

/* ---- order ---- */

static uint64_t passed[8];
static size_t passed_count;

static void pass(void *context, const uint8_t *record, size_t size, uint64_t time)
{
    (void)context;
    (void)time;
    uint64_t number = 0;
    assert_int_equal(size, sizeof number);
    memcpy(&number, record, sizeof number);
    passed[passed_count++] = number;
}

static void add(struct perf_data_order *order, uint64_t time)
{
    perf_data_order_add(order, (const uint8_t *)&time, sizeof time, time);
}

/* A record may be older than those of the round before. */
static void rounds(void **state)
{
    static const uint64_t wanted[] = {0, 10, 20, 25, 30, 40};
    struct perf_data_order order;
    (void)state;
    perf_data_order_begin(&order, pass, NULL);
    add(&order, 30);
    add(&order, 10);
    add(&order, 0); /* without a time: at once */
    assert_int_equal(passed_count, 1);
    perf_data_order_mark(&order);
    assert_int_equal(passed_count, 1);
    add(&order, 25);
    add(&order, 40);
    add(&order, 20);
    perf_data_order_mark(&order);
    assert_int_equal(passed_count, 5);
    perf_data_order_end(&order);
    assert_int_equal(passed_count, 6);
    assert_memory_equal(passed, wanted, sizeof wanted);
}

/* ---- registers ---- */

static void registers_of_computers(void **state)
{
    uint64_t values[33], stack = 0, all = 0xff01ff; /* ax … ip, r8 … r15 */
    struct places_registers registers;
    (void)state;
    for (uint64_t i = 0; i < 33; i++)
        values[i] = 100 + i;
    assert_int_equal(perf_data_registers_isa("x86_64"), isa_X86_64);
    assert_int_equal(perf_data_registers_isa("aarch64"), isa_AARCH64);
    assert_int_equal(perf_data_registers_isa("ppc64le"), isa_NONE);
    assert_true(perf_data_registers_read(isa_X86_64, 2, all, (uint8_t *)values, &registers, &stack));
    assert_int_equal(stack, 107);                /* sp is the eighth of perf, */
    assert_int_equal(registers.values[7], 107);  /* and number 7 of DWARF; */
    assert_int_equal(registers.values[1], 103);  /* dx */
    assert_int_equal(registers.values[8], 109);  /* r8, behind ip */
    assert_int_equal(registers.values[16], 108); /* ip */
    assert_false(perf_data_registers_read(isa_X86_64, 2, all & ~(UINT64_C(1) << 7), (uint8_t *)values,
                                          &registers, &stack));
    assert_true(perf_data_registers_read(isa_AARCH64, 2, (UINT64_C(1) << 33) - 1, (uint8_t *)values,
                                         &registers, &stack));
    assert_int_equal(stack, 131);
    assert_int_equal(registers.values[32], 132);
    assert_false(perf_data_registers_read(isa_NONE, 2, all, (uint8_t *)values, &registers, &stack));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_ones),
        cmocka_unit_test(damaged_ones),
        cmocka_unit_test(rounds),
        cmocka_unit_test(registers_of_computers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
