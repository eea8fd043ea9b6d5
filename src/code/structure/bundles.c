/* Bundles and issue groups of IA-64 code.

   The rows of code of a program are in order of address, so one walk over them gives both.  A bundle is the
   instructions in the same 16 bytes; the reader gives its template and stops.  A group continues to the next
   stop, across bundles and blocks.  It also ends at an instruction that always leaves (a jump, return, trap
   or call without a predicate), before a jump target, and where the next instruction is not adjacent.  A
   branch that is not taken does not end a group: control continues in the same cycle.

   A listing that leaves bundling to the assembler has stops but no templates: groups but no bundles. */
#include "code/structure/layout.h"

#include <stdlib.h>

struct bundling {
    struct layout *layout;
    uint8_t *is_jumped_to; /* by block, from the first one of the program */
    uint64_t bundle;       /* address of the one that is open, or NO_ADDRESS */
    uint64_t end;          /* address after the instruction before */
    uint8_t stops;
    bool has_row;  /* the open bundle is the last row of bundles */
    bool is_group; /* the last row of issue_groups is open */
};

static void mark_jumped_to(struct bundling *work)
{
    const struct layout *layout = work->layout;
    const struct model *model = layout->model;
    uint32_t first = layout->first_block, end = (uint32_t)model->blocks.count;
    for (uint32_t i = layout->first_edge; i < model->edges.count; i++) {
        const struct edge *edge = model_edge(model, i);
        if (edge->kind != edge_kind_FALL && edge->target >= first)
            work->is_jumped_to[edge->target - first] = 1;
    }
    for (uint32_t id = first; id < end; id++)
        if (model_block(model, id)->position <= 1)
            work->is_jumped_to[id - first] = 1;
    for (size_t i = 0; i < layout->entries.count; i++) {
        uint32_t block = layout_block_at(layout, first, end, *ARRAY_AT(uint64_t, &layout->entries, i));
        if (block)
            work->is_jumped_to[block - first] = 1;
    }
}

/* The reader's facts about the bundle; nothing if the section does not contain all of it. */
static void open_bundle(struct bundling *work, uint32_t instruction, uint32_t block, uint64_t address)
{
    struct model *model = work->layout->model;
    const struct section *section = model_section(model, model_block(model, block)->section);
    char template[4] = "";
    work->bundle = address;
    work->stops = 0;
    work->has_row = false;
    if (address < section->address || section->contents.size < BUNDLE_SIZE ||
        address - section->address > section->contents.size - BUNDLE_SIZE)
        return;
    work->layout->reader->bundle(section->contents.data + (address - section->address), template,
                                 &work->stops);
    if (!template[0])
        return;
    struct bundle *row = model_add(&model->bundles);
    *row = (struct bundle){.block = block, .first_instruction = instruction, .stops = work->stops};
    row->template = model_string(model, template);
    work->has_row = true;
}

/* Whether a stop follows the instruction: the last one of a bundle has the bundle's last bit. */
static bool is_stopped(const struct bundling *work, uint64_t address, unsigned size)
{
    uint64_t place = address - work->bundle;
    unsigned slot = place + size >= BUNDLE_SIZE ? 2 : (unsigned)place / 6;
    return work->stops >> slot & 1;
}

static bool always_leaves(const struct encoding *encoding)
{
    switch (encoding->flow) {
    case flow_JUMP:
    case flow_CALL:
    case flow_RETURN:
    case flow_STOP:
        return !layout_may_go_on(encoding);
    default:
        return false;
    }
}

static void take_instruction(struct bundling *work, uint32_t id)
{
    struct model *model = work->layout->model;
    const struct instruction *instruction = model_instruction(model, id);
    uint32_t block = instruction->block;
    const struct encoding *encoding = model_encoding(model, instruction->encoding);
    uint64_t address = model_block(model, block)->address + instruction->offset;
    if (work->bundle != address - address % BUNDLE_SIZE)
        open_bundle(work, id, block, address - address % BUNDLE_SIZE);
    if (work->has_row)
        model_bundle(model, model_last(&model->bundles))->instruction_count++;
    bool is_led = !instruction->offset && work->is_jumped_to[block - work->layout->first_block];
    if (!work->is_group || is_led || address != work->end)
        *(struct issue_group *)model_add(&model->issue_groups) =
            (struct issue_group){.block = block, .first_instruction = id};
    struct issue_group *group = model_issue_group(model, model_last(&model->issue_groups));
    group->instruction_count++;
    group->noop_count += encoding->class == class_NOP;
    work->end = address + encoding->size;
    work->is_group = !is_stopped(work, address, encoding->size) && !always_leaves(encoding);
}

void layout_find_bundles(struct layout *layout)
{
    const struct model *model = layout->model;
    if (!layout->reader->bundle)
        return;
    struct bundling work = {.layout = layout, .bundle = NO_ADDRESS, .end = NO_ADDRESS};
    work.is_jumped_to = memory_get(model->blocks.count - layout->first_block + 1);
    mark_jumped_to(&work);
    for (uint32_t id = layout->first_instruction; id < model->code.count; id++)
        take_instruction(&work, id);
    free(work.is_jumped_to);
}
