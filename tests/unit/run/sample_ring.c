/* Rings of the library that samples by timers, sound and damaged (src/run/sample/timer_ring.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample_ring.h"

static char folder[] = "/tmp/assay-unit-XXXXXX";
static char path[sizeof folder + sizeof ring_name];
enum { PROCESS = 0x7ffffff0 }; /* never runs */

static void put_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static const char *file_of(const struct sample_recording *recording, const struct sample_count *count)
{
    const struct sample_node *node = ARRAY_AT(struct sample_node, &recording->nodes, count->node);
    const struct sample_frame *frame = ARRAY_AT(struct sample_frame, &recording->frames, node->frame);
    const char *name = ARRAY_AT(struct sample_file, &recording->files, frame->file)->path;
    return name ? name : "";
}

static uint64_t samples_in(const struct sample_recording *recording, const char *file)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        samples += strcmp(file_of(recording, count), file) ? 0 : count->samples;
    }
    return samples;
}

/* A sample of unknown code waits for maps. */
static void sound_ring(void **state)
{
    (void)state;
    struct sample_recording recording;
    struct array bytes = make_ring(PROCESS);
    put_file(bytes.data, bytes.count);
    struct timer_counts counts = read_ring(&recording, folder, PROCESS);
    assert_int_equal(counts.samples, 5);
    assert_int_equal(counts.lost, 3);
    assert_true(counts.seconds > 0.0199 && counts.seconds < 0.0201);
    assert_int_equal(samples_in(&recording, "/not/there/program"), 2);
    assert_int_equal(samples_in(&recording, "/not/there/plugin"), 3);
    assert_int_equal(recording.processes.count, 1);
    assert_int_equal(recording.threads.count, 2);
    const struct sample_process *process = array_at(&recording.processes, 0);
    assert_int_equal(process->process, PROCESS);
    assert_int_equal(process->parent, PROCESS + 7);
    assert_string_equal(process->command, "program");
    assert_true(process->start < 1e-9 && process->end > 0.029 && process->end < 0.031);
    assert_string_equal(ARRAY_AT(struct sample_thread, &recording.threads, 1)->name, "worker");
    /* The reader gave room, and asked for the maps that it missed. */
    struct sample_ring after;
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(&after, sizeof after, 1, file), 1);
    fclose(file);
    assert_int_equal(after.read, after.written);
    assert_int_equal(after.maps_wanted, 1);
    sample_recording_free(&recording);
    array_free(&bytes);
}

static void read_damaged(const uint8_t *bytes, size_t size)
{
    struct sample_recording recording;
    put_file(bytes, size);
    struct timer_counts counts = read_ring(&recording, folder, PROCESS);
    assert_null(wrong_with(&recording));
    assert_true(counts.samples <= 5 && counts.seconds >= 0 && isfinite(counts.seconds));
    sample_recording_free(&recording);
}

static void every_byte(void **state)
{
    (void)state;
    static const uint8_t values[] = {0, 1, 0x10, 0x7f, 0x80, 0xff};
    struct array ring = make_ring(PROCESS);
    uint8_t *bytes = ring.data;
    for (size_t i = 0; i < ring.count; i++) {
        uint8_t before = bytes[i];
        if (i == sizeof(struct sample_ring))
            i = SAMPLE_DATA;
        for (unsigned j = 0; j < sizeof values; j++) {
            bytes[i] = values[j];
            read_damaged(bytes, ring.count);
        }
        bytes[i] = before;
    }
    array_free(&ring);
}

static void every_length(void **state)
{
    (void)state;
    struct array ring = make_ring(PROCESS);
    for (size_t size = 0; size < ring.count;
         size += size == sizeof(struct sample_ring) ? SAMPLE_DATA - size : 1)
        read_damaged(ring.data, size);
    array_free(&ring);
}

/* Another program, or none, wrote it. */
static void other_files(void **state)
{
    (void)state;
    struct sample_recording recording;
    struct array bytes = make_ring(PROCESS);
    put_file(bytes.data, bytes.count);
    assert_int_equal(read_ring(&recording, folder, PROCESS + 1).samples, 0);
    assert_int_equal(recording.processes.count, 0);
    sample_recording_free(&recording);
    ((struct sample_ring *)bytes.data)->version = 2;
    put_file(bytes.data, bytes.count);
    assert_int_equal(read_ring(&recording, folder, PROCESS).samples, 0);
    sample_recording_free(&recording);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(read_ring(&recording, folder, PROCESS).samples, 0);
    sample_recording_free(&recording);
    unlink(path);
    array_free(&bytes);
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/%s", folder, ring_name);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_ring),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_length),
        cmocka_unit_test(other_files),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
