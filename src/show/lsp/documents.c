/* A loop is shown at its own lines, and in the file that calls it where it was inlined from another one. Edits since
   the build are replayed on its lines: those above move it, those inside make its figures void.

   What an edit is shows in the texts before and after it: the lines between those that are equal at both ends. Ranges of
   clients tell less: Neovim 0.7 tells a line that was inserted as the rest of the next one replaced by both. */
#include "show/lsp/documents.h"

#include "base/path.h"
#include "model/files.h"
#include "show/report/common/loop_place.h"
#include "show/report/quality/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 100000 };

/* Lines from the first on that were replaced by others. */
struct document_edit {
    bool is_unknown; /* all may be other lines */
    uint32_t first, removed, added;
};

static int digit(char sign)
{
    return isdigit((unsigned char)sign)    ? sign - '0'
           : isxdigit((unsigned char)sign) ? tolower(sign) - 'a' + 10
                                           : -1;
}

char *document_path(const char *uri)
{
    static const char scheme[] = "file://";
    if (strncmp(uri, scheme, strlen(scheme)) != 0 || uri[strlen(scheme)] != '/')
        return NULL;
    char *path = memory_get(strlen(uri) + 1), *end = path;
    for (const char *at = uri + strlen(scheme); *at; at++) {
        int high = *at == '%' ? digit(at[1]) : -1, low = high >= 0 ? digit(at[2]) : -1;
        *end = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
        if (!*end++) {
            free(path);
            return NULL;
        }
    }
    return path;
}

struct document document_begin(const char *uri)
{
    return (struct document){.uri = memory_format("%s", uri),
                             .path = document_path(uri),
                             .changes = ARRAY_OF(struct document_edit)};
}

void document_free(struct document *document)
{
    free(document->uri);
    free(document->path);
    free(document->text);
    array_free(&document->changes);
}

void document_take_text(struct document *document, const struct message *message)
{
    free(document->text);
    document->text = message_text(message, "$.params.textDocument.text");
}

/* Lines of a stretch of text; the last may lack its end. */
static uint32_t count_lines(const char *text, size_t size)
{
    uint32_t count = size && text[size - 1] != '\n';
    for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))); at++)
        count++;
    return count;
}

/* Whole lines that are equal before this place of both texts. */
static size_t equal_begin(const char *old, const char *new)
{
    size_t start = 0;
    for (size_t i = 0; old[i] && old[i] == new[i]; i++)
        start = old[i] == '\n' ? i + 1 : start;
    return start;
}

static bool begins_line(const char *text, size_t place, size_t start)
{
    return place == start || text[place - 1] == '\n';
}

static struct document_edit edit_between(const char *old, const char *new)
{
    size_t old_size = strlen(old), new_size = strlen(new), start = equal_begin(old, new), end = 0;
    size_t most = (old_size < new_size ? old_size : new_size) - start;
    while (end < most && old[old_size - end - 1] == new[new_size - end - 1])
        end++;
    while (end && !(begins_line(old, old_size - end, start) && begins_line(new, new_size - end, start)))
        end--;
    return (struct document_edit){.first = count_lines(old, start),
                                  .removed = count_lines(old + start, old_size - start - end),
                                  .added = count_lines(new + start, new_size - start - end)};
}

void document_change(struct document *document, const struct message *message)
{
    static const char last[] = "$.params.contentChanges[#-1]";
    autofree char *type = message_type(message, last),
                  *range = message_type(message, "$.params.contentChanges[#-1].range");
    if (!type)
        return;
    char *text = range ? NULL : message_text(message, "$.params.contentChanges[#-1].text");
    struct document_edit edit = {.is_unknown = true};
    if (text && document->text)
        edit = edit_between(document->text, text);
    free(document->text);
    document->text = text;
    if (document->changes.count == MOST_CHANGES) {
        document->changes.count = 0;
        document->saved = 0;
        edit = (struct document_edit){.is_unknown = true};
    }
    *(struct document_edit *)array_push(&document->changes) = edit;
}

void document_save(struct document *document)
{
    document->saved = document->changes.count;
}

void document_rebuild(struct document *document)
{
    struct document_edit *all = document->changes.data;
    size_t left = document->changes.count - document->saved;
    if (document->saved)
        memmove(all, all + document->saved, left * sizeof *all);
    document->changes.count = left;
    document->saved = 0;
}

/* Lines of the build, from 0, where they are now; false: they were edited. */
static bool move_lines(const struct document *document, uint32_t *first, uint32_t *last)
{
    for (size_t i = 0; i < document->changes.count; i++) {
        const struct document_edit *edit = ARRAY_AT(struct document_edit, &document->changes, i);
        bool is_above = edit->first + (uint64_t)edit->removed <= *first;
        if (edit->is_unknown || (!is_above && edit->first <= *last))
            return false;
        if (is_above) {
            *first += edit->added - edit->removed;
            *last += edit->added - edit->removed;
        }
    }
    return true;
}

static bool is_main(const struct model *model, uint32_t loop)
{
    struct quality_rows rows;
    quality_rows_find(&rows, model, loop);
    return !rows.role || rows.role->role == loop_role_ONLY || rows.role->role == loop_role_MAIN;
}

/* Adds a loop, or counts it at the place of an earlier one: the view has those that matter most first. */
static void add(struct array *loops, const struct model *model, const struct shown_loop *new)
{
    for (size_t i = 0; i < loops->count; i++) {
        struct shown_loop *old = ARRAY_AT(struct shown_loop, loops, i);
        if (old->first != new->first)
            continue;
        uint32_t others = old->others + 1;
        if (!is_main(model, old->loop) && is_main(model, new->loop))
            *old = *new;
        old->others = others;
        return;
    }
    *(struct shown_loop *)array_push(loops) = *new;
}

static int compare_lines(const void *left, const void *right)
{
    const struct shown_loop *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

struct array document_loops(const struct document *document, const struct quality_view *view)
{
    struct array loops = ARRAY_OF(struct shown_loop);
    const struct model *model = view->model;
    if (!model || !document->path)
        return loops;
    autofree bool *is_it = files_named(model, document->path);
    for (size_t i = 0; i < view->analysed_count; i++) {
        struct loop_place place = loop_place_find(model, view->loops[i]);
        bool is_own = place.file < model->files.count && is_it[place.file],
             is_origin = !is_own && place.origin_file < model->files.count && is_it[place.origin_file];
        struct shown_loop loop = {.loop = view->loops[i],
                                  .built_first = is_origin ? place.origin_first_line : place.first_line,
                                  .built_last = is_origin ? place.origin_last_line : place.last_line};
        if (!loop.built_first || loop.built_last < loop.built_first || (!is_own && !is_origin))
            continue;
        loop.first = loop.built_first - 1;
        loop.last = loop.built_last - 1;
        if (move_lines(document, &loop.first, &loop.last))
            add(&loops, model, &loop);
    }
    if (loops.count)
        qsort(loops.data, loops.count, sizeof(struct shown_loop), compare_lines);
    return loops;
}
