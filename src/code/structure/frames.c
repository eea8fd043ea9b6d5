/* Addresses are relative to each register separately: compilers address an object through one of them.  Its
   size is unknown, so everything above an escaped address may be part of it. */
#include "code/structure/frames.h"

#include <string.h>

enum { MOST_CALLS = 64 };

static uint32_t register_called(const struct backward *backward, const char *name)
{
    const struct model *model = backward->context->layout->model;
    for (uint32_t row = 1; row < model->registers.count; row++) {
        const struct register_ *register_ = model_register(model, row);
        if (register_->isa == backward->reader->isa && !strcmp(model_text(model, register_->name), name))
            return register_->full;
    }
    return 0;
}

/* lea, add or sub of a constant, or a copy: the constant that the instruction adds to the register. */
static bool adds_constant(const struct backward *backward, uint32_t entry, uint32_t full, uint32_t *result,
                          int64_t *constant)
{
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    if (count < 2 || operands[0].kind != operand_kind_REGISTER || operands[0].access == access_READ)
        return false;
    *result = backward_full(backward, operands[0].register_);
    const struct operand *source = &operands[1];
    if (source->kind == operand_kind_ADDRESS && !source->is_relative) {
        *constant = source->displacement;
        return backward_full(backward, source->base_register) == full;
    }
    if (source->kind != operand_kind_REGISTER || backward_full(backward, source->register_) != full)
        return false;
    enum operation operation = (enum operation)backward_encoding(backward, entry)->operation;
    *constant = count > 2 ? operands[2].value : 0;
    if (operation == operation_SUBTRACT)
        *constant = -*constant;
    return operation == operation_COPY || operation == operation_ADD || operation == operation_SUBTRACT;
}

static void fill(const struct backward *backward, struct frame *frame)
{
    uint32_t stack = register_called(backward, backward->reader->values->stack_pointer);
    uint32_t pointer = register_called(backward, backward->reader->values->frame_pointer);
    *frame = (struct frame){
        .is_known = true, .stack = {.full = stack, .lowest = INT64_MAX}, .pointer = {.lowest = INT64_MAX}};
    for (uint32_t i = 0; i < backward->context->piece->count; i++) {
        uint32_t result;
        int64_t constant;
        if (!backward->context->entries[i].encoding)
            continue;
        if (adds_constant(backward, i, stack, &result, &constant)) {
            if (result == pointer)
                frame->pointer.full = pointer;
            else if (result != stack && constant < frame->stack.lowest)
                frame->stack.lowest = constant;
        } else if (adds_constant(backward, i, pointer, &result, &constant)) {
            if (result != stack && result != pointer && constant < frame->pointer.lowest)
                frame->pointer.lowest = constant;
        }
    }
}

bool frame_keeps(const struct backward *backward, uint32_t full, int64_t displacement)
{
    struct frame *frame = backward->context->frame;
    if (!full)
        return false;
    if (!frame->is_known)
        fill(backward, frame);
    const struct frame_base *base = full == frame->stack.full     ? &frame->stack
                                    : full == frame->pointer.full ? &frame->pointer
                                                                  : NULL;
    return base && displacement < base->lowest;
}

static bool makes_room(const struct backward *backward, uint32_t entry)
{
    const struct encoding *encoding = backward_encoding(backward, entry);
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    if (encoding->class == class_PUSH)
        return true;
    enum operation operation = (enum operation)encoding->operation;
    const struct operand *last = count ? &operands[count - 1] : NULL;
    if (!last)
        return false;
    if (operation == operation_SUBTRACT || operation == operation_ADD)
        return last->kind == operand_kind_IMMEDIATE && (last->value < 0) == (operation == operation_ADD);
    return last->kind == operand_kind_MEMORY && last->access == access_WRITE && last->displacement < 0;
}

bool frame_is_set_up(struct backward *backward, uint32_t entry)
{
    struct place stack = {.full = register_called(backward, backward->reader->values->stack_pointer)};
    uint32_t from[MOST_CALLS] = {entry}, count = 1;
    for (uint32_t next = 0; next < count; next++) {
        struct definitions definitions;
        backward_find(backward, &stack, from[next], &definitions);
        for (uint32_t i = 0; i < definitions.count; i++) {
            uint32_t writer = backward_entries(backward, &definitions)[i];
            if (writer == FUNCTION_ENTRY)
                continue;
            if (backward_encoding(backward, writer)->flow != flow_CALL) {
                if (makes_room(backward, writer))
                    return true;
                continue;
            }
            bool is_new = count < MOST_CALLS;
            for (uint32_t j = 0; j < count; j++)
                is_new &= from[j] != writer;
            if (is_new)
                from[count++] = writer;
        }
    }
    return false;
}
