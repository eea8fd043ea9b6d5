/* Text as a CHIP³S script: refused with a reason, or translated into a text that can be read as a model. */
#include "fuzz/harness.h"

#include "plan/modelling/language/import.h"
#include "plan/modelling/language/language.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct array notes = ARRAY_OF(char *);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool is_fine = language_import_text("/nowhere/file", (const char *)data, size, out, &notes, &error);
    fclose(out);
    if (!is_fine && (!error.set || !*error.text))
        harness_wrong("a refusal without a reason", "");
    if (is_fine) {
        struct error mistake = {0};
        struct language_model *model = language_parse("made", text, length);
        language_prepare(model, &mistake);
        language_free(model);
    }
    for (size_t i = 0; i < notes.count; i++)
        free(*ARRAY_AT(char *, &notes, i));
    array_free(&notes);
    free(text);
    return 0;
}
