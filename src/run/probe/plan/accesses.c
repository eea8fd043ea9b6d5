/* Loads and stores of a loop become subjects: before each, the address that it is about to access.

   The address is computed from the operand, as the instruction would.  What no sum of two registers gives has
   no subject that is placed: gathers and scatters, which have many addresses; string instructions, which have
   two; thread-local accesses through fs and gs; multiples of the length of vectors.  An access under a
   predicate or mask counts whenever its instruction is executed, with the address of its first lane: in the
   loops that compilers make, some lane is active.  (IA-64's nodes are executed under the predicate: in the first and last
   rounds of a pipelined loop many accesses are not made.)  Accesses that have no operand (push, pop, call, return)
   are to the stack, and are left out. */
#include "run/probe/site/free.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/registers.h"
#include "run/probe/site/value.h"

#include <stddef.h>
#include <string.h>

struct access_probe {
    struct probe_plan *plan;
    const struct model *model;
    uint32_t loop, function, program, group;
    uint32_t limit; /* as in struct probe_action */
    uint8_t limit_bits;
    enum isa isa;
};

static bool names_segment(const struct model *model, uint32_t encoding)
{
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; at < model->register_uses.count; at++) {
        const struct register_use *use = model_register_use(model, (uint32_t)at);
        if (use->encoding != encoding)
            return false;
        if (model_register(model, use->register_)->kind == register_kind_SEGMENT)
            return true;
    }
    return false;
}

/* AArch64: bits 13 … 15 of an access with two registers say how the second is extended. */
static uint8_t extension(const struct access_probe *probe, uint32_t instruction, uint16_t bits)
{
    enum { SIGNED_BIT = 15 };
    const struct instruction *row = model_instruction(probe->model, instruction);
    struct span bytes = model_block_bytes(probe->model, model_block(probe->model, row->block));
    if (probe->isa != isa_AARCH64 || bits != 32 || row->offset + 4 > bytes.size)
        return PROBE_WHOLE;
    uint32_t word;
    memcpy(&word, bytes.data + row->offset, sizeof word);
    return word >> SIGNED_BIT & 1 ? PROBE_SIGNED32 : PROBE_UNSIGNED32;
}

static bool address_of(const struct access_probe *probe, uint32_t instruction, const struct operand *operand,
                       struct probe_source *source)
{
    const struct model *model = probe->model;
    const struct instruction *row = model_instruction(model, instruction);
    const struct encoding *encoding = model_encoding(model, row->encoding);
    *source = (struct probe_source){.kind = PROBE_FROM_ADDRESS,
                                    .base = PROBE_NO_REGISTER,
                                    .index = PROBE_NO_REGISTER,
                                    .displacement = operand->displacement};
    if (operand->value || names_segment(model, row->encoding))
        return false;
    if (probe->isa == isa_IA64) { /* one register, which is the address; what is added comes afterwards */
        const char *name = operand->base_register
                               ? model_text(model, model_register(model, operand->base_register)->name)
                               : "";
        struct probe_named_value value;
        bool is_known = probe_value_of_register(model, isa_IA64, name, &value);
        *source = value.source;
        return is_known && source->kind == PROBE_FROM_GENERAL;
    }
    if (operand->is_relative) {
        source->kind = PROBE_FROM_PLACE;
        source->displacement = (int64_t)row->target;
        return row->target != NO_ADDRESS;
    }
    if (operand->base_register) {
        source->base = probe_general_number(model, operand->base_register);
        source->is_32_bit =
            probe->isa == isa_X86_64 && model_register(model, operand->base_register)->bits == 32;
    }
    if (operand->index_register) {
        uint16_t bits = model_register(model, operand->index_register)->bits;
        source->index = probe_general_number(model, operand->index_register);
        source->scale = operand->scale ? operand->scale : 1;
        source->extend = extension(probe, instruction, bits);
        source->is_32_bit |= probe->isa == isa_X86_64 && bits == 32;
    }
    bool is_popped = encoding->operation == operation_POP && source->base == PROBE_X86_RSP;
    return (!operand->base_register || source->base != PROBE_NO_REGISTER) &&
           (!operand->index_register || source->index != PROBE_NO_REGISTER) && !is_popped;
}

static void add_access(struct access_probe *probe, uint32_t instruction, const struct operand *operand)
{
    const struct encoding *encoding =
        model_encoding(probe->model, model_instruction(probe->model, instruction)->encoding);
    unsigned bytes = operand ? operand->bits / 8u : encoding->load_bytes + encoding->store_bytes;
    bool is_store = operand ? operand->access & access_WRITE : encoding->store_bytes != 0;
    struct probe_subject subject = {.kind = PROBE_OF_ACCESS,
                                    .program = probe->program,
                                    .function = probe->function,
                                    .loop = probe->loop,
                                    .instruction = instruction,
                                    .how = {.kind = PROBE_ADDRESS,
                                            .flags = is_store ? PROBE_IS_STORE : 0,
                                            .width = (uint8_t)(bytes > UINT8_MAX ? UINT8_MAX : bytes),
                                            .group = probe->group}};
    uint32_t number = probe_add_subject(probe->plan, &subject);
    struct probe_source source;
    if (!operand || !address_of(probe, instruction, operand, &source)) {
        probe_refuse_subject(probe->plan, number, instruction, PROBE_REFUSED_NO_VALUE,
                             probe->plan->points.count);
        return;
    }
    struct probe_point *point = probe_add_point(probe->plan, number, instruction, PROBE_BEFORE);
    point->action = probe_make_event(number, PROBE_TOUCH, source);
    point->action.limit = probe->limit;
    point->action.limit_bits = probe->limit_bits;
    point->free = probe_free_at(probe_plan_freedom(probe->plan), instruction, PROBE_BEFORE);
}

static bool is_stack_access(const struct encoding *encoding)
{
    return encoding->operation == operation_PUSH || encoding->operation == operation_POP ||
           encoding->operation == operation_ENTER || encoding->operation == operation_LEAVE ||
           encoding->flow == flow_CALL || encoding->flow == flow_RETURN;
}

static void add_instruction(struct access_probe *probe, uint32_t instruction)
{
    const struct model *model = probe->model;
    uint32_t id = model_instruction(model, instruction)->encoding;
    const struct encoding *encoding = model_encoding(model, id);
    if (!encoding->load_bytes && !encoding->store_bytes)
        return;
    const struct operand *found = NULL;
    unsigned count = 0;
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), id);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == id; at++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        if (operand->kind == operand_kind_MEMORY) {
            found = operand;
            count++;
        }
    }
    if (count || !is_stack_access(encoding))
        add_access(probe, instruction, count == 1 ? found : NULL);
}

/* A number for the loop, so that its streams are compared with each other. */
static uint32_t next_group(const struct probe_plan *plan)
{
    uint32_t group = 0;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        uint32_t other = ARRAY_AT(struct probe_subject, &plan->subjects, i)->how.group;
        group = other > group ? other : group;
    }
    return group + 1;
}

void probe_plan_accesses(struct probe_plan *plan, uint32_t loop, uint8_t limit_bits)
{
    const struct model *model = plan->model;
    uint32_t function = model_loop(model, loop)->function, program = model_function(model, function)->program;
    struct access_probe probe = {.plan = plan,
                                 .model = model,
                                 .loop = loop,
                                 .function = function,
                                 .program = program,
                                 .group = next_group(plan),
                                 .limit = limit_bits ? (uint32_t)++plan->counter_count : 0,
                                 .limit_bits = limit_bits,
                                 .isa = (enum isa)model_program(model, program)->isa};
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count; at++) {
        const struct loop_block *row = model_loop_block(model, (uint32_t)at);
        if (row->loop != loop)
            break;
        const struct block *block = model_block(model, row->block);
        bool is_meant = !limit_bits || block->loop == loop;
        for (uint32_t i = 0; is_meant && i < block->instruction_count; i++)
            add_instruction(&probe, block->first_instruction + i);
    }
}
