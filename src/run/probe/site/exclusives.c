/* Between a load-exclusive and its store-exclusive (AArch64) nothing else may be stored: the store could fail
   each time, and the loop around the two would not end.

   A place is between them if a way leads from a load to it without a store, and from it to a store without
   another load.  From each load the search goes forward, block by block, nearest first; then the blocks from
   which no store is reached are taken out again.  Compilers keep the two a few instructions apart, so the
   search ends after a few blocks. */
#include "run/probe/site/exclusives.h"

#include <stdlib.h>
#include <string.h>

enum { OTHER, LOAD, STORE }; /* kinds of encodings */
enum { MOST_BLOCKS = 64 };

struct exclusive_range {
    uint32_t first, end;
};

struct region {
    uint32_t blocks[MOST_BLOCKS];
    bool reaches_store[MOST_BLOCKS];
    unsigned count;
};

/* load-exclusive, store-exclusive of one register or a pair: size 001000 0 L o1 …; CASP is among them with a
   size below 2 and o1 set. */
static uint8_t kind_of(uint32_t word)
{
    bool is_pair = word >> 21 & 1, is_large = word >> 31;
    if ((word & 0x3f800000) != 0x08000000 || (is_pair && !is_large))
        return OTHER;
    return word >> 22 & 1 ? LOAD : STORE;
}

/* The kind of each encoding is taken from the first instruction that has it: encodings are equal but for
   PC-relative fields. */
static uint8_t kind_of_row(const struct probe_exclusives *exclusives, uint32_t row)
{
    return exclusives->kinds[model_instruction(exclusives->model, row)->encoding];
}

static bool may_be_exclusive(const struct encoding *encoding)
{
    return encoding->isa == isa_AARCH64 && encoding->flow == flow_NEXT &&
           (encoding->load_bytes || encoding->store_bytes);
}

/* The first row of the block from `row` on that is a load or a store, or the end of the block. */
static uint32_t next_exclusive(const struct probe_exclusives *exclusives, const struct block *block,
                               uint32_t row)
{
    uint32_t end = block->first_instruction + block->instruction_count;
    while (row < end && kind_of_row(exclusives, row) == OTHER)
        row++;
    return row;
}

static void add_block(struct region *region, uint32_t block)
{
    for (unsigned i = 0; i < region->count; i++)
        if (region->blocks[i] == block)
            return;
    if (region->count < MOST_BLOCKS)
        region->blocks[region->count++] = block;
}

static size_t first_edge(const struct model *model, uint32_t block)
{
    return array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
}

static void add_successors(const struct model *model, struct region *region, uint32_t block)
{
    for (size_t i = first_edge(model, block); i < model->edges.count && model_edge(model, i)->source == block;
         i++)
        add_block(region, model_edge(model, i)->target);
}

/* Whether some successor reaches a store. */
static bool leads_on(const struct model *model, const struct region *region, uint32_t block)
{
    for (size_t i = first_edge(model, block); i < model->edges.count && model_edge(model, i)->source == block;
         i++)
        for (unsigned j = 0; j < region->count; j++)
            if (region->blocks[j] == model_edge(model, i)->target && region->reaches_store[j])
                return true;
    return false;
}

static bool is_through(const struct probe_exclusives *exclusives, const struct block *block, uint32_t *end)
{
    *end = next_exclusive(exclusives, block, block->first_instruction);
    return *end == block->first_instruction + block->instruction_count;
}

static void find_ways_to_store(const struct probe_exclusives *exclusives, struct region *region)
{
    const struct model *model = exclusives->model;
    for (unsigned i = 0; i < region->count; i++) {
        uint32_t end;
        const struct block *block = model_block(model, region->blocks[i]);
        region->reaches_store[i] =
            !is_through(exclusives, block, &end) && kind_of_row(exclusives, end) == STORE;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (unsigned i = region->count; i-- > 0;) {
            uint32_t end;
            bool reaches = region->reaches_store[i] ||
                           (is_through(exclusives, model_block(model, region->blocks[i]), &end) &&
                            leads_on(model, region, region->blocks[i]));
            changes |= reaches && !region->reaches_store[i];
            region->reaches_store[i] = reaches;
        }
    }
}

static void add_range(struct probe_exclusives *exclusives, uint32_t first, uint32_t end)
{
    if (first < end)
        *(struct exclusive_range *)array_push(&exclusives->ranges) = (struct exclusive_range){first, end};
}

/* The store itself is in the range: the place before it counts. */
static void follow(struct probe_exclusives *exclusives, uint32_t load)
{
    const struct model *model = exclusives->model;
    uint32_t start = model_instruction(model, load)->block;
    const struct block *block = model_block(model, start);
    uint32_t block_end = block->first_instruction + block->instruction_count;
    uint32_t next = next_exclusive(exclusives, block, load + 1);
    if (next < block_end) {
        if (kind_of_row(exclusives, next) == STORE)
            add_range(exclusives, load + 1, next + 1);
        return;
    }
    struct region region = {0};
    add_successors(model, &region, start);
    for (unsigned i = 0; i < region.count; i++) {
        uint32_t end;
        if (is_through(exclusives, model_block(model, region.blocks[i]), &end))
            add_successors(model, &region, region.blocks[i]);
    }
    find_ways_to_store(exclusives, &region);
    if (leads_on(model, &region, start))
        add_range(exclusives, load + 1, block_end);
    for (unsigned i = 0; i < region.count; i++) {
        uint32_t end;
        const struct block *inner = model_block(model, region.blocks[i]);
        bool passes = is_through(exclusives, inner, &end);
        if (region.reaches_store[i])
            add_range(exclusives, inner->first_instruction, passes ? end : end + 1);
    }
}

static int by_first(const void *a, const void *b)
{
    const struct exclusive_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void join_ranges(struct array *ranges)
{
    if (!ranges->count)
        return;
    qsort(ranges->data, ranges->count, sizeof(struct exclusive_range), by_first);
    struct exclusive_range *all = ranges->data;
    size_t kept = 0;
    for (size_t i = 1; i < ranges->count; i++) {
        if (all[i].first > all[kept].end)
            all[++kept] = all[i];
        else if (all[i].end > all[kept].end)
            all[kept].end = all[i].end;
    }
    ranges->count = kept + 1;
}

void probe_exclusives_init(struct probe_exclusives *exclusives, const struct model *model)
{
    *exclusives = (struct probe_exclusives){.model = model,
                                            .kinds = memory_get(model->encodings.count),
                                            .ranges = ARRAY_OF(struct exclusive_range)};
    uint8_t *is_open = memory_get(model->encodings.count); /* its kind is not known yet */
    bool has_some = false;
    for (uint32_t id = 1; id < model->encodings.count; id++)
        has_some |= is_open[id] = may_be_exclusive(model_encoding(model, id));
    struct array loads = ARRAY_OF(uint32_t);
    const struct instruction *code = model->code.data;
    for (uint32_t row = 1; has_some && row < model->code.count; row++) {
        uint32_t encoding = code[row].encoding;
        if (is_open[encoding]) {
            struct span bytes = model_block_bytes(model, model_block(model, code[row].block));
            uint32_t word = 0;
            if (bytes.data && code[row].offset + sizeof word <= bytes.size)
                memcpy(&word, bytes.data + code[row].offset, sizeof word);
            exclusives->kinds[encoding] = kind_of(word);
            is_open[encoding] = false;
        }
        if (exclusives->kinds[encoding] == LOAD)
            *(uint32_t *)array_push(&loads) = row;
    }
    for (size_t i = 0; i < loads.count; i++)
        follow(exclusives, *ARRAY_AT(uint32_t, &loads, i));
    join_ranges(&exclusives->ranges);
    array_free(&loads);
    free(is_open);
}

void probe_exclusives_free(struct probe_exclusives *exclusives)
{
    free(exclusives->kinds);
    array_free(&exclusives->ranges);
}

bool probe_exclusives_hold(const struct probe_exclusives *exclusives, uint32_t instruction)
{
    size_t after = array_first_not_below(&exclusives->ranges, 0, offsetof(struct exclusive_range, first),
                                         instruction + 1);
    return after && ARRAY_AT(struct exclusive_range, &exclusives->ranges, after - 1)->end > instruction;
}
