/* A model made of a recording's own words.

   The recording has a table for each object with nodes (runtime/probe/nodes_file.h).  Its subjects become
   rows as if the listing had been read: a program for each loaded file, functions, loops, and for each
   subject an instruction of its own, with its place in the source.  Reports and SQL need nothing else.

   Where the listings themselves have been read, subjects are found among their rows instead (join.h).

   Recordings are hostile: every number is checked against the size of its table. */
#include "run/probe/recording/nodes.h"

#include "base/regular_file.h"
#include "run/probe/recording/join.h"
#include "runtime/probe/nodes_file.h"
#include "runtime/probe/record_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    MOST_TABLE_BYTES = 1 << 28,
    ADDRESSES = 16, /* of an instruction: there are no true ones */
};

struct named { /* a subject, and the rows that it gets */
    const struct probe_node_subject *subject;
    const struct probe_node_table *table;
    uint32_t number, program, function;
};

struct making {
    struct model *model;
    struct probe_plan *plan;
    struct array named;  /* of struct named */
    struct array tables; /* of void *: memory of the segments */
    struct strings names;
    struct array functions; /* of uint32_t: row of functions by string */
    uint32_t next;          /* number of the next subject */
    bool is_joined;         /* the model has the listings */
};

/* A text of a table; NULL: none, or not within it. */
static const char *text_at(const struct probe_node_table *table, uint32_t offset)
{
    const char *text = (const char *)table + offset;
    if (!offset || offset >= table->size || !memchr(text, 0, table->size - offset))
        return NULL;
    return *text ? text : NULL;
}

/* Numbers have no gaps, so that they are limited by the size of the file. */
static bool is_good(const struct probe_subjects *row, uint64_t size, uint32_t next)
{
    const struct probe_node_table *table = (const struct probe_node_table *)(row + 1);
    return size >= sizeof *row + sizeof *table && table->version == PROBE_NODE_VERSION &&
           table->size <= size - sizeof *row && table->size >= sizeof *table &&
           row->count == table->subject_count &&
           row->count <= (table->size - sizeof *table) / sizeof(struct probe_node_subject) &&
           row->first == next;
}

static uint32_t program_named(struct making *making, const struct probe_subjects *row, uint64_t size,
                              uint32_t isa)
{
    struct model *model = making->model;
    const char *name = (const char *)row + row->module;
    bool has_name = row->module && row->module < size && memchr(name, 0, size - row->module);
    string_id path = model_string(model, has_name ? name : "unknown file");
    for (uint32_t id = 1; id < model->programs.count; id++)
        if (model_program(model, id)->path == path)
            return id;
    struct program *program = model_add(&model->programs);
    program->path = path;
    program->isa = isa == PROBE_ISA_AARCH64 ? isa_AARCH64 : isa == PROBE_ISA_X86_64 ? isa_X86_64 : isa_IA64;
    program->format = format_LISTING;
    program->bits = 64;
    program->entry = NO_ADDRESS;
    program->has_symbols = true;
    return model_last(&model->programs);
}

/* What is recorded of a subject must be what its kind has. */
static bool fits(const struct probe_node_subject *subject)
{
    static const uint8_t kinds[] = {[PROBE_NODE_FUNCTION] = PROBE_SPAN, [PROBE_NODE_LOOP] = PROBE_LOOP,
                                    [PROBE_NODE_CALL] = PROBE_SPAN,     [PROBE_NODE_PARAMETER] = PROBE_VALUE,
                                    [PROBE_NODE_AT] = PROBE_VALUE,      [PROBE_NODE_ACCESS] = PROBE_ADDRESS};
    bool counts_only = subject->kind == PROBE_NODE_LOOP && subject->how.kind == PROBE_COUNT_ONLY;
    return subject->kind < sizeof kinds && (subject->how.kind == kinds[subject->kind] || counts_only) &&
           subject->counting <= PROBE_BY_MEMORY;
}

static void take_segment(struct making *making, struct probe_subjects *row, uint64_t size)
{
    const struct probe_node_table *table = (const struct probe_node_table *)(row + 1);
    const struct probe_node_subject *subjects = (const struct probe_node_subject *)(table + 1);
    uint32_t program = making->is_joined ? 0 : program_named(making, row, size, table->isa);
    for (uint32_t i = 0; i < row->count; i++)
        if (fits(&subjects[i]))
            *(struct named *)array_push(&making->named) =
                (struct named){&subjects[i], table, row->first + i, program, 0};
}

/* Calls for the segments with subjects of a recording; false: not a recording. */
static bool each_segment(int file, uint64_t size, struct making *making)
{
    struct probe_header header;
    if (pread(file, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.magic, PROBE_RECORD_MAGIC, sizeof header.magic) != 0)
        return false;
    struct probe_segment segment;
    for (uint64_t at = (sizeof header + PAGE - 1) / PAGE * PAGE; at + sizeof segment <= size;
         at += segment.size) {
        if (pread(file, &segment, sizeof segment, (off_t)at) != sizeof segment || segment.size < PAGE ||
            segment.size % PAGE)
            break;
        uint64_t bytes = segment.size < size - at ? segment.size : size - at;
        if (segment.kind != PROBE_SEGMENT_SUBJECTS || bytes > MOST_TABLE_BYTES)
            continue;
        void *memory = memory_get(bytes);
        *(void **)array_push(&making->tables) = memory;
        if (pread(file, memory, bytes, (off_t)at) == (ssize_t)bytes && is_good(memory, bytes, making->next)) {
            take_segment(making, memory, bytes);
            making->next += ((const struct probe_subjects *)memory)->count;
        }
    }
    return true;
}

/* Rows */

/* Functions of the same name in one object are one. */
static void find_functions(struct making *making)
{
    struct model *model = making->model;
    for (size_t i = 0; i < making->named.count; i++) {
        struct named *named = ARRAY_AT(struct named, &making->named, i);
        const char *name = text_at(named->table, named->subject->function);
        char *key = memory_format("%p %s", (const void *)named->table, name ? name : "");
        string_id id = strings_add(&making->names, key);
        free(key);
        if (id >= making->functions.count)
            array_add_many(&making->functions, id + 1 - making->functions.count);
        uint32_t *row = ARRAY_AT(uint32_t, &making->functions, id);
        if (!*row) {
            struct function *function = model_add(&model->functions);
            function->program = named->program;
            function->name = model_string(model, name ? name : "unknown function");
            function->address = NO_ADDRESS;
            function->returns = true;
            *row = model_last(&model->functions);
        }
        named->function = *row;
        struct function *function = model_function(model, *row);
        const char *file = text_at(named->table, named->subject->file);
        if (named->subject->kind == PROBE_NODE_FUNCTION && file) {
            function->file = model_file_id(model, file);
            function->line = named->subject->line;
        }
    }
}

static int by_function(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static uint32_t add_section(struct model *model, uint32_t program)
{
    for (uint32_t id = 1; id < model->sections.count; id++)
        if (model_section(model, id)->program == program)
            return id;
    struct section *section = model_add(&model->sections);
    section->program = program;
    section->name = model_string(model, ".text");
    section->is_code = true;
    return model_last(&model->sections);
}

static uint32_t add_encoding(struct model *model, const struct program *program, const char *text)
{
    struct encoding *encoding = model_add(&model->encodings);
    encoding->isa = program->isa;
    encoding->name = encoding->text = model_string(model, text);
    encoding->uses = 1;
    return model_last(&model->encodings);
}

static uint32_t add_source_line(struct making *making, const struct named *named, uint64_t address)
{
    const char *file = text_at(named->table, named->subject->file);
    if (!file || !named->subject->line)
        return 0;
    uint32_t id = model_file_id(making->model, file);
    struct source_line *line = model_add(&making->model->source_lines);
    line->program = named->program;
    line->address = address;
    line->end = address + 1;
    line->file = id;
    line->line = named->subject->line;
    return model_last(&making->model->source_lines);
}

/* An instruction in a block of its own. */
static uint32_t add_instruction(struct making *making, const struct named *named)
{
    struct model *model = making->model;
    struct function *function = model_function(model, named->function);
    uint64_t address = (uint64_t)model->blocks.count * ADDRESSES;
    const char *name = text_at(named->table, named->subject->name);
    uint32_t section = add_section(model, named->program);
    uint32_t encoding = add_encoding(model, model_program(model, named->program), name ? name : "node");
    uint32_t line = add_source_line(making, named, address);
    struct block *block = model_add(&model->blocks);
    uint32_t id = model_last(&model->blocks);
    struct instruction *instruction = model_add(&model->code);
    uint32_t code = model_last(&model->code);
    function = model_function(model, named->function);
    if (!function->block_count++)
        function->first_block = id;
    if (function->address == NO_ADDRESS)
        function->address = address;
    function->instruction_count++;
    *instruction =
        (struct instruction){.block = id, .encoding = encoding, .source_line = line, .target = NO_ADDRESS};
    *block = (struct block){.function = named->function,
                            .position = function->block_count,
                            .section = section,
                            .address = address,
                            .first_instruction = code,
                            .instruction_count = 1,
                            .size = 1,
                            .ends = block_end_FALL};
    return code;
}

static uint32_t add_loop(struct making *making, const struct named *named, uint32_t instruction)
{
    struct model *model = making->model;
    const char *file = text_at(named->table, named->subject->file);
    uint32_t file_id = file ? model_file_id(model, file) : 0;
    struct loop *loop = model_add(&model->loops);
    uint32_t id = model_last(&model->loops);
    loop->function = named->function;
    loop->header = model_instruction(model, instruction)->block;
    loop->depth = 1;
    loop->is_innermost = true;
    loop->block_count = loop->instruction_count = 1;
    loop->file = file_id;
    loop->first_line = named->subject->line;
    loop->last_line = named->subject->last_line ? named->subject->last_line : named->subject->line;
    model_block(model, loop->header)->loop = id;
    model_function(model, named->function)->loop_count++;
    return id;
}

static uint32_t callee_named(struct making *making, const struct named *named)
{
    const char *name = text_at(named->table, named->subject->name);
    if (named->subject->kind != PROBE_NODE_CALL || !name)
        return 0;
    string_id id = model_string(making->model, name);
    for (uint32_t f = 1; f < making->model->functions.count; f++)
        if (model_function(making->model, f)->name == id)
            return f;
    struct function *function = model_add(&making->model->functions); /* an import: imports are last */
    function->program = named->program;
    function->name = id;
    function->address = NO_ADDRESS;
    function->origin = origin_IMPORT;
    return model_last(&making->model->functions);
}

static void add_subject(struct making *making, const struct named *named)
{
    const struct probe_node_subject *from = named->subject;
    const char *name = text_at(named->table, from->name);
    uint32_t instruction = add_instruction(making, named);
    struct probe_subject subject = {.kind = from->kind,
                                    .counting = from->counting,
                                    .program = named->program,
                                    .function = named->function,
                                    .instruction = instruction,
                                    .position = from->position,
                                    .callee = callee_named(making, named),
                                    .name = name ? model_string(making->model, name) : 0,
                                    .how = from->how};
    if (from->kind == PROBE_NODE_LOOP)
        subject.loop = add_loop(making, named, instruction);
    *ARRAY_AT(struct probe_subject, &making->plan->subjects, named->number) = subject;
}

/* Subjects that are in the model's listings; others have no rows. */
static bool join_subjects(struct making *making, const char *path, struct error *error)
{
    size_t joined = 0;
    const char *other = NULL;
    for (size_t i = 0; i < making->named.count; i++) {
        const struct named *named = ARRAY_AT(struct named, &making->named, i);
        const struct probe_node_subject *from = named->subject;
        const struct nodes_texts texts = {.listing = text_at(named->table, named->table->listing),
                                          .function = text_at(named->table, from->function),
                                          .name = text_at(named->table, from->name)};
        struct probe_subject subject = {.kind = from->kind,
                                        .counting = from->counting,
                                        .position = from->position,
                                        .callee = callee_named(making, named),
                                        .name = texts.name ? model_string(making->model, texts.name) : 0,
                                        .how = from->how};
        enum nodes_joined found = nodes_join(making->model, from, &texts, &subject);
        if (found == NODES_OTHER_TEXT)
            return error_set(
                error, texts.listing ? texts.listing : path,
                "is not the text that the nodes were put into: %s has nothing at line %u that was "
                "recorded; give the listing as it was then, without nodes",
                texts.function ? texts.function : "it", (unsigned)from->listing_line);
        other = found == NODES_OTHER_LISTING ? texts.listing : other;
        if (found == NODES_JOINED)
            *ARRAY_AT(struct probe_subject, &making->plan->subjects, named->number) = subject;
        joined += found == NODES_JOINED;
    }
    return joined ||
           error_set(error, path, "has nothing about the listings given: its nodes were put into %s",
                     other ? other : "others");
}

static bool make_rows(struct making *making, const char *path, struct error *error)
{
    uint32_t count = 0;
    for (size_t i = 0; i < making->named.count; i++) {
        uint32_t number = ARRAY_AT(struct named, &making->named, i)->number;
        count = number >= count ? number + 1 : count;
    }
    if (!count)
        return error_set(error, path, "has no subjects of its own: it belongs to a run of assay probe");
    if (!making->is_joined)
        find_functions(making);
    qsort(making->named.data, making->named.count, making->named.width, by_function);
    struct probe_subject *subjects = array_add_many(&making->plan->subjects, count);
    for (uint32_t i = 0; i < count; i++)
        subjects[i].refusal = PROBE_REFUSED_NO_PLACE;
    if (making->is_joined)
        return join_subjects(making, path, error);
    for (size_t i = 0; i < making->named.count; i++)
        add_subject(making, ARRAY_AT(struct named, &making->named, i));
    return true;
}

static void end(struct making *making)
{
    for (size_t i = 0; i < making->tables.count; i++)
        free(*ARRAY_AT(void *, &making->tables, i));
    array_free(&making->tables);
    array_free(&making->named);
    array_free(&making->functions);
    strings_free(&making->names);
}

static struct making begin(struct model *model, struct probe_plan *plan)
{
    return (struct making){.model = model,
                           .plan = plan,
                           .named = ARRAY_OF(struct named),
                           .tables = ARRAY_OF(void *),
                           .functions = ARRAY_OF(uint32_t)};
}

bool nodes_recording(struct model *model, struct probe_plan *plan, const char *path, struct error *error)
{
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    struct making making = begin(model, plan);
    making.is_joined = model->programs.count > 1;
    bool is_done = each_segment(file, size, &making) ? make_rows(&making, path, error)
                                                     : error_set(error, path, "is not a recording of probes");
    close(file);
    end(&making);
    return is_done;
}

bool nodes_have_recorded(const char *path)
{
    uint64_t size;
    int file = regular_file_open(path, &size, NULL);
    if (file < 0)
        return false;
    struct model model;
    model_init(&model);
    struct making making = begin(&model, NULL);
    bool has = each_segment(file, size, &making) && making.named.count;
    close(file);
    end(&making);
    model_free(&model);
    return has;
}
