/* Recordings of probes as files, for the tests of their reader. */
#ifndef TESTS_UNIT_PROBE_RECORDING_FILES_H
#define TESTS_UNIT_PROBE_RECORDING_FILES_H
#include "probe_recording.h"

static inline void put(struct fixture *fixture, const void *bytes, size_t size)
{
    int file = memfd_create("recording", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    *(char **)array_push(&fixture->paths) = memory_format("/proc/self/fd/%d", file);
}

static inline void put_tape(struct fixture *fixture, struct tape *tape)
{
    size_t size;
    uint8_t *bytes = tape_bytes(tape, &size);
    put(fixture, bytes, size);
    free(bytes);
}

static inline void add(struct fixture *fixture)
{
    struct error error = {0};
    assert_true(recording_add(&fixture->model, &fixture->plan, &fixture->paths, &error));
}
#endif
