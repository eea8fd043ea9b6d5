/* Addresses in memory become places in the model.

   A process has modules, files loaded somewhere in its memory; a module whose file was read is a program of
   the model. Its code is found by a list of its blocks in order of their addresses, which is made at the
   first address of the program and kept with the model: blocks of the model follow their functions, and parts
   of a function may lie far apart.

   Programs are known by their build-id, because a file may have been replaced during the run; the path
   decides only if one of the two has no build-id. */
#include "run/places/loaded.h"

#include "base/path.h"
#include <stdlib.h>
#include <string.h>

struct spot {
    uint64_t address;
    uint32_t block;
};

struct index {
    struct array *spots; /* for each program: of struct spot, by address; width 0: not made yet */
    size_t program_count;
};

static void release_index(void *memory)
{
    struct index *index = memory;
    for (size_t i = 0; i < index->program_count; i++)
        array_free(&index->spots[i]);
    free(index->spots);
    free(index);
}

static int by_address(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static const struct array *spots_of(struct model *model, uint32_t program)
{
    struct index *index = model_kept(model, release_index);
    if (!index || index->program_count < model->programs.count) {
        index = memory_get(sizeof *index);
        index->program_count = model->programs.count;
        index->spots = memory_get(index->program_count * sizeof *index->spots);
        model_keep(model, index, release_index);
    }
    struct array *spots = &index->spots[program];
    if (spots->width)
        return spots;
    *spots = ARRAY_OF(struct spot);
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        const struct block *block = model_block(model, id);
        if (model_section(model, block->section)->program == program)
            *(struct spot *)array_push(spots) = (struct spot){block->address, id};
    }
    if (spots->count)
        qsort(spots->data, spots->count, sizeof(struct spot), by_address);
    return spots;
}

uint32_t places_block_at(struct model *model, uint32_t program, uint64_t address)
{
    const struct spot *spot =
        array_last_at(spots_of(model, program), offsetof(struct spot, address), address);
    const struct block *block = spot ? model_block(model, spot->block) : NULL;
    return block && address - block->address < block->size ? spot->block : 0;
}

/* The instruction of a block that an address lies in. */
static uint32_t instruction_at(const struct model *model, const struct block *block, uint64_t address)
{
    uint32_t first = block->first_instruction;
    struct bisection search = {first, first + block->instruction_count};
    while (bisect(&search))
        bisect_past(&search,
                    model_instruction(model, (uint32_t)search.middle)->offset <= address - block->address);
    return search.first > first ? (uint32_t)search.first - 1 : 0;
}

uint32_t places_program_of(const struct model *model, const char *build_id, const char *path)
{
    for (uint32_t id = 1; id < model->programs.count; id++) {
        const struct program *program = model_program(model, id);
        const char *its_build_id = model_text(model, program->build_id);
        const char *its_path = model_text(model, program->path);
        bool has_both = its_build_id && build_id[0];
        if (has_both ? !strcmp(its_build_id, build_id)
                     : its_path && path && path_is_same_file(its_path, path))
            return id;
    }
    return 0;
}

static int by_start(const void *left, const void *right)
{
    const struct places_loaded *a = left, *b = right;
    return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
                                : (a->end > b->end) - (a->end < b->end);
}

void places_match_loaded(struct model *model, struct array *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        struct places_loaded *module = ARRAY_AT(struct places_loaded, modules, i);
        module->program = places_program_of(model, module->build_id, module->path);
    }
    if (modules->count)
        qsort(modules->data, modules->count, modules->width, by_start);
}

struct places_loaded *places_loaded_at(const struct array *modules, uint64_t address)
{
    struct places_loaded *module = array_last_at(modules, offsetof(struct places_loaded, start), address);
    return module && address < module->end ? module : NULL;
}

/* Functions that were not decoded have a row, too, and no blocks. */
static uint32_t function_at(const struct model *model, uint32_t program, uint64_t address)
{
    struct model_rows rows = MODEL_ROWS_OF(model, functions, function, program);
    struct bisection search = {rows.first, rows.end}; /* imports have the highest address of all */
    while (bisect(&search))
        bisect_past(&search, model_function(model, (uint32_t)search.middle)->address <= address);
    uint32_t id = (uint32_t)search.first - 1;
    const struct function *function = model_function(model, id);
    return search.first > rows.first && address - function->address < function->size ? id : 0;
}

struct places_location places_locate_in(struct model *model, uint32_t program, uint64_t address)
{
    struct places_location place = {.program = program, .address = address};
    uint32_t id = places_block_at(model, program, address);
    if (!id) {
        place.function = function_at(model, program, address);
        return place;
    }
    const struct block *block = model_block(model, id);
    place.function = block->function;
    place.loop = block->loop;
    place.instruction = instruction_at(model, block, address);
    uint32_t row = place.instruction ? model_instruction(model, place.instruction)->source_line : 0;
    if (row) {
        const struct source_line *source = model_source_line(model, row);
        place.file = source->file;
        place.line = source->line;
        place.inlined_call = source->inlined_call;
    }
    return place;
}

struct places_location places_locate(struct model *model, const struct array *modules, uint64_t address)
{
    struct places_location place = {.address = address};
    const struct places_loaded *module = places_loaded_at(modules, address);
    if (!module) {
        place.name = model_string(model, "code not in any file");
        return place;
    }
    uint64_t in_file = address - module->bias;
    if (module->program && module->program < model->programs.count)
        place = places_locate_in(model, module->program, in_file);
    if (!place.function)
        place.name = places_name_code(model, module->path, in_file);
    return place;
}

bool places_has_calls(const struct model *model, uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    for (size_t i = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
         i < model->calls.count && model_call(model, (uint32_t)i)->caller == function; i++) {
        uint32_t block = model_instruction(model, model_call(model, (uint32_t)i)->instruction)->block;
        if (model_block(model, block)->loop == loop)
            return true;
    }
    return false;
}

void places_free_loaded(struct array *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(ARRAY_AT(struct places_loaded, modules, i)->path);
    array_free(modules);
}
