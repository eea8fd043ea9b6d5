/* Text as a description for assay predict: accepted and whole, or refused with its file. */
#include "fuzz/harness.h"

#include "plan/predict/describe.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct predict_description *made =
        predict_describe_text("/nowhere/file", (const char *)data, size, &error);
    if (!made) {
        if (!error.set || strncmp(error.text, "/nowhere/file", 13))
            harness_wrong("an error without its file", error.text);
        return 0;
    }
    if (!made->inputs.count || !made->features.count || made->size >= made->features.count || !made->least ||
        made->least > made->most)
        harness_wrong("an incomplete description", predict_name(made));
    predict_description_free(made);
    return 0;
}
