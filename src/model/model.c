#include "model/model.h"

#include "model/tables.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    void *memory;
    void (*release)(void *);
};

void model_init(struct model *model)
{
    memset(model, 0, sizeof *model);
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = &table_descriptions[i];
        struct array *rows = (struct array *)((char *)model + table->in_model);
        rows->width = table->width;
        if (!table->key)
            array_add(rows); /* row 0: none */
    }
    model->file_of_string = ARRAY_OF(uint32_t);
    model->kept = ARRAY_OF(struct kept);
}

void model_free(struct model *model)
{
    for (unsigned i = 0; i < table_count; i++)
        array_free((struct array *)((char *)model + table_descriptions[i].in_model));
    strings_free(&model->strings);
    array_free(&model->file_of_string);
    for (size_t i = model->kept.count; i-- > 0;) {
        struct kept *kept = array_at(&model->kept, i);
        kept->release(kept->memory);
    }
    array_free(&model->kept);
}

void model_keep(struct model *model, void *memory, void (*release)(void *))
{
    *(struct kept *)array_add(&model->kept) = (struct kept){memory, release};
}

void *model_kept(const struct model *model, void (*release)(void *))
{
    for (size_t i = model->kept.count; i-- > 0;) {
        const struct kept *kept = array_at(&model->kept, i);
        if (kept->release == release)
            return kept->memory;
    }
    return NULL;
}

void *model_add(struct array *table)
{
    if (table->count >= UINT32_MAX)
        array_reserve(table, SIZE_MAX); /* ends the process as exhausted memory does */
    return array_add(table);
}

void model_extend(struct array *table, size_t count)
{
    if (count > UINT32_MAX)
        array_reserve(table, SIZE_MAX);
    array_push_many(table, count - table->count);
}

struct model_rows model_rows_of(const struct array *table, size_t offset, uint32_t program)
{
    size_t first = array_first_not_below(table, 1, offset, program);
    size_t end = array_first_not_below(table, first, offset, program + 1);
    return (struct model_rows){(uint32_t)first, (uint32_t)end};
}

uint32_t model_file_id(struct model *model, const char *path)
{
    string_id name = model_string(model, path);
    if (model->file_of_string.count <= name)
        array_add_many(&model->file_of_string, name + 1 - model->file_of_string.count);
    uint32_t *row = array_at(&model->file_of_string, name);
    if (!*row) {
        struct file *file = model_add(&model->files);
        file->path = name;
        *row = model_last(&model->files);
    }
    return *row;
}

void model_note_problem(struct model *model, uint32_t program, enum problem_kind kind, uint64_t address,
                        uint64_t count, const char *text)
{
    string_id words = model_string(model, text);
    struct model_rows rows = MODEL_ROWS_OF(model, problems, problem, program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        struct problem *problem = model_problem(model, i);
        if (problem->kind == kind && problem->text == words) {
            problem->count += count;
            return;
        }
    }
    model_add(&model->problems);
    struct problem *problem = model_problem(model, rows.end);
    memmove(problem + 1, problem, (model_last(&model->problems) - rows.end) * sizeof *problem);
    *problem =
        (struct problem){.program = program, .kind = kind, .address = address, .count = count, .text = words};
}

uint64_t model_address(const struct model *model, uint32_t instruction)
{
    const struct instruction *row = model_instruction(model, instruction);
    return model_block(model, row->block)->address + row->offset;
}

struct span model_block_bytes(const struct model *model, const void *record)
{
    const struct block *block = record;
    const struct section *section = model_section(model, block->section);
    uint64_t offset = block->address - section->address;
    bool is_here = !model_program(model, section->program)->reader && section->contents.data &&
                   offset <= section->contents.size && block->size <= section->contents.size - offset;
    return is_here ? (struct span){section->contents.data + offset, block->size} : (struct span){0};
}
