#include "base/path.h"
#include "model/demangle.h"
#include "show/report/common/phrases.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/heat/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double LEAST_NAMED = 0.1; /* of its line: an inlined function below it is not named */
enum { MOST_NAMED = 4 };

static const struct heat_node *node_of(const struct heat *heat, uint32_t place)
{
    return ARRAY_AT(struct heat_node, &heat->nodes, place);
}

char *heat_name(const struct heat_view *view, string_id name)
{
    const char *given = model_text(view->model, name);
    char *plain = given && view->demangle ? demangle_name(given) : NULL;
    return plain ? plain : memory_format("%s", given ? given : "a function");
}

char *heat_function_name(const struct heat_view *view, uint32_t function)
{
    return heat_name(view, model_function(view->model, function)->name);
}

const char *heat_path(const struct heat_view *view, uint32_t file)
{
    const char *path = file ? model_text(view->model, model_file(view->model, file)->path) : NULL;
    return path ? path : "?";
}

char *heat_share(const struct heat *heat, double seconds)
{
    double share = heat->all > 0 ? seconds / heat->all : 0;
    return !(seconds > 0)  ? memory_format("%s", "")
           : share < 0.001 ? memory_format("<0.1 %%")
                           : memory_format("%s %%", share_words(share).text);
}

char *heat_say_function(const struct heat_view *view, const struct heat *heat)
{
    const struct heat_node *node = node_of(heat, 0);
    autofree char *share = heat_share(heat, node->self), *total = heat_share(heat, node->total),
                  *seconds = phrase_seconds(node->self), *samples = phrase_count(node->samples);
    autofree char *calls = heat_is_calling(heat, 0) ? memory_format("; with what it calls %s", total) : NULL;
    autofree char *place = !node->file ? NULL
                           : node->line
                               ? memory_format("%s:%u, ", path_name(heat_path(view, node->file)), node->line)
                               : memory_format("%s, ", path_name(heat_path(view, node->file)));
    return memory_format("%s%s of the time, %s in %s samples%s", place ? place : "", share, seconds, samples,
                         calls ? calls : "");
}

char *heat_say_no_source(const struct heat_view *view, const struct heat *heat)
{
    const struct heat_node *node = node_of(heat, 0);
    const char *path = heat_path(view, node->file);
    size_t length;
    bool has_lines = false;
    for (uint32_t i = 1; i < heat->nodes.count && !has_lines; i++)
        has_lines = node_of(heat, i)->line;
    if (!has_lines)
        return memory_format("It was compiled without debug information: -g brings its source lines.");
    if (!node->file || places_line(view->places, path, node->line ? node->line : 1, &length))
        return NULL;
    if (path[0] != '/')
        return memory_format("%s is named without its folder, so its text is not shown.", path);
    if (access(path, F_OK))
        return memory_format("%s is not on this computer: its lines are numbers.", path);
    return memory_format(
        "%s was not read: it is not in the folders that Assay reads sources from (--trust reads it), too "
        "large or shorter than the program says.",
        path);
}

char *heat_say_inlined(const struct heat_view *view, const struct heat *heat, uint32_t line)
{
    const struct heat_node *node = node_of(heat, line);
    char *words = NULL;
    unsigned named = 0;
    for (uint32_t i = line + 1; i < node->end; i = node_of(heat, i)->end) {
        const struct heat_node *call = node_of(heat, i);
        if (call->kind != HEAT_CALL || !(call->self >= LEAST_NAMED * node->self) ||
            !heat_is_worth_naming(heat, i))
            continue;
        if (named++ == MOST_NAMED)
            break;
        autofree char *before = words, *name = heat_name(view, call->name),
                      *share = heat_share(heat, call->self);
        words = memory_format("%s%s%s %s", before ? before : "", before ? ", " : "", name, share);
    }
    return words;
}

size_t heat_indent(const struct heat_view *view, const struct heat *heat, uint32_t call)
{
    enum { MOST_LOOKED_AT = 500 };
    size_t least = SIZE_MAX, looked_at = 0;
    for (uint32_t i = call + 1; i < node_of(heat, call)->end && looked_at < MOST_LOOKED_AT;
         i = node_of(heat, i)->end) {
        const struct heat_node *line = node_of(heat, i);
        size_t length = 0, blanks = 0;
        const char *text = heat_is_worth_naming(heat, i)
                               ? places_line(view->places, heat_path(view, line->file), line->line, &length)
                               : NULL;
        looked_at += text != NULL;
        while (text && blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
            blanks++;
        least = text && blanks < length && blanks < least ? blanks : least;
    }
    return least == SIZE_MAX ? 0 : least;
}

char *heat_instruction_text(const struct heat_view *view, uint32_t id)
{
    const struct model *model = view->model;
    const struct instruction *row = model_instruction(model, id);
    const struct encoding *encoding = model_encoding(model, row->encoding);
    const char *text = model_text(model, encoding->text), *at = text ? strchr(text, '@') : NULL;
    uint64_t address = model_address(model, id);
    uint32_t program = model_function(model, model_block(model, row->block)->function)->program;
    if (!at)
        return memory_format("%s", text ? text : "?");
    autofree char *name = row->target == NO_ADDRESS
                              ? places_symbol(view->places, program, address, address + encoding->size)
                              : places_name(view->places, program, row->target);
    if (row->target == NO_ADDRESS)
        return memory_format("%.*s%s%s", (int)(at - text), text, name ? name : "?", at + 1);
    bool is_call = encoding->flow == flow_CALL;
    return is_call && name ? memory_format("%.*s%s%s", (int)(at - text), text, name, at + 1)
           : encoding->flow == flow_NEXT && name
               ? memory_format("%.*s0x%llx%s <%s>", (int)(at - text), text, (unsigned long long)row->target,
                               at + 1, name)
               : memory_format("%.*s0x%llx%s", (int)(at - text), text, (unsigned long long)row->target,
                               at + 1);
}

uint32_t heat_line_of(const struct heat *heat, uint32_t node)
{
    while (node_of(heat, node)->depth > 1)
        node = node_of(heat, node)->parent;
    return node;
}

char *heat_say_origin(const struct heat_view *view, const struct heat *heat, uint32_t node)
{
    const struct heat_node *line = node_of(heat, node);
    if (line->depth <= 1)
        return NULL;
    autofree char *name = heat_name(view, node_of(heat, line->parent)->name);
    return line->file ? memory_format("%s, %s:%u", name, path_name(heat_path(view, line->file)), line->line)
                      : memory_format("%s", name);
}

char *report_heat_words(const struct heat_view *view, uint32_t function)
{
    struct heat heat;
    heat_find(&heat, view->model, view->run, function);
    char *words = heat_say_function(view, &heat);
    heat_free(&heat);
    return words;
}

bool report_heat_has(const struct model *model, uint32_t run, uint32_t function)
{
    for (uint32_t i = 1; i < model->run_functions.count; i++) {
        const struct run_function *row = model_run_function(model, i);
        if (row->run == run && row->function == function)
            return row->samples > 0 && model_function(model, function)->block_count > 0;
    }
    return false;
}
