/* Text as a file of rules and as a source of each language: problems have a place, and lines of statements
   lie in the text. */
#include "fuzz/harness.h"

#include "code/check/check.h"

#include <stdlib.h>
#include <string.h>

static void check_lines(struct source_lines lines, uint32_t last)
{
    if (lines.first > lines.last || (lines.last > last && lines.last != UINT32_MAX))
        harness_wrong("lines outside the text", "source");
}

static void read_source(const char *path, const char *text)
{
    struct source_text source;
    source_text_read(&source, source_kind_of(path), text, strlen(text));
    uint32_t last = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        last++;
    for (size_t i = 0; i < source.comments.count; i++) {
        const struct source_comment *comment = ARRAY_AT(struct source_comment, &source.comments, i);
        struct source_lines branch;
        uint32_t at = 0;
        check_lines(source_text_statement(&source, comment), last);
        check_lines(source_text_function(&source, comment), last);
        for (struct source_lines lines; (lines = source_text_branch(&source, comment, &at)).first;)
            check_lines(lines, last);
        at = 0;
        for (struct source_lines lines;
             (lines = source_text_next_loop(&source, comment, &at, &branch)).first;)
            check_lines(lines, last);
    }
    source_text_free(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size);
    struct check check;
    check_begin(&check);
    check_parse_rules(&check, "rules", text);
    for (size_t i = 0; i < check.problems.count; i++)
        if (strncmp(*ARRAY_AT(char *, &check.problems, i), "rules:", 6) != 0)
            harness_wrong("a problem without its line", *ARRAY_AT(char *, &check.problems, i));
    check_end(&check);
    read_source("a.cc", text);
    read_source("a.f90", text);
    read_source("a.s", text);
    free(text);
    return 0;
}
