#include "show/report/common/loop_place.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

static const char *path_of(const struct model *model, uint32_t file)
{
    return file && file < model->files.count ? model_text(model, model_file(model, file)->path) : NULL;
}

/* Headers that come with a compiler or a system: nobody changes a loop there. */
static bool is_foreign(const char *path)
{
    return !strncmp(path, "/usr/", 5) || !strncmp(path, "/opt/", 5) || strstr(path, "/include/c++/") ||
           strstr(path, "/lib/gcc/") || strstr(path, "/lib/clang/");
}

/* The call around an inlined one; 0 at the end. Ids grow towards the inside, so a chain ends. */
static uint32_t around(const struct model *model, uint32_t call)
{
    uint32_t parent = model_inlined_call(model, call)->parent;
    return parent < call ? parent : 0;
}

static uint32_t first_call(const struct model *model, uint32_t loop)
{
    uint32_t call = model_loop(model, loop)->inlined_call;
    return call < model->inlined_calls.count ? call : 0;
}

/* The call nearest to the loop in the file of its function, else the nearest in the user's code; 0: none. */
static uint32_t own_call(const struct model *model, uint32_t loop)
{
    uint32_t own_file = model_function(model, model_loop(model, loop)->function)->file, nearest = 0;
    for (uint32_t call = first_call(model, loop); call; call = around(model, call)) {
        const struct inlined_call *row = model_inlined_call(model, call);
        const char *path = path_of(model, row->call_file);
        if (!path || !row->call_line)
            continue;
        if (row->call_file == own_file && !is_foreign(path))
            return call;
        if (!nearest && !is_foreign(path))
            nearest = call;
    }
    return nearest;
}

struct loop_place loop_place_find(const struct model *model, uint32_t id)
{
    const struct loop *loop = model_loop(model, id);
    struct loop_place place = {
        .file = loop->file, .first_line = loop->first_line, .last_line = loop->last_line};
    uint32_t call = own_call(model, id);
    const struct inlined_call *row = call ? model_inlined_call(model, call) : NULL;
    const char *path = path_of(model, loop->file);
    if (!row)
        return place;
    if (path && row->call_file == loop->file) {
        place.call_line = row->call_line;
        return place;
    }
    return (struct loop_place){.file = row->call_file,
                               .first_line = row->call_line,
                               .last_line = row->call_line,
                               .origin_file = loop->file,
                               .origin_first_line = loop->first_line,
                               .origin_last_line = loop->last_line};
}

static char *lines(const char *path, uint32_t first, uint32_t last)
{
    if (!first)
        return memory_format("%s", path);
    if (last <= first)
        return memory_format("%s:%u", path, first);
    return memory_format("%s:%u-%u", path, first, last);
}

char *loop_place_short(const struct model *model, uint32_t id, const char *directory)
{
    struct loop_place place = loop_place_find(model, id);
    const char *path = path_of(model, place.file);
    size_t length = directory ? strlen(directory) : 0;
    if (!path)
        return memory_format("0x%llx",
                             (unsigned long long)model_block(model, model_loop(model, id)->header)->address);
    if (length > 1 && !strncmp(path, directory, length))
        path += length;
    return lines(path, place.first_line, place.last_line);
}

char *loop_place_words(const struct model *model, uint32_t id, const char *directory)
{
    struct loop_place place = loop_place_find(model, id);
    const char *origin = path_of(model, place.origin_file);
    char *own = loop_place_short(model, id, directory), *inner, *both;
    if (!origin && !place.call_line)
        return own;
    if (origin) {
        inner = lines(path_name(origin), place.origin_first_line, place.origin_last_line);
        both = memory_format("%s, inlined from %s", own, inner);
        free(inner);
    } else {
        both = memory_format("%s, inlined at line %u", own, place.call_line);
    }
    free(own);
    return both;
}

static bool is_named(const char *path, const char *name, size_t length)
{
    size_t whole = path ? strlen(path) : 0;
    if (whole < length || strncmp(path + whole - length, name, length))
        return false;
    return whole == length || path[whole - length - 1] == '/';
}

bool loop_place_is_at(const struct model *model, uint32_t id, const char *name, size_t length, uint32_t line)
{
    const struct loop *loop = model_loop(model, id);
    if (is_named(path_of(model, loop->file), name, length) &&
        (!line || (line >= loop->first_line && line <= loop->last_line)))
        return true;
    for (uint32_t call = first_call(model, id); call; call = around(model, call)) {
        const struct inlined_call *row = model_inlined_call(model, call);
        if (is_named(path_of(model, row->call_file), name, length) && (!line || line == row->call_line))
            return true;
    }
    return false;
}
