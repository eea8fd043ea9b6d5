/* Text as an IA-64 listing: its rows, and the structure of the code that is made from them. */
#include "fuzz/harness.h"

#include "code/read/listing/listing.h"
#include "code/structure/structure.h"

#include <stdlib.h>

/* The reader must not produce inconsistent rows. */
static void check_rows(const struct model *model)
{
    uint64_t end = 0;
    for (size_t i = 1; i < model->sections.count; i++) {
        const struct section *section = model_section(model, (uint32_t)i);
        if (section->address != end || section->size != section->contents.size || section->size % 16)
            harness_wrong("sections that are not laid out one after another",
                          model_text(model, section->name));
        end += section->size;
    }
    for (size_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, (uint32_t)i);
        if (row->address >= end || (i && row->address <= row[-1].address))
            harness_wrong("instructions out of order", "listing_instructions");
        if (!row->line || !row->column)
            harness_wrong("an instruction without a place", "listing_instructions");
    }
    for (size_t i = 1; i < model->source_lines.count; i++) {
        const struct source_line *row = model_source_line(model, (uint32_t)i);
        if (row->end > end || row->address >= row->end || (i > 1 && row->address < row[-1].end))
            harness_wrong("lines that overlap", "source_lines");
    }
    if (model->problems.count > 102)
        harness_wrong("too many problems", "problems");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model;
    struct error error = {0};
    struct structure_options structuring = {.threads = 1, .path_limit = 4};
    model_init(&model);
    struct listing_source source = {.path = "input.s", .text = {data, size}};
    source.file = model_file_id(&model, source.path);
    if (!ia64_listing_read(&model, &source, 1, &error))
        harness_wrong("a listing that was not read", error.text);
    check_rows(&model);
    if (!structure_build(&model, &structuring, &error))
        harness_wrong("code without structure", error.text);
    model_free(&model);
    return 0;
}
