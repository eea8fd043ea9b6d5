/* A mangled name. */
#include "fuzz/harness.h"

#include "model/demangle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = harness_text(data, size);
    free(demangle_name(name));
    free(name);
    return 0;
}
