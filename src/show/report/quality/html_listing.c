#include "show/report/quality/html.h"

#include <stdlib.h>
#include <string.h>

/* Nobody reads a huge loop line by line, and the page must stay small enough for a browser. */
enum { MOST_LISTED = 2000 };

static bool source_line(const struct model *model, uint32_t instruction, uint32_t *file, uint32_t *line)
{
    uint32_t id = model_instruction(model, instruction)->source_line;
    const struct source_line *row = model_source_line(model, id);
    if (!id || !row->file || !row->line)
        return false;
    *file = row->file;
    *line = row->line;
    return true;
}

struct line_order {
    uint32_t file, line;
    bool is_foreign; /* not of the loop's own file */
};

static int compare_lines(const void *left, const void *right)
{
    const struct line_order *a = left, *b = right;
    if (a->is_foreign != b->is_foreign)
        return (int)a->is_foreign - (int)b->is_foreign;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line == b->line ? 0 : a->line < b->line ? -1 : 1;
}

static void find_instructions(struct html_listing *listing, const struct model *model)
{
    const struct array *table = &model->loop_blocks;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_block, loop), listing->loop);
         i < table->count && ARRAY_AT(struct loop_block, table, i)->loop == listing->loop; i++) {
        const struct block *block = model_block(model, ARRAY_AT(struct loop_block, table, i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++)
            if (listing->instructions.count < MOST_LISTED)
                *(uint32_t *)array_push(&listing->instructions) = block->first_instruction + k;
            else
                listing->left_out++;
    }
}

static void find_lines(struct html_listing *listing, struct html_report *report)
{
    struct array all = ARRAY_OF(struct line_order);
    uint32_t own = listing->file, file, line;
    for (size_t i = 0; i < listing->instructions.count; i++)
        if (source_line(report->model, *ARRAY_AT(uint32_t, &listing->instructions, i), &file, &line))
            *(struct line_order *)array_push(&all) = (struct line_order){file, line, file != own};
    if (all.count)
        qsort(all.data, all.count, sizeof(struct line_order), compare_lines);
    for (size_t i = 0; i < all.count; i++) {
        const struct line_order *it = ARRAY_AT(struct line_order, &all, i);
        if (!i || compare_lines(it - 1, it)) {
            size_t length;
            const char *path = model_text(report->model, model_file(report->model, it->file)->path);
            bool has_text = path && places_line(report->places, path, it->line, &length);
            *(struct listed_line *)array_push(&listing->lines) =
                (struct listed_line){.file = it->file, .line = it->line, .has_text = has_text};
            listing->has_text = listing->has_text || has_text;
        }
        ARRAY_AT(struct listed_line, &listing->lines, listing->lines.count - 1)->instruction_count++;
    }
    array_free(&all);
}

void html_listing_find(struct html_listing *listing, struct html_report *report, uint32_t loop)
{
    *listing = (struct html_listing){.loop = loop,
                                     .file = model_loop(report->model, loop)->file,
                                     .instructions = ARRAY_OF(uint32_t),
                                     .lines = ARRAY_OF(struct listed_line)};
    find_instructions(listing, report->model);
    find_lines(listing, report);
}

void html_listing_find_function(struct html_listing *listing, struct html_report *report, uint32_t function,
                                uint32_t first, uint32_t most)
{
    const struct function *row = model_function(report->model, function);
    uint32_t number = 0;
    *listing = (struct html_listing){
        .file = row->file, .instructions = ARRAY_OF(uint32_t), .lines = ARRAY_OF(struct listed_line)};
    for (uint32_t i = 0; i < row->block_count; i++) {
        const struct block *block = model_block(report->model, row->first_block + i);
        for (uint32_t k = 0; k < block->instruction_count; k++, number++)
            if (number >= first && number - first < most)
                *(uint32_t *)array_push(&listing->instructions) = block->first_instruction + k;
    }
    find_lines(listing, report);
}

void html_listing_free(struct html_listing *listing)
{
    array_free(&listing->instructions);
    array_free(&listing->lines);
}

int html_listing_instruction(const struct html_listing *listing, uint32_t instruction)
{
    size_t place = array_first_not_below(&listing->instructions, 0, 0, instruction);
    bool is_there = place < listing->instructions.count &&
                    *ARRAY_AT(uint32_t, &listing->instructions, place) == instruction;
    return is_there ? (int)place : NOT_LISTED;
}

int html_listing_line(const struct html_listing *listing, const struct model *model, uint32_t instruction)
{
    struct line_order wanted;
    if (!source_line(model, instruction, &wanted.file, &wanted.line))
        return NOT_LISTED;
    uint32_t own = listing->file;
    wanted.is_foreign = wanted.file != own;
    struct bisection search = {0, listing->lines.count};
    while (bisect(&search)) {
        const struct listed_line *it = ARRAY_AT(struct listed_line, &listing->lines, search.middle);
        int order = compare_lines(&(struct line_order){it->file, it->line, it->file != own}, &wanted);
        if (!order)
            return (int)search.middle;
        bisect_past(&search, order < 0);
    }
    return NOT_LISTED;
}
