/* Wishes become rows.

   Names go through model/names.h.  Files of lines are known by the last parts of their paths: f.c and src/f.c
   both mean /home/me/src/f.c.  What a compiler copied (inlined functions, unrolled and vectorised loops) has
   several places for one line: each copy is meant. */
#include "run/probe/plan/choice.h"

#include "base/nearest.h"
#include "model/names.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct search {
    const struct model *model;
    const struct probe_choice *choice;
    const struct probe_wish *wish;
    struct probe_found *found;
    struct error *error;
};

static void add_row(struct array *rows, uint32_t row)
{
    *(uint32_t *)array_push(rows) = row;
}

static bool is_same_path(const char *path, const struct probe_file *file)
{
    return path && file->path && !strcmp(path, file->path);
}

/* Whether the wish is for this program. */
static bool is_wanted(const struct search *search, uint32_t program)
{
    if (!search->wish->file)
        return true;
    const struct probe_file *file =
        ARRAY_AT(struct probe_file, &search->choice->files, search->wish->file - 1);
    return is_same_path(model_text(search->model, model_program(search->model, program)->path), file);
}

/* ---- functions ---- */

/* Compilers make copies of functions for some callers: f.constprop.0, f.isra.1, f.part.2.  Who names f means
   them, too.  Cold parts are not called. */
static bool is_copy_of(const char *name, const char *original)
{
    size_t length = strlen(original);
    return name && !strncmp(name, original, length) && name[length] == '.' && !strstr(name + length, ".cold");
}

static void add_copies(const struct search *search, struct array *rows)
{
    enum { MOST_NAMES = 20 };
    const struct model *model = search->model;
    size_t count = rows->count;
    for (uint32_t id = 1; id < model->functions.count && count <= MOST_NAMES; id++) {
        const char *name = model_text(model, model_function(model, id)->name);
        bool is_copy = false;
        for (size_t i = 0; i < count && !is_copy; i++) {
            uint32_t original = *ARRAY_AT(uint32_t, rows, i);
            is_copy = is_copy_of(name, model_text(model, model_function(model, original)->name));
        }
        if (is_copy && probe_has_code(model, id) && is_wanted(search, model_function(model, id)->program))
            add_row(rows, id);
    }
}

/* Functions that match the wish's text and have code of their own. */
static bool find_functions(const struct search *search, struct array *rows)
{
    const struct model *model = search->model;
    const struct probe_wish *wish = search->wish;
    struct name_search names;
    if (wish->text)
        name_search_begin(&names, wish->text);
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        const char *name = model_text(model, function->name);
        if (!is_wanted(search, function->program))
            continue;
        if (!wish->text && probe_has_code(model, id))
            add_row(rows, id);
        else if (wish->text && name)
            name_search_offer(&names, id, name);
    }
    if (!wish->text)
        return rows->count ||
               error_set(search->error, wish->origin, "there are no functions with code of their own");
    const struct array *found = name_search_found(&names);
    for (size_t i = 0; i < found->count; i++) {
        uint32_t id = (uint32_t)*ARRAY_AT(int64_t, found, i);
        if (probe_has_code(model, id))
            add_row(rows, id);
    }
    if (!found->count)
        name_search_fail(&names, wish->origin, search->error);
    else if (!rows->count)
        error_set(search->error, wish->origin,
                  "%s is a function of another file: measure its calls, or name that file, too", wish->text);
    name_search_end(&names);
    add_copies(search, rows);
    return rows->count;
}

static bool take_functions(struct search *search, struct array *rows)
{
    struct array functions = ARRAY_OF(uint32_t);
    bool is_found = find_functions(search, &functions);
    for (size_t i = 0; i < functions.count; i++)
        add_row(rows, *ARRAY_AT(uint32_t, &functions, i));
    array_free(&functions);
    return is_found;
}

/* ---- loops ---- */

static bool take_loops(struct search *search)
{
    const struct model *model = search->model;
    struct array functions = ARRAY_OF(uint32_t);
    bool is_found = find_functions(search, &functions);
    uint8_t *is_one = memory_get(model->functions.count);
    for (size_t i = 0; i < functions.count; i++)
        is_one[*ARRAY_AT(uint32_t, &functions, i)] = 1;
    size_t before = search->found->loops.count;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        if (is_one[loop->function] && (search->wish->text || loop->is_innermost))
            add_row(&search->found->loops, id);
    }
    if (is_found && search->found->loops.count == before)
        is_found = search->wish->text
                       ? error_set(search->error, search->wish->origin, "%s has no loops", search->wish->text)
                       : error_set(search->error, search->wish->origin, "there are no loops");
    free(is_one);
    array_free(&functions);
    return is_found;
}

static bool take_loop(struct search *search, struct array *rows)
{
    uint64_t id = search->wish->number;
    if (!id || id >= search->model->loops.count)
        return error_set(search->error, search->wish->origin,
                         "no loop has number %" PRIu64 " (assay loops lists them)", id);
    add_row(rows, (uint32_t)id);
    return true;
}

/* Whether a path ends with these parts. */
static bool is_file(const char *path, const char *wanted)
{
    size_t length = path ? strlen(path) : 0, end = strlen(wanted);
    return length >= end && !strcmp(path + length - end, wanted) &&
           (length == end || path[length - end - 1] == '/' || *wanted == '/');
}

static uint8_t *files_of(const struct search *search)
{
    const struct model *model = search->model;
    uint8_t *is_one = memory_get(model->files.count + 1);
    for (uint32_t id = 1; id < model->files.count; id++)
        is_one[id] = is_file(model_text(model, model_file(model, id)->path), search->wish->text);
    return is_one;
}

static bool no_such_line(const struct search *search, const uint8_t *is_one, const char *what)
{
    const struct model *model = search->model;
    const struct probe_wish *wish = search->wish;
    struct nearest nearest = {.wanted = wish->text};
    bool has_file = false;
    for (uint32_t id = 1; id < model->files.count; id++) {
        const char *path = model_text(model, model_file(model, id)->path);
        const char *slash = path ? strrchr(path, '/') : NULL;
        has_file |= is_one[id];
        if (path)
            nearest_offer(&nearest, slash && !strchr(wish->text, '/') ? slash + 1 : path);
    }
    if (has_file)
        error_set(search->error, wish->origin, "%s has line %s:%" PRIu64, what, wish->text, wish->number);
    else if (model->files.count <= 1)
        error_set(search->error, wish->origin,
                  "line %s:%" PRIu64 " cannot be found: there is no debug information (compile with -g)",
                  wish->text, wish->number);
    else if (nearest.best)
        error_set(search->error, wish->origin, "no source file is called %s; did you mean %s?", wish->text,
                  nearest.best);
    else
        error_set(search->error, wish->origin, "no source file is called %s", wish->text);
    free(nearest.best);
    return false;
}

static bool take_loop_line(struct search *search, struct array *rows)
{
    const struct model *model = search->model;
    uint8_t *is_one = files_of(search), *has_line = memory_get(model->loops.count + 1);
    size_t before = rows->count;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        has_line[id] = is_one[loop->file] && loop->first_line <= search->wish->number &&
                       search->wish->number <= loop->last_line &&
                       is_wanted(search, model_function(model, loop->function)->program);
    }
    /* Outer loops come first, and are left out if an inner one has the line. */
    for (uint32_t id = (uint32_t)model->loops.count; id-- > 1;) {
        uint32_t parent = model_loop(model, id)->parent;
        if (has_line[id] && parent)
            has_line[parent] = 2;
        if (has_line[id] == 2 && parent)
            has_line[parent] = 2;
        if (has_line[id] == 1)
            add_row(rows, id);
    }
    bool is_found = rows->count > before || no_such_line(search, is_one, "no loop");
    free(is_one);
    free(has_line);
    return is_found;
}

/* ---- calls ---- */

static bool take_calls(struct search *search)
{
    const struct model *model = search->model;
    const struct probe_wish *wish = search->wish;
    uint8_t *is_one = memory_get(model->functions.count);
    struct name_search names;
    name_search_begin(&names, wish->text ? wish->text : "");
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        char *name = probe_callee_name(model, id);
        if (wish->text && name)
            name_search_offer(&names, id, name);
        is_one[id] = !wish->text && (function->origin == origin_IMPORT || function->origin == origin_PLT);
        free(name);
    }
    const struct array *found = name_search_found(&names);
    for (size_t i = 0; i < found->count && wish->text; i++)
        is_one[*ARRAY_AT(int64_t, found, i)] = 1;
    size_t before = search->found->calls.count;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        if (call->callee && is_one[call->callee] && call->kind != call_kind_TAIL &&
            is_wanted(search, model_function(model, call->caller)->program))
            add_row(&search->found->calls, call->instruction);
    }
    bool is_found = search->found->calls.count > before;
    if (!is_found && wish->text && !found->count)
        name_search_fail(&names, wish->origin, search->error);
    else if (!is_found)
        error_set(search->error, wish->origin, "no call of %s was found (calls through pointers are unknown)",
                  wish->text ? wish->text : "a function of another file");
    name_search_end(&names);
    free(is_one);
    return is_found;
}

/* ---- places ---- */

static void add_at(struct search *search, uint32_t instruction)
{
    *(struct probe_at *)array_push(&search->found->at) = (struct probe_at){
        .instruction = instruction, .name = search->wish->name, .origin = search->wish->origin};
}

/* The instruction of a block that contains an address. */
static uint32_t instruction_in(const struct model *model, const struct block *block, uint64_t address)
{
    uint32_t id = block->first_instruction + block->instruction_count;
    while (--id > block->first_instruction && block->address + model_instruction(model, id)->offset > address)
        continue;
    return id;
}

static bool take_at(struct search *search)
{
    const struct model *model = search->model;
    uint64_t address = search->wish->number;
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        const struct block *block = model_block(model, id);
        if (address - block->address >= block->size || !block->function || !block->instruction_count ||
            !is_wanted(search, model_function(model, block->function)->program))
            continue;
        uint32_t instruction = instruction_in(model, block, address);
        if (model_address(model, instruction) != address)
            return error_set(search->error, search->wish->origin,
                             "0x%" PRIx64 " is inside an instruction, which starts at 0x%" PRIx64, address,
                             model_address(model, instruction));
        add_at(search, instruction);
        return true;
    }
    return error_set(search->error, search->wish->origin,
                     "0x%" PRIx64 " is not the address of an instruction in a function", address);
}

/* A copy of a line: the instruction that was taken for it, or 0 while none is, and how many loops are around
   it. */
struct line_copy {
    uint32_t function, inlined_call, instruction, depth;
};

static struct line_copy *copy_of(struct array *copies, uint32_t function, uint32_t inlined_call)
{
    for (size_t i = copies->count; i-- > 0;) {
        struct line_copy *copy = ARRAY_AT(struct line_copy, copies, i);
        if (copy->function == function && copy->inlined_call == inlined_call)
            return copy;
        if (copy->function != function)
            break;
    }
    struct line_copy *copy = array_add(copies);
    copy->function = function;
    copy->inlined_call = inlined_call;
    return copy;
}

/* A line of a listing itself: its first instruction; after a label or directive, the next one. */
static bool take_at_listing_line(struct search *search)
{
    const struct model *model = search->model;
    uint8_t *is_one = files_of(search);
    const struct listing_instruction *best = NULL;
    for (uint32_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, i);
        bool is_here = row->instruction && is_one[row->file] && row->line >= search->wish->number &&
                       model_block(model, model_instruction(model, row->instruction)->block)->function;
        if (is_here &&
            (!best || row->line < best->line || (row->line == best->line && row->column < best->column)))
            best = row;
    }
    bool has_line = best && best->line == search->wish->number;
    for (uint32_t i = 1; best && !has_line && i < model->directives.count; i++)
        has_line = is_one[model_directive(model, i)->file] &&
                   model_directive(model, i)->line == search->wish->number;
    if (has_line)
        add_at(search, best->instruction);
    free(is_one);
    return has_line;
}

static uint32_t depth_of(const struct model *model, uint32_t block)
{
    uint32_t loop = model_block(model, block)->loop;
    return loop ? model_loop(model, loop)->depth : 0;
}

/* Of each copy the first instruction in the innermost loop: the line of a loop has code before it, where its
   variable has its first value, and code in it, where the variable moves. */
static bool take_at_line(struct search *search)
{
    if (take_at_listing_line(search))
        return true;
    const struct model *model = search->model;
    uint8_t *is_one = files_of(search);
    struct array copies = ARRAY_OF(struct line_copy);
    struct error first = {0};
    struct probe_value_finder values;
    probe_values_begin(&values, model);
    size_t before = search->found->at.count;
    for (uint32_t id = 1; id < model->code.count; id++) {
        const struct instruction *row = model_instruction(model, id);
        const struct source_line *line = row->source_line ? model_source_line(model, row->source_line) : NULL;
        uint32_t function = model_block(model, row->block)->function;
        if (!line || !function || !is_one[line->file] || line->line != search->wish->number ||
            !is_wanted(search, model_function(model, function)->program))
            continue;
        struct line_copy *copy = copy_of(&copies, function, line->inlined_call);
        struct probe_named_value value;
        uint32_t depth = depth_of(model, row->block);
        if ((copy->instruction && depth <= copy->depth) ||
            !probe_value_at(&values, id, search->wish->name, &value, &first))
            continue;
        copy->instruction = id;
        copy->depth = depth;
    }
    for (size_t i = 0; i < copies.count; i++) {
        uint32_t taken = ARRAY_AT(struct line_copy, &copies, i)->instruction;
        if (taken)
            add_at(search, taken);
    }
    bool is_found = search->found->at.count > before;
    if (!is_found && copies.count)
        error_set(search->error, search->wish->origin,
                  "%s is in no register and at no fixed place in the code of %s:%" PRIu64
                  " (at the first instruction: %s)",
                  search->wish->name, search->wish->text, search->wish->number, first.text);
    else if (!is_found)
        no_such_line(search, is_one, "no code");
    probe_values_end(&values);
    array_free(&copies);
    free(is_one);
    return is_found;
}

/* ---- all ---- */

static bool take(struct search *search)
{
    switch ((enum probe_wish_kind)search->wish->kind) {
    case PROBE_WISH_FUNCTIONS:
        return take_functions(search, &search->found->functions);
    case PROBE_WISH_VALUES:
        return take_functions(search, &search->found->value_functions);
    case PROBE_WISH_LOOPS:
        return take_loops(search);
    case PROBE_WISH_LOOP:
        return take_loop(search, &search->found->loops);
    case PROBE_WISH_ADDRESSES:
        return take_loop(search, &search->found->address_loops);
    case PROBE_WISH_LOOP_LINE:
        return take_loop_line(search, &search->found->loops);
    case PROBE_WISH_ADDRESSES_LINE:
        return take_loop_line(search, &search->found->address_loops);
    case PROBE_WISH_CALLS:
        return take_calls(search);
    case PROBE_WISH_AT:
        return take_at(search);
    case PROBE_WISH_AT_LINE:
        return take_at_line(search);
    }
    return false;
}

static bool is_right_build(const struct model *model, const struct probe_file *file, struct error *error)
{
    for (uint32_t id = 1; id < model->programs.count; id++) {
        const struct program *program = model_program(model, id);
        const char *path = model_text(model, program->path), *build_id = model_text(model, program->build_id);
        if (file->path ? !is_same_path(path, file) : id != 1)
            continue;
        if (!build_id)
            return error_set(error, file->origin, "%s has no build-id; the plan is for the build %s", path,
                             file->build_id);
        if (strcasecmp(build_id, file->build_id))
            return error_set(error, file->origin,
                             "the plan is for another build of %s: build-id %s, and the file has %s", path,
                             file->build_id, build_id);
        return true;
    }
    return error_set(error, file->origin, "%s was not read", file->path ? file->path : "the program");
}

static int by_row(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void sort_once(struct array *rows)
{
    uint32_t *data = rows->data;
    size_t kept = 0;
    if (rows->count)
        qsort(data, rows->count, sizeof *data, by_row);
    for (size_t i = 0; i < rows->count; i++)
        if (!kept || data[kept - 1] != data[i])
            data[kept++] = data[i];
    rows->count = kept;
}

enum probe_choice_result probe_choice_find(const struct model *model, const struct probe_choice *choice,
                                           struct probe_found *found, struct error *error)
{
    *found = (struct probe_found){.at = ARRAY_OF(struct probe_at)};
    found->functions = found->loops = found->calls = ARRAY_OF(uint32_t);
    found->value_functions = found->address_loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < choice->files.count; i++) {
        const struct probe_file *file = ARRAY_AT(struct probe_file, &choice->files, i);
        if (file->build_id && !is_right_build(model, file, error))
            return PROBE_BROKEN;
    }
    for (size_t i = 0; i < choice->wishes.count; i++) {
        struct search search = {model, choice, ARRAY_AT(struct probe_wish, &choice->wishes, i), found, error};
        if (!take(&search))
            return PROBE_MISSING;
    }
    sort_once(&found->functions);
    sort_once(&found->loops);
    sort_once(&found->calls);
    sort_once(&found->value_functions);
    sort_once(&found->address_loops);
    return PROBE_FOUND;
}

void probe_found_free(struct probe_found *found)
{
    array_free(&found->functions);
    array_free(&found->loops);
    array_free(&found->calls);
    array_free(&found->value_functions);
    array_free(&found->address_loops);
    array_free(&found->at);
}

bool probe_plan_add(struct probe_plan *plan, const struct probe_choice *choice,
                    const struct probe_found *found, struct error *error)
{
    plan->keeps_all = choice->keeps_all;
    probe_plan_parameters(plan, found->value_functions.data, found->value_functions.count);
    probe_plan_functions(plan, found->functions.data, found->functions.count);
    probe_plan_loops(plan, found->loops.data, found->loops.count, !choice->has_no_clock);
    probe_plan_arguments(plan, found->calls.data, found->calls.count);
    probe_plan_calls(plan, found->calls.data, found->calls.count);
    for (size_t i = 0; i < found->address_loops.count; i++)
        probe_plan_accesses(plan, *ARRAY_AT(uint32_t, &found->address_loops, i), 0);
    for (size_t i = 0; i < found->at.count; i++) {
        const struct probe_at *at = ARRAY_AT(struct probe_at, &found->at, i);
        struct error why = {0};
        if (!probe_plan_at(plan, at->instruction, at->name, &why))
            return error_set(error, at->origin, "%s", why.text);
    }
    return true;
}
