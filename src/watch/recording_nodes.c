/* Recordings of programs with nodes: the tables of their objects (runtime/probe/nodes_file.h) become a plan.

   A table has names, numbers and source lines, because the object was made before the program.  The program
   was linked with the nodes in it, so its code has more instructions than the listing, but the same
   functions, loops and calls in the same order.  Tables are as hostile as the rest of a recording: every
   offset is checked. */
#include "watch/recording_parts.h"

#include "runtime/probe/nodes_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLE_BYTES = 1 << 28, MOST_SUBJECTS = 1 << 22 };

/* The table of an object, in memory. */
struct node_table {
    uint32_t first, count; /* subjects */
    uint8_t *bytes;        /* of the table; zero behind the last */
    uint64_t size;
    char *module; /* NULL: unknown */
};

/* ---- tables ---- */

static void free_tables(struct array *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        free(ARRAY_AT(struct node_table, tables, i)->bytes);
        free(ARRAY_AT(struct node_table, tables, i)->module);
    }
    array_free(tables);
}

static char *read_module(const struct recorded *recorded, const struct recorded_segment *segment,
                         uint64_t offset)
{
    char text[PROBE_PATH_BYTES];
    uint64_t size = segment->end - segment->offset;
    if (!offset || offset >= size)
        return NULL;
    uint64_t left = size - offset < sizeof text ? size - offset : sizeof text;
    if (!recorded_bytes(recorded, segment->offset + offset, text, left) || !memchr(text, 0, left))
        return NULL;
    return *text ? memory_copy_text(text, strlen(text)) : NULL;
}

/* false: the segment makes no sense. */
static bool read_table(const struct recorded *recorded, const struct recorded_segment *segment,
                       struct array *tables)
{
    struct probe_subjects subjects;
    struct probe_node_table table;
    uint64_t start = segment->offset + sizeof subjects, left = segment->end - segment->offset;
    if (left < sizeof subjects + sizeof table ||
        !recorded_bytes(recorded, segment->offset, &subjects, sizeof subjects) ||
        !recorded_bytes(recorded, start, &table, sizeof table))
        return false;
    left -= sizeof subjects;
    if (table.version != PROBE_NODE_VERSION || table.size > left || table.size > MOST_TABLE_BYTES ||
        table.size < sizeof table || subjects.first >= MOST_SUBJECTS ||
        table.subject_count > (table.size - sizeof table) / sizeof(struct probe_node_subject) ||
        table.subject_count > MOST_SUBJECTS - subjects.first)
        return false;
    uint8_t *bytes = memory_get(table.size + 1);
    if (!recorded_bytes(recorded, start, bytes, table.size)) {
        free(bytes);
        return false;
    }
    *(struct node_table *)array_push(tables) =
        (struct node_table){.first = subjects.first,
                            .count = table.subject_count,
                            .bytes = bytes,
                            .size = table.size,
                            .module = read_module(recorded, segment, subjects.module)};
    return true;
}

static bool read_tables(const char *path, struct array *tables, struct error *error)
{
    struct recorded recorded;
    *tables = ARRAY_OF(struct node_table);
    if (!recorded_open(&recorded, path, error))
        return false;
    struct array segments = ARRAY_OF(struct recorded_segment);
    recorded_list(&recorded, &segments);
    for (size_t i = 0; i < segments.count; i++) {
        const struct recorded_segment *segment = ARRAY_AT(struct recorded_segment, &segments, i);
        if (segment->kind == PROBE_SEGMENT_SUBJECTS)
            read_table(&recorded, segment, tables);
    }
    array_free(&segments);
    recorded_free(&recorded);
    return true;
}

static const char *text_at(const struct node_table *table, uint32_t offset)
{
    return offset && offset < table->size ? (const char *)table->bytes + offset : NULL;
}

/* ---- files ---- */

static bool is_listed(const struct array *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(*ARRAY_AT(char *, files, i), path))
            return true;
    return false;
}

bool recording_files(const struct array *paths, struct array *files, struct error *error)
{
    struct error failure = {0};
    bool is_done = !paths->count;
    *files = ARRAY_OF(char *);
    for (size_t i = 0; i < paths->count; i++) {
        struct array tables;
        if (!read_tables(*ARRAY_AT(char *, paths, i), &tables, &failure))
            continue;
        is_done = true;
        for (size_t k = 0; k < tables.count; k++) {
            struct node_table *table = ARRAY_AT(struct node_table, &tables, k);
            if (!table->module || is_listed(files, table->module))
                continue;
            *(char **)array_push(files) = table->module;
            table->module = NULL;
        }
        free_tables(&tables);
    }
    return is_done || error_set(error, NULL, "%s", failure.text);
}

/* ---- rows of the model ---- */

struct named {
    uint32_t name, function;
};

struct search {
    struct watch_plan *plan;
    struct model *model;
    struct array functions; /* of struct named, of the program, by name */
    uint32_t program;
    uint32_t last_function, last_call; /* calls of a function are in order */
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

static uint32_t program_of(const struct model *model, const char *module)
{
    for (uint32_t i = 1; module && i < model->programs.count; i++) {
        const char *path = model_text(model, model_program(model, i)->path);
        if (path && !strcmp(path, module))
            return i;
    }
    return model->programs.count == 2 ? 1 : 0;
}

static void use_program(struct search *search, uint32_t program)
{
    struct model *model = search->model;
    if (search->program == program)
        return;
    search->program = program;
    search->functions.count = 0;
    if (!program)
        return;
    struct model_rows rows = MODEL_ROWS_OF(model, functions, function, program);
    for (uint32_t i = rows.first; i < rows.end; i++)
        if (model_function(model, i)->block_count)
            *(struct named *)array_push(&search->functions) =
                (struct named){model_function(model, i)->name, i};
    if (search->functions.count)
        qsort(search->functions.data, search->functions.count, sizeof(struct named), by_name);
}

static bool has_path(const struct model *model, uint32_t file, const char *path)
{
    return file && path && !strcmp(model_text(model, model_file(model, file)->path), path);
}

/* Of functions with the same name, the one from the same file. */
static uint32_t find_function(const struct search *search, const char *name, const char *file)
{
    string_id id = name ? strings_find(&search->model->strings, name) : 0;
    uint32_t found = 0;
    if (!id)
        return 0;
    for (size_t i = array_first_not_below(&search->functions, 0, offsetof(struct named, name), id);
         i < search->functions.count; i++) {
        const struct named *it = ARRAY_AT(struct named, &search->functions, i);
        if (it->name != id)
            break;
        if (!found || has_path(search->model, model_function(search->model, it->function)->file, file))
            found = it->function;
    }
    return found;
}

static uint32_t find_loop(const struct model *model, uint32_t function, uint32_t number)
{
    size_t first = array_first_not_below(&model->loops, model->loops.count ? 1 : 0,
                                         offsetof(struct loop, function), function);
    size_t loop = first + number - 1;
    return number && number <= model_function(model, function)->loop_count && loop < model->loops.count &&
                   model_loop(model, (uint32_t)loop)->function == function
               ? (uint32_t)loop
               : 0;
}

static uint32_t line_of(const struct model *model, uint32_t instruction)
{
    uint32_t line = model_instruction(model, instruction)->source_line;
    return line ? model_source_line(model, line)->line : 0;
}

/* The next call of the function with this name and line; 0: none. */
static const struct call *find_call(struct search *search, uint32_t function, const char *name, uint32_t line)
{
    const struct model *model = search->model;
    if (search->last_function != function)
        search->last_call = 0;
    search->last_function = function;
    for (size_t i = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
         i < model->calls.count; i++) {
        const struct call *call = model_call(model, (uint32_t)i);
        if (call->caller != function)
            break;
        const char *callee =
            call->callee ? model_text(model, model_function(model, call->callee)->name) : NULL;
        bool is_named = !name || (callee && !strcmp(callee, name));
        uint32_t call_line = line_of(model, call->instruction);
        if (is_named && call->instruction > search->last_call && (!line || !call_line || line == call_line)) {
            search->last_call = call->instruction;
            return call;
        }
    }
    return NULL;
}

static uint32_t first_instruction(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    for (uint32_t i = 0; i < row->block_count; i++) {
        const struct block *block = model_block(model, row->first_block + i);
        if (block->address == row->address)
            return block->first_instruction;
    }
    return 0;
}

static uint32_t instruction_on_line(const struct model *model, uint32_t function, uint32_t line)
{
    const struct function *row = model_function(model, function);
    for (uint32_t b = 0; line && b < row->block_count; b++) {
        const struct block *block = model_block(model, row->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            if (line_of(model, block->first_instruction + i) == line)
                return block->first_instruction + i;
    }
    return 0;
}

/* Whether events of this kind can be summarised that way. */
static bool is_sound(const struct probe_node_subject *subject)
{
    switch (subject->kind) {
    case PROBE_NODE_FUNCTION:
    case PROBE_NODE_CALL:
        return subject->how.kind == PROBE_SPAN;
    case PROBE_NODE_LOOP:
        return subject->how.kind == PROBE_LOOP || subject->how.kind == PROBE_COUNT_ONLY;
    case PROBE_NODE_PARAMETER:
    case PROBE_NODE_AT:
        return subject->how.kind == PROBE_VALUE;
    case PROBE_NODE_ACCESS:
        return subject->how.kind == PROBE_ADDRESS;
    default:
        return false;
    }
}

static struct watch_subject find_subject(struct search *search, const struct node_table *table,
                                         const struct probe_node_subject *from)
{
    struct model *model = search->model;
    const char *name = text_at(table, from->name);
    struct watch_subject subject = {
        .kind = from->kind, .counting = from->counting, .position = from->position, .how = from->how};
    uint32_t function = find_function(search, text_at(table, from->function), text_at(table, from->file));
    subject.program = search->program;
    subject.function = function;
    if (!is_sound(from))
        subject.how.kind = 0; /* nothing is recorded of it */
    if (!function)
        return subject;
    subject.loop = find_loop(model, function, from->loop);
    if (from->kind == PROBE_NODE_CALL) {
        const struct call *call = find_call(search, function, name, from->line);
        subject.instruction = call ? call->instruction : 0;
        subject.callee = call ? call->callee : 0;
        return subject;
    }
    if (from->kind == PROBE_NODE_PARAMETER)
        subject.instruction = first_instruction(model, function);
    else if (from->kind == PROBE_NODE_AT || from->kind == PROBE_NODE_ACCESS)
        subject.instruction = instruction_on_line(model, function, from->line);
    subject.name = name ? model_string(model, name) : 0;
    return subject;
}

/* ---- the plan ---- */

static void add_table(struct search *search, const struct node_table *table)
{
    struct array *subjects = &search->plan->subjects;
    use_program(search, program_of(search->model, table->module));
    if (subjects->count < table->first + (size_t)table->count)
        array_add_many(subjects, table->first + (size_t)table->count - subjects->count);
    for (uint32_t i = 0; i < table->count; i++) {
        struct probe_node_subject from;
        memcpy(&from, table->bytes + sizeof(struct probe_node_table) + i * sizeof from, sizeof from);
        *ARRAY_AT(struct watch_subject, subjects, table->first + i) = find_subject(search, table, &from);
    }
}

bool recording_plan(struct watch_plan *plan, struct model *model, const char *path, struct error *error)
{
    struct array tables;
    struct search search = {.plan = plan, .model = model, .functions = ARRAY_OF(struct named)};
    watch_plan_init(plan, model);
    if (!read_tables(path, &tables, error))
        return false;
    for (size_t i = 0; i < tables.count; i++)
        add_table(&search, ARRAY_AT(struct node_table, &tables, i));
    array_free(&search.functions);
    free_tables(&tables);
    return true;
}
