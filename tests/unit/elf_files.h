/* What the tests of the ELF reader share: a folder, compilers, files, and lookups in the model. */
#ifndef TESTS_UNIT_ELF_FILES_H
#define TESTS_UNIT_ELF_FILES_H
#include "code/read/read.h"

#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define X86 "x86_64-linux-gnu-gcc"
#define I386 "x86_64-linux-gnu-gcc -m32"
#define ARM "aarch64-linux-gnu-gcc"

static char folder[] = "/tmp/assay-elf-XXXXXX";

static const char program_text[] =
    "int puts(const char *); int rand(void); void free(void *);\n"
    "int ready; __attribute__((constructor)) static void prepare(void) { ready = 1; }\n"
    "__attribute__((noinline)) int work(int x) { return x > 3 ? puts(\"work\") : rand() + ready; }\n"
    "static void clean(void **p) { free(*p); }\n"
    "int risky(int x) { __attribute__((cleanup(clean))) void *p = (void *)(long)x; puts(\"risky\"); return "
    "work(x); }\n"
    "int (*const table[])(int) = {work, risky, work};\n"
    "int main(int count, char **words) { (void)words; return table[count & 1](count) + risky(count); }\n";

static inline void run(const char *format, ...)
{
    char command[4000];
    int used = snprintf(command, sizeof command, "cd %s && ", folder);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    if (system(command))
        fail_msg("failed: %s", command);
}

/* What a command prints. */
static inline char *output(const char *format, ...)
{
    char command[4000];
    int used = snprintf(command, sizeof command, "cd %s && ", folder);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t got; (got = fread(text + size, 1, capacity - size - 1, pipe)) > 0;) {
        size += got;
        if (capacity - size < 2)
            text = realloc(text, capacity *= 2);
    }
    text[size] = 0;
    assert_int_equal(pclose(pipe), 0);
    return text;
}

static inline const char *path_of(const char *name)
{
    static char path[4200];
    if (*name == '/')
        return name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static inline uint8_t *read_bytes(const char *name, size_t *size)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    uint8_t *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    write_text("program.c", program_text);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static inline void open_with(struct model *model, const char *name, const struct read_options *options)
{
    struct error error = {0};
    model_init(model);
    if (!read_file(model, path_of(name), options, &error))
        fail_msg("%s", error.text);
}

static inline void open_file(struct model *model, const char *name)
{
    struct trust trust;
    trust_begin(&trust, false);
    trust_add_file(&trust, path_of(name));
    open_with(model, name, &(struct read_options){.trust = &trust});
    trust_free(&trust);
}

/* What must hold whatever the file was. */
static inline void check_invariants(const struct model *model)
{
    for (uint32_t i = 1; i < model->sections.count; i++) {
        const struct section *a = model_section(model, i);
        assert_in_range(a->program, 1, model->programs.count - 1);
        assert_true(a->contents.size <= a->size);
        for (uint32_t j = i + 1; j < model->sections.count; j++) {
            const struct section *b = model_section(model, j);
            if (a->program == b->program && a->is_loaded && b->is_loaded && a->size && b->size)
                assert_true(a->address + a->size <= b->address || b->address + b->size <= a->address);
        }
        /* every byte of the contents can be read */
        unsigned sum = 0;
        for (size_t byte = 0; byte < a->contents.size; byte += 16)
            sum += a->contents.data[byte];
        assert_true(sum < UINT32_MAX);
    }
    for (uint32_t i = 2; i < model->relocations.count; i++) {
        const struct relocation *a = model_relocation(model, i - 1), *b = model_relocation(model, i);
        assert_true(a->program < b->program || (a->program == b->program && a->address <= b->address));
    }
    for (uint32_t i = 2; i < model->problems.count; i++)
        assert_true(model_problem(model, i - 1)->program <= model_problem(model, i)->program);
    for (uint32_t i = 1; i < model->data_ranges.count; i++)
        assert_true(model_data_range(model, i)->address < model_data_range(model, i)->end);
}

static inline const struct symbol *symbol_named(const struct model *model, const char *name,
                                                enum origin origin)
{
    for (uint32_t i = 1; i < model->symbols.count; i++) {
        const struct symbol *symbol = model_symbol(model, i);
        if (symbol->origin == origin && symbol->name && !strcmp(model_text(model, symbol->name), name))
            return symbol;
    }
    return NULL;
}

static inline const struct symbol *symbol_at(const struct model *model, uint64_t address, enum origin origin)
{
    for (uint32_t i = 1; i < model->symbols.count; i++) {
        const struct symbol *symbol = model_symbol(model, i);
        if (symbol->origin == origin && symbol->address == address)
            return symbol;
    }
    return NULL;
}

static inline size_t count_symbols(const struct model *model, enum origin origin)
{
    size_t count = 0;
    for (uint32_t i = 1; i < model->symbols.count; i++)
        count += model_symbol(model, i)->origin == origin;
    return count;
}

static inline const struct section *section_named(const struct model *model, const char *name)
{
    for (uint32_t i = 1; i < model->sections.count; i++)
        if (model_section(model, i)->name && !strcmp(model_text(model, model_section(model, i)->name), name))
            return model_section(model, i);
    return NULL;
}

static inline const struct relocation *relocation_of(const struct model *model, const char *symbol)
{
    for (uint32_t i = 1; i < model->relocations.count; i++) {
        const struct relocation *row = model_relocation(model, i);
        if (row->symbol && !strcmp(model_text(model, row->symbol), symbol))
            return row;
    }
    return NULL;
}

static inline bool has_problem(const struct model *model, const char *part)
{
    for (uint32_t i = 1; i < model->problems.count; i++)
        if (strstr(model_text(model, model_problem(model, i)->text), part))
            return true;
    return false;
}

#endif
