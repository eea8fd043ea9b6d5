/* Text as a file of layouts: parts that ascend and have names, or an error with the file. */
#include "fuzz/harness.h"

#include "run/denormal/layout.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct denormal_layout *layout = denormal_layout_text("/nowhere/file", (const char *)data, size, &error);
    if (!layout) {
        if (!error.set || strncmp(error.text, "/nowhere/file", 13))
            harness_wrong("an error without its file", error.text);
        return 0;
    }
    for (size_t i = 0; i < layout->arrays.count; i++) {
        const struct layout_array *array = ARRAY_AT(struct layout_array, &layout->arrays, i);
        uint64_t end = 0;
        for (size_t k = 0; k < array->parts.count; k++) {
            const struct layout_part *part = ARRAY_AT(struct layout_part, &array->parts, k);
            if (part->first < end || !*part->name || (!part->count && k + 1 < array->parts.count))
                harness_wrong("parts that overlap, or have no name", array->name);
            end = part->first + part->count;
        }
        if (!array->parts.count || denormal_layout_of(layout, array->name) != array)
            harness_wrong("an array without parts, or twice", array->name);
    }
    denormal_layout_free(layout);
    return 0;
}
