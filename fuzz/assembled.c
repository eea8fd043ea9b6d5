/* The text of an x86 or AArch64 listing, up to the assembler: its kind, its statements, and the copy with
 * marks, which must have the same lines. The first byte selects ISA and spacing. */
#include "fuzz/harness.h"

#include "code/read/listing/assembled.h"

#include <stdlib.h>

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

static void check(const struct assembled_text *text, struct span original)
{
    size_t lines = count_lines((const char *)original.data, original.size);
    size_t copied = count_lines(text->copy.data, text->copy.count);
    if (copied < lines || copied > lines + 2)
        harness_wrong("the copy has different lines", "");
    if (text->line_count != lines + 1)
        harness_wrong("lines are counted wrongly", "");
    uint32_t last = 0;
    for (size_t i = 0; i < text->emitters.count; i++) {
        const struct emitter *emitter = ARRAY_AT(struct emitter, &text->emitters, i);
        if (emitter->line < last || emitter->line > text->line_count || !emitter->column)
            harness_wrong("a statement outside the text", "");
        last = emitter->line;
    }
    for (size_t i = 0; i < text->words.count; i++) {
        const struct assembled_word *word = ARRAY_AT(struct assembled_word, &text->words, i);
        if (!word->line || word->line > text->line_count ||
            (word->emitter != NO_EMITTER && word->emitter > text->emitters.count))
            harness_wrong("a word outside the text", "");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    /* A separate allocation, so that the sanitizers detect overruns. */
    char *copy = memory_copy_text((const char *)data + 1, size - 1);
    struct span text = {(const uint8_t *)copy, size - 1};
    unsigned spacing = data[0] & 2 ? 1 : MARK_SPACING;
    struct assembled_text result;
    listing_guess(text, false);
    listing_guess(text, true);
    assembled_lex(text, data[0] & 1 ? isa_AARCH64 : isa_X86_64, "assay$", data[0] & 4, spacing, &result);
    check(&result, text);
    struct strings labels = assembled_inner_labels(&result, 1);
    strings_free(&labels);
    assembled_free(&result);
    free(copy);
    return 0;
}
