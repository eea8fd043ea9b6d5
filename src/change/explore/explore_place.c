/* Which loops of the code a line of the source became.

   A loop is at its own lines, and at the calls by which its function was inlined. The line of an outer loop means
   the innermost loops inside it. Where there is nothing, the nearest loops of the file are named: the line is most
   likely beside the one that was meant. */
#include "base/path.h"
#include "change/explore/explore_parts.h"
#include "model/demangle.h"
#include "model/files.h"
#include "model/loops.h"

#include <stdlib.h>
#include <string.h>

enum { NEAREST = 3 };

static bool is_of(const struct model *model, const bool *is_it, uint32_t file)
{
    return file && file < model->files.count && is_it[file];
}

static bool is_inlined_at(const struct model *model, const bool *is_it, uint32_t loop, unsigned line)
{
    uint32_t call = model_loop(model, loop)->inlined_call;
    while (call && call < model->inlined_calls.count) {
        const struct inlined_call *row = model_inlined_call(model, call);
        if (is_of(model, is_it, row->call_file) && row->call_line == line)
            return true;
        call = row->parent < call ? row->parent : 0;
    }
    return false;
}

static bool holds(const struct model *model, const bool *is_it, uint32_t loop, unsigned line)
{
    const struct loop *row = model_loop(model, loop);
    return (is_of(model, is_it, row->file) && row->first_line <= line && line <= row->last_line) ||
           is_inlined_at(model, is_it, loop, line);
}

/* The shortest loop around other loops that has the line; 0: none. */
static uint32_t outer_loop(const struct model *model, const bool *is_it, unsigned line)
{
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *row = model_loop(model, id);
        if (!row->is_innermost && holds(model, is_it, id, line) && row->last_line - row->first_line < least) {
            best = id;
            least = row->last_line - row->first_line;
        }
    }
    return best;
}

static unsigned distance(const struct loop *loop, unsigned line)
{
    return line < loop->first_line  ? loop->first_line - line
           : line > loop->last_line ? line - loop->last_line
                                    : 0;
}

/* The nearest loop with other lines than those that are named already; 0: none. */
static uint32_t next_nearest(const struct model *model, const bool *is_it, unsigned line,
                             const uint32_t *named, unsigned count)
{
    uint32_t best = 0;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *row = model_loop(model, id);
        bool is_new = row->is_innermost && row->first_line && is_of(model, is_it, row->file);
        for (unsigned i = 0; is_new && i < count; i++)
            is_new = model_loop(model, named[i])->first_line != row->first_line;
        if (is_new && (!best || distance(row, line) < distance(model_loop(model, best), line)))
            best = id;
    }
    return best;
}

/* "4-5 (axpy)" after those before it; both texts are freed. */
static char *name_loop(const struct model *model, uint32_t id, char *before)
{
    const struct loop *row = model_loop(model, id);
    const char *name = model_text(model, model_function(model, row->function)->name);
    autofree char *plain = name ? demangle_name(name) : NULL;
    autofree char *last = row->last_line > row->first_line ? memory_format("-%u", row->last_line) : NULL;
    autofree char *earlier = before;
    return memory_format("%s%s%u%s (%s)", earlier ? earlier : "", earlier ? ", " : "", row->first_line,
                         last ? last : "",
                         plain  ? plain
                         : name ? name
                                : "?");
}

static char *say_nearest(const struct model *model, const bool *is_it, const char *file, unsigned line)
{
    uint32_t named[NEAREST];
    unsigned count = 0;
    char *list = NULL;
    for (; count < NEAREST && (named[count] = next_nearest(model, is_it, line, named, count)); count++)
        list = name_loop(model, named[count], list);
    char *text = list ? memory_format("line %u is in no loop of the code; the nearest loop%s at line%s %s",
                                      line, count > 1 ? "s are" : " is", count > 1 ? "s" : "", list)
                      : memory_format("no loop of the code is from %s", path_name(file));
    free(list);
    return text;
}

char *explore_place_find(const struct model *model, const char *file, unsigned line, struct array *loops)
{
    autofree bool *is_it = files_named(model, file);
    for (uint32_t id = 1; id < model->loops.count; id++)
        if (model_loop(model, id)->is_innermost && holds(model, is_it, id, line))
            *(uint32_t *)array_push(loops) = id;
    uint32_t outer = loops->count ? 0 : outer_loop(model, is_it, line);
    for (uint32_t id = outer + 1; outer && id < model->loops.count; id++)
        if (model_loop(model, id)->is_innermost && loop_is_within(model, id, outer))
            *(uint32_t *)array_push(loops) = id;
    return loops->count ? NULL : say_nearest(model, is_it, file, line);
}
