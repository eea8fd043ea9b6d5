/* A damaged recording of perf is read, as a file and as perf writes it into a pipe.

   The first byte of the input says how the rest is used: 0, as the recording itself; 1, as records behind a sound
   head; else as damage to a sound recording (harness_damaged), of a file or a pipe. */
#include "fuzz/harness.h"

#include "tests/unit/perf_data.h"

#include <math.h>

static void try(const char *path)
{
    struct sample_recording recording;
    struct error error = {0};
    sample_recording_init(&recording);
    bool is_read = perf_data_read(&(struct perf_data_wish){.path = path}, &recording, &error);
    if (is_read == error.set)
        harness_wrong("a failure without a reason, or the other way round", "perf_data_read");
    if (is_read && wrong_with(&recording))
        harness_wrong(wrong_with(&recording), "perf_data_read");
    if (is_read && (!isfinite(recording.seconds) || recording.seconds < 0))
        harness_wrong("a time that is not one", "perf_data_read");
    sample_recording_free(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (!*data) {
        try(harness_file(data + 1, size - 1));
        return 0;
    }
    struct array whole = *data & 2 ? make_perf_pipe() : make_perf_data();
    if (*data == 1) {
        size_t sound = PERF_TEST_HEAD + PERF_TEST_ATTRIBUTE + 16 + 8;
        uint64_t records = size - 1;
        whole.count = sound;
        put_bytes(&whole, data + 1, size - 1);
        memcpy((uint8_t *)whole.data + 48, &records, sizeof records);
        try(harness_file(whole.data, whole.count));
    } else {
        try(harness_damaged((struct span){whole.data, whole.count}, data + 1, size - 1));
    }
    array_free(&whole);
    return 0;
}
