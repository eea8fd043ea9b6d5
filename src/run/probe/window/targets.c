/* Where jumps may lead.

   The model has most of it: a block starts wherever a known jump leads.  Besides, code may be reached without
   an edge: a symbol names the place, or an exception table; a pointer in the data or an instruction that
   computes addresses refers to it (labels whose address is taken).  And some jumps lead into the middle of an
   instruction (over a lock prefix, say); the model counts them as jumps to its start.  These addresses are
   the places.  A number in the data that happens to look like an address of code does no harm.

   A function with an indirect jump whose targets are unknown may be entered anywhere, if it computes the
   target.  If it takes a pointer from memory, that pointer is one of those in the data, or comes from an
   instruction that computes an address: its target is one of the places.  Code that no path from the
   function's entry reaches may be entered anywhere, too, unless such a pointer explains how it is reached.

   Padding between functions belongs to no function; inside a function it is a block of no-ops after a jump
   or return that no edge leads to.  It is spare only if nothing runs through it: a function written in
   assembly may fall through the no-ops that align the next one.  So what is before it has to end with a jump,
   a return or data, and has to be known, which it is not where only a part of a program was read. */
#include "run/probe/window/targets.h"

#include <stdlib.h>
#include <string.h>

enum unknown_jump { NO_UNKNOWN_JUMP, POINTER_JUMP, COMPUTED_JUMP };

static bool takes_pointer(const struct model *model, const struct block *block)
{
    uint32_t encoding =
        model_instruction(model, block->first_instruction + block->instruction_count - 1)->encoding;
    size_t first = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    const struct operand *operand = array_at(&model->operands, first);
    return first < model->operands.count && operand->encoding == encoding &&
           operand->kind == operand_kind_MEMORY;
}

static void note_unknown_jump(struct probe_targets *targets, const struct block *block)
{
    uint8_t kind = takes_pointer(targets->model, block) ? POINTER_JUMP : COMPUTED_JUMP;
    uint8_t *known = &targets->has_unknown_jump[block->function];
    *known = kind > *known ? kind : *known;
}

static void count_predecessors(struct probe_targets *targets)
{
    const struct model *model = targets->model;
    targets->predecessors = memory_get(model->blocks.count);
    const struct edge *edges = model->edges.data;
    for (size_t i = 0; i < model->edges.count; i++) {
        uint8_t *count = &targets->predecessors[edges[i].target];
        *count += *count < 2;
    }
}

/* Whether control may come to whatever lies behind a block. */
static bool goes_on(const struct model *model, const struct block *block)
{
    uint32_t last = block->first_instruction + block->instruction_count - 1;
    uint8_t flow = model_encoding(model, model_instruction(model, last)->encoding)->flow;
    if (block->function)
        return block->ends == block_end_FALL || block->ends == block_end_BRANCH ||
               block->ends == block_end_CALL;
    return flow != flow_JUMP && flow != flow_RETURN && flow != flow_STOP;
}

/* The block of padding that starts at an address, or 0. */
static uint32_t padding_at(const struct probe_targets *targets, uint32_t section, uint64_t address)
{
    struct bisection search = {0, targets->padding.count};
    while (bisect(&search)) {
        const struct block *block =
            model_block(targets->model, *ARRAY_AT(uint32_t, &targets->padding, search.middle));
        bisect_past(&search,
                    block->section < section || (block->section == section && block->address < address));
    }
    if (search.first == targets->padding.count)
        return 0;
    uint32_t id = *ARRAY_AT(uint32_t, &targets->padding, search.first);
    const struct block *found = model_block(targets->model, id);
    return found->section == section && found->address == address ? id : 0;
}

enum { NOTHING_KNOWN, RUNS_INTO_IT, STOPS_BEFORE_IT };

/* What the blocks and the data before padding do. */
static void look_before_padding(const struct probe_targets *targets, uint8_t *before)
{
    const struct model *model = targets->model;
    const struct block *blocks = model->blocks.data;
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        uint64_t end = blocks[id].address + blocks[id].size;
        bool is_inside = id + 1 < model->blocks.count && blocks[id].function &&
                         blocks[id + 1].function == blocks[id].function && blocks[id + 1].address == end;
        uint32_t padding = is_inside ? 0 : padding_at(targets, blocks[id].section, end);
        if (padding)
            before[padding] = goes_on(model, &blocks[id]) ? RUNS_INTO_IT : STOPS_BEFORE_IT;
    }
    for (uint32_t id = 1; id < model->gaps.count; id++) {
        const struct gap *gap = model_gap(model, id);
        before[padding_at(targets, gap->section, gap->address + gap->size)] = STOPS_BEFORE_IT;
    }
}

/* Padding that may be run through counts as padding that an edge leads to. */
static void count_falls_into_padding(struct probe_targets *targets)
{
    const struct model *model = targets->model;
    uint8_t *before = memory_get(model->blocks.count);
    look_before_padding(targets, before);
    for (size_t i = 0; i < targets->padding.count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, &targets->padding, i);
        const struct block *block = model_block(model, id);
        bool is_first = block->address == model_section(model, block->section)->address;
        if (before[id] == RUNS_INTO_IT || (before[id] == NOTHING_KNOWN && !is_first))
            targets->predecessors[id] += targets->predecessors[id] < 2;
    }
    free(before);
}

void probe_targets_init(struct probe_targets *targets, const struct model *model)
{
    *targets =
        (struct probe_targets){.model = model, .padding = ARRAY_OF(uint32_t), .places = ARRAY_OF(uint64_t)};
    count_predecessors(targets);
    targets->has_unknown_jump = memory_get(model->functions.count);
    const struct block *blocks = model->blocks.data;
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        if (blocks[id].ends == block_end_INDIRECT)
            note_unknown_jump(targets, &blocks[id]);
        if (!blocks[id].function)
            *(uint32_t *)array_push(&targets->padding) = id;
    }
    count_falls_into_padding(targets);
}

void probe_targets_free(struct probe_targets *targets)
{
    free(targets->predecessors);
    free(targets->has_unknown_jump);
    array_free(&targets->padding);
    array_free(&targets->places);
}

static void add_place(struct probe_targets *targets, uint64_t address)
{
    *(uint64_t *)array_push(&targets->places) = address;
}

/* Whether an edge of this block leads to exactly this address; `edge` is its first edge, or where it would
   be, and then that of the next block. */
static bool has_edge_to(const struct model *model, uint32_t block, uint64_t address, size_t *edge)
{
    bool is_found = false;
    for (; *edge < model->edges.count && model_edge(model, *edge)->source <= block; ++*edge)
        is_found |= model_edge(model, *edge)->source == block &&
                    model_block(model, model_edge(model, *edge)->target)->address == address;
    return is_found;
}

/* Direct jumps that lead to no block: into the middle of an instruction. */
static void add_odd_jumps(struct probe_targets *targets)
{
    const struct model *model = targets->model;
    size_t edge = 0;
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        const struct block *block = model_block(model, id);
        if ((block->ends != block_end_JUMP && block->ends != block_end_BRANCH &&
             block->ends != block_end_TAIL_CALL) ||
            model_section(model, block->section)->program != targets->program)
            continue;
        uint64_t target =
            model_instruction(model, block->first_instruction + block->instruction_count - 1)->target;
        if (target != NO_ADDRESS && !has_edge_to(model, id, target, &edge))
            add_place(targets, target);
    }
}

struct code_range {
    uint64_t low, high;
};

static struct code_range range_of_code(const struct model *model, uint32_t program)
{
    struct code_range range = {UINT64_MAX, 0};
    struct model_rows rows = MODEL_ROWS_OF(model, sections, section, program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct section *section = model_section(model, id);
        if (!section->is_code || !section->is_loaded)
            continue;
        range.low = section->address < range.low ? section->address : range.low;
        range.high =
            section->address + section->size > range.high ? section->address + section->size : range.high;
    }
    return range;
}

static void add_reference(struct probe_targets *targets, struct code_range range, uint64_t address)
{
    if (address - range.low < range.high - range.low)
        add_place(targets, address);
}

/* Pointers of a program at fixed addresses have no relocations. */
static void add_words_of_data(struct probe_targets *targets, struct code_range range)
{
    const struct model *model = targets->model;
    struct model_rows rows = MODEL_ROWS_OF(model, sections, section, targets->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct section *section = model_section(model, id);
        if (section->is_code || !section->is_loaded || !section->contents.data)
            continue;
        uint64_t word;
        for (size_t at = -section->address % sizeof word; at + sizeof word <= section->contents.size;
             at += sizeof word) {
            memcpy(&word, section->contents.data + at, sizeof word);
            add_reference(targets, range, word);
        }
    }
}

/* Constants in instructions of such a program; encodings of other programs do no harm. */
static void add_constants(struct probe_targets *targets, struct code_range range)
{
    const struct operand *operands = targets->model->operands.data;
    for (size_t i = 0; i < targets->model->operands.count; i++)
        if (operands[i].kind == operand_kind_IMMEDIATE)
            add_reference(targets, range, (uint64_t)operands[i].value);
}

/* lea and adr; what adrp and add compute together is found by the pointers that they fill, or not at all. */
static void add_computed(struct probe_targets *targets, struct code_range range)
{
    const struct model *model = targets->model;
    struct model_rows rows = MODEL_ROWS_OF(model, functions, function, targets->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct function *function = model_function(model, id);
        if (!function->block_count)
            continue;
        uint32_t row = model_block(model, function->first_block)->first_instruction;
        const struct instruction *code = model_instruction(model, row);
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (code[i].target - range.low < range.high - range.low &&
                model_encoding(model, code[i].encoding)->class == class_ADDRESS)
                add_place(targets, code[i].target);
    }
}

static void add_references(struct probe_targets *targets)
{
    const struct model *model = targets->model;
    struct code_range range = range_of_code(model, targets->program);
    struct model_rows rows = MODEL_ROWS_OF(model, relocations, relocation, targets->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct relocation *row = model_relocation(model, id);
        if (row->value != NO_ADDRESS)
            add_reference(targets, range, row->value + (uint64_t)row->addend);
    }
    if (model_program(model, targets->program)->format == format_EXECUTABLE) {
        add_words_of_data(targets, range);
        add_constants(targets, range);
    }
    add_computed(targets, range);
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void probe_targets_choose(struct probe_targets *targets, uint32_t program)
{
    if (targets->program == program)
        return;
    const struct model *model = targets->model;
    targets->program = program;
    targets->places.count = 0;
    struct model_rows symbols = MODEL_ROWS_OF(model, symbols, symbol, program);
    for (uint32_t i = symbols.first; i < symbols.end; i++)
        add_place(targets, model_symbol(model, i)->address);
    struct model_rows pads = MODEL_ROWS_OF(model, landing_pads, landing_pad, program);
    for (uint32_t i = pads.first; i < pads.end; i++)
        add_place(targets, model_landing_pad(model, i)->pad);
    add_references(targets);
    add_odd_jumps(targets);
    if (targets->places.count)
        qsort(targets->places.data, targets->places.count, sizeof(uint64_t), by_address);
}

bool probe_targets_hit(const struct probe_targets *targets, uint64_t low, uint64_t high)
{
    size_t first = array_first_at(&targets->places, 0, 0, low);
    return first < targets->places.count && *ARRAY_AT(uint64_t, &targets->places, first) < high;
}

bool probe_targets_only_fall(const struct probe_targets *targets, uint32_t block)
{
    return targets->predecessors[block] == 1 &&
           !probe_targets_hit(targets, model_block(targets->model, block)->address,
                              model_block(targets->model, block)->address + 1);
}

bool probe_targets_are_unknown(const struct probe_targets *targets, uint32_t block)
{
    const struct block *row = model_block(targets->model, block);
    uint8_t unknown = targets->has_unknown_jump[row->function];
    return !row->function || unknown == COMPUTED_JUMP || (!row->is_reachable && unknown == NO_UNKNOWN_JUMP);
}

/* How many bytes of a block are no-ops or int3, from its start on. */
static uint32_t idle_bytes(const struct model *model, const struct block *block, uint32_t most)
{
    enum { INT3 = 0xcc };
    struct span bytes = model_block_bytes(model, block);
    uint32_t size = 0;
    for (uint32_t i = 0; i < block->instruction_count && size < most && bytes.data; i++) {
        const struct instruction *row = model_instruction(model, block->first_instruction + i);
        const struct encoding *encoding = model_encoding(model, row->encoding);
        if (encoding->class != class_NOP && bytes.data[row->offset] != INT3)
            break;
        size += encoding->size;
    }
    return size;
}

uint32_t probe_targets_idle_bytes(const struct probe_targets *targets, uint32_t block)
{
    uint64_t address = model_block(targets->model, block)->address;
    uint32_t size = idle_bytes(targets->model, model_block(targets->model, block), UINT32_MAX);
    size_t place = array_first_at(&targets->places, 0, 0, address);
    if (place == targets->places.count)
        return size;
    uint64_t first = *ARRAY_AT(uint64_t, &targets->places, place) - address;
    return first < size ? (uint32_t)first : size;
}

/* Inside a function: no-ops that no edge leads to. */
static bool is_idle(const struct probe_targets *targets, uint32_t block)
{
    const struct block *row = model_block(targets->model, block);
    return !targets->predecessors[block] && !row->is_reachable && row->position > 1 &&
           !targets->has_unknown_jump[row->function] && idle_bytes(targets->model, row, 1);
}

bool probe_targets_is_padding(const struct probe_targets *targets, uint32_t block)
{
    return !model_block(targets->model, block)->function || is_idle(targets, block);
}

bool probe_targets_is_spare(const struct probe_targets *targets, uint32_t block)
{
    return probe_targets_is_padding(targets, block) && !targets->predecessors[block];
}

uint32_t probe_targets_padding(const struct probe_targets *targets, uint32_t block, uint32_t most)
{
    const struct model *model = targets->model;
    const struct block *row = model_block(model, block);
    uint64_t end = row->address + row->size;
    uint32_t size = 0;
    const struct block *next = row + 1;
    if (block + 1 < model->blocks.count && next->function && next->function == row->function) {
        bool is_here = next->address == end && is_idle(targets, block + 1);
        size = is_here ? idle_bytes(model, next, most) : 0;
    } else {
        uint32_t found = padding_at(targets, row->section, end);
        bool is_here = found && probe_targets_is_spare(targets, found);
        size = is_here ? idle_bytes(model, model_block(model, found), most) : 0;
    }
    return size && !probe_targets_hit(targets, end, end + size) ? size : 0;
}
