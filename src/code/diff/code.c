/* Code without the addresses that the linker chose.

   An instruction is a hash of its mnemonic and its operands, from words and numbers that do not depend on the
   model. Addresses relative to the code are left out, and so are, on AArch64, the low bits of an address: the
   constant that is added to a register which adrp set in the same block. A constant that is an address of the
   program itself is left out, too. */
#include "base/strings.h"
#include "code/diff/diff.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ADDRESS = 0x10000 };

static uint64_t hash_text(const struct model *model, string_id text)
{
    const char *bytes = model_text(model, text);
    return strings_hash(bytes, strlen(bytes));
}

static bool is_address(const struct model *model, int64_t value)
{
    if (value < LEAST_ADDRESS)
        return false;
    for (uint32_t i = 1; i < model->sections.count; i++) {
        const struct section *section = model_section(model, i);
        if (section->is_loaded && (uint64_t)value - section->address < section->size)
            return true;
    }
    return false;
}

/* with_constants: 0 leaves them out. */
static uint64_t hash_operand(const struct model *model, const struct operand *operand, bool with_constants)
{
    uint64_t hash = hash_mix(operand->kind, operand->bits);
    hash = hash_mix(hash, operand->access);
    const uint32_t registers[] = {operand->register_, operand->base_register, operand->index_register};
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
        hash = hash_mix(hash, registers[i] ? hash_text(model, model_register(model, registers[i])->name) : i);
    hash = hash_mix(hash, operand->scale);
    if (!with_constants || operand->is_relative)
        return hash;
    if (!is_address(model, operand->displacement))
        hash = hash_mix(hash, (uint64_t)operand->displacement);
    return is_address(model, operand->value) ? hash : hash_mix(hash, (uint64_t)operand->value);
}

static void hash_encodings(struct diff_side *side)
{
    const struct model *model = side->model;
    side->encodings = memory_get((model->encodings.count + 1) * sizeof *side->encodings);
    side->open_encodings = memory_get((model->encodings.count + 1) * sizeof *side->open_encodings);
    side->shapes = memory_get((model->encodings.count + 1) * sizeof *side->shapes);
    for (uint32_t i = 1; i < model->encodings.count; i++) {
        const struct encoding *encoding = model_encoding(model, i);
        side->encodings[i] = side->open_encodings[i] =
            hash_mix(hash_text(model, encoding->name), encoding->condition);
        side->shapes[i] = hash_text(model, encoding->form ? encoding->form : encoding->name);
    }
    for (uint32_t i = 0; i < model->operands.count; i++) {
        const struct operand *operand = model_operand(model, i);
        uint64_t *whole = &side->encodings[operand->encoding],
                 *open = &side->open_encodings[operand->encoding];
        *whole = hash_mix(*whole, hash_operand(model, operand, true));
        *open = hash_mix(*open, hash_operand(model, operand, false));
    }
}

/* AArch64: what an encoding does with the address of a page, which adrp makes. */
struct page_use {
    uint32_t made, added_to, written; /* full registers; 0: none */
};

static struct page_use *find_page_uses(const struct model *model)
{
    struct page_use *uses = memory_get((model->encodings.count + 1) * sizeof *uses);
    for (uint32_t i = 0; i < model->operands.count; i++) {
        const struct operand *operand = model_operand(model, i);
        const struct encoding *encoding = model_encoding(model, operand->encoding);
        struct page_use *use = &uses[operand->encoding];
        if (encoding->isa != isa_AARCH64)
            continue;
        if (operand->kind == operand_kind_REGISTER && operand->access & access_WRITE &&
            operand->position == 1) {
            use->written = model_full_register(model, operand->register_);
            if (!strcmp(model_text(model, encoding->name), "adrp"))
                use->made = use->written;
        } else if (operand->kind == operand_kind_REGISTER && encoding->operation == operation_ADD) {
            use->added_to = model_full_register(model, operand->register_);
        } else if (operand->base_register && !operand->index_register) {
            use->added_to = model_full_register(model, operand->base_register);
        }
    }
    return uses;
}

enum { MOST_PAGES = 8 };

struct pages {
    uint32_t registers[MOST_PAGES];
    unsigned next;
};

static bool is_page(struct pages *pages, uint32_t full, bool forgets)
{
    bool found = false;
    for (unsigned i = 0; i < MOST_PAGES && full; i++)
        if (pages->registers[i] == full) {
            found = true;
            if (forgets)
                pages->registers[i] = 0;
        }
    return found;
}

/* The hash of each instruction of a block, in turn. */
static uint64_t hash_instruction(const struct diff_side *side, const struct page_use *uses,
                                 struct pages *pages, uint32_t encoding)
{
    const struct page_use *use = &uses[encoding];
    bool is_open = use->added_to && is_page(pages, use->added_to, false);
    is_page(pages, use->written, true);
    if (use->made)
        pages->registers[pages->next++ % MOST_PAGES] = use->made;
    return is_open ? side->open_encodings[encoding] : side->encodings[encoding];
}

uint64_t diff_file_hash(const struct model *model, uint32_t file)
{
    const char *path = file ? model_text(model, model_file(model, file)->path) : "";
    const char *slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    return strings_hash(path, strlen(path));
}

bool diff_has_name(const struct function *function)
{
    switch (function->origin) {
    case origin_SYMBOL:
    case origin_DYNAMIC:
    case origin_DEBUG:
    case origin_PLT:
    case origin_IMPORT:
    case origin_LISTING:
        return true;
    default:
        return false;
    }
}

static uint32_t first_instruction(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    return row->block_count ? model_block(model, row->first_block)->first_instruction : 0;
}

/* What a block says by itself: its instructions without padding. */
static struct diff_code read_block(const struct diff_side *side, const struct page_use *uses,
                                   struct pages *pages, const struct block *block)
{
    const struct model *model = side->model;
    struct diff_code code = {0};
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
        uint64_t hash = hash_instruction(side, uses, pages, encoding);
        code.bytes += model_encoding(model, encoding)->size;
        if (model_encoding(model, encoding)->class == class_NOP)
            continue;
        code.hash = hash_mix(code.hash, hash);
        code.count++;
    }
    return code;
}

/* Where blocks go, by their places in the function, and whom they call, by name. */
static void add_ways(const struct diff_side *side, struct diff_code *blocks)
{
    const struct model *model = side->model;
    for (uint32_t i = 0; i < model->edges.count; i++) {
        const struct edge *edge = model_edge(model, i);
        const struct block *from = model_block(model, edge->source), *to = model_block(model, edge->target);
        uint64_t way = from->function == to->function ? to->position - from->position : 0;
        blocks[edge->source].hash = hash_mix(blocks[edge->source].hash, hash_mix(edge->kind, way));
    }
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        struct diff_code *block = &blocks[model_instruction(model, call->instruction)->block];
        if (call->callee && diff_has_name(model_function(model, call->callee)))
            block->hash = hash_mix(block->hash, hash_text(model, model_function(model, call->callee)->name));
    }
}

static void add_block(struct diff_code *code, const struct diff_code *block)
{
    code->hash = hash_mix(code->hash, block->hash);
    code->count += block->count;
    code->bytes += block->bytes;
}

struct diff_rows diff_blocks_of_loop(const struct model *model, uint32_t loop)
{
    size_t offset = offsetof(struct loop_block, loop);
    size_t first = array_first_not_below(&model->loop_blocks, 0, offset, loop), end = first;
    while (end < model->loop_blocks.count && model_loop_block(model, (uint32_t)end)->loop == loop)
        end++;
    return (struct diff_rows){(uint32_t)first, (uint32_t)end};
}

void diff_read_code(struct diff_side *side)
{
    const struct model *model = side->model;
    hash_encodings(side);
    struct page_use *uses = find_page_uses(model);
    struct diff_code *blocks = memory_get((model->blocks.count + 1) * sizeof *blocks);
    side->functions = memory_get((model->functions.count + 1) * sizeof *side->functions);
    side->loops = memory_get((model->loops.count + 1) * sizeof *side->loops);
    struct pages pages = {0};
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        const struct block *block = model_block(model, id);
        if (id == model_function(model, block->function)->first_block)
            pages = (struct pages){0};
        blocks[id] = read_block(side, uses, &pages, block);
    }
    add_ways(side, blocks);
    for (uint32_t id = 1; id < model->blocks.count; id++)
        if (model_block(model, id)->function)
            add_block(&side->functions[model_block(model, id)->function], &blocks[id]);
    for (uint32_t i = 0; i < model->loop_blocks.count; i++) {
        const struct loop_block *row = model_loop_block(model, i);
        add_block(&side->loops[row->loop], &blocks[row->block]);
    }
    free(blocks);
    free(uses);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs of neighbouring instructions, sorted; the first one has nothing before it. */
struct pairs {
    uint64_t *data, before;
    uint32_t count;
};

static void add_pairs(struct pairs *pairs, const struct diff_side *side, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t shape = side->shapes[model_instruction(side->model, first + i)->encoding];
        pairs->data[pairs->count++] = hash_mix(pairs->before, shape);
        pairs->before = shape;
    }
}

static struct pairs pairs_of_function(const struct diff_side *side, uint32_t function)
{
    uint32_t count = model_function(side->model, function)->instruction_count;
    struct pairs pairs = {.data = memory_get((count + 1) * sizeof(uint64_t))};
    if (count)
        add_pairs(&pairs, side, first_instruction(side->model, function), count);
    return pairs;
}

static struct pairs pairs_of_loop(const struct diff_side *side, uint32_t loop)
{
    const struct model *model = side->model;
    struct pairs pairs = {
        .data = memory_get((model_loop(model, loop)->instruction_count + 1) * sizeof(uint64_t))};
    struct diff_rows rows = diff_blocks_of_loop(model, loop);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct block *block = model_block(model, model_loop_block(model, i)->block);
        add_pairs(&pairs, side, block->first_instruction, block->instruction_count);
    }
    return pairs;
}

/* 0 to 1; frees both. */
static double share_in_common(struct pairs old, struct pairs new)
{
    uint32_t i = 0, k = 0, common = 0;
    qsort(old.data, old.count, sizeof *old.data, by_number);
    qsort(new.data, new.count, sizeof *new.data, by_number);
    while (i < old.count && k < new.count) {
        uint64_t a = old.data[i], b = new.data[k];
        common += a == b;
        i += a <= b;
        k += b <= a;
    }
    free(old.data);
    free(new.data);
    return old.count + new.count ? 2.0 * common / ((double)old.count + new.count) : 0;
}

double diff_function_similarity(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return share_in_common(pairs_of_function(&comparison->sides[diff_OLD], old),
                           pairs_of_function(&comparison->sides[diff_NEW], new));
}

double diff_loop_similarity(const struct comparison *comparison, uint32_t old, uint32_t new)
{
    return share_in_common(pairs_of_loop(&comparison->sides[diff_OLD], old),
                           pairs_of_loop(&comparison->sides[diff_NEW], new));
}
