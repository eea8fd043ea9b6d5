/* Small models made by hand for the tests of data flow: one function, its blocks, edges and instructions. */
#ifndef TESTS_UNIT_FLOW_FIXTURE_H
#define TESTS_UNIT_FLOW_FIXTURE_H
#include "code/flow/flow.h"

#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;
static inline uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

struct fixture {
    struct model model;
};

static inline void fixture_init(struct fixture *fixture, enum isa isa)
{
    model_init(&fixture->model);
    struct program *program = model_add(&fixture->model.programs);
    program->isa = isa;
    struct function *function = model_add(&fixture->model.functions);
    *function = (struct function){.program = 1, .first_block = 1};
    function->name = model_string(&fixture->model, "tested");
}

static inline uint32_t fixture_register(struct fixture *fixture, enum isa isa, const char *name,
                                        unsigned bits, enum register_kind kind)
{
    struct register_ *row = model_add(&fixture->model.registers);
    uint32_t id = model_last(&fixture->model.registers);
    *row = (struct register_){
        .isa = isa, .name = model_string(&fixture->model, name), .kind = kind, .bits = bits, .full = id};
    return id;
}

static inline uint32_t fixture_encoding(struct fixture *fixture, enum isa isa, const char *name,
                                        enum class class, enum flow flow)
{
    struct encoding *row = model_add(&fixture->model.encodings);
    *row = (struct encoding){
        .isa = isa, .name = model_string(&fixture->model, name), .class = class, .flow = flow, .size = 4};
    return model_last(&fixture->model.encodings);
}

/* Of the last encoding. */
static inline void fixture_use(struct fixture *fixture, uint32_t row, enum access access, bool keeps)
{
    *(struct register_use *)model_add(&fixture->model.register_uses) =
        (struct register_use){.encoding = model_last(&fixture->model.encodings),
                              .register_ = row,
                              .access = access,
                              .is_conditional = keeps && access & access_WRITE};
}

static inline struct operand *fixture_operand(struct fixture *fixture, enum operand_kind kind,
                                              enum access access, uint32_t row, int64_t value)
{
    struct operand *operand = model_add(&fixture->model.operands);
    *operand = (struct operand){.encoding = model_last(&fixture->model.encodings),
                                .position = 1,
                                .kind = kind,
                                .access = access,
                                .register_ = kind == operand_kind_REGISTER ? row : 0,
                                .base_register = kind == operand_kind_MEMORY ? row : 0,
                                .displacement = kind == operand_kind_MEMORY ? value : 0,
                                .value = kind == operand_kind_IMMEDIATE ? value : 0};
    return operand;
}

static inline void fixture_block(struct fixture *fixture, enum block_end ends)
{
    struct block *block = model_add(&fixture->model.blocks);
    block->function = 1;
    block->position = model_last(&fixture->model.blocks);
    block->first_instruction = (uint32_t)fixture->model.code.count;
    block->ends = ends;
    model_function(&fixture->model, 1)->block_count++;
}

static inline void fixture_instruction(struct fixture *fixture, uint32_t encoding)
{
    struct instruction *row = model_add(&fixture->model.code);
    *row = (struct instruction){
        .block = model_last(&fixture->model.blocks), .encoding = encoding, .target = NO_ADDRESS};
    model_block(&fixture->model, row->block)->instruction_count++;
    model_function(&fixture->model, 1)->instruction_count++;
}

/* In order of source and target. */
static inline void fixture_edge(struct fixture *fixture, uint32_t source, uint32_t target)
{
    *(struct edge *)model_add(&fixture->model.edges) = (struct edge){.source = source, .target = target};
}
#endif
