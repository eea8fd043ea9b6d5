/* A damaged recording of a sampled run is read, and merged with a sound one.

   The first byte of the input says how the rest is used: 0, as the bytes of a file after its head, with a
   right sum; else as damage to a sound file (harness_damaged), whose sum is made right again. */
#include "fuzz/harness.h"

#include "tests/unit/sample_recording.h"

#include <stdlib.h>

static void try(uint8_t *bytes, size_t size)
{
    struct sample_recording read, merged;
    struct error error = {0};
    correct_sum(bytes, size);
    sample_recording_init(&read);
    bool is_read = recording_file_decode(&read, bytes, size, "damaged", &error);
    if (is_read == error.set)
        harness_wrong("a failure without a reason, or the other way round", "recording_file_decode");
    if (wrong_with(&read))
        harness_wrong(wrong_with(&read), "recording_file_decode");
    make_recording(&merged, 1, "/lib/a.so");
    sample_recording_merge(&merged, &read);
    if (wrong_with(&merged))
        harness_wrong(wrong_with(&merged), "sample_recording_merge");
    struct array again = recording_file_encode(&read);
    struct error other = {0};
    if (is_read && !recording_file_decode(&merged, again.data, again.count, "again", &other))
        harness_wrong(other.text, "a recording that was read cannot be written and read again");
    array_free(&again);
    sample_recording_free(&merged);
    sample_recording_free(&read);
}

static void try_damaged(const uint8_t *data, size_t size)
{
    struct sample_recording recording;
    make_recording(&recording, 0, "/lib/a.so");
    struct array whole = recording_file_encode(&recording);
    FILE *file = fopen(harness_damaged((struct span){whole.data, whole.count}, data, size), "rb");
    uint8_t *bytes = memory_get(whole.count);
    size_t count = file ? fread(bytes, 1, whole.count, file) : 0;
    if (file)
        fclose(file);
    uint8_t *exact = memory_get(count + !count);
    memcpy(exact, bytes, count);
    try(exact, count);
    free(exact);
    free(bytes);
    array_free(&whole);
    sample_recording_free(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (*data) {
        try_damaged(data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes = memory_get(RECORDING_FILE_HEAD + size - 1);
    memcpy(bytes, RECORDING_FILE_MAGIC, 8);
    bytes[8] = RECORDING_FILE_VERSION;
    memcpy(bytes + RECORDING_FILE_HEAD, data + 1, size - 1);
    try(bytes, RECORDING_FILE_HEAD + size - 1);
    free(bytes);
    return 0;
}
