/* A loop around others counts if the block that jumps back, or its header, ends with a comparison of a
   register that one instruction of the loop moves by a constant, with something that the loop does not
   change. Both are followed backwards from the header, from dominator to dominator, through copies and sums
   with constants. Where both end in a number, or in the same value plus a number, their distance gives the
   trip count. A loop with another exit has none: there the constant is a limit that a search or a series
   hardly ever reaches.

   An innermost loop that takes a number away in parts, each as large as fits, has few iterations, though no
   constant shows: the bits of a word go into bytes, a block into buffers.

       while (n > 0) { part = min(n, room); …; n -= part; } */
#include "code/quality/trips.h"

#include "model/isa.h"
#include "model/loops.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 200,         /* instructions on the way back */
    MOST_INSTRUCTIONS = 2000, /* of a loop */
    TEST_DISTANCE = 6,        /* from the branch back to its comparison */
    PARTS_OF_NUMBER = 3,      /* iterations of a loop that takes a number away in parts */
};
/* A larger number comes from a counter that wraps around. */
static const int64_t MOST_TRIPS = INT64_C(1) << 40;

struct searching {
    const struct model *model;
    uint32_t *first_operand, *first_use; /* by encoding; one more at the end */
};

/* What an instruction does to a full register. */
enum change_kind { change_NOTHING, change_CONSTANT, change_PLUS, change_ANYTHING };

struct change {
    enum change_kind kind;
    uint32_t from; /* PLUS: this full register plus the number */
    int64_t number;
};

/* A number, or what an instruction leaves in a register plus a number. */
struct value {
    uint32_t writer, register_; /* 0: a number alone, or the function's entry for the writer */
    int64_t number;
};

struct parts {
    const struct operand *written, *read, *memory, *address;
    unsigned read_count, immediate_count;
    int64_t immediate;
};

static struct parts parts_of(const struct searching *searching, uint32_t encoding)
{
    struct parts parts = {0};
    for (uint32_t i = searching->first_operand[encoding]; i < searching->first_operand[encoding + 1]; i++) {
        const struct operand *operand = model_operand(searching->model, i);
        if (operand->kind == operand_kind_MEMORY) {
            parts.memory = operand;
        } else if (operand->kind == operand_kind_ADDRESS) {
            parts.address = operand;
        } else if (operand->kind == operand_kind_IMMEDIATE) {
            parts.immediate_count++;
            parts.immediate = operand->value;
        } else if (operand->kind == operand_kind_REGISTER) {
            if (operand->access & access_WRITE)
                parts.written = operand;
            if (operand->access & access_READ && !parts.read_count++)
                parts.read = operand;
        }
    }
    return parts;
}

static const struct register_use *write_of(const struct searching *searching, uint32_t encoding,
                                           uint32_t register_)
{
    for (uint32_t i = searching->first_use[encoding]; i < searching->first_use[encoding + 1]; i++) {
        const struct register_use *use = model_register_use(searching->model, i);
        if (use->access & access_WRITE && model_full_register(searching->model, use->register_) == register_)
            return use;
    }
    return NULL;
}

static bool is_zero(const struct model *model, uint32_t register_)
{
    const char *name = model_text(model, model_register(model, register_)->name);
    return name && !strcmp(name, "xzr");
}

static struct change plus(uint32_t from, int64_t number)
{
    return (struct change){change_PLUS, from, number};
}

static struct change constant(int64_t number)
{
    return (struct change){change_CONSTANT, 0, number};
}

static struct change computed(const struct searching *searching, const struct instruction *instruction,
                              const struct parts *parts)
{
    const struct model *model = searching->model;
    const struct encoding *row = model_encoding(model, instruction->encoding);
    const struct change anything = {.kind = change_ANYTHING};
    uint32_t from = parts->read ? model_full_register(model, parts->read->register_) : 0;
    bool is_simple = parts->read_count == 1 && !parts->read->value;
    bool is_sum = is_simple && parts->immediate_count == 1;
    bool is_clear = parts->read_count == 1 || parts->read_count == 2;
    switch (row->operation) {
    case operation_COPY:
    case operation_EXTEND:
        if (!parts->read_count && parts->immediate_count == 1)
            return constant(parts->immediate);
        return !is_simple ? anything : is_zero(model, from) ? constant(0) : plus(from, 0);
    case operation_ADD:
        return is_sum ? plus(from, parts->immediate) : anything;
    case operation_SUBTRACT:
        return is_sum ? plus(from, (int64_t)(0 - (uint64_t)parts->immediate)) : anything;
    case operation_INCREMENT:
        return is_simple ? plus(from, 1) : anything;
    case operation_DECREMENT:
        return is_simple ? plus(from, -1) : anything;
    case operation_EXCLUSIVE_OR: {
        const struct operand *last =
            model_operand(model, searching->first_operand[instruction->encoding + 1] - 1);
        bool is_same =
            last->kind == operand_kind_REGISTER && model_full_register(model, last->register_) == from;
        return is_clear && !parts->immediate_count && is_same ? constant(0) : anything;
    }
    case operation_PAGE:
        return instruction->target == NO_ADDRESS ? anything : constant((int64_t)instruction->target);
    case operation_ADDRESS:
        if (instruction->target != NO_ADDRESS)
            return constant((int64_t)instruction->target);
        if (!parts->address || !parts->address->base_register || parts->address->index_register)
            return anything;
        return plus(model_full_register(model, parts->address->base_register), parts->address->displacement);
    default:
        return anything;
    }
}

static struct change change_of(const struct searching *searching, uint32_t id, uint32_t register_)
{
    const struct model *model = searching->model;
    const struct instruction *instruction = model_instruction(model, id);
    const struct encoding *row = model_encoding(model, instruction->encoding);
    if (row->flow == flow_CALL)
        return (struct change){.kind = change_ANYTHING};
    const struct register_use *use = write_of(searching, instruction->encoding, register_);
    if (!use)
        return (struct change){.kind = change_NOTHING};
    struct parts parts = parts_of(searching, instruction->encoding);
    if (use->is_conditional || row->predicate ||
        model_register(model, register_)->kind != register_kind_GENERAL)
        return (struct change){.kind = change_ANYTHING};
    bool is_operand = parts.written && model_full_register(model, parts.written->register_) == register_;
    if (parts.memory && !is_operand && isa_facts((enum isa)row->isa)->steps_bases &&
        parts.memory->base_register && model_full_register(model, parts.memory->base_register) == register_)
        return plus(register_, parts.immediate_count ? parts.immediate : parts.memory->displacement);
    if (parts.memory || !is_operand)
        return (struct change){.kind = change_ANYTHING};
    return computed(searching, instruction, &parts);
}

static uint32_t last_of(const struct block *block)
{
    return block->first_instruction + block->instruction_count - 1;
}

static uint32_t dominator_of(const struct model *model, uint32_t id)
{
    const struct block *block = model_block(model, id);
    return block->dominator_position ? id - block->position + block->dominator_position : 0;
}

/* What a register holds when control enters the loop. */
static struct value value_before(const struct searching *searching, uint32_t loop, uint32_t register_)
{
    const struct model *model = searching->model;
    uint32_t around = model_loop(model, loop)->parent, steps = 0;
    uint32_t at = dominator_of(model, model_loop(model, loop)->header);
    struct value value = {.register_ = register_};
    for (; at; at = dominator_of(model, at)) {
        const struct block *block = model_block(model, at);
        if (model_loop(model, block->loop)->depth < model_loop(model, around)->depth)
            break; /* the loop around may have changed it */
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t id = last_of(block) - i;
            struct change change = change_of(searching, id, value.register_);
            bool is_repeated = change.kind == change_PLUS && block->loop != around;
            if (steps++ > MOST_STEPS || change.kind == change_ANYTHING || is_repeated) {
                value.writer = id;
                return value;
            }
            if (change.kind == change_NOTHING)
                continue;
            value.number = (int64_t)((uint64_t)value.number + (uint64_t)change.number);
            value.register_ = change.from;
            if (change.kind == change_CONSTANT)
                return value;
        }
    }
    return value;
}

/* The instruction that moves a register by a constant; 0 if the loop does not change it. */
struct step {
    uint32_t instruction;
    int64_t number;
};

/* false: it changes otherwise. */
static bool step_of(const struct searching *searching, uint32_t loop, uint32_t register_, struct step *step)
{
    const struct model *model = searching->model;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    *step = (struct step){0};
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t id = block->first_instruction + i;
            if (model_encoding(model, model_instruction(model, id)->encoding)->flow == flow_CALL)
                continue; /* registers that live across calls survive them */
            struct change change = change_of(searching, id, register_);
            if (change.kind == change_NOTHING)
                continue;
            if (step->instruction || change.kind != change_PLUS || change.from != register_ ||
                block->loop != loop || !change.number)
                return false;
            *step = (struct step){id, change.number};
        }
    }
    return true;
}

/* The comparison at the end of a block: two registers, or one and a number. */
struct test {
    uint32_t instruction;
    uint32_t registers[2];
    int64_t number;
    enum condition condition; /* of the branch */
    bool is_last;             /* the branch ends an iteration */
};

static bool writes_flags(const struct searching *searching, uint32_t encoding)
{
    for (uint32_t i = searching->first_use[encoding]; i < searching->first_use[encoding + 1]; i++) {
        const struct register_use *use = model_register_use(searching->model, i);
        if (use->access & access_WRITE &&
            model_register(searching->model, use->register_)->kind == register_kind_FLAGS)
            return true;
    }
    return false;
}

static void take_registers(const struct searching *searching, uint32_t encoding, struct test *test)
{
    unsigned count = 0;
    for (uint32_t i = searching->first_operand[encoding]; i < searching->first_operand[encoding + 1]; i++) {
        const struct operand *operand = model_operand(searching->model, i);
        if (operand->kind == operand_kind_REGISTER && operand->access & access_READ && count < 2)
            test->registers[count++] = model_full_register(searching->model, operand->register_);
    }
}

static bool find_test(const struct searching *searching, uint32_t id, struct test *test)
{
    const struct model *model = searching->model;
    const struct block *block = model_block(model, id);
    *test = (struct test){.instruction = last_of(block)};
    if (block->ends != block_end_BRANCH)
        return false;
    uint32_t branch = model_instruction(model, last_of(block))->encoding;
    test->condition = (enum condition)model_encoding(model, branch)->condition;
    take_registers(searching, branch, test);
    if (test->registers[0])
        return !test->registers[1]; /* cbnz */
    for (uint32_t i = 1; i < block->instruction_count && i <= TEST_DISTANCE; i++) {
        uint32_t encoding = model_instruction(model, last_of(block) - i)->encoding;
        if (!writes_flags(searching, encoding))
            continue;
        test->instruction = last_of(block) - i;
        const struct encoding *row = model_encoding(model, encoding);
        struct parts parts = parts_of(searching, encoding);
        if (parts.memory)
            return false;
        if (row->operation == operation_COMPARE) {
            take_registers(searching, encoding, test);
            test->number = parts.immediate;
            return test->registers[0] && (parts.immediate_count == 1) != (test->registers[1] != 0);
        }
        take_registers(searching, encoding, test);
        if (!parts.written && test->registers[0] && test->registers[0] == test->registers[1]) {
            test->registers[1] = 0; /* test eax, eax */
            return true;
        }
        test->registers[1] = 0;
        bool counts = row->operation == operation_SUBTRACT || row->operation == operation_DECREMENT ||
                      row->operation == operation_ADD || row->operation == operation_INCREMENT;
        if (!counts || !parts.written)
            return false;
        test->registers[0] = model_full_register(model, parts.written->register_); /* against 0 */
        return true;
    }
    return false;
}

int64_t trips_between(int64_t distance, int64_t step, enum condition condition, bool is_last)
{
    bool with_end = condition == condition_NOT_ABOVE || condition == condition_NOT_GREATER ||
                    condition == condition_NOT_BELOW || condition == condition_NOT_LESS;
    bool is_order =
        condition != condition_NONE && condition != condition_EQUAL && condition != condition_NOT_EQUAL;
    bool includes_end = is_last ? with_end : is_order && !with_end;
    if (!step || step == INT64_MIN || distance == INT64_MIN)
        return 0;
    if (step < 0) {
        distance = -distance;
        step = -step;
    }
    if (distance < 0 || distance / step >= MOST_TRIPS)
        return 0;
    int64_t compared = distance / step + (distance % step != 0) + 1;
    return compared + (includes_end && distance % step == 0) - !is_last;
}

static int64_t trips_by(const struct searching *searching, uint32_t loop, const struct test *test)
{
    struct step steps[2] = {0};
    for (unsigned i = 0; i < 2; i++)
        if (test->registers[i] && !step_of(searching, loop, test->registers[i], &steps[i]))
            return 0;
    if (!steps[0].instruction == !steps[1].instruction)
        return 0;
    unsigned counter = steps[0].instruction ? 0 : 1;
    uint32_t limit = test->registers[!counter];
    struct value start = value_before(searching, loop, test->registers[counter]);
    struct value end = limit ? value_before(searching, loop, limit) : (struct value){.number = test->number};
    if (start.writer != end.writer || start.register_ != end.register_)
        return 0;
    uint64_t distance = (uint64_t)end.number - (uint64_t)start.number;
    if (steps[counter].instruction <= test->instruction)
        distance -= (uint64_t)steps[counter].number;
    return trips_between((int64_t)distance, steps[counter].number, test->condition, test->is_last);
}

static int64_t trips_of(const struct searching *searching, uint32_t id)
{
    const struct model *model = searching->model;
    const struct loop *loop = model_loop(model, id);
    struct test test;
    if (loop->instruction_count > MOST_INSTRUCTIONS || loop->is_irreducible || loop->exit_count != 1)
        return 0;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), id);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == id; at++) {
        uint32_t block = model_loop_block(model, (uint32_t)at)->block;
        size_t edge = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
        bool goes_back = false, leaves = false;
        for (; edge < model->edges.count && model_edge(model, (uint32_t)edge)->source == block; edge++) {
            goes_back |= model_edge(model, (uint32_t)edge)->target == loop->header;
            leaves |= !loop_is_within(
                model, model_block(model, model_edge(model, (uint32_t)edge)->target)->loop, id);
        }
        if (!leaves || (!goes_back && block != loop->header) || !find_test(searching, block, &test))
            continue;
        test.is_last = goes_back;
        int64_t trips = trips_by(searching, id, &test);
        if (trips)
            return trips;
    }
    return 0;
}

/* Whether the loop changes a register. */
static bool is_changed(const struct searching *searching, uint32_t loop, uint32_t register_)
{
    struct step step;
    return !step_of(searching, loop, register_, &step) || step.instruction;
}

/* Whether the one change of a register in the loop is to subtract something from it that changes, too. */
static bool is_taken_away(const struct searching *searching, uint32_t loop, uint32_t register_)
{
    const struct model *model = searching->model;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    unsigned changes = 0;
    bool is_part = false;
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
            struct test sides = {0};
            if (!write_of(searching, encoding, register_))
                continue;
            take_registers(searching, encoding, &sides);
            changes++;
            is_part = model_encoding(model, encoding)->operation == operation_SUBTRACT &&
                      sides.registers[0] == register_ && sides.registers[1] &&
                      sides.registers[1] != register_ && is_changed(searching, loop, sides.registers[1]);
        }
    }
    return changes == 1 && is_part;
}

static bool takes_away(const struct searching *searching, uint32_t id)
{
    const struct model *model = searching->model;
    const struct loop *loop = model_loop(model, id);
    struct test test;
    if (loop->instruction_count > MOST_INSTRUCTIONS || loop->is_irreducible)
        return false;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), id);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == id; at++)
        if (find_test(searching, model_loop_block(model, (uint32_t)at)->block, &test) && !test.registers[1] &&
            !test.number && is_taken_away(searching, id, test.registers[0]))
            return true;
    return false;
}

/* By encoding, the first row of a table that is sorted by it. */
static uint32_t *first_rows(const struct model *model, const struct array *table, size_t offset)
{
    uint32_t *first = memory_get((model->encodings.count + 2) * sizeof *first), at = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t encoding = *(const uint32_t *)((const char *)array_at(table, i) + offset);
        while (at <= encoding && at <= model->encodings.count)
            first[at++] = i;
    }
    while (at <= model->encodings.count)
        first[at++] = (uint32_t)table->count;
    return first;
}

int64_t *trips_find(const struct model *model, const bool *wanted, enum trips_kind kind)
{
    int64_t *trips = memory_get((model->loops.count + 1) * sizeof *trips);
    struct searching searching = {
        .model = model,
        .first_operand = first_rows(model, &model->operands, offsetof(struct operand, encoding)),
        .first_use = first_rows(model, &model->register_uses, offsetof(struct register_use, encoding))};
    for (uint32_t id = 1; id < model->loops.count; id++) {
        if (!wanted[model_loop(model, id)->function])
            continue;
        bool is_innermost = model_loop(model, id)->is_innermost;
        if (!is_innermost || kind == trips_ALL)
            trips[id] = trips_of(&searching, id);
        if (is_innermost && !trips[id] && takes_away(&searching, id))
            trips[id] = PARTS_OF_NUMBER;
    }
    free(searching.first_operand);
    free(searching.first_use);
    return trips;
}
