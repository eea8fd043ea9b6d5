/* Forms that compilers use most: tables made by tools/gauge-common, the most frequent first. */
#include "gauge/bench.h"

#include <string.h>

extern const char gauge_common_aarch64[], gauge_common_x86_64[];

const char *gauge_common_form(enum isa isa, size_t place, char form[96])
{
    const char *at = isa == isa_AARCH64 ? gauge_common_aarch64 : isa == isa_X86_64 ? gauge_common_x86_64 : "";
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
