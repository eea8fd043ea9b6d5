#include "show/report/common/places.h"

#include "base/output.h"
#include "base/regular_file.h"
#include "base/trust.h"
#include "model/demangle.h"
#include "show/report/common/queries.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_SOURCE = 16 << 20, MOST_SOURCES = 64 };

struct place_name {
    int64_t program;
    uint64_t address, size;
    bool is_section;
    char *name;
};

/* The field that the linker writes.  Where addresses count from the end of the instruction, as on x86, the
 * addend includes the distance to it. */
struct place_symbol {
    int64_t program;
    uint64_t address;
    int64_t addend;
    bool counts_from_end;
    char *name;
};

struct place_source {
    char *path;
    char *text;         /* NULL where it cannot be read */
    struct array lines; /* of size_t: where each line starts; one more at the end */
};

static int compare_names(const void *left, const void *right)
{
    const struct place_name *a = left, *b = right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (int)a->is_section - (int)b->is_section;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct place_symbol *a = left, *b = right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static void begin(struct places *places, bool demangle, struct trust *trust)
{
    *places = (struct places){.demangle = demangle, .trust = trust};
    places->names = ARRAY_OF(struct place_name);
    places->symbols = ARRAY_OF(struct place_symbol);
    places->sources = ARRAY_OF(struct place_source);
    autofree char *directory = getcwd(NULL, 0);
    places->working_directory = memory_format("%s/", directory ? directory : "");
}

static void end(struct places *places)
{
    if (places->names.count)
        qsort(places->names.data, places->names.count, sizeof(struct place_name), compare_names);
    if (places->symbols.count)
        qsort(places->symbols.data, places->symbols.count, sizeof(struct place_symbol), compare_symbols);
}

static void take_symbols(struct places *places, const struct model *model)
{
    for (uint32_t id = 1; id < model->relocations.count; id++) {
        const struct relocation *it = model_relocation(model, id);
        const struct program *program = model_program(model, it->program);
        const char *name = model_text(model, it->symbol);
        if (name && (program->format == format_OBJECT || program->format == format_LISTING))
            *(struct place_symbol *)array_push(&places->symbols) =
                (struct place_symbol){.program = it->program,
                                      .address = it->address,
                                      .addend = it->addend,
                                      .counts_from_end = program->isa != isa_AARCH64,
                                      .name = memory_copy_text(name, strlen(name))};
    }
}

void places_take(struct places *places, const struct model *model, bool demangle, struct trust *trust)
{
    begin(places, demangle, trust);
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        const char *name = model_text(model, function->name);
        if (name && function->address != NO_ADDRESS && function->size)
            *(struct place_name *)array_push(&places->names) =
                (struct place_name){.program = function->program,
                                    .address = function->address,
                                    .size = function->size,
                                    .name = memory_copy_text(name, strlen(name))};
    }
    for (uint32_t id = 1; id < model->sections.count; id++) {
        const struct section *section = model_section(model, id);
        const char *name = model_text(model, section->name);
        if (name && section->is_loaded && section->size)
            *(struct place_name *)array_push(&places->names) =
                (struct place_name){.program = section->program,
                                    .address = section->address,
                                    .size = section->size,
                                    .is_section = true,
                                    .name = memory_copy_text(name, strlen(name))};
    }
    take_symbols(places, model);
    end(places);
}

static bool load_symbols(struct places *places, sqlite3 *connection, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(connection, query_named(common_queries, "relocation_symbols"), -1,
                                    &statement, NULL);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(statement);
        const char *name = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 4) : NULL;
        if (!name)
            continue;
        struct place_symbol *symbol = array_add(&places->symbols);
        symbol->program = sqlite3_column_int64(statement, 0);
        symbol->address = (uint64_t)sqlite3_column_int64(statement, 1);
        symbol->addend = sqlite3_column_int64(statement, 2);
        symbol->counts_from_end = sqlite3_column_int(statement, 3) != 0;
        symbol->name = memory_copy_text(name, strlen(name));
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE || error_set(error, NULL, "%s", store_problem(connection));
}

bool places_load(struct places *places, sqlite3 *connection, bool demangle, struct trust *trust,
                 struct error *error)
{
    begin(places, demangle, trust);
    sqlite3_stmt *statement = NULL;
    int result =
        sqlite3_prepare_v2(connection, query_named(common_queries, "place_names"), -1, &statement, NULL);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(statement);
        const char *name = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 3) : NULL;
        if (!name)
            continue;
        struct place_name *place = array_add(&places->names);
        place->program = sqlite3_column_int64(statement, 0);
        place->address = (uint64_t)sqlite3_column_int64(statement, 1);
        place->size = (uint64_t)sqlite3_column_int64(statement, 2);
        place->is_section = sqlite3_column_int(statement, 4) != 0;
        place->name = memory_copy_text(name, strlen(name));
    }
    sqlite3_finalize(statement);
    bool done = result == SQLITE_DONE || error_set(error, NULL, "%s", store_problem(connection));
    done = done && load_symbols(places, connection, error);
    end(places);
    return done;
}

void places_forget_sources(struct places *places)
{
    for (size_t i = 0; i < places->sources.count; i++) {
        struct place_source *source = ARRAY_AT(struct place_source, &places->sources, i);
        free(source->path);
        free(source->text);
        array_free(&source->lines);
    }
    places->sources.count = 0;
}

void places_free(struct places *places)
{
    for (size_t i = 0; i < places->names.count; i++)
        free(ARRAY_AT(struct place_name, &places->names, i)->name);
    for (size_t i = 0; i < places->symbols.count; i++)
        free(ARRAY_AT(struct place_symbol, &places->symbols, i)->name);
    places_forget_sources(places);
    array_free(&places->names);
    array_free(&places->symbols);
    array_free(&places->sources);
    free(places->working_directory);
}

static const struct place_name *find_name(const struct places *places, int64_t program, uint64_t address)
{
    struct bisection search = {0, places->names.count};
    while (bisect(&search)) {
        const struct place_name *it = ARRAY_AT(struct place_name, &places->names, search.middle);
        bisect_past(&search, it->program < program || (it->program == program && it->address <= address));
    }
    /* A section contains many functions: look back for the nearest range that holds the address. */
    for (bool want_section = false;; want_section = true) {
        for (size_t i = search.first, steps = 0; i-- > 0; steps++) {
            const struct place_name *it = ARRAY_AT(struct place_name, &places->names, i);
            if (it->program != program || (!want_section && steps > 64))
                break;
            if (it->is_section == want_section && address - it->address < it->size)
                return it;
            if (it->is_section && want_section)
                break;
        }
        if (want_section)
            return NULL;
    }
}

char *places_name(const struct places *places, int64_t program, uint64_t address)
{
    const struct place_name *it = find_name(places, program, address);
    if (!it)
        return NULL;
    autofree char *plain = places->demangle && !it->is_section ? demangle_name(it->name) : NULL;
    const char *name = plain ? plain : it->name;
    return address == it->address
               ? memory_copy_text(name, strlen(name))
               : memory_format("%s+0x%llx", name, (unsigned long long)(address - it->address));
}

char *places_symbol(const struct places *places, int64_t program, uint64_t address, uint64_t end)
{
    struct place_symbol wanted = {.program = program, .address = address};
    struct bisection search = {0, places->symbols.count};
    while (bisect(&search))
        bisect_past(&search, compare_symbols(array_at(&places->symbols, search.middle), &wanted) < 0);
    const struct place_symbol *it = ARRAY_AT(struct place_symbol, &places->symbols, search.first);
    if (search.first >= places->symbols.count || it->program != program || it->address >= end)
        return NULL;
    uint64_t offset = (uint64_t)it->addend + (it->counts_from_end ? end - it->address : 0);
    autofree char *plain = places->demangle ? demangle_name(it->name) : NULL;
    const char *name = plain ? plain : it->name;
    return !offset             ? memory_copy_text(name, strlen(name))
           : offset >> 63 == 0 ? memory_format("%s+0x%llx", name, (unsigned long long)offset)
                               : memory_format("%s-0x%llx", name, (unsigned long long)-offset);
}

static char *read_source(const char *path, size_t *size)
{
    uint64_t bytes = 0;
    int file = regular_file_open(path, &bytes, NULL);
    char *text = NULL;
    if (file >= 0 && bytes > 0 && bytes <= LARGEST_SOURCE) {
        output_spare_file(file);
        text = memory_get((size_t)bytes + 1);
        int64_t got = regular_file_read(file, text, (size_t)bytes);
        *size = got > 0 ? (size_t)got : 0;
        text[*size] = 0;
    }
    if (file >= 0)
        close(file);
    return text;
}

static struct place_source *open_source(struct places *places, const char *path)
{
    for (size_t i = 0; i < places->sources.count; i++) {
        struct place_source *source = ARRAY_AT(struct place_source, &places->sources, i);
        if (!strcmp(source->path, path))
            return source;
    }
    struct place_source *source;
    if (places->sources.count < MOST_SOURCES) {
        source = array_add(&places->sources);
    } else {
        source = ARRAY_AT(struct place_source, &places->sources, 0);
        free(source->path);
        free(source->text);
        array_free(&source->lines);
    }
    size_t size = 0;
    source->path = memory_copy_text(path, strlen(path));
    source->text = path[0] == '/' && trust_allows(places->trust, path) ? read_source(path, &size) : NULL;
    source->lines = ARRAY_OF(size_t);
    for (size_t start = 0; source->text && start <= size;) {
        *(size_t *)array_add(&source->lines) = start;
        char *end = memchr(source->text + start, '\n', size - start);
        start = end ? (size_t)(end - source->text) + 1 : size + 1;
    }
    if (source->text)
        *(size_t *)array_add(&source->lines) = size + 1;
    return source;
}

const char *places_line(struct places *places, const char *path, int64_t line, size_t *length)
{
    struct place_source *source = open_source(places, path);
    if (!source->text || line < 1 || (uint64_t)line >= source->lines.count)
        return NULL;
    size_t start = *ARRAY_AT(size_t, &source->lines, (size_t)line - 1);
    size_t after = *ARRAY_AT(size_t, &source->lines, (size_t)line) - 1;
    while (after > start && strchr(" \t\r", source->text[after - 1]))
        after--;
    *length = after - start;
    return source->text + start;
}

const char *places_source(struct places *places, const char *path, int64_t line, size_t *length)
{
    const char *text = places_line(places, path, line, length);
    while (text && *length && strchr(" \t\r", *text)) {
        text++;
        (*length)--;
    }
    return text;
}

const char *places_path(const struct places *places, const char *path)
{
    size_t length = strlen(places->working_directory);
    return length > 1 && !strncmp(path, places->working_directory, length) ? path + length : path;
}

static void sql_place(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *path = (const char *)sqlite3_value_text(values[0]), *directory = sqlite3_user_data(context);
    size_t length = strlen(directory);
    if (!path)
        return;
    if (length > 1 && !strncmp(path, directory, length))
        path += length;
    sqlite3_int64 first = sqlite3_value_int64(values[1]), last = sqlite3_value_int64(values[2]);
    char *text = first <= 0      ? memory_format("%s", path)
                 : last <= first ? memory_format("%s:%lld", path, first)
                                 : memory_format("%s:%lld-%lld", path, first, last);
    sqlite3_result_text(context, text, -1, free);
}

bool places_register(sqlite3 *connection, struct error *error)
{
    autofree char *directory = getcwd(NULL, 0);
    char *prefix = memory_format("%s/", directory ? directory : "");
    if (sqlite3_create_function_v2(connection, "place", 3,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, prefix, sql_place,
                                   NULL, NULL, free) != SQLITE_OK)
        return error_set(error, NULL, "cannot add the SQL function place: %s", store_problem(connection));
    return true;
}
