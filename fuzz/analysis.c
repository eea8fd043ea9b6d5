/* The header of an analysis. */
#include "fuzz/harness.h"

#include "store/analyses.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size);
    struct analysis analysis = {0};
    analysis_parse(&analysis, "folder/name.sql", text);
    if (!analysis.error.set && (!analysis.title || !analysis.does || !analysis.text || !analysis.name))
        harness_wrong("an analysis without its parts", text);
    for (size_t i = 0; i < analysis.parameters.count; i++)
        if (!ARRAY_AT(struct analysis_parameter, &analysis.parameters, i)->name)
            harness_wrong("a parameter without a name", text);
    analysis_free(&analysis);
    free(text);
    return 0;
}
