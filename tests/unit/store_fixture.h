/* What the tests of the store share: a small model made by hand, its database in a directory of its own, and
   answers as text.  Two functions with padding between them, one loop, and unusual values: quotes, bytes that
   are no UTF-8, the ends of the number ranges. */
#ifndef TESTS_UNIT_STORE_FIXTURE_H
#define TESTS_UNIT_STORE_FIXTURE_H
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* each test uses some of these */

struct fixture {
    struct model model;
    char directory[64], path[96];
    struct store *memory, *file;
};

static void add_block(struct model *model, uint32_t function, uint32_t position, unsigned count)
{
    uint32_t id = (uint32_t)model->blocks.count;
    *(struct block *)model_add(&model->blocks) =
        (struct block){.function = function,
                       .position = position,
                       .section = 1,
                       .address = 0x1000 + 16 * (uint64_t)id,
                       .size = count * 2,
                       .first_instruction = (uint32_t)model->code.count,
                       .instruction_count = count,
                       .ends = block_end_BRANCH,
                       .is_reachable = function != 0,
                       .dom_enter = function ? position : 0,
                       .dom_leave = function ? 10 - position : 0};
    for (uint32_t i = 0; i < count; i++)
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = id,
                                 .offset = i * 2,
                                 .encoding = 1 + (id + i) % 3,
                                 .target = i % 2 ? NO_ADDRESS : UINT64_MAX - 5 - i};
}

static void add_encodings(struct model *model)
{
    static const char *const names[] = {"setf", "add", "nop"};
    static const char *const registers[] = {"rax", "al", "r\"f'l"};
    for (uint32_t i = 0; i < 3; i++)
        *(struct register_ *)model_add(&model->registers) = (struct register_){
            .name = model_string(model, registers[i]), .bits = 64, .full = i == 1 ? 1 : i + 1};
    for (uint32_t i = 1; i <= 3; i++) {
        *(struct encoding *)model_add(&model->encodings) =
            (struct encoding){.isa = isa_X86_64,
                              .name = model_string(model, names[i - 1]),
                              .text = model_string(model, i == 1 ? "setf @" : "it's \xff\xc3\xa4"),
                              .size = 2,
                              .class = i == 3 ? class_NOP : class_ADD,
                              .is_vector = i == 2,
                              .vector_bits = i == 2 ? 128 : 0};
        *(struct operand *)model_add(&model->operands) = (struct operand){
            .encoding = i, .position = 1, .register_ = i, .displacement = INT64_MIN, .value = INT64_MAX};
        *(struct operand *)model_add(&model->operands) =
            (struct operand){.encoding = i, .position = 2, .displacement = -1, .value = -129 * (int64_t)i};
        *(struct register_use *)model_add(&model->register_uses) =
            (struct register_use){.encoding = i, .register_ = i, .keeps_rest = 1};
    }
}

static void add_structure(struct model *model)
{
    *(struct program *)model_add(&model->programs) =
        (struct program){.path = model_string(model, "a 'quoted' path"), .isa = isa_X86_64, .bits = 64};
    static uint8_t bytes[256]; /* blocks start at each sixteenth */
    for (size_t i = 0; i < sizeof bytes; i += 16)
        memcpy(bytes + i, (const uint8_t[]){0x90, 0x00, 0xff}, 3);
    *(struct section *)model_add(&model->sections) = (struct section){.program = 1,
                                                                      .name = model_string(model, ".text"),
                                                                      .address = 0x1000,
                                                                      .is_code = 1,
                                                                      .contents = {bytes, sizeof bytes}};
    static const char *const names[] = {"zebra", "alpha", "zebra"};
    for (uint32_t f = 1; f <= 3; f++) {
        *(struct function *)model_add(&model->functions) =
            (struct function){.program = 1,
                              .section = f < 3,
                              .name = model_string(model, names[f - 1]),
                              .address = f < 3 ? 0x1000 * (uint64_t)f : NO_ADDRESS,
                              .size = UINT32_MAX * (uint64_t)f,
                              .first_block = (uint32_t)model->blocks.count,
                              .block_count = f < 3 ? 3 : 0,
                              .instruction_count = f < 3 ? 2 + 3 + 3 : 0};
        for (uint32_t b = 1; b <= 3 && f < 3; b++)
            add_block(model, f, b, b == 1 ? 2 : 3);
        if (f == 1)
            add_block(model, 0, 1, 1); /* padding: function is NULL between the two */
    }
    static const struct edge edges[] = {{1, 2, edge_kind_FALL}, {2, 2, edge_kind_TAKEN},
                                        {2, 3, edge_kind_FALL}, {2, 3, edge_kind_TAKEN},
                                        {5, 6, edge_kind_FALL}, {6, 7, edge_kind_FALL}};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        *(struct edge *)model_add(&model->edges) = edges[i];
    *(struct loop *)model_add(&model->loops) = (struct loop){
        .function = 1, .header = 2, .depth = 1, .is_innermost = 1, .path_count = INT64_MAX, .block_count = 1};
    *(struct loop_block *)model_add(&model->loop_blocks) = (struct loop_block){1, 2};
    *(struct call *)model_add(&model->calls) = (struct call){.caller = 1, .instruction = 2, .callee = 3};
    *(struct call *)model_add(&model->calls) = (struct call){.caller = 2, .instruction = 11};
    *(struct gap *)model_add(&model->gaps) =
        (struct gap){.section = 1, .address = 0, .size = 0, .bytes = {(const uint8_t *)"", 0}};
    *(struct problem *)model_add(&model->problems) =
        (struct problem){.program = 1, .address = NO_ADDRESS, .count = 7, .text = model_string(model, "")};
}

static int start(void **state)
{
    struct fixture *fixture = memory_get(sizeof *fixture);
    struct error error = {0};
    model_init(&fixture->model);
    add_encodings(&fixture->model);
    add_structure(&fixture->model);
    strcpy(fixture->directory, "/tmp/assay-store-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/it's 100%% ?mode=rwc#.db", fixture->directory);
    if (!store_write(&fixture->model, fixture->path, 0, &error))
        fail_msg("%s", error.text);
    fixture->file = store_open_file(fixture->path, &error);
    fixture->memory = store_open_model(&fixture->model, &error);
    if (!fixture->file || !fixture->memory)
        fail_msg("%s", error.text);
    *state = fixture;
    return 0;
}

static void remove_files(const char *directory)
{
    DIR *stream = opendir(directory);
    for (struct dirent *entry; (entry = readdir(stream));)
        unlinkat(dirfd(stream), entry->d_name, 0);
    closedir(stream);
    rmdir(directory);
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->memory);
    store_close(fixture->file);
    model_free(&fixture->model);
    remove_files(fixture->directory);
    free(fixture);
    return 0;
}

/* ---- results as text ---- */

/* All rows of a statement, each value with its type; to be freed. */
static char *rows_of(sqlite3_stmt *statement)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            fprintf(stream, "%d:", sqlite3_column_type(statement, i));
            const unsigned char *bytes = sqlite3_column_blob(statement, i);
            int length = sqlite3_column_bytes(statement, i);
            for (int b = 0; b < length; b++)
                fprintf(stream, bytes[b] >= ' ' && bytes[b] < 0x7f ? "%c" : "\\%02x", bytes[b]);
            fputc('|', stream);
        }
        fputc('\n', stream);
    }
    if (status != SQLITE_DONE)
        fprintf(stream, "failed: %s", sqlite3_errmsg(sqlite3_db_handle(statement)));
    fclose(stream);
    return text;
}

static char *answer(struct store *store, const char *sql, const struct store_choice *choice)
{
    sqlite3_stmt *statement;
    struct error error = {0};
    if (!store_prepare(store, sql, choice, &statement, &sql, &error))
        return memory_format("error: %s", error.text);
    char *text = statement ? rows_of(statement) : memory_copy_text("nothing", 7);
    sqlite3_finalize(statement);
    return text;
}

static void check_answer(struct store *store, const char *sql, const struct store_choice *choice,
                         const char *expected)
{
    char *text = answer(store, sql, choice);
    assert_string_equal(text, expected);
    free(text);
}

static void check_same(const struct fixture *fixture, const char *sql)
{
    struct store_choice choice = {.function = 1, .loop = 1, .block = 2, .program = 1};
    char *from_memory = answer(fixture->memory, sql, &choice),
         *from_file = answer(fixture->file, sql, &choice);
    if (strcmp(from_memory, from_file) || strstr(from_memory, "failed:") ||
        !strncmp(from_memory, "error:", 6))
        fail_msg("%s\nmemory:\n%s\nfile:\n%s", sql, from_memory, from_file);
    free(from_memory);
    free(from_file);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = memory_get(*size + 1);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static bool print_to(void *context, sqlite3_stmt *statement, struct error *error)
{
    (void)error;
    char *text = rows_of(statement);
    fputs(text, context);
    free(text);
    return true;
}
#endif
