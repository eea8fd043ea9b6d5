/* Frames of a recording become places of the model.

   A file of the recording is the program of the model with its build-id; where one of the two has none, the
   one at its path, unless something else is there now.  Code of other files gets the name of its symbol, and
   where there is none, the name of its file: "[libgomp.so.1]".  Names are never taken from a file that took
   the place of the one that ran. */
#include "run/sample/rows_parts.h"

#include "base/path.h"
#include "run/places/loaded.h"
#include "run/sample/activities.h"
#include "base/number_map.h"

#include <stdlib.h>

static void find_programs(struct sample_rows *rows)
{
    const struct array *files = &rows->recording->files;
    rows->programs = memory_get((files->count + 1) * sizeof *rows->programs);
    for (size_t i = 1; i < files->count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, files, i);
        if (file->kind == SAMPLE_FILE_CODE || file->image)
            rows->programs[i] = places_program_of(rows->model, file->build_id, sample_file_here(file));
    }
}

/* The name of a function that was made at run time; 0: none. */
static string_id made_name(struct model *model, const struct sample_recording *recording, uint32_t file,
                           uint64_t address)
{
    const struct array *made = &recording->made;
    struct bisection search = {0, made->count};
    while (bisect(&search)) {
        const struct sample_made *it = ARRAY_AT(struct sample_made, made, search.middle);
        bisect_past(&search, it->file < file || (it->file == file && it->address <= address));
    }
    const struct sample_made *it = search.first ? ARRAY_AT(struct sample_made, made, search.first - 1) : NULL;
    return it && it->file == file && address - it->address < it->size ? model_string(model, it->name) : 0;
}

/* The symbol of code that the model does not have; 0: none. */
static string_id symbol_of(struct model *model, const struct sample_recording *recording, uint32_t place,
                           uint64_t address)
{
    const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, place);
    if (file->kind == SAMPLE_FILE_GENERATED)
        return made_name(model, recording, place, address);
    const char *path = sample_file_here(file);
    return path ? places_name_symbol(model, path, address) : 0;
}

static string_id name_of_code(struct model *model, const struct sample_file *file, string_id symbol)
{
    static const char *const others[] = {[SAMPLE_FILE_UNKNOWN] = "[unknown code]",
                                         [SAMPLE_FILE_CODE] = "[unknown file]",
                                         [SAMPLE_FILE_KERNEL] = "[kernel]",
                                         [SAMPLE_FILE_VDSO] = "[vdso]",
                                         [SAMPLE_FILE_GENERATED] = "[generated code]"};
    if (file->kind == SAMPLE_FILE_GENERATED && symbol)
        return symbol;
    if (file->kind != SAMPLE_FILE_CODE || !file->path)
        return model_string(model, others[file->kind]);
    const char *its_name = path_name(file->path);
    char *text = symbol ? memory_format("%s (%s)", model_text(model, symbol), its_name)
                        : memory_format("[%s]", its_name);
    string_id name = model_string(model, text);
    free(text);
    return name;
}

static uint8_t activity_of_code(const struct sample_file *file, const char *function)
{
    return (uint8_t)(file->kind == SAMPLE_FILE_CODE
                         ? activity_of(file->path ? path_name(file->path) : NULL, function)
                         : run_activity_COMPUTE);
}

static bool is_helper(const struct sample_file *file)
{
    return file->kind == SAMPLE_FILE_KERNEL || file->kind == SAMPLE_FILE_VDSO ||
           (file->kind == SAMPLE_FILE_CODE && file->path && activity_is_helper(path_name(file->path)));
}

struct code_search {
    struct sample_rows *rows;
    struct number_map of_functions, of_symbols;
};

static uint32_t add_code(struct code_search *search, uint32_t file_place, uint32_t function, string_id symbol)
{
    struct model *model = search->rows->model;
    const struct sample_file *file =
        ARRAY_AT(struct sample_file, &search->rows->recording->files, file_place);
    string_id known = function ? model_function(model, function)->name : symbol;
    struct row_code *code = array_add(&search->rows->codes);
    *code = (struct row_code){.function = function,
                              .name = function ? 0 : name_of_code(model, file, symbol),
                              .file = file_place,
                              .activity = activity_of_code(file, model_text(model, known)),
                              .is_nameless = row_code_lacks_name(model, file, function, symbol),
                              .is_helper = is_helper(file)};
    return (uint32_t)search->rows->codes.count - 1;
}

/* Two files of the recording may be one program of the model, if they are copies. */
static uint32_t code_of(struct code_search *search, uint32_t file, uint32_t function, string_id symbol)
{
    uint32_t *code = function ? number_map_at(&search->of_functions, function)
                              : number_map_at(&search->of_symbols, (uint64_t)file << 32 | symbol);
    if (!*code)
        *code = add_code(search, file, function, symbol);
    return *code;
}

uint32_t row_code_named(struct code_search *search, uint32_t file, string_id symbol)
{
    return code_of(search, file, 0, symbol);
}

static void find_frame(struct code_search *search, const struct sample_frame *frame, struct row_frame *row)
{
    struct sample_rows *rows = search->rows;
    uint32_t program = rows->programs[frame->file];
    struct places_location place = {0};
    if (program)
        place = places_locate_in(rows->model, program, frame->address);
    string_id symbol =
        place.function ? 0 : symbol_of(rows->model, rows->recording, frame->file, frame->address);
    *row = (struct row_frame){.code = code_of(search, frame->file, place.function, symbol),
                              .instruction = place.instruction,
                              .loop = place.loop,
                              .source = place.file,
                              .line = place.line,
                              .inlined_call = place.inlined_call};
}

void row_places_find(struct sample_rows *rows)
{
    const struct array *frames = &rows->recording->frames;
    struct code_search search = {.rows = rows};
    find_programs(rows);
    rows->codes = ARRAY_OF(struct row_code);
    array_add(&rows->codes);
    rows->frames = memory_get((frames->count + 1) * sizeof *rows->frames);
    for (size_t i = 0; i < frames->count; i++)
        find_frame(&search, ARRAY_AT(struct sample_frame, frames, i), &rows->frames[i]);
    row_names_find(rows, &search);
    number_map_free(&search.of_functions);
    number_map_free(&search.of_symbols);
}
