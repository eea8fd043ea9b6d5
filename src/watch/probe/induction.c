/* The variable must be written by one instruction of the loop, which adds a constant and is executed exactly
   once in every whole iteration: its block dominates the ends of all iterations and lies in no inner loop.

   In the iteration that leaves, the instruction has or has not been executed, depending on the exit: it has
   if its block dominates the exit's, it has not if the exit's block cannot be reached from it without passing
   the header.  Exits that can be reached both ways make the variable useless.

   Constants divide exactly: the odd part by its inverse modulo 2^64, the rest by a shift.  Variables of 32
   bits are moved to the upper half first, where they wrap as they do in their register. */
#include "watch/probe/induction.h"

#include "watch/probe/registers.h"

#include <stddef.h>
#include <stdlib.h>

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
static struct watch_variable written_back(const struct model *model, const struct step_operands *operands)
{
    const struct operand *memory = operands->memory;
    struct watch_variable variable = {0};
    bool is_one = operands->immediates + (memory->displacement != 0) == 1;
    if (!memory->base_register || memory->index_register || !is_one)
        return variable;
    variable.register_ = model_full_register(model, memory->base_register);
    variable.bits = 64;
    variable.step = operands->immediates ? operands->immediate : memory->displacement;
    return variable;
}

/* What an encoding adds to the register `number`; register_ 0: something else. */
static struct watch_variable step_of(const struct model *model, uint32_t encoding, uint8_t number)
{
    const struct encoding *row = model_encoding(model, encoding);
    struct step_operands operands = operands_of(model, encoding);
    struct watch_variable variable = {0};
    if (row->is_masked || row->predicate)
        return variable;
    if (operands.memory) {
        bool is_store_of_it =
            operands.read && watch_general_number(model, operands.read->register_) == number;
        bool is_load_of_it =
            operands.written && watch_general_number(model, operands.written->register_) == number;
        if (row->isa == isa_AARCH64 && !is_load_of_it && !is_store_of_it)
            variable = written_back(model, &operands);
        return watch_general_number(model, variable.register_) == number ? variable
                                                                         : (struct watch_variable){0};
    }
    if (!operands.written || watch_general_number(model, operands.written->register_) != number)
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
    if (!from || watch_general_number(model, from) != number ||
        model_register(model, from)->bits != written->bits || (written->bits != 32 && written->bits != 64))
        return (struct watch_variable){0};
    variable.register_ = written->full;
    variable.bits = (uint8_t)written->bits;
    return variable;
}

static bool writes(const struct model *model, uint32_t encoding, uint8_t number)
{
    size_t i =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; i < model->register_uses.count; i++) {
        const struct register_use *use = model_register_use(model, (uint32_t)i);
        if (use->encoding != encoding)
            break;
        if (use->access & access_WRITE && watch_general_number(model, use->register_) == number)
            return true;
    }
    return false;
}

/* Once in every whole iteration. */
static bool is_in_every_iteration(const struct model *model, const struct loop_shape *shape, uint32_t block)
{
    if (model_block(model, block)->loop != shape->loop)
        return false;
    for (size_t i = 0; i < shape->backs.count; i++) {
        const struct edge *back = model_edge(model, *ARRAY_AT(uint32_t, &shape->backs, i));
        if (!model_dominates(model, block, back->source))
            return false;
    }
    return true;
}

/* Whether a way leads from one block to another inside the loop without passing its header. */
static bool leads_to(const struct model *model, const struct loop_shape *shape, uint32_t from, uint32_t to)
{
    struct array queue = ARRAY_OF(uint32_t);
    uint8_t *is_seen = memory_get(shape->blocks.count);
    bool is_found = false;
    *(uint32_t *)array_push(&queue) = from;
    for (size_t next = 0; next < queue.count && !is_found; next++) {
        size_t offset = offsetof(struct edge, source);
        uint32_t block = *ARRAY_AT(uint32_t, &queue, next);
        size_t i = array_first_not_below(&model->edges, 0, offset, block);
        for (; i < model->edges.count && model_edge(model, (uint32_t)i)->source == block; i++) {
            uint32_t target = model_edge(model, (uint32_t)i)->target;
            size_t at = array_first_not_below(&shape->blocks, 0, 0, target);
            bool is_inside = at < shape->blocks.count && *ARRAY_AT(uint32_t, &shape->blocks, at) == target;
            if (!is_inside || target == shape->header || is_seen[at])
                continue;
            is_seen[at] = 1;
            is_found = is_found || target == to;
            *(uint32_t *)array_push(&queue) = target;
        }
    }
    array_free(&queue);
    free(is_seen);
    return is_found;
}

int watch_variable_moves_before(const struct model *model, const struct loop_shape *shape,
                                const struct watch_variable *variable, uint32_t exit_block)
{
    uint32_t block = model_instruction(model, variable->instruction)->block;
    if (model_dominates(model, block, exit_block))
        return 1;
    return leads_to(model, shape, block, exit_block) ? -1 : 0;
}

static bool serves_all_exits(const struct model *model, const struct loop_shape *shape,
                             const struct watch_variable *variable)
{
    for (size_t i = 0; i < shape->exits.count; i++) {
        const struct edge *edge = model_edge(model, *ARRAY_AT(uint32_t, &shape->exits, i));
        if (watch_variable_moves_before(model, shape, variable, edge->source) < 0)
            return false;
    }
    return true;
}

struct watch_variable watch_find_variable(const struct model *model, const struct loop_shape *shape)
{
    struct watch_variable best = {0};
    for (size_t b = 0; b < shape->blocks.count; b++) {
        uint32_t id = *ARRAY_AT(uint32_t, &shape->blocks, b);
        const struct block *block = model_block(model, id);
        if (!is_in_every_iteration(model, shape, id))
            continue;
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t instruction = block->first_instruction + i;
            uint32_t encoding = model_instruction(model, instruction)->encoding;
            for (uint8_t number = 0; number < 31; number++) {
                if (!(shape->written_once >> number & 1) || !writes(model, encoding, number))
                    continue;
                struct watch_variable found = step_of(model, encoding, number);
                found.instruction = instruction;
                /* 64 bits do not wrap; small steps are counters rather than pointers. */
                if (found.register_ && found.step && serves_all_exits(model, shape, &found) &&
                    (!best.register_ || found.bits > best.bits))
                    best = found;
            }
        }
    }
    return best;
}

void watch_variable_division(const struct watch_variable *variable, uint64_t *inverse, uint8_t *shift)
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
