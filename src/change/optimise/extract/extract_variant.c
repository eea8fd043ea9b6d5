/* The text of a variant: pragmas before the loop, attributes before the function, restrict on parameters,
   promises at the top of the body.  A line marker after each line that is put in keeps the lines of the
   source. */
#include "change/optimise/extract/extract_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GCC$ ivdep → !GCC$ ivdep, omp simd → !$omp simd. */
static char *pragma_line(const struct extract *extract, const char *value)
{
    if (extract->compilation->language != source_FORTRAN)
        return memory_format("#pragma %s\n", value);
    return memory_format(strncmp(value, "omp", 3) ? "!%s\n" : "!$%s\n", value);
}

static void add_pragma(const struct extract *extract, const char *value, struct array *edits)
{
    char *line = pragma_line(extract, value), *name = extract_marker_name(extract->source_file), *whole;
    bool is_fortran = extract->compilation->language == source_FORTRAN;
    if (is_fortran)
        whole = memory_format("%s# %u \"%s\"\n", line, extract->source_line, name);
    else
        whole = memory_format("\n%s# %u \"%s\"\n", line, extract->source_line, name);
    text_edit_add(edits, extract->loop_at, 0, whole);
    free(whole);
    free(name);
    free(line);
}

static void add_restrict(const struct extract *extract, struct array *edits)
{
    bool is_cpp = extract->compilation->language == source_CPP;
    for (size_t i = 0; i < extract->parameters.count; i++) {
        const struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        if (!one->is_pointer || one->is_restrict || !one->name_at)
            continue;
        if (!one->array_at) {
            text_edit_add(edits, one->name_at, 0, "__restrict ");
        } else if (!is_cpp) {
            text_edit_add(edits, one->array_at, 0, "__restrict ");
        } else {
            /* x[…] → (*__restrict x) */
            size_t close = one->array_at + strcspn(extract->text + one->array_at, "]");
            text_edit_add(edits, one->name_at, 0, "(*__restrict ");
            text_edit_add(edits, one->name_at + strlen(one->name),
                          close + 1 - one->name_at - strlen(one->name), ")");
        }
    }
}

static void add_alignment(const struct extract *extract, const char *bytes, struct array *edits)
{
    for (size_t i = 0; i < extract->parameters.count; i++) {
        const struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        if (!one->is_pointer || one->is_constant || !one->name_at)
            continue;
        char *text = memory_format(" %s = (__typeof__(%s))__builtin_assume_aligned(%s, %s);", one->name,
                                   one->name, one->name, bytes);
        text_edit_add(edits, extract->body_at, 0, text);
        free(text);
    }
}

static void add_value(const struct extract *extract, const struct choice *choice, const char *value,
                      struct array *edits)
{
    if (choice->form == choice_PRAGMA && extract->loop_at != SIZE_MAX) {
        add_pragma(extract, value, edits);
    } else if (choice->form == choice_ATTRIBUTE && extract->attribute_at != SIZE_MAX) {
        char *text = memory_format("__attribute__((%s)) ", value);
        text_edit_add(edits, extract->attribute_at, 0, text);
        free(text);
    } else if (choice->form == choice_RESTRICT) {
        add_restrict(extract, edits);
    } else if (choice->form == choice_ALIGNED && extract->body_at != SIZE_MAX) {
        add_alignment(extract, value, edits);
    }
}

char *extract_variant(const struct extract *extract, const struct choices *choices,
                      const struct variant *variant)
{
    struct array edits = ARRAY_OF(struct text_edit);
    for (size_t i = 0; i < choices->list.count; i++)
        if (variant->values[i])
            add_value(extract, choices_at(choices, i), choices_at(choices, i)->values[variant->values[i]],
                      &edits);
    text_edits_sort(&edits);
    char *text = text_edits_text(extract->text, 0, strlen(extract->text), &edits);
    text_edits_free(&edits);
    return text;
}
