/* Recordings of sampled runs as files, damaged ones, and merged ones (src/run/sample/recording_….c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sample_recording.h"

static void same_texts(const char *left, const char *right)
{
    assert_true(!left == !right);
    if (left)
        assert_string_equal(left, right);
}

static void same_reals(double left, double right)
{
    assert_true(left == right || (isnan(left) && isnan(right)));
}

static void same_bytes(const struct sample_recording *left, const struct sample_recording *right)
{
    struct array a = recording_file_encode(left), b = recording_file_encode(right);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.data, b.data, a.count);
    array_free(&a);
    array_free(&b);
}

static void round_trip(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-unit-XXXXXX";
    close(mkstemp(path));
    struct sample_recording written, read;
    struct error error = {0};
    make_recording(&written, 1, "/usr/lib/libwork.so");
    sample_recording_init(&read);
    read.command = text_of("what was there");
    assert_true(sample_recording_write(&written, path, &error));
    assert_true(sample_recording_read(&read, path, &error));
    assert_null(wrong_with(&read));
    same_bytes(&written, &read);
    assert_string_equal(read.command, "./solver 3");
    assert_string_equal(read.host, "node2");
    assert_null(read.why_not_kernel);
    assert_int_equal(read.exit_status, 1);
    assert_int_equal(read.involuntary_switches, (uint64_t)1 << 40);
    assert_int_equal(read.files.count, 4);
    const struct sample_file *library = array_at(&read.files, 2);
    assert_string_equal(library->path, "/usr/lib/libwork.so");
    assert_true(library->is_deleted && !library->has_other_code && !*library->build_id);
    assert_int_equal(ARRAY_AT(struct sample_frame, &read.frames, 2)->address, 0xffff800012345678);
    const struct sample_node *cut = array_at(&read.nodes, 4);
    assert_true(cut->is_cut && cut->frame == 2 && !cut->caller);
    const struct sample_process *process = array_at(&read.processes, 0);
    assert_int_equal(process->rank, 1);
    same_reals(process->end, NAN);
    same_reals(process->start, 0.001);
    same_texts(ARRAY_AT(struct sample_thread, &read.threads, 0)->name, NULL);
    same_texts(ARRAY_AT(struct sample_thread, &read.threads, 1)->name, "worker");
    const struct sample_count *last = array_at(&read.counts, 3);
    assert_true(last->event == 1 && last->samples == 101 && last->amount == 101);
    sample_recording_free(&written);
    sample_recording_free(&read);
    unlink(path);
}

static void empty_recording(void **state)
{
    (void)state;
    struct sample_recording empty, read;
    struct error error = {0};
    sample_recording_init(&empty);
    ARRAY_AT(struct sample_node, &empty.nodes, 0)->is_cut = false;
    sample_recording_init(&read);
    struct array bytes = recording_file_encode(&empty);
    assert_true(recording_file_decode(&read, bytes.data, bytes.count, "empty", &error));
    same_bytes(&empty, &read);
    array_free(&bytes);
    sample_recording_free(&empty);
    sample_recording_free(&read);
}

static void other_files(void **state)
{
    (void)state;
    struct sample_recording recording;
    struct error error = {0};
    make_recording(&recording, 0, "/lib/a.so");
    struct array bytes = recording_file_encode(&recording);
    assert_false(recording_file_decode(&recording, (const uint8_t *)"ASSAYRUN", 8, "short", &error));
    assert_string_equal(error.text, "short: is not a recording of assay run");
    error.set = false;
    ((uint8_t *)bytes.data)[8] = 9;
    assert_false(recording_file_decode(&recording, bytes.data, bytes.count, "new", &error));
    assert_non_null(strstr(error.text, "another version of assay (9, not 2)"));
    error.set = false;
    assert_false(sample_recording_read(&recording, "/nowhere/at/all", &error));
    assert_true(error.set);
    error.set = false;
    assert_false(sample_recording_read(&recording, "/dev/zero", &error));
    assert_true(error.set);
    assert_string_equal(recording.command, "./solver 3"); /* as it was */
    array_free(&bytes);
    sample_recording_free(&recording);
}

static bool reads(const uint8_t *bytes, size_t size)
{
    struct sample_recording read, merged;
    struct error error = {0};
    sample_recording_init(&read);
    /* In memory of its own, so that the sanitizers see reads after the end. */
    uint8_t *copy = memory_get(size + !size);
    memcpy(copy, bytes, size);
    bool is_read = recording_file_decode(&read, copy, size, "damaged", &error);
    free(copy);
    assert_true(is_read != error.set);
    assert_null(wrong_with(&read));
    if (is_read) {
        make_recording(&merged, 0, "/lib/a.so");
        sample_recording_merge(&merged, &read);
        assert_null(wrong_with(&merged));
        sample_recording_free(&merged);
    }
    sample_recording_free(&read);
    return is_read;
}

static void every_byte(void **state)
{
    (void)state;
    struct sample_recording recording;
    make_recording(&recording, 0, "/lib/a.so");
    struct array all = recording_file_encode(&recording);
    uint8_t *bytes = all.data;
    for (size_t i = 0; i < all.count; i++) {
        uint8_t before = bytes[i];
        static const uint8_t values[] = {0, 1, 2, 127, 128, 254, 255};
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] = before ^ (uint8_t)(1 << bit);
            assert_false(reads(bytes, all.count));
            correct_sum(bytes, all.count);
            reads(bytes, all.count);
            bytes[i] = before;
            correct_sum(bytes, all.count);
        }
        for (unsigned j = 0; j < sizeof values; j++) {
            bytes[i] = values[j];
            correct_sum(bytes, all.count);
            reads(bytes, all.count);
        }
        bytes[i] = before;
        correct_sum(bytes, all.count);
    }
    assert_true(reads(bytes, all.count));
    array_free(&all);
    sample_recording_free(&recording);
}

static void every_length(void **state)
{
    (void)state;
    struct sample_recording recording;
    make_recording(&recording, 0, "/lib/a.so");
    struct array all = recording_file_encode(&recording);
    for (size_t size = 0; size < all.count; size++) {
        uint8_t *bytes = memory_get(size + 1);
        memcpy(bytes, all.data, size);
        assert_false(reads(bytes, size));
        correct_sum(bytes, size);
        assert_false(reads(bytes, size));
        free(bytes);
    }
    *(uint8_t *)array_push(&all) = 0;
    correct_sum(all.data, all.count);
    assert_false(reads(all.data, all.count));
    array_free(&all);
    sample_recording_free(&recording);
}

static void merged_ranks(void **state)
{
    (void)state;
    struct sample_recording all, ranks[3];
    make_recording(&ranks[0], 0, "/lib/a.so");
    make_recording(&ranks[1], 1, "/lib/a.so");
    make_recording(&ranks[2], 2, "/lib/other.so");
    sample_recording_init(&all);
    for (unsigned i = 0; i < 3; i++)
        sample_recording_merge(&all, &ranks[i]);
    assert_null(wrong_with(&all));
    assert_int_equal(all.files.count, 5);  /* none, solver, a, kernel, other */
    assert_int_equal(all.frames.count, 5); /* one in other.so */
    assert_int_equal(all.nodes.count, 8);  /* three stacks through it */
    assert_int_equal(all.processes.count, 3);
    assert_int_equal(all.threads.count, 6);
    assert_int_equal(all.counts.count, 12);
    assert_true(ARRAY_AT(struct sample_file, &all.files, 2)->is_deleted); /* on one of two hosts */
    assert_int_equal(all.events.count, 3);
    const struct sample_event *time = array_at(&all.events, 0), *migrations = array_at(&all.events, 2);
    assert_int_equal(time->samples, 3000);
    assert_string_equal(migrations->name, "migrations");
    assert_true(migrations->total == 202 && migrations->running == 0.5 && migrations->is_exact);
    assert_true(all.seconds == 4 && all.cpu_seconds == 7.5 && all.kernel_seconds == 0.75);
    assert_true(fabs(all.cycles_per_second - (3e9 * 1.5 + 4e9 * 2.5 + 5e9 * 3.5) / 7.5) < 1);
    assert_true(all.others_share == 0.5); /* of the busiest host */
    assert_true(all.slowest_clock == 2e9 && all.fastest_clock == 4e9 + 2);
    assert_int_equal(all.exit_status, 1);
    assert_int_equal(all.minor_faults, 300);
    assert_int_equal(all.peak_memory, 1002);
    assert_int_equal(all.lost, 15);
    for (unsigned i = 0; i < 3; i++) {
        const struct sample_process *process = ARRAY_AT(struct sample_process, &all.processes, i);
        assert_int_equal(process->rank, i);
        assert_string_equal(process->host, i ? "node2" : "node1");
        assert_int_equal(ARRAY_AT(struct sample_thread, &all.threads, i * 2 + 1)->process, i);
    }
    /* The second rank's kernel stack is the first one's; the third one's goes through its own library. */
    const struct sample_count *counts = all.counts.data;
    assert_true(counts[1].thread == 1 && counts[5].thread == 3 && counts[9].thread == 5);
    assert_int_equal(counts[5].node, counts[1].node);
    assert_int_not_equal(counts[9].node, counts[1].node);
    assert_int_equal(counts[8].node, counts[0].node);
    assert_int_equal(counts[7].event, 2);
    for (unsigned i = 0; i < 3; i++)
        sample_recording_free(&ranks[i]);
    sample_recording_free(&all);
}

static void merged_into_nothing(void **state)
{
    (void)state;
    struct sample_recording all, one;
    make_recording(&one, 0, "/lib/a.so");
    free(ARRAY_AT(struct sample_process, &one.processes, 0)->host);
    ARRAY_AT(struct sample_process, &one.processes, 0)->host = text_of("node1");
    sample_recording_init(&all);
    sample_recording_merge(&all, &one);
    same_bytes(&one, &all);
    sample_recording_free(&one);
    sample_recording_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),          cmocka_unit_test(empty_recording),
        cmocka_unit_test(other_files),         cmocka_unit_test(every_byte),
        cmocka_unit_test(every_length),        cmocka_unit_test(merged_ranks),
        cmocka_unit_test(merged_into_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
