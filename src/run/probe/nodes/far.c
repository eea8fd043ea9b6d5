/* Nodes out of line, for functions that must not become longer.

   What is left in the function is a jump to the node and a label after it.  The node stands at the end of
   the text and jumps back.  Unwinders find it outside the function, so it begins with the unwind directives
   that hold where the jump is: those from the start of the function up to there, once more. */
#include "run/probe/nodes/parts.h"

#include <string.h>

static bool is_directive(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) >= strlen(word) && !memcmp(at, word, strlen(word));
}

/* Directives about the whole function, which its own code has. */
static bool is_of_function(const char *at, const char *end)
{
    static const char *const words[] = {".cfi_startproc", ".cfi_endproc", ".cfi_sections", ".cfi_personality",
                                        ".cfi_lsda"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (is_directive(at, end, words[i]))
            return true;
    return false;
}

void node_far_begin(struct node_text *far, const struct node_lines *lines, size_t offset)
{
    uint32_t last = node_line_of(lines, offset), first = last;
    if (!far->place.has_cfi)
        return;
    while (first && ARRAY_AT(struct node_place, &lines->places, first)->has_cfi)
        first--;
    node_line(far, "\t.cfi_startproc");
    for (uint32_t line = first; line < last; line++) {
        const char *at = lines->text + *ARRAY_AT(size_t, &lines->starts, line);
        const char *end = lines->text + *ARRAY_AT(size_t, &lines->starts, line + 1);
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (is_directive(at, end, ".cfi_") && !is_of_function(at, end))
            node_line(far, "\t%.*s", (int)(end - at) - (end > at && end[-1] == '\n'), at);
    }
}

void node_far_end(struct node_text *far)
{
    if (far->place.has_cfi)
        node_line(far, "\t.cfi_endproc");
}
