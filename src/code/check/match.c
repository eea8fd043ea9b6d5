/* Which loops answer to a demand.

   Every instruction has a place: its own line, and the lines of the calls that it was inlined by.  A sighting
   is such a place of an instruction in an innermost loop.  Sightings, sorted, give the loops that have
   anything to do with some lines; these are looked at one by one. */
#include "code/check/check.h"

#include "model/demangle.h"

#include <stdlib.h>
#include <string.h>

struct sighting {
    uint32_t source, line, loop; /* source: place + 1 */
};

struct matching {
    struct check *check;
    struct array sightings;
};

static int by_place(const void *a, const void *b)
{
    const struct sighting *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->loop < y->loop ? -1 : x->loop > y->loop;
}

static int by_line(const void *a, const void *b)
{
    const struct check_line *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The call around an inlined one; ids grow towards the inside, so a chain ends. */
static uint32_t call_around(const struct model *model, uint32_t call)
{
    uint32_t parent = model_inlined_call(model, call)->parent;
    return parent < call ? parent : 0;
}

/* The places of a row of the line table, one after the other: its own, then the calls around it. */
struct place_walk {
    uint32_t call;
    bool has_begun;
    uint32_t file, line;
};

static bool next_place(const struct model *model, uint32_t row, struct place_walk *walk)
{
    if (!walk->has_begun) {
        const struct source_line *own = model_source_line(model, row);
        *walk = (struct place_walk){
            .call = own->inlined_call, .has_begun = true, .file = own->file, .line = own->line};
        return true;
    }
    if (!walk->call)
        return false;
    const struct inlined_call *call = model_inlined_call(model, walk->call);
    walk->file = call->call_file;
    walk->line = call->call_line;
    walk->call = call_around(model, walk->call);
    return true;
}

/* The rows of the line table of a loop's instructions, one after the other. */
struct loop_walk {
    size_t block;
    uint32_t instruction;
};

static bool next_row(const struct model *model, uint32_t loop, struct loop_walk *walk, uint32_t *row)
{
    if (!walk->block)
        walk->block =
            array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop) + 1;
    while (walk->block <= model->loop_blocks.count &&
           model_loop_block(model, (uint32_t)walk->block - 1)->loop == loop) {
        const struct block *block =
            model_block(model, model_loop_block(model, (uint32_t)walk->block - 1)->block);
        while (walk->instruction < block->instruction_count) {
            *row = model_instruction(model, block->first_instruction + walk->instruction++)->source_line;
            if (*row)
                return true;
        }
        walk->instruction = 0;
        walk->block++;
    }
    return false;
}

static void see_loop(struct matching *matching, uint32_t loop)
{
    const struct check *check = matching->check;
    struct loop_walk walk = {0};
    uint32_t row, last = 0;
    while (next_row(check->model, loop, &walk, &row)) {
        struct place_walk places = {0};
        if (row == last)
            continue;
        last = row;
        while (next_place(check->model, row, &places))
            if (check->source_of[places.file])
                *(struct sighting *)array_push(&matching->sightings) =
                    (struct sighting){check->source_of[places.file], places.line, loop};
    }
}

static bool has_comments(const struct check *check, uint32_t file)
{
    uint32_t source = check->source_of[file];
    return source && ARRAY_AT(struct check_source, &check->sources, source - 1)->text;
}

static void find_lines(struct check *check)
{
    const struct model *model = check->model;
    for (uint32_t id = 1; id < model->source_lines.count; id++) {
        const struct source_line *row = model_source_line(model, id);
        if (row->line && has_comments(check, row->file))
            *(struct check_line *)array_push(&check->lines) =
                (struct check_line){check->source_of[row->file], row->line};
    }
    for (uint32_t id = 1; id < model->inlined_calls.count; id++) {
        const struct inlined_call *row = model_inlined_call(model, id);
        if (row->call_line && has_comments(check, row->call_file))
            *(struct check_line *)array_push(&check->lines) =
                (struct check_line){check->source_of[row->call_file], row->call_line};
    }
    if (check->lines.count)
        qsort(check->lines.data, check->lines.count, sizeof(struct check_line), by_line);
}

static bool check_has_lines(const struct check *check, uint32_t source, struct source_lines lines)
{
    struct bisection search = {0, check->lines.count};
    struct check_line first = {source + 1, lines.first};
    while (bisect(&search))
        bisect_past(&search, by_line(ARRAY_AT(struct check_line, &check->lines, search.middle), &first) < 0);
    if (search.first == check->lines.count)
        return false;
    const struct check_line *found = ARRAY_AT(struct check_line, &check->lines, search.first);
    return found->source == source + 1 && found->line <= lines.last;
}

static bool is_within(const struct check *check, const struct place_walk *place, uint32_t source,
                      struct source_lines lines)
{
    return check->source_of[place->file] == source + 1 && place->line >= lines.first &&
           place->line <= lines.last;
}

/* Whether at least half of a loop's instructions come from these lines. */
static bool comes_from(const struct check *check, uint32_t loop, uint32_t source, struct source_lines lines)
{
    struct loop_walk walk = {0};
    uint32_t row;
    size_t within = 0, all = 0;
    while (next_row(check->model, loop, &walk, &row)) {
        struct place_walk places = {0};
        bool is_found = false;
        while (!is_found && next_place(check->model, row, &places))
            is_found = is_within(check, &places, source, lines);
        within += is_found;
        all++;
    }
    return within && 2 * within >= all;
}

/* Sightings at these lines, in order: the first, and where they end. */
static struct bisection sightings_at(const struct matching *matching, uint32_t source,
                                     struct source_lines lines)
{
    const struct sighting first = {source + 1, lines.first, 0};
    struct bisection search = {0, matching->sightings.count};
    while (bisect(&search))
        bisect_past(&search,
                    by_place(ARRAY_AT(struct sighting, &matching->sightings, search.middle), &first) < 0);
    size_t end = search.first;
    while (end < matching->sightings.count) {
        const struct sighting *it = ARRAY_AT(struct sighting, &matching->sightings, end);
        if (it->source != source + 1 || it->line > lines.last)
            break;
        end++;
    }
    return (struct bisection){search.first, end};
}

/* In assembly a comment is about the first loop after it. */
static void keep_first(const struct matching *matching, struct array *loops, struct bisection seen)
{
    for (size_t i = seen.first; i < seen.end && loops->count > 1; i++) {
        uint32_t loop = ARRAY_AT(struct sighting, &matching->sightings, i)->loop;
        for (size_t k = 0; k < loops->count; k++)
            if (*ARRAY_AT(uint32_t, loops, k) == loop) {
                *ARRAY_AT(uint32_t, loops, 0) = loop;
                loops->count = 1;
            }
    }
}

static bool find_loops_of_lines(const struct matching *matching, struct check_demand *demand,
                                struct source_lines lines)
{
    const struct check *check = matching->check;
    struct bisection seen = sightings_at(matching, demand->source, lines);
    struct array candidates = ARRAY_OF(uint32_t);
    for (size_t i = seen.first; i < seen.end; i++)
        *(uint32_t *)array_push(&candidates) = ARRAY_AT(struct sighting, &matching->sightings, i)->loop;
    array_sort_numbers(&candidates);
    for (size_t i = 0; i < candidates.count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, &candidates, i);
        if (comes_from(check, loop, demand->source, lines))
            *(uint32_t *)array_push(&demand->loops) = loop;
    }
    array_free(&candidates);
    if (lines.last == UINT32_MAX)
        keep_first(matching, &demand->loops, seen);
    demand->lines = lines;
    return demand->loops.count;
}

/* Whether the program has the code around a comment: the function, and the branches of #if that it is in. */
static bool is_compiled(const struct check *check, const struct check_demand *demand,
                        const struct source_text *source, const struct source_comment *comment)
{
    uint32_t at = 0;
    for (struct source_lines branch; (branch = source_text_branch(source, comment, &at)).first;)
        if (!check_has_lines(check, demand->source, branch))
            return false;
    struct source_lines function = source_text_function(source, comment);
    if (!function.first)
        function = source_text_statement(source, comment);
    return !function.first || check_has_lines(check, demand->source, function);
}

/* False: the comment is in code that was not compiled. */
static bool match_comment(const struct matching *matching, struct check_demand *demand)
{
    const struct check *check = matching->check;
    const struct source_text *source = &ARRAY_AT(struct check_source, &check->sources, demand->source)->read;
    const struct source_comment *comment =
        ARRAY_AT(struct source_comment, &source->comments, demand->comment);
    struct source_lines statement = source_text_statement(source, comment), branch, loop;
    uint32_t at = 0;
    if (!is_compiled(check, demand, source, comment))
        return false;
    if (statement.first && find_loops_of_lines(matching, demand, statement))
        return true;
    while (source->kind != source_ASSEMBLY &&
           (loop = source_text_next_loop(source, comment, &at, &branch)).first)
        if (!branch.first || check_has_lines(check, demand->source, branch)) {
            find_loops_of_lines(matching, demand, loop);
            break;
        }
    return true;
}

/* Whether a path is named by its end, at a slash; by a folder in it if the name ends with a slash. */
static bool is_named(const char *path, const char *name)
{
    size_t length = strlen(name), whole = path ? strlen(path) : 0;
    if (length && name[length - 1] == '/') {
        for (const char *at = path; at && (at = strstr(at, name)); at++)
            if (at == path || at[-1] == '/')
                return true;
        return false;
    }
    return whole >= length && !strcmp(path + whole - length, name) &&
           (whole == length || path[whole - length - 1] == '/');
}

static const char *path_of(const struct model *model, uint32_t file)
{
    return file ? model_text(model, model_file(model, file)->path) : NULL;
}

/* loop FILE:LINE: the line is one of the loop's, or calls what the loop was inlined from. */
static bool is_at(const struct model *model, uint32_t id, const struct check_demand *demand)
{
    const struct loop *loop = model_loop(model, id);
    if (is_named(path_of(model, loop->file), demand->subject) && demand->subject_line >= loop->first_line &&
        demand->subject_line <= loop->last_line)
        return true;
    for (uint32_t call = loop->inlined_call; call; call = call_around(model, call)) {
        const struct inlined_call *row = model_inlined_call(model, call);
        if (row->call_line == demand->subject_line &&
            is_named(path_of(model, row->call_file), demand->subject))
            return true;
    }
    return false;
}

/* A name as in the file or as in the source, with or without parameters and what compilers append. */
static bool has_name(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (!name)
        return false;
    if (!strncmp(name, wanted, length) && (!name[length] || name[length] == '.'))
        return true;
    char *plain = demangle_name(name);
    bool is_it = plain && !strncmp(plain, wanted, length) &&
                 (!plain[length] || plain[length] == '(' || plain[length] == '[');
    free(plain);
    return is_it;
}

static bool is_of_function(const struct model *model, uint32_t id, const char *wanted)
{
    const struct loop *loop = model_loop(model, id);
    if (has_name(model_text(model, model_function(model, loop->function)->name), wanted))
        return true;
    for (uint32_t call = loop->inlined_call; call; call = call_around(model, call))
        if (has_name(model_text(model, model_inlined_call(model, call)->name), wanted))
            return true;
    return false;
}

static void match_rule(const struct model *model, struct check_demand *demand)
{
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        bool is_meant = demand->origin == check_LOOP ? is_at(model, id, demand)
                        : demand->origin == check_FUNCTION
                            ? is_of_function(model, id, demand->subject)
                            : is_named(path_of(model, loop->file), demand->subject);
        if (loop->is_innermost && is_meant)
            *(uint32_t *)array_push(&demand->loops) = id;
    }
}

/* A function that the lines of a lost loop call: memcpy, a runtime library, …; NULL: none. */
static char *called_instead(const struct check *check, const struct check_demand *demand)
{
    const struct model *model = check->model;
    for (uint32_t i = 0; demand->origin == check_COMMENT && i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        uint32_t row = model_instruction(model, call->instruction)->source_line;
        struct place_walk places = {0};
        while (row && call->callee && next_place(model, row, &places))
            if (is_within(check, &places, demand->source, demand->lines)) {
                const char *name = model_text(model, model_function(model, call->callee)->name);
                return name ? memory_copy_text(name, strcspn(name, "@")) : NULL;
            }
    }
    return NULL;
}

static void free_absent(struct check_demand *demand)
{
    assertions_free(&demand->assertions);
    array_free(&demand->loops);
    free(demand->file);
}

void check_match(struct check *check)
{
    struct matching matching = {.check = check, .sightings = ARRAY_OF(struct sighting)};
    size_t kept = 0;
    find_lines(check);
    for (uint32_t id = 1; id < check->model->loops.count && check->lines.count; id++)
        if (model_loop(check->model, id)->is_innermost)
            see_loop(&matching, id);
    if (matching.sightings.count)
        qsort(matching.sightings.data, matching.sightings.count, sizeof(struct sighting), by_place);
    for (size_t i = 0; i < check->demands.count; i++) {
        struct check_demand *demand = check_demand_at(check, i);
        bool is_there = demand->origin != check_COMMENT || match_comment(&matching, demand);
        if (demand->origin == check_LOOP || demand->origin == check_FUNCTION || demand->origin == check_FILE)
            match_rule(check->model, demand);
        if (!is_there) {
            check->absent++;
            free_absent(demand);
            continue;
        }
        *check_demand_at(check, kept) = *demand;
        demand = check_demand_at(check, kept++);
        if (!demand->loops.count && demand->origin != check_QUERY) {
            char *instead = called_instead(check, demand);
            check_add_verdict(check, (uint32_t)kept - 1, check_GONE)->text = instead;
        }
    }
    check->demands.count = kept;
    array_free(&matching.sightings);
}
