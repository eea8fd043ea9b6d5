/* Forms that compilers use most: tables made by tools/bench-common, the most frequent first. */
#include "run/bench/bench.h"

#include <string.h>

extern const char bench_common_aarch64[], bench_common_x86_64[];

const char *bench_common_form(enum isa isa, size_t place, char form[96])
{
    const char *at = isa == isa_AARCH64 ? bench_common_aarch64 : isa == isa_X86_64 ? bench_common_x86_64 : "";
    for (; *at; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n");
        if (at[0] == '#' || place-- > 0)
            continue;
        if (length >= 96)
            return NULL;
        memcpy(form, at, length);
        form[length] = '\0';
        return form;
    }
    return NULL;
}
