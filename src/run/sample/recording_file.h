/* The bytes of a recording's file, for recording_file.c and for tests that damage them. */
#ifndef RUN_SAMPLE_RECORDING_FILE_H
#define RUN_SAMPLE_RECORDING_FILE_H
#include "run/sample/recording.h"

#define RECORDING_FILE_MAGIC "ASSAYRUN"
enum {
    RECORDING_FILE_VERSION = 2,
    RECORDING_FILE_HEAD = 24, /* magic; version, 0, in four bytes each; the sum of all bytes after */
};
uint64_t recording_file_sum(const uint8_t *bytes, size_t size);
/* Bytes of a whole file, to be freed (array_free). */
struct array recording_file_encode(const struct sample_recording *recording);
/* Replaces what the recording has, if the bytes are sound. */
bool recording_file_decode(struct sample_recording *recording, const uint8_t *bytes, size_t size,
                           const char *path, struct error *error);
#endif
