/* A damaged ring of the library that samples by timers is read.

   The input describes damage to a sound ring (harness_damaged), of which the empty part between header and
   records is left out. */
#include "fuzz/harness.h"

#include "tests/unit/sample_ring.h"

enum { PROCESS = 0x7ffffff0, HEAD = sizeof(struct sample_ring) };

/* With the empty part, as the file of a ring. */
static void put_ring(const char *path, FILE *damaged)
{
    static uint8_t bytes[SAMPLE_DATA + 65536];
    memset(bytes, 0, sizeof bytes);
    FILE *file = fopen(path, "wb");
    size_t size = damaged ? fread(bytes, 1, HEAD, damaged) : 0;
    if (size == HEAD)
        size = SAMPLE_DATA + fread(bytes + SAMPLE_DATA, 1, sizeof bytes - SAMPLE_DATA, damaged);
    if (!file || fwrite(bytes, 1, size, file) != size)
        harness_wrong("cannot write", path);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/assay-fuzz-XXXXXX", path[sizeof folder + sizeof ring_name];
    if (!*path && !mkdtemp(folder))
        harness_wrong("cannot make a folder", folder);
    snprintf(path, sizeof path, "%s/%s", folder, ring_name);
    struct array ring = make_ring(PROCESS);
    memmove((uint8_t *)ring.data + HEAD, (uint8_t *)ring.data + SAMPLE_DATA, ring.count - SAMPLE_DATA);
    FILE *damaged =
        fopen(harness_damaged((struct span){ring.data, ring.count - SAMPLE_DATA + HEAD}, data, size), "rb");
    put_ring(path, damaged);
    if (damaged)
        fclose(damaged);
    struct sample_recording recording;
    struct timer_counts counts = read_ring(&recording, folder, PROCESS);
    if (wrong_with(&recording))
        harness_wrong(wrong_with(&recording), "timer_ring_read");
    if (!(counts.seconds >= 0) || isinf(counts.seconds))
        harness_wrong("a time that is not one", "timer_ring_read");
    sample_recording_free(&recording);
    array_free(&ring);
    unlink(path);
    return 0;
}
