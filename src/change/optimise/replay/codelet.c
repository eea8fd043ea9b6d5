/* Reading codelets.  They may come from anywhere: sizes, offsets and orders are checked here, once, and
   everything after this relies on them.  What a codelet's code does is another matter; the replay program
   sees to that. */
#include "change/optimise/replay/codelet.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/path.h"
#include "base/regular_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t highest = UINT64_C(1) << 56, most_memory = UINT64_C(1) << 46;
enum { MOST_ROWS = 1 << 26, LEAST_ROOM = 1 << 20 };

static bool is_damaged(const struct codelet *codelet, struct error *error, const char *what)
{
    return error_set(error, codelet->path, "this codelet is damaged: %s", what);
}

static bool is_table(const struct codelet *codelet, const struct codelet_table *table, uint64_t width)
{
    return table->offset % 8 == 0 && table->offset <= codelet->size && table->count <= MOST_ROWS &&
           table->count * width <= codelet->size - table->offset;
}

static bool is_name(const struct codelet *codelet, uint32_t name)
{
    return name < codelet->header->names.count;
}

static bool check_tables(const struct codelet *codelet, struct error *error)
{
    const struct codelet_header *header = codelet->header;
    uint64_t registers =
        header->isa == codelet_AARCH64 ? sizeof(struct codelet_aarch64) : sizeof(struct codelet_x86);
    if (header->registers.count != 1 || !is_table(codelet, &header->registers, registers))
        return is_damaged(codelet, error, "its registers are cut off");
    if (!is_table(codelet, &header->regions, sizeof(struct codelet_region)) ||
        !is_table(codelet, &header->stretches, sizeof(struct codelet_stretch)) ||
        !is_table(codelet, &header->modules, sizeof(struct codelet_module)) ||
        !is_table(codelet, &header->symbols, sizeof(struct codelet_symbol)) ||
        !is_table(codelet, &header->objects, sizeof(struct codelet_object)) ||
        !is_table(codelet, &header->names, 1))
        return is_damaged(codelet, error, "a table reaches beyond its end");
    const char *names = codelet->bytes + header->names.offset;
    if (!header->names.count || *names || names[header->names.count - 1])
        return is_damaged(codelet, error, "its names are cut off");
    return true;
}

static bool check_header(const struct codelet *codelet, struct error *error)
{
    const struct codelet_header *header = codelet->header;
    uint64_t page = header->page_size;
    if (header->isa != codelet_AARCH64 && header->isa != codelet_X86_64)
        return is_damaged(codelet, error, "its instruction set is unknown");
    if (page < 4096 || page > 65536 || page & (page - 1) || header->file_size != codelet->size ||
        codelet->size % page)
        return is_damaged(codelet, error, "its size is not what it says");
    if (header->room % 65536 || header->room >= highest || header->room_size > highest ||
        header->room_size < LEAST_ROOM)
        return is_damaged(codelet, error, "it has no room for the replay program");
    if (header->stack_start > header->stack_pointer || header->stack_pointer >= highest ||
        header->stack_arguments > 1 << 20)
        return is_damaged(codelet, error, "its stack is nowhere");
    if (header->result_count > CODELET_MOST_RESULTS && header->result_count != CODELET_RESULT_UNKNOWN)
        return is_damaged(codelet, error, "its results are unknown");
    for (unsigned i = 0; header->result_count <= CODELET_MOST_RESULTS && i < header->result_count; i++)
        if (header->results[i].slot >= codelet_SLOTS || header->results[i].bytes > 16 ||
            (header->results[i].slot < codelet_FIRST_VECTOR && header->results[i].bytes > 8) ||
            header->results[i].kind >= codelet_KINDS)
            return is_damaged(codelet, error, "its results are unknown");
    return true;
}

static bool check_memory(const struct codelet *codelet, struct error *error)
{
    const struct codelet_header *header = codelet->header;
    uint64_t page = header->page_size, before = 0, total = 0;
    for (uint64_t i = 0; i < header->regions.count; i++) {
        const struct codelet_region *region = &codelet->regions[i];
        if (region->start < before || region->end <= region->start || region->end > highest ||
            region->start % page || region->end % page || region->kind >= codelet_REGION_KINDS ||
            region->rights > 7 || !is_name(codelet, region->name))
            return is_damaged(codelet, error, "a region of memory is impossible");
        if (region->start < header->room + header->room_size && header->room < region->end)
            return is_damaged(codelet, error, "the room for the replay program is not free");
        before = region->end;
        total += region->end - region->start;
    }
    uint64_t at = 0;
    before = 0;
    for (uint64_t i = 0; i < header->stretches.count; i++) {
        const struct codelet_stretch *stretch = &codelet->stretches[i];
        while (at < header->regions.count && codelet->regions[at].end <= stretch->address)
            at++;
        if (stretch->address < before || stretch->address % page || !stretch->bytes ||
            stretch->bytes % page || stretch->bytes > highest || stretch->offset % page ||
            stretch->offset > codelet->size ||
            (stretch->offset && stretch->bytes > codelet->size - stretch->offset) ||
            at == header->regions.count || stretch->address < codelet->regions[at].start)
            return is_damaged(codelet, error, "a stretch of memory is impossible");
        before = stretch->address + stretch->bytes;
        if (before > codelet->regions[at].end)
            return is_damaged(codelet, error, "a stretch of memory is in no region");
    }
    return total <= most_memory || is_damaged(codelet, error, "it has more memory than there is");
}

static bool check_rows(const struct codelet *codelet, struct error *error)
{
    const struct codelet_header *header = codelet->header;
    if (!header->modules.count || header->module >= header->modules.count ||
        !is_name(codelet, header->function) || !is_name(codelet, header->command))
        return is_damaged(codelet, error, "its function is in no file");
    for (uint64_t i = 0; i < header->modules.count; i++)
        if (!is_name(codelet, codelet->modules[i].name))
            return is_damaged(codelet, error, "a name is cut off");
    const char *before = "";
    for (uint64_t i = 0; i < header->symbols.count; i++) {
        const struct codelet_symbol *symbol = &codelet->symbols[i];
        if (!is_name(codelet, symbol->name) || !is_name(codelet, symbol->source) ||
            !is_name(codelet, symbol->function) || symbol->module >= header->modules.count ||
            symbol->kind >= codelet_SYMBOL_KINDS || strcmp(before, codelet_text(codelet, symbol->name)) > 0)
            return is_damaged(codelet, error, "a symbol is impossible");
        before = codelet_text(codelet, symbol->name);
    }
    uint64_t address = 0;
    for (uint64_t i = 0; i < header->objects.count; i++) {
        const struct codelet_object *object = &codelet->objects[i];
        if (!is_name(codelet, object->name) || object->address < address || object->kind >= codelet_KINDS)
            return is_damaged(codelet, error, "a variable is impossible");
        address = object->address;
    }
    return true;
}

static bool check_all(struct codelet *codelet, struct error *error)
{
    const struct codelet_header *header = codelet->header;
    if (codelet->size < sizeof *header || memcmp(header->magic, CODELET_MAGIC, sizeof header->magic))
        return error_set(error, codelet->path, "is not a codelet; assay codelet capture makes one");
    if (header->version != CODELET_VERSION)
        return error_set(error, codelet->path,
                         "is a codelet of another version of Assay (%u); capture it again", header->version);
    if (!check_header(codelet, error) || !check_tables(codelet, error))
        return false;
    codelet->regions = (const void *)(codelet->bytes + header->regions.offset);
    codelet->stretches = (const void *)(codelet->bytes + header->stretches.offset);
    codelet->modules = (const void *)(codelet->bytes + header->modules.offset);
    codelet->symbols = (const void *)(codelet->bytes + header->symbols.offset);
    codelet->objects = (const void *)(codelet->bytes + header->objects.offset);
    return check_memory(codelet, error) && check_rows(codelet, error);
}

bool codelet_open_file(int file, const char *path, struct codelet *codelet, struct error *error)
{
    *codelet = (struct codelet){.file = -1, .path = memory_copy_text(path, strlen(path))};
    struct stat facts;
    bool is_read = false;
    if (fstat(file, &facts) || !S_ISREG(facts.st_mode)) {
        error_set(error, path, "cannot be read");
    } else if (facts.st_size < (off_t)sizeof *codelet->header) {
        error_set(error, path, "is not a codelet; assay codelet capture makes one");
    } else {
        void *place = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (place == MAP_FAILED) {
            error_set_errno(error, path, "cannot be read");
        } else {
            codelet->bytes = place;
            codelet->size = (uint64_t)facts.st_size;
            codelet->header = place;
            is_read = check_all(codelet, error);
        }
    }
    if (!is_read)
        codelet_close(codelet);
    return is_read;
}

bool codelet_open(const char *path, struct codelet *codelet, struct error *error)
{
    int file = regular_file_open(path, NULL, error);
    if (file < 0)
        return false;
    output_spare_file(file);
    if (!codelet_open_file(file, path, codelet, error)) {
        close(file);
        return false;
    }
    codelet->file = file;
    return true;
}

void codelet_close(struct codelet *codelet)
{
    if (codelet->bytes)
        munmap((void *)codelet->bytes, codelet->size);
    if (codelet->file >= 0)
        close(codelet->file);
    free(codelet->path);
    *codelet = (struct codelet){.file = -1};
}

const char *codelet_text(const struct codelet *codelet, uint32_t name)
{
    return codelet->bytes + codelet->header->names.offset + name;
}

uint64_t codelet_contents(const struct codelet *codelet)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < codelet->header->stretches.count; i++)
        bytes += codelet->stretches[i].offset ? codelet->stretches[i].bytes : 0;
    return bytes;
}

/* How well a symbol suits; 0: not at all. */
static unsigned suits(const struct codelet *codelet, const struct codelet_symbol *symbol, const char *source)
{
    bool is_own_module = symbol->module == codelet->header->module;
    if (!symbol->address && symbol->kind != codelet_THREAD_DATA)
        return 0;
    if (symbol->is_local) {
        if (!is_own_module)
            return 0;
        return source && !strcmp(path_name(codelet_text(codelet, symbol->source)), path_name(source)) ? 4 : 1;
    }
    return is_own_module ? 3 : 2;
}

const struct codelet_symbol *codelet_find(const struct codelet *codelet, const char *name, const char *source,
                                          bool *is_doubtful)
{
    struct bisection search = {0, codelet->header->symbols.count};
    while (bisect(&search))
        bisect_past(&search, strcmp(codelet_text(codelet, codelet->symbols[search.middle].name), name) < 0);
    const struct codelet_symbol *best = NULL;
    unsigned rank = 0;
    *is_doubtful = false;
    for (uint64_t i = search.first; i < codelet->header->symbols.count; i++) {
        const struct codelet_symbol *symbol = &codelet->symbols[i];
        if (strcmp(codelet_text(codelet, symbol->name), name))
            break;
        unsigned own = suits(codelet, symbol, source);
        if (own > rank)
            *is_doubtful = false;
        else if (own && own == rank && symbol->is_local && symbol->address != best->address)
            *is_doubtful = true;
        if (own > rank)
            best = symbol, rank = own;
    }
    return best;
}

static bool is_digits(const char *text)
{
    return !text[strspn(text, "0123456789")];
}

/* Whether a program would call the static variable of a function so: NAME.N by GCC, FUNCTION.NAME by Clang
   (which is certain). */
static bool is_called_so(const char *symbol, const char *name, size_t length, const char *function,
                         bool *is_certain)
{
    size_t own = strlen(function);
    *is_certain = !strncmp(symbol, function, own) && symbol[own] == '.' &&
                  !strncmp(symbol + own + 1, name, length) &&
                  (!symbol[own + 1 + length] ||
                   (symbol[own + 1 + length] == '.' && is_digits(symbol + own + 2 + length)));
    return *is_certain || (!strncmp(symbol, name, length) && symbol[length] == '.' && symbol[length + 1] &&
                           is_digits(symbol + length + 1));
}

const struct codelet_symbol *codelet_find_static(const struct codelet *codelet, const char *label,
                                                 const char *source, bool *is_doubtful)
{
    const char *dots = strstr(label, CODELET_STATIC);
    const struct codelet_symbol *best = NULL;
    bool is_best_certain = false;
    *is_doubtful = false;
    if (!dots || dots == label)
        return NULL;
    const char *function = dots + strlen(CODELET_STATIC);
    for (uint64_t i = 0; i < codelet->header->symbols.count; i++) {
        const struct codelet_symbol *symbol = &codelet->symbols[i];
        const char *owner = codelet_text(codelet, symbol->function),
                   *file = path_name(codelet_text(codelet, symbol->source));
        bool is_certain;
        if (symbol->module != codelet->header->module || symbol->kind == codelet_FUNCTION ||
            !symbol->is_local || (source && *file && strcmp(file, path_name(source))) ||
            (*owner && strcmp(owner, function)) ||
            !is_called_so(codelet_text(codelet, symbol->name), label, (size_t)(dots - label), function,
                          &is_certain))
            continue;
        is_certain |= *owner != 0;
        if (best && is_certain == is_best_certain)
            *is_doubtful = true;
        if (!best || (is_certain && !is_best_certain)) {
            *is_doubtful = false;
            best = symbol;
            is_best_certain = is_certain;
        }
    }
    return best;
}

const struct codelet_symbol *codelet_symbol_at(const struct codelet *codelet, uint64_t address)
{
    const struct codelet_symbol *best = NULL;
    for (uint64_t i = 0; i < codelet->header->symbols.count; i++) {
        const struct codelet_symbol *symbol = &codelet->symbols[i];
        if (symbol->kind != codelet_THREAD_DATA && address >= symbol->address &&
            address - symbol->address < symbol->size && (!best || symbol->size < best->size))
            best = symbol;
    }
    return best;
}

const void *codelet_memory(const struct codelet *codelet, uint64_t address, uint64_t *bytes)
{
    struct bisection search = {0, codelet->header->stretches.count};
    while (bisect(&search))
        bisect_past(&search,
                    codelet->stretches[search.middle].address + codelet->stretches[search.middle].bytes <=
                        address);
    const struct codelet_stretch *stretch = &codelet->stretches[search.first];
    if (search.first == codelet->header->stretches.count || stretch->address > address || !stretch->offset)
        return NULL;
    *bytes = stretch->address + stretch->bytes - address;
    return codelet->bytes + stretch->offset + (address - stretch->address);
}
