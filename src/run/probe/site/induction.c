/* Every instruction of the loop that writes the variable adds the same constant to it, and every whole
   iteration executes exactly one of them: compilers copy the addition into each way that leads to the next
   iteration.  So the moves since the header are counted along all ways through the loop: at the end of a
   block there were none, or one, or it depends.  All ways back to the header must have made one.  In the
   iteration that leaves, an exit comes before the move or after it; where it depends on the way, the
   variable is useless.  A move in an inner loop is executed who knows how often.

   Constants divide exactly: the odd part by its inverse modulo 2^64, the rest by a shift.  Variables of 32
   bits are moved to the upper half first, where they wrap as they do in their register. */
#include "run/probe/site/induction.h"

#include "run/probe/site/registers.h"

#include <stddef.h>
#include <stdlib.h>

enum { REGISTERS = 31 }; /* general ones, without the stack pointer of AArch64 */
enum { NOT_MOVED = 0, MOVED = 1, DEPENDS = 2, UNSEEN = 3 }; /* since the header */

struct step_operands {
    const struct operand *written, *read, *memory, *address;
    unsigned reads, immediates;
    int64_t immediate;
};

static struct step_operands operands_of(const struct model *model, uint32_t encoding)
{
    struct step_operands found = {0};
    size_t i = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; i < model->operands.count; i++) {
        const struct operand *operand = model_operand(model, (uint32_t)i);
        if (operand->encoding != encoding)
            break;
        if (operand->kind == operand_kind_MEMORY)
            found.memory = operand;
        else if (operand->kind == operand_kind_ADDRESS)
            found.address = operand;
        else if (operand->kind == operand_kind_IMMEDIATE && ++found.immediates)
            found.immediate = operand->value;
        if (operand->kind != operand_kind_REGISTER)
            continue;
        if (operand->access & access_WRITE)
            found.written = operand;
        if (operand->access & access_READ && ++found.reads)
            found.read = operand;
    }
    return found;
}

/* AArch64 writes the address back: before the access by the displacement, after it by a constant. */
static struct probe_variable written_back(const struct model *model, const struct step_operands *operands)
{
    const struct operand *memory = operands->memory;
    struct probe_variable variable = {0};
    bool is_one = operands->immediates + (memory->displacement != 0) == 1;
    if (!memory->base_register || memory->index_register || !is_one)
        return variable;
    variable.register_ = model_full_register(model, memory->base_register);
    variable.bits = 64;
    variable.step = operands->immediates ? operands->immediate : memory->displacement;
    return variable;
}

/* What an encoding adds to the register `number`; register_ 0: something else. */
static struct probe_variable step_of(const struct model *model, uint32_t encoding, uint8_t number)
{
    const struct encoding *row = model_encoding(model, encoding);
    struct step_operands operands = operands_of(model, encoding);
    struct probe_variable variable = {0};
    if (row->is_masked || row->predicate)
        return variable;
    if (operands.memory) {
        bool is_store_of_it =
            operands.read && probe_general_number(model, operands.read->register_) == number;
        bool is_load_of_it =
            operands.written && probe_general_number(model, operands.written->register_) == number;
        if (row->isa == isa_AARCH64 && !is_load_of_it && !is_store_of_it)
            variable = written_back(model, &operands);
        return probe_general_number(model, variable.register_) == number ? variable
                                                                         : (struct probe_variable){0};
    }
    if (!operands.written || probe_general_number(model, operands.written->register_) != number)
        return variable;
    const struct register_ *written = model_register(model, operands.written->register_);
    uint32_t from = operands.read ? operands.read->register_ : 0;
    enum operation operation = (enum operation)row->operation;
    bool adds = operation == operation_ADD, subtracts = operation == operation_SUBTRACT;
    if (operands.address) {
        from = operands.address->base_register;
        if (operands.reads || operands.address->index_register || operands.address->is_relative)
            return variable;
        variable.step = operands.address->displacement;
    } else if ((adds || subtracts) && operands.reads == 1 && operands.immediates == 1 &&
               !operands.read->value) {
        variable.step = adds ? operands.immediate : (int64_t)(0 - (uint64_t)operands.immediate);
    } else if ((operation == operation_INCREMENT || operation == operation_DECREMENT) &&
               operands.reads == 1) {
        variable.step = operation == operation_INCREMENT ? 1 : -1;
    } else {
        return variable;
    }
    if (!from || probe_general_number(model, from) != number ||
        model_register(model, from)->bits != written->bits || (written->bits != 32 && written->bits != 64))
        return (struct probe_variable){0};
    variable.register_ = written->full;
    variable.bits = (uint8_t)written->bits;
    return variable;
}

/* General registers that an encoding writes, but for the stack pointer of AArch64. */
static uint32_t written_by(const struct model *model, uint32_t encoding)
{
    uint32_t touched = 0;
    return probe_written(model, encoding, &touched) & ((UINT32_C(1) << REGISTERS) - 1);
}

/* ---- registers that instructions of the loop move, and that nothing else writes ---- */

struct candidates {
    struct probe_variable variables[REGISTERS]; /* by the first instruction that moves it */
    uint32_t good, written;
};

static void take_write(struct candidates *candidates, uint8_t number, const struct probe_variable *found)
{
    struct probe_variable *known = &candidates->variables[number];
    uint32_t bit = UINT32_C(1) << number;
    bool is_step = found->register_ && found->step;
    if (!(candidates->written & bit) && is_step) {
        candidates->good |= bit;
        *known = *found;
    } else if (!is_step || found->step != known->step || found->bits != known->bits)
        candidates->good &= ~bit;
    candidates->written |= bit;
}

static void find_candidates(struct candidates *candidates, const struct model *model,
                            const struct loop_shape *shape)
{
    for (size_t b = 0; b < shape->blocks.count; b++) {
        const struct block *block = model_block(model, *ARRAY_AT(uint32_t, &shape->blocks, b));
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
            uint32_t written = written_by(model, encoding);
            for (uint8_t number = 0; written; number++, written >>= 1) {
                struct probe_variable found = {0};
                if (!(written & 1))
                    continue;
                if (block->loop == shape->loop)
                    found = step_of(model, encoding, number);
                found.instruction = block->first_instruction + i;
                take_write(candidates, number, &found);
            }
        }
    }
}

/* ---- how often one of them has moved since the header ---- */

static uint8_t moves_in(const struct model *model, uint32_t block, uint8_t number)
{
    const struct block *row = model_block(model, block);
    unsigned moves = 0;
    for (uint32_t i = 0; i < row->instruction_count; i++)
        moves +=
            written_by(model, model_instruction(model, row->first_instruction + i)->encoding) >> number & 1;
    return moves < DEPENDS ? (uint8_t)moves : DEPENDS;
}

static size_t index_of(const struct loop_shape *shape, uint32_t block)
{
    return array_first_not_below(&shape->blocks, 0, 0, block);
}

static uint8_t after(uint8_t before, uint8_t moves)
{
    return before + moves < DEPENDS ? (uint8_t)(before + moves) : DEPENDS;
}

/* For each block of the loop, its end. */
static uint8_t *count_moves(const struct model *model, const struct loop_shape *shape, uint8_t number)
{
    size_t count = shape->blocks.count, offset = offsetof(struct edge, source);
    uint8_t *moves = memory_get(count), *before = memory_get(count), *ends = memory_get(count);
    struct array queue = ARRAY_OF(uint32_t);
    for (size_t b = 0; b < count; b++) {
        moves[b] = moves_in(model, *ARRAY_AT(uint32_t, &shape->blocks, b), number);
        before[b] = ends[b] = UNSEEN;
    }
    before[index_of(shape, shape->header)] = NOT_MOVED;
    *(uint32_t *)array_push(&queue) = shape->header;
    for (size_t next = 0; next < queue.count; next++) { /* a block comes three times at most */
        uint32_t block = *ARRAY_AT(uint32_t, &queue, next);
        size_t at = index_of(shape, block), i = array_first_not_below(&model->edges, 0, offset, block);
        ends[at] = after(before[at], moves[at]);
        for (; i < model->edges.count && model_edge(model, (uint32_t)i)->source == block; i++) {
            uint32_t target = model_edge(model, (uint32_t)i)->target;
            if (!loop_shape_has(shape, target) || target == shape->header)
                continue;
            uint8_t *met = &before[index_of(shape, target)], old = *met;
            *met = old == UNSEEN || old == ends[at] ? ends[at] : DEPENDS;
            if (*met != old)
                *(uint32_t *)array_push(&queue) = target;
        }
    }
    array_free(&queue);
    free(moves);
    free(before);
    return ends;
}

/* Once in every whole iteration, and known at every exit. */
static bool serves(const struct model *model, const struct loop_shape *shape, const uint8_t *moved)
{
    for (size_t i = 0; i < shape->backs.count; i++)
        if (moved[index_of(shape, model_edge(model, *ARRAY_AT(uint32_t, &shape->backs, i))->source)] != MOVED)
            return false;
    for (size_t i = 0; i < shape->exits.count; i++)
        if (moved[index_of(shape, model_edge(model, *ARRAY_AT(uint32_t, &shape->exits, i))->source)] > MOVED)
            return false;
    return true;
}

static bool is_better(const struct probe_variable *one, const struct probe_variable *other)
{
    if (!other->register_ || one->bits != other->bits) /* 64 bits do not wrap */
        return !other->register_ || one->bits > other->bits;
    return one->instruction < other->instruction;
}

struct probe_variable probe_find_variable(const struct model *model, const struct loop_shape *shape)
{
    struct probe_variable best = {0};
    struct candidates candidates = {0};
    find_candidates(&candidates, model, shape);
    for (uint8_t number = 0; number < REGISTERS; number++) {
        struct probe_variable *found = &candidates.variables[number];
        if (!(candidates.good >> number & 1) || !is_better(found, &best))
            continue;
        found->moved = count_moves(model, shape, number);
        if (serves(model, shape, found->moved)) {
            free(best.moved);
            best = *found;
        } else
            free(found->moved);
    }
    return best;
}

bool probe_variable_moves_before(const struct probe_variable *variable, const struct loop_shape *shape,
                                 uint32_t exit_block)
{
    return variable->moved[index_of(shape, exit_block)] == MOVED;
}

void probe_variable_division(const struct probe_variable *variable, uint64_t *inverse, uint8_t *shift)
{
    uint64_t odd = (uint64_t)variable->step;
    *shift = 0;
    for (; !(odd & 1); odd >>= 1) /* the sign bit is kept below */
        ++*shift;
    odd = (uint64_t)(variable->step >> *shift);
    *inverse = odd;
    for (unsigned i = 0; i < 6; i++) /* Newton: each round doubles the bits that are right */
        *inverse *= 2 - odd * *inverse;
    if (variable->bits == 32) {
        *inverse <<= 32;
        *shift = (uint8_t)(*shift + 32);
    }
}
