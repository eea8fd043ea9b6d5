/* What the tests of the DWARF reader share: a folder of compiled programs, models of them, rows by name, and
   addr2line as the judge of lines and inline stacks. */
#ifndef TESTS_UNIT_DWARF_PROGRAMS_H
#define TESTS_UNIT_DWARF_PROGRAMS_H
#include "code/read/dwarf/dwarf.h"

#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-function"

static char folder[] = "/tmp/assay-dwarf-XXXXXX";

__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
    char command[2000];
    size_t start = (size_t)snprintf(command, sizeof command, "cd %s && { ", folder);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + start, sizeof command - start, format, arguments);
    va_end(arguments);
    strcat(command, "; } >log 2>&1");
    return system(command) == 0;
}

static bool have(const char *tool)
{
    return run("command -v %s", tool);
}

static void write_text(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

struct opened {
    struct model model;
    Dwfl *dwfl;
    Dwfl_Module *module;
};

static bool open_program(struct opened *opened, const char *name, enum isa isa)
{
    static char *nowhere = NULL;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &nowhere};
    char path[200];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    opened->dwfl = dwfl_begin(&callbacks);
    assert_non_null(opened->dwfl);
    opened->module = dwfl_report_offline(opened->dwfl, name, path, -1);
    if (opened->module)
        dwfl_report_end(opened->dwfl, NULL, NULL);
    model_init(&opened->model);
    struct program *program = model_add(&opened->model.programs);
    program->isa = (uint8_t)isa;
    return opened->module && dwarf_read(&opened->model, 1, opened->module, NULL, &error);
}

static void close_program(struct opened *opened)
{
    dwfl_end(opened->dwfl);
    model_free(&opened->model);
}

static enum isa native(void)
{
#ifdef __aarch64__
    return isa_AARCH64;
#else
    return isa_X86_64;
#endif
}

static bool same(const struct model *model, string_id id, const char *text)
{
    const char *found = model_text(model, id);
    return found && !strcmp(found, text);
}

static const struct variable *variable_named(const struct model *model, const char *name)
{
    for (uint32_t i = 1; i < model->variables.count; i++)
        if (same(model, model_variable(model, i)->name, name))
            return model_variable(model, i);
    fail_msg("no variable %s", name);
    return NULL;
}

static const struct type *type_of(const struct model *model, const char *variable)
{
    return model_type(model, variable_named(model, variable)->type);
}

static const struct location *location_of(const struct model *model, const struct variable *variable)
{
    uint32_t id = (uint32_t)(variable - model_variable(model, 0));
    for (uint32_t i = 1; i < model->locations.count; i++)
        if (model_location(model, i)->variable == id)
            return model_location(model, i);
    fail_msg("no location of %s", model_text(model, variable->name));
    return NULL;
}

static const struct dimension *dimension_of(const struct model *model, const struct type *type,
                                            unsigned position)
{
    uint32_t id = (uint32_t)(type - model_type(model, 0));
    for (uint32_t i = 0; i < model->dimensions.count; i++)
        if (model_dimension(model, i)->type == id && model_dimension(model, i)->position == position)
            return model_dimension(model, i);
    fail_msg("no dimension %u", position);
    return NULL;
}

static const struct member *member_of(const struct model *model, const struct type *type, unsigned position)
{
    uint32_t id = (uint32_t)(type - model_type(model, 0));
    for (uint32_t i = 0; i < model->members.count; i++)
        if (model_member(model, i)->type == id && model_member(model, i)->position == position)
            return model_member(model, i);
    fail_msg("no member %u", position);
    return NULL;
}

/* What every model must hold to, whatever the input was. */
static void check_order(const struct model *model)
{
    for (uint32_t i = 2; i < model->source_lines.count; i++)
        assert_true(model_source_line(model, i - 1)->end <= model_source_line(model, i)->address);
    for (uint32_t i = 1; i < model->source_lines.count; i++) {
        const struct source_line *row = model_source_line(model, i);
        assert_true(row->address < row->end);
        assert_true(row->inlined_call < model->inlined_calls.count && row->unit < model->units.count &&
                    row->file < model->files.count);
    }
    for (uint32_t i = 1; i < model->dimensions.count; i++)
        assert_true(model_dimension(model, i - 1)->type < model_dimension(model, i)->type ||
                    (model_dimension(model, i - 1)->type == model_dimension(model, i)->type &&
                     model_dimension(model, i - 1)->position < model_dimension(model, i)->position));
    for (uint32_t i = 1; i < model->members.count; i++)
        assert_true(model_member(model, i - 1)->type < model_member(model, i)->type ||
                    (model_member(model, i - 1)->type == model_member(model, i)->type &&
                     model_member(model, i - 1)->position < model_member(model, i)->position));
    for (uint32_t i = 2; i < model->locations.count; i++)
        assert_true(model_location(model, i - 1)->variable <= model_location(model, i)->variable);
    for (uint32_t i = 1; i < model->variables.count; i++)
        assert_true(model_variable(model, i)->type < model->types.count);
    for (uint32_t i = 1; i < model->inlined_calls.count; i++)
        assert_true(model_inlined_call(model, i)->parent < i);
}

static const struct symbol *symbol_named(const struct model *model, const char *name)
{
    for (uint32_t i = 1; i < model->symbols.count; i++)
        if (same(model, model_symbol(model, i)->name, name))
            return model_symbol(model, i);
    return NULL;
}

/* The inline stack at an address, innermost first, as "function file:line" lines like those of addr2line; the
   function of the last is left out. */
static void stack_text(const struct model *model, uint64_t address, char *text, size_t size)
{
    uint32_t low = 1, high = (uint32_t)model->source_lines.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model_source_line(model, middle)->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *text = 0;
    const struct source_line *row = model_source_line(model, low);
    if (low == model->source_lines.count || row->address > address)
        return;
    uint32_t file = row->file, line = row->line, call = row->inlined_call;
    for (bool last = false; !last;) {
        const struct inlined_call *inlined = model_inlined_call(model, call);
        last = !call;
        const char *path = model_text(model, model_file(model, file)->path);
        const char *base = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s %s:%u\n", last ? "*" : model_text(model, inlined->name),
                 line && base ? base : "??", line);
        file = inlined->call_file;
        line = inlined->call_line;
        call = inlined->parent;
    }
}

static char *trimmed(char *line)
{
    line[strcspn(line, "\n")] = 0;
    char *extra = strstr(line, " (discriminator");
    if (extra)
        *extra = 0;
    return line;
}

/* Reads one answer of addr2line -f -i -a: pairs of lines until the next address, which is left in next. */
static void judged_text(FILE *file, char *next, size_t next_size, char *text, size_t size)
{
    char function[1000], place[1000];
    *text = 0;
    while (fgets(function, sizeof function, file)) {
        if (!strncmp(function, "0x", 2)) {
            snprintf(next, next_size, "%s", function);
            break;
        }
        assert_non_null(fgets(place, sizeof place, file));
        trimmed(function);
        trimmed(place);
        char *colon = strrchr(place, ':');
        assert_non_null(colon);
        unsigned line = (unsigned)strtoul(colon + 1, NULL, 10);
        *colon = 0;
        const char *base = strrchr(place, '/') ? strrchr(place, '/') + 1 : place;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s %s:%u\n", function, line ? base : "??", line);
    }
    /* the outermost function is not compared: a name of the symbol table may stand there */
    char *last = text, *at = text;
    while ((at = strchr(at, '\n')) && at[1])
        last = ++at;
    char *space = strchr(last, ' ');
    if (space) {
        *last = '*';
        memmove(last + 1, space, strlen(space) + 1);
    }
}

/* Every address of every function of the program; gives how many had an inlined call. */
static unsigned compare_with_addr2line(const struct opened *opened, const char *name, const char *tool)
{
    const struct model *model = &opened->model;
    char path[200], next[1000] = "", mine[8000], theirs[8000];
    snprintf(path, sizeof path, "%s/addresses", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 1; i < model->symbols.count; i++) {
        const struct symbol *symbol = model_symbol(model, i);
        for (uint64_t address = symbol->address; address < symbol->address + symbol->size; address++)
            fprintf(file, "0x%llx\n", (unsigned long long)address);
    }
    fclose(file);
    assert_true(run("%s -a -f -i -e %s <addresses >judged", tool, name));
    snprintf(path, sizeof path, "%s/judged", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    unsigned inlined = 0, compared = 0;
    assert_non_null(fgets(next, sizeof next, file));
    while (*next) {
        uint64_t address = strtoull(next, NULL, 16);
        *next = 0;
        judged_text(file, next, sizeof next, theirs, sizeof theirs);
        stack_text(model, address, mine, sizeof mine);
        if (strcmp(mine, theirs))
            fail_msg("%s at 0x%llx: we say\n%sand %s says\n%s", name, (unsigned long long)address, mine, tool,
                     theirs);
        inlined += *mine != '*';
        compared++;
    }
    fclose(file);
    assert_true(compared > 50);
    return inlined;
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
