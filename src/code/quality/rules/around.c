/* Looks at all instructions of the loop; registers are full ones. */
#include "code/quality/rules/around.h"

#include <stddef.h>
#include <string.h>

bool around_is_straight(const struct subject *subject)
{
    const struct model *model = subject->model;
    unsigned count = 0;
    if (subject->path->blocks != model_loop(model, subject->loop)->block_count)
        return false;
    size_t at = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
    for (; at < model->paths.count && model_path(model, (uint32_t)at)->loop == subject->loop; at++)
        count += !model_path(model, (uint32_t)at)->is_exit;
    return count == 1;
}

bool around_is_always_done(const struct subject *subject, uint32_t instruction)
{
    return subject_always_takes(subject, model_instruction(subject->model, instruction)->block);
}

bool around_calls(const struct subject *subject)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t instruction = block->first_instruction + i;
            if (model_encoding(model, model_instruction(model, instruction)->encoding)->class == class_CALL)
                return true;
        }
    }
    return false;
}

/* Whether an instruction puts an address made of this register into one that carries an argument. */
static bool hands_over(const struct subject *subject, uint32_t instruction, uint32_t base)
{
    const struct subject_registers *registers = subject->registers;
    struct subject_item item;
    bool reads = false, writes = false;
    subject_item_take(subject->model, &item, instruction);
    unsigned operation = item.row->operation;
    if (operation != operation_COPY && operation != operation_ADD && operation != operation_ADDRESS)
        return false;
    for (unsigned u = 0; u < item.use_count; u++) {
        uint32_t row = model_full_register(subject->model, item.uses[u].register_);
        reads |= row == base && item.uses[u].access != access_WRITE && !item.row->load_bytes;
        for (unsigned i = 0; item.uses[u].access != access_READ && i < registers->argument_count; i++)
            writes |= registers->row[registers->arguments[i]] == row;
    }
    return reads && writes;
}

bool around_passes(const struct subject *subject, unsigned item)
{
    const struct model *model = subject->model;
    uint32_t base = 0;
    if (!around_calls(subject))
        return false;
    for (unsigned i = 0; i < subject->items[item].operand_count && !base; i++)
        if (subject->items[item].operands[i].kind == operand_kind_MEMORY &&
            subject->items[item].operands[i].base_register && !subject->items[item].operands[i].is_relative)
            base = model_full_register(model, subject->items[item].operands[i].base_register);
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; base && at < model->loop_blocks.count &&
           model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            if (hands_over(subject, block->first_instruction + i, base))
                return true;
    }
    return !base;
}

bool around_returns_twice(const struct subject *subject)
{
    static const char *const twice[] = {"setjmp",   "_setjmp", "sigsetjmp",  "__sigsetjmp", "__sigsetjmp_chk",
                                        "__setjmp", "vfork",   "getcontext", NULL};
    const struct model *model = subject->model;
    const struct function *function = model_function(model, model_loop(model, subject->loop)->function);
    const struct block *first = model_block(model, function->first_block);
    size_t at =
        array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), first->first_instruction);
    for (; at < model->calls.count; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        const struct function *callee = model_function(model, call->callee);
        const char *name = callee->name ? model_text(model, callee->name) : NULL;
        if (model_block(model, model_instruction(model, call->instruction)->block)->function !=
            first->function)
            return false;
        for (unsigned i = 0; call->callee && name && twice[i]; i++)
            if (!strncmp(name, twice[i], strlen(twice[i])) &&
                (!name[strlen(twice[i])] || name[strlen(twice[i])] == '@'))
                return true;
    }
    return false;
}

bool around_is_shared(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        unsigned class = subject->items[i].row->class;
        if (class == class_SYSTEM || class == class_ATOMIC || class == class_FENCE)
            return true;
    }
    return false;
}

/* Whether a definition of a register that reaches a use reads this register. */
static bool is_made_of(const struct model *model, uint32_t use, uint32_t made, uint32_t from)
{
    size_t at = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
    for (; at < model->def_use.count && model_def_use(model, (uint32_t)at)->use == use; at++) {
        const struct def_use *row = model_def_use(model, (uint32_t)at);
        struct subject_item definition;
        if (row->register_ != made || !row->definition)
            continue;
        subject_item_take(model, &definition, row->definition);
        for (unsigned i = 0; i < definition.use_count; i++)
            if (model_full_register(model, definition.uses[i].register_) == from &&
                definition.uses[i].access != access_WRITE && !definition.row->load_bytes)
                return true;
    }
    return false;
}

static bool indexes(const struct model *model, uint32_t instruction, const struct operand *place)
{
    uint32_t encoding = model_instruction(model, instruction)->encoding;
    uint32_t base = model_full_register(model, place->base_register);
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        uint32_t other = model_full_register(model, operand->base_register);
        if (operand->kind == operand_kind_MEMORY && operand->index_register &&
            model_full_register(model, operand->index_register) !=
                model_full_register(model, place->index_register) &&
            (other == base || (other && is_made_of(model, instruction, other, base))))
            return true;
    }
    return false;
}

bool around_is_array(const struct subject *subject, unsigned item)
{
    const struct model *model = subject->model;
    const struct operand *place = NULL;
    for (unsigned i = 0; i < subject->items[item].operand_count && !place; i++)
        if (subject->items[item].operands[i].kind == operand_kind_MEMORY)
            place = &subject->items[item].operands[i];
    if (!place || !place->base_register)
        return false;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            if (indexes(model, block->first_instruction + i, place))
                return true;
    }
    return false;
}

bool around_is_of_library(const struct model *model, uint32_t instruction)
{
    uint32_t line = model_instruction(model, instruction)->source_line;
    uint32_t file = line ? model_source_line(model, line)->file : 0;
    return file && strstr(model_text(model, model_file(model, file)->path), "/include/c++/");
}
