/* A text counts only if it is that of the build: not newer than the program, and not the same file for both
   builds, as after a change in place.  Files are paired by their names without folders, where a name is
   unique. */
#include "code/diff/texts.h"

#include "base/regular_file.h"
#include "base/trust.h"
#include "code/diff/keys.h"
#include "code/diff/lines.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 24, MOST_EDITS = 1000 };

/* Where the source of a file is now; to be freed. */
static char *path_now(const struct comparison *comparison, int side, uint32_t file)
{
    const struct diff_sources *sources = &comparison->sources[side];
    const struct model *model = comparison->sides[side].model;
    const char *path = model_text(model, model_file(model, file)->path);
    size_t length = sources->built_in ? strlen(sources->built_in) : 0;
    if (length && !strncmp(path, sources->built_in, length) && path[length] == '/')
        return memory_format("%s%s", sources->is_in, path + length);
    return memory_copy_text(path, strlen(path));
}

/* Seconds; 0: there is no such file. */
static int64_t changed_at(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (int64_t)status.st_mtim.tv_sec;
}

/* NULL: it may not be read, or is not that of the build. */
static char *read_text(const struct comparison *comparison, int side, const char *path)
{
    const struct model *model = comparison->sides[side].model;
    struct error ignored = {0};
    const char *program = model->programs.count > 1 ? model_text(model, model_program(model, 1)->path) : "";
    if (changed_at(path) > changed_at(program) || !trust_allows(comparison->sources[side].trust, path))
        return NULL;
    return regular_file_text(path, MOST_BYTES, "source", &ignored);
}

static struct line_map match_file(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    struct line_map map = {0};
    char *paths[] = {path_now(comparison, diff_OLD, old), path_now(comparison, diff_NEW, new)};
    if (strcmp(paths[diff_OLD], paths[diff_NEW]) != 0) {
        char *before = read_text(comparison, diff_OLD, paths[diff_OLD]);
        char *after = before ? read_text(comparison, diff_NEW, paths[diff_NEW]) : NULL;
        if (after)
            map = lines_match(before, after, MOST_EDITS);
        free(before);
        free(after);
    }
    free(paths[diff_OLD]);
    free(paths[diff_NEW]);
    return map;
}

/* Files of innermost loops of functions that differ, by name. */
static struct array files_of_loops(const struct comparison *comparison, int side)
{
    const struct model *model = comparison->sides[side].model;
    struct array keys = ARRAY_OF(struct diff_key);
    uint8_t *seen = memory_get(model->files.count + 1);
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        bool is_same = diff_of_function(comparison, side, loop->function)->is_same;
        if (!loop->is_innermost || is_same || !loop->file || seen[loop->file])
            continue;
        seen[loop->file] = 1;
        diff_key_add(&keys, diff_file_hash(model, loop->file), loop->file);
    }
    free(seen);
    diff_keys_sort(&keys);
    return keys;
}

static bool is_alone(const struct array *keys, size_t at)
{
    uint64_t hash = diff_key_at(keys, at)->hash;
    return (!at || diff_key_at(keys, at - 1)->hash != hash) &&
           (at + 1 == keys->count || diff_key_at(keys, at + 1)->hash != hash);
}

void texts_match(struct comparison *comparison)
{
    comparison->line_count = comparison->sides[diff_OLD].model->files.count;
    comparison->lines = memory_get((comparison->line_count + 1) * sizeof *comparison->lines);
    struct array old = files_of_loops(comparison, diff_OLD), new = files_of_loops(comparison, diff_NEW);
    for (size_t i = 0, k = 0; i < old.count && k < new.count;) {
        const struct diff_key *a = diff_key_at(&old, i), *b = diff_key_at(&new, k);
        if (a->hash == b->hash && is_alone(&old, i) && is_alone(&new, k))
            comparison->lines[a->row] = match_file(comparison, a->row, b->row);
        i += a->hash <= b->hash;
        k += b->hash <= a->hash;
    }
    array_free(&old);
    array_free(&new);
}

uint32_t texts_line(const struct comparison *comparison, uint32_t old_file, uint32_t line)
{
    return old_file < comparison->line_count ? lines_find(&comparison->lines[old_file], line) : 0;
}

void texts_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->line_count; i++)
        lines_free(&comparison->lines[i]);
    free(comparison->lines);
}
