/* A loop is shown at its own lines, and in the file that calls it where it was inlined from another one. Edits since
   the build are replayed on its lines: those above move it, those inside make its figures void. */
#include "show/lsp/documents.h"

#include "base/path.h"
#include "show/report/common/loop_place.h"
#include "show/report/quality/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 100000 };

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

char *document_uri(const char *path)
{
    char *uri = memory_get(strlen(path) * 3 + 8), *end = stpcpy(uri, "file://");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            *end++ = *path;
        else
            end += snprintf(end, 4, "%%%02X", (unsigned char)*path);
    return uri;
}

struct document document_begin(const char *uri)
{
    return (struct document){.uri = memory_format("%s", uri),
                             .path = document_path(uri),
                             .changes = ARRAY_OF(struct message_change)};
}

void document_free(struct document *document)
{
    free(document->uri);
    free(document->path);
    array_free(&document->changes);
}

void document_change(struct document *document, const struct message *message)
{
    message_changes(message, &document->changes);
    if (document->changes.count <= MOST_CHANGES)
        return;
    document->changes.count = 0;
    document->saved = 0;
    *(struct message_change *)array_push(&document->changes) = (struct message_change){.is_whole = true};
}

void document_save(struct document *document)
{
    document->saved = document->changes.count;
}

void document_rebuild(struct document *document)
{
    struct message_change *all = document->changes.data;
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
        const struct message_change *change = ARRAY_AT(struct message_change, &document->changes, i);
        bool is_above = change->moves_first ? change->first <= *first : change->last < *first;
        if (change->is_whole || (!is_above && change->first <= *last))
            return false;
        if (is_above) {
            int64_t moved = (int64_t)change->lines - (change->last - change->first);
            if (moved + *first < 0 || moved + *last > INT32_MAX)
                return false;
            *first = (uint32_t)(moved + *first);
            *last = (uint32_t)(moved + *last);
        }
    }
    return true;
}

static bool is_document(const struct document *document, const struct model *model, uint32_t file)
{
    const char *path =
        file && file < model->files.count ? model_text(model, model_file(model, file)->path) : NULL;
    return path && !strcmp(path_name(path), path_name(document->path)) &&
           path_is_same_file(path, document->path);
}

/* By row of files. To be freed. */
static bool *find_files(const struct document *document, const struct model *model)
{
    bool *is_it = memory_get(model->files.count + 1);
    for (uint32_t id = 1; id < model->files.count; id++)
        is_it[id] = is_document(document, model, id);
    return is_it;
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
    autofree bool *is_it = find_files(document, model);
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
