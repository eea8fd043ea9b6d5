/* A unified diff of a text and of what edits make of it.  Edits are few and local, so lines need not be
   searched for: each old line knows what it became. */
#include "change/optimise/apply/patch_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };

struct old_line {
    size_t at, length; /* without the newline */
    char *made;        /* what it became, with newlines; NULL: it stays */
    bool is_removed;
};

static void put(struct array *out, const char *text, size_t length)
{
    if (length)
        memcpy(array_push_many(out, length), text, length);
}

static void put_format(struct array *out, char *text)
{
    put(out, text, strlen(text));
    free(text);
}

/* Lines of a text, each with a mark; how many. */
static size_t put_marked(struct array *out, char mark, const char *text, size_t length)
{
    size_t count = 0;
    for (size_t at = 0; at < length || !count; count++) {
        size_t stop = at;
        while (stop < length && text[stop] != '\n')
            stop++;
        put(out, &mark, 1);
        put(out, text + at, stop - at);
        put(out, "\n", 1);
        at = stop + 1;
        if (stop >= length)
            return count + 1;
    }
    return count;
}

/* One old line in a hunk: what is the same at its end or start stays. */
static void put_line(struct array *out, const char *text, const struct old_line *line, bool is_unended,
                     size_t *old_count, size_t *new_count)
{
    const char *old = text + line->at;
    const char *made = line->made;
    size_t length = made ? strlen(made) : 0;
    if (line->is_removed) {
        put_marked(out, '-', old, line->length);
    } else if (!made) {
        put_marked(out, ' ', old, line->length);
        (*new_count)++;
    } else if (length > line->length && !memcmp(made + length - line->length, old, line->length) &&
               made[length - line->length - 1] == '\n') {
        *new_count += put_marked(out, '+', made, length - line->length - 1) + 1;
        put_marked(out, ' ', old, line->length);
    } else if (length > line->length && !memcmp(made, old, line->length) && made[line->length] == '\n' &&
               !is_unended) {
        put_marked(out, ' ', old, line->length);
        *new_count += put_marked(out, '+', made + line->length + 1, length - line->length - 1) + 1;
    } else {
        put_marked(out, '-', old, line->length);
        if (is_unended)
            put(out, "\\ No newline at end of file\n", 28);
        *new_count += put_marked(out, '+', made, length);
    }
    (*old_count)++;
    if (is_unended)
        put(out, "\\ No newline at end of file\n", 28);
}

static bool is_changed(const struct array *lines, size_t place)
{
    const struct old_line *line = ARRAY_AT(struct old_line, lines, place);
    return line->made || line->is_removed;
}

static void put_hunks(struct array *out, const char *text, const struct array *lines, bool has_end)
{
    long shift = 0;
    size_t count = lines->count;
    for (size_t i = 0; i < count; i++) {
        if (!is_changed(lines, i))
            continue;
        size_t first = i < CONTEXT ? 0 : i - CONTEXT, last = i;
        for (size_t j = i + 1; j < count && j <= last + 2 * CONTEXT; j++)
            if (is_changed(lines, j))
                last = j;
        size_t stop = last + CONTEXT < count - 1 ? last + CONTEXT : count - 1, old_count = 0, new_count = 0;
        struct array body = ARRAY_OF(char);
        for (size_t j = first; j <= stop; j++)
            put_line(&body, text, ARRAY_AT(struct old_line, lines, j), !has_end && j == count - 1, &old_count,
                     &new_count);
        put_format(out, memory_format("@@ -%zu,%zu +%ld,%zu @@\n", first + 1, old_count,
                                      (long)first + 1 + shift, new_count));
        put(out, body.data, body.count);
        array_free(&body);
        shift += (long)new_count - (long)old_count;
        i = stop;
    }
}

/* An edit that takes whole lines. */
static bool is_removed(const struct array *edits, size_t at, size_t length)
{
    for (size_t i = 0; i < edits->count; i++) {
        const struct text_edit *edit = ARRAY_AT(struct text_edit, edits, i);
        if (!edit->insert && edit->remove && edit->at <= at && at + length <= edit->at + edit->remove &&
            at < edit->at + edit->remove)
            return true;
    }
    return false;
}

void patch_put(struct array *out, const char *name, const char *text, struct array *edits)
{
    struct array lines = ARRAY_OF(struct old_line);
    text_edits_sort(edits);
    size_t size = strlen(text);
    bool has_end = !size || text[size - 1] == '\n';
    for (size_t at = 0; at < size;) {
        size_t length = strcspn(text + at, "\n");
        struct old_line line = {at, length, NULL, is_removed(edits, at, length)};
        bool is_edited = false;
        for (size_t i = 0; i < edits->count && !line.is_removed; i++) {
            size_t place = ARRAY_AT(struct text_edit, edits, i)->at;
            is_edited |= place >= at && place <= at + length;
        }
        if (is_edited) {
            struct array made = ARRAY_OF(char);
            /* the newline is taken along, so that an edit at the end of the line is in reach */
            text_edits_apply(&made, text, at, at + length + (text[at + length] == '\n'), edits);
            size_t kept = made.count && text[at + length] == '\n' ? made.count - 1 : made.count;
            line.made = memory_copy_text(made.data, kept);
            array_free(&made);
        }
        *(struct old_line *)array_push(&lines) = line;
        at += length + 1;
    }
    put_format(out, memory_format("--- a/%s\n+++ b/%s\n", name, name));
    put_hunks(out, text, &lines, has_end);
    for (size_t i = 0; i < lines.count; i++)
        free(ARRAY_AT(struct old_line, &lines, i)->made);
    array_free(&lines);
}

void patch_put_new(struct array *out, const char *name, const char *text)
{
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    put_format(out, memory_format("--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%zu @@\n", name, lines));
    size_t length = strlen(text);
    put_marked(out, '+', text, length && text[length - 1] == '\n' ? length - 1 : length);
}
