/* The source after its own compiler's preprocessor: no macros, no includes, and line markers that say where
   each line came from.  It is what the compiler would have read. */
#include "change/optimise/extract/extract_parts.h"

#include "base/child.h"
#include "code/source/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 64 << 20 };

static bool explain(const struct compilation *compilation, const struct child_answer *answer,
                    struct error *error)
{
    const char *messages = answer->messages.data, *found = strstr(messages, "error: ");
    if (answer->end == child_end_FAILED && found)
        return error_set(error, compilation->source, "the compile command cannot read it: %.*s",
                         (int)strcspn(found + 7, "\n"), found + 7);
    if (answer->end == child_end_LARGE)
        return error_set(error, compilation->source, "it has more than %d MB after the preprocessor",
                         MOST_TEXT >> 20);
    if (answer->end == child_end_SLOW)
        return error_set(error, compilation->source, "the preprocessor took more than %d seconds",
                         SOURCE_SECONDS);
    return error_set(error, compilation->source, "the preprocessor of %s failed: %.*s", compilation->compiler,
                     (int)strcspn(messages, "\n"), messages);
}

bool marked_text_preprocess(const struct compilation *compilation, const char *const *more,
                            struct marked_text *marked, struct error *error)
{
    struct array words = ARRAY_OF(const char *);
    compilation_words(compilation, &words);
    for (; more && *more; more++)
        *(const char **)array_push(&words) = *more;
    const char *const rest[] = {
        "-w", "-E", "-x", compilation->language == source_CPP ? "c++" : "c", compilation->source, NULL};
    memcpy(array_push_many(&words, sizeof rest / sizeof *rest), rest, sizeof rest);
    struct child_job job = {
        .words = words.data, .place = child_place_PRIVATE, .limits = source_limits(MOST_TEXT)};
    struct child_answer answer;
    bool done = child_run(&job, &answer, error);
    array_free(&words);
    if (!done)
        return false;
    done = answer.end == child_end_DONE || explain(compilation, &answer, error);
    *marked = (struct marked_text){0};
    if (done) {
        marked->text = memory_copy_text(answer.output.data, answer.output.count);
        marked->size = strlen(marked->text); /* a zero byte ends it */
        marked_text_index(marked);
    }
    child_answer_free(&answer);
    return done;
}

/* # 12 "file.c" 2: the number and the name; whether it is a marker. */
static bool read_marker(struct marked_text *marked, size_t at, unsigned *line, string_id *file)
{
    const char *text = marked->text + at;
    if (*text++ != '#')
        return false;
    text += strspn(text, " \t");
    if (!strncmp(text, "line", 4))
        text += 4 + strspn(text + 4, " \t");
    if (!isdigit((unsigned char)*text))
        return false;
    unsigned number = 0;
    for (; isdigit((unsigned char)*text); text++)
        number = number < 100000000 ? number * 10 + (unsigned)(*text - '0') : number;
    *line = number;
    text += strspn(text, " \t");
    if (*text != '"')
        return true;
    char *name = memory_get(strcspn(++text, "\n") + 1);
    size_t used = 0;
    for (; *text && *text != '"' && *text != '\n'; text++) {
        text += *text == '\\' && text[1] && text[1] != '\n';
        name[used++] = *text;
    }
    *file = strings_add_length(&marked->names, name, used);
    free(name);
    return true;
}

void marked_text_index(struct marked_text *marked)
{
    marked->lines = ARRAY_OF(struct marked_line);
    unsigned line = 1;
    string_id file = strings_add(&marked->names, "");
    for (size_t at = 0; at < marked->size;) {
        size_t next = at + strcspn(marked->text + at, "\n");
        next += next < marked->size;
        unsigned told;
        bool is_marker = read_marker(marked, at, &told, &file);
        *(struct marked_line *)array_push(&marked->lines) =
            (struct marked_line){at, file, is_marker ? 0 : line};
        line = is_marker ? told : line + 1;
        at = next;
    }
}

void marked_text_free(struct marked_text *marked)
{
    free(marked->text);
    array_free(&marked->lines);
    strings_free(&marked->names);
    *marked = (struct marked_text){0};
}

const struct marked_line *marked_text_line(const struct marked_text *marked, size_t at)
{
    struct bisection search = {0, marked->lines.count};
    while (bisect(&search))
        bisect_past(&search, ARRAY_AT(struct marked_line, &marked->lines, search.middle)->at <= at);
    return search.first ? ARRAY_AT(struct marked_line, &marked->lines, search.first - 1) : NULL;
}

const char *marked_text_file(const struct marked_text *marked, const struct marked_line *line)
{
    return strings_text(&marked->names, line->file);
}

void text_edit_add(struct array *edits, size_t at, size_t remove, const char *insert)
{
    *(struct text_edit *)array_push(edits) =
        (struct text_edit){at, remove, insert ? memory_copy_text(insert, strlen(insert)) : NULL, NULL};
}

void text_edit_mark(struct array *edits, size_t at, size_t *place)
{
    *(struct text_edit *)array_push(edits) = (struct text_edit){at, 0, NULL, place};
}

void text_edits_free(struct array *edits)
{
    for (size_t i = 0; i < edits->count; i++)
        free(ARRAY_AT(struct text_edit, edits, i)->insert);
    array_free(edits);
}

/* Stable: an insertion sort, since edits come nearly in order. */
void text_edits_sort(struct array *edits)
{
    struct text_edit *list = edits->data;
    for (size_t i = 1; i < edits->count; i++) {
        struct text_edit one = list[i];
        size_t j = i;
        for (; j && list[j - 1].at > one.at; j--)
            list[j] = list[j - 1];
        list[j] = one;
    }
}

static void put(struct array *result, const char *text, size_t length)
{
    if (length)
        memcpy(array_push_many(result, length), text, length);
}

void text_edits_apply(struct array *result, const char *text, size_t from, size_t to,
                      const struct array *edits)
{
    for (size_t i = 0; i < edits->count; i++) {
        const struct text_edit *edit = ARRAY_AT(struct text_edit, edits, i);
        if (edit->at < from || edit->at >= to)
            continue;
        put(result, text + from, edit->at - from);
        from = edit->at;
        if (edit->insert)
            put(result, edit->insert, strlen(edit->insert));
        if (edit->place)
            *edit->place = result->count;
        from = edit->at + edit->remove < to ? edit->at + edit->remove : to;
    }
    put(result, text + from, to - from);
}

char *text_edits_text(const char *text, size_t from, size_t to, const struct array *edits)
{
    struct array out = ARRAY_OF(char);
    text_edits_apply(&out, text, from, to, edits);
    char *made = memory_copy_text(out.count ? out.data : "", out.count);
    array_free(&out);
    return made;
}

char *extract_marker_name(const char *name)
{
    struct array out = ARRAY_OF(char);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            *(char *)array_push(&out) = '\\';
        *(char *)array_push(&out) = *name;
    }
    char *made = memory_copy_text(out.count ? out.data : "", out.count);
    array_free(&out);
    return made;
}
