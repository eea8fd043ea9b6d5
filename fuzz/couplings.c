/* A table of stored couplings: chains of the kernels that there are, or an error with the file. */
#include "fuzz/harness.h"

#include "plan/modelling/coupling/coupling.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char names[4][8] = {"walk", "scatter", "gather", "a b"};
    struct error error = {0};
    struct coupling coupling = {.kernels = ARRAY_OF(char *), .chains = ARRAY_OF(struct coupling_chain)};
    struct array stored;
    const char *path = harness_file(data, size);
    for (unsigned i = 0; i < 3; i++) {
        *(char **)array_push(&coupling.kernels) = names[i];
        *(struct coupling_chain *)array_push(&coupling.chains) =
            (struct coupling_chain){.first = i, .length = 1, .seconds = 1 + i, .apart = 1 + i};
    }
    if (coupling_read_stored(path, &coupling, &stored, &error)) {
        for (uint32_t length = 2; length <= 3; length++) {
            double seconds = coupling_compose_stored(&coupling, &stored, length);
            if (!isnan(seconds) && seconds < 0)
                harness_wrong("a time below 0", path);
        }
    } else if (!error.set || strncmp(error.text, path, strlen(path)) != 0) {
        harness_wrong("an error without its file", error.text);
    }
    array_free(&stored);
    array_free(&coupling.kernels);
    array_free(&coupling.chains);
    return 0;
}
