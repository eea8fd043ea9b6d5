/* Maps that are searched twice for one key: is it there, and then what is it.

   The evidence is a call of find(), count() or contains() of a std::map or std::unordered_map in the loop, and one of
   operator[] or at() of the same class a few lines further, both in the same body of the source, or the other way
   round. Calls that were inlined have their names in the debug information; others are called. That both ask for the
   same key is likely, and not shown, hence no more than potential. What a search costs depends on the size of the
   map, so there is no figure. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100, NEAR_LINES = 4 };

enum kind { kind_NONE, kind_ASKS, kind_TAKES };

/* A search, and where it is written. */
struct lookup {
    enum kind kind;
    const char *class; /* mangled, with its template arguments */
    size_t length;
    uint32_t body; /* inlined call around it; 0: the function's own */
    uint32_t file, line;
};

/* How mangled names end their class and go on. */
static const struct method {
    const char *name;
    enum kind kind;
} methods[] = {{"E4findE", kind_ASKS},
               {"E5countE", kind_ASKS},
               {"E8containsE", kind_ASKS},
               {"EixE", kind_TAKES},
               {"E2atE", kind_TAKES}};

static bool read_name(const char *name, struct lookup *lookup)
{
    static const char *const classes[] = {"St3mapI", "St13unordered_mapI"};
    const char *class = !strncmp(name, "_ZNK", 4) ? name + 4 : !strncmp(name, "_ZN", 3) ? name + 3 : NULL;
    bool is_map = false;
    for (size_t i = 0; class && i < sizeof classes / sizeof *classes; i++)
        is_map |= !strncmp(class, classes[i], strlen(classes[i]));
    for (size_t i = 0; is_map && i < sizeof methods / sizeof *methods; i++) {
        const char *end = strstr(class, methods[i].name);
        if (!end)
            continue;
        lookup->kind = methods[i].kind;
        lookup->class = class;
        lookup->length = (size_t)(end - class);
        return true;
    }
    return false;
}

static bool read_inlined(const struct model *model, uint32_t id, struct lookup *lookup)
{
    const struct inlined_call *call = model_inlined_call(model, id);
    *lookup = (struct lookup){.body = call->parent, .file = call->call_file, .line = call->call_line};
    return call->name && read_name(model_text(model, call->name), lookup);
}

/* The innermost inlined call around an instruction that is a search; or what it calls is one. */
static bool find_lookup(const struct subject *subject, uint32_t instruction, struct lookup *lookup)
{
    const struct model *model = subject->model;
    uint32_t line = model_instruction(model, instruction)->source_line;
    const struct source_line *row = line ? model_source_line(model, line) : NULL;
    uint32_t inlined = row ? row->inlined_call : 0;
    struct callee callee;
    for (unsigned depth = 0; inlined && depth < MOST_DEPTH; depth++) {
        if (read_inlined(model, inlined, lookup))
            return true;
        inlined = model_inlined_call(model, inlined)->parent;
    }
    if (!row || !callee_find(subject, instruction, &callee) || !callee.name)
        return false;
    *lookup = (struct lookup){.body = row->inlined_call, .file = row->file, .line = row->line};
    return read_name(callee.name, lookup);
}

static bool is_pair(const struct lookup *one, const struct lookup *other)
{
    return one->kind != other->kind && one->body == other->body && one->file == other->file && one->line &&
           labs((long)one->line - (long)other->line) <= NEAR_LINES && one->length == other->length &&
           !memcmp(one->class, other->class, one->length);
}

static bool is_same(const struct lookup *one, const struct lookup *other)
{
    return one->kind == other->kind && one->body == other->body && one->file == other->file &&
           one->line == other->line && one->class == other->class;
}

/* Another search of the function that belongs to one. */
static bool find_other(const struct subject *subject, const struct lookup *one, struct lookup *other)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    size_t at = array_first_not_below(&model->blocks, 1, offsetof(struct block, function), function);
    for (; at < model->blocks.count && model_block(model, (uint32_t)at)->function == function; at++) {
        const struct block *block = model_block(model, (uint32_t)at);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            if (find_lookup(subject, block->first_instruction + i, other) && is_pair(one, other))
                return true;
    }
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct lookup one, other, last = {.kind = kind_NONE};
    if (subject_is_aside(subject) || !subject->compiler->optimisation)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (!find_lookup(subject, subject->items[i].instruction, &one) || is_same(&one, &last))
            continue;
        last = one;
        if (!find_other(subject, &one, &other))
            continue;
        bool asks = one.kind == kind_ASKS;
        remark_say(
            remark,
            "A map is asked in line %u whether it has a key, and searched again in line %u for its value. If the key "
            "is the same, the second search finds what the first one found.",
            asks ? one.line : other.line, asks ? other.line : one.line);
        remark_point(remark, i);
        return true;
    }
    return false;
}

const struct rule rule_second_lookup = {
    .name = "second-lookup",
    .title = "A map is searched twice for the same key",
    .meaning =
        "A search in a std::map compares keys from the root of a tree down, and one in a std::unordered_map "
        "computes a hash and walks a list: most of what a look-up costs. count() or find() followed by [] or at() "
        "does it twice.",
    .level = advice_level_POTENTIAL,
    .is_shared = true,
    .remedies =
        {{audience_C, NULL,
          "Keep what the first search found: auto it = map.find(key); if (it != map.end()) use it->second. To "
          "insert what is missing, map[key] alone does (it makes a new value of zero), or try_emplace(), which "
          "also says whether the key was new.",
          action_CHEAPER},
         {0}},
    .find = find,
};
