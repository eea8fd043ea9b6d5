#include "code/structure/structure.h"

#include "model/expect.h"
#include "code/read/opcodes.h"
#include "code/structure/layout.h"
#include "code/structure/listing_rows.h"
#include "code/structure/listing_tables.h"
#include "code/structure/pipelines.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8 }; /* of finding what a part leads to; two are usual */

#define BY_ADDRESS(name, type)                                                                               \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        const struct type *x = a, *y = b;                                                                    \
        return x->address < y->address ? -1 : x->address > y->address;                                       \
    }
BY_ADDRESS(relocations_by_address, relocation)
BY_ADDRESS(pads_by_address, landing_pad)
BY_ADDRESS(data_by_address, data_range)

static void sort_rows(struct array *table, struct model_rows rows, uint32_t *first, uint32_t *end,
                      int (*compare)(const void *, const void *))
{
    *first = rows.first;
    *end = rows.end;
    for (uint32_t i = *first; i + 1 < *end; i++)
        if (compare(array_at(table, i), array_at(table, i + 1)) > 0) {
            qsort(array_at(table, *first), *end - *first, table->width, compare);
            break;
        }
}

/* Bundles, pipelined loops and lines of listings are found by rows of code. */
static bool needs_code(const struct model *model, const struct structure_options *options)
{
    bool is_needed = !options->without_code;
    for (uint32_t id = 1; id < model->programs.count; id++) {
        const struct program *program = model_program(model, id);
        is_needed |= program->format == format_LISTING || program->isa == isa_IA64;
    }
    return is_needed;
}

/* The part of a program that is needed; NULL for all of it.  Only linked programs are read in part: their
   addresses are those of the file. */
static const struct model_part *part_of(const struct model *model, const struct program *program,
                                        const struct isa_reader *reader,
                                        const struct structure_options *options)
{
    bool is_linked = program->format != format_OBJECT && program->format != format_LISTING;
    for (size_t i = 0; i < options->part_count && is_linked && reader->find_transfers; i++)
        if (!strcmp(options->parts[i].path, model_text(model, program->path)))
            return &options->parts[i];
    return NULL;
}

static void find_functions(struct layout *layout)
{
    layout_discover(layout);
    layout_judge_names(layout);
    layout_divide(layout);
}

/* What jump tables and slots of the part's functions lead to shows only in their shapes, and those depend on
   where functions are. */
static void find_part(struct layout *layout)
{
    layout_choose(layout);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        find_functions(layout);
        layout_choose_again(layout);
        if (!layout_try_shapes(layout))
            return;
    }
}

static void find_all(struct layout *layout)
{
    layout_sweep(layout);
    find_functions(layout);
}

static void build_program(struct model *model, struct meanings *meanings, uint32_t program,
                          const struct isa_reader *reader, const struct structure_options *options)
{
    struct layout layout = {.model = model,
                            .meanings = meanings,
                            .reader = reader,
                            .program = program,
                            .part = part_of(model, model_program(model, program), reader, options),
                            .threads = options->threads,
                            .keeps_code = needs_code(model, options),
                            .pieces = ARRAY_OF(struct piece),
                            .sections = ARRAY_OF(uint32_t),
                            .starts = ARRAY_OF(uint64_t),
                            .entries = ARRAY_OF(uint64_t),
                            .second_entries = ARRAY_OF(uint64_t),
                            .ways_out = ARRAY_OF(uint64_t),
                            .stated_blocks = ARRAY_OF(uint64_t)};
    sort_rows(&model->relocations, MODEL_ROWS_OF(model, relocations, relocation, program),
              &layout.first_relocation, &layout.relocation_end, relocations_by_address);
    sort_rows(&model->landing_pads, MODEL_ROWS_OF(model, landing_pads, landing_pad, program),
              &layout.first_pad, &layout.pad_end, pads_by_address);
    sort_rows(&model->data_ranges, MODEL_ROWS_OF(model, data_ranges, data_range, program), &layout.first_data,
              &layout.data_end, data_by_address);
    layout_find_sections(&layout);
    layout_find_starts(&layout);
    if (layout.part)
        find_part(&layout);
    else
        find_all(&layout);
    layout_add_functions(&layout);
    layout_take_stated_blocks(&layout);
    layout.tables = listing_tables_make(&layout);
    if (program == model_last(&model->programs))
        meanings_forget_keys(meanings);
    layout_assemble(&layout, options->path_limit);
    layout_find_bundles(&layout);
    layout_compare_stated_blocks(&layout);
    listing_tables_free(layout.tables);
    layout_free(&layout);
}

bool structure_build(struct model *model, const struct structure_options *options, struct error *error)
{
    struct meanings meanings = {0};
    bool is_done = true;
    for (uint32_t id = 1; id < model->programs.count && is_done; id++) {
        const struct program *program = model_program(model, id);
        const struct isa_reader *reader = program->reader ? program->reader : isa_reader(program->isa);
        struct error missing = {0};
        if (!program->reader && !opcodes_know(program->isa, &missing))
            is_done = error_set(error, model_text(model, program->path), "%s", missing.text);
        else if (reader)
            build_program(model, &meanings, id, reader, options);
        else
            is_done = error_set(error, model_text(model, program->path),
                                "there is no decoder for this instruction set; Assay decodes x86-64, i386, "
                                "AArch64 and IA-64");
    }
    if (is_done && needs_code(model, options)) {
        listing_rows_attach(model);
        pipelines_find(model, &meanings);
    }
    meanings_free(&meanings);
    if (is_done) {
        meanings_count_uses(model);
        sources_attach(model);
        model_expect(model, "structure");
    }
    return is_done;
}
