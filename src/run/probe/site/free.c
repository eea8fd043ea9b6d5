/* Which general registers and flags are dead at a point, by liveness within its function.

   Code of a probe must never break a program, so the rules are stricter than those of code/flow/, which
   trusts the calling convention.  Dead is what every path writes before it reads it.  Where a path leaves the
   function:
   - Jumps to other functions and unknown jumps need everything: cold parts of functions are reached that way,
     with any register.  So do traps, system calls and bytes that are not instructions.
   - Calls write nothing: calls of local functions, and those that find thread-local variables, may leave
     alone what the convention lets them change, and compilers know.  They read everything, but see below.
   - Returns need every general register, since callers may know what the function leaves alone (gcc's
     -fipa-ra), or use a convention of their own.
   Code whose debug information says C, C++ or Fortran keeps the conventions, but for the first two rules.  So
   calls that it makes to such code, to imports and through pointers do not read what no convention has for
   arguments, and at its returns caller-saved registers are dead that carry no result and that the function
   itself writes somewhere: no caller can count on them.
   Flags are dead at calls and returns in all code.  So are x16 and x17 of AArch64, which linkers use in what
   they put between caller and callee (between.c has the exceptions).

   The red zone of x86, 128 bytes below the stack pointer, is free in functions without access below it.
   Compilers use it only in functions without calls.  There it may be accessed through a copy of the stack
   pointer, and code of the same function may lie after a jump: then it is not free.

   A set of registers is a word: bit n for general register n, bits from 32 on for flags. */
#include "run/probe/site/free.h"

#include "run/probe/site/registers.h"

#include <stdlib.h>
#include <string.h>

enum { FLAG_BIT = 32 };
#define ALL UINT64_MAX

enum {
    STACK_BELOW = 1,  /* an access, or an address, below the stack pointer or at an unknown distance */
    STACK_COPIED = 2, /* the stack pointer goes into another register */
};

struct probe_uses {
    uint64_t reads, kills, writes;
    uint8_t stack;
};

struct probe_block {
    uint64_t exposed, killed; /* read before they are written; written, and not read before */
    uint64_t start;           /* what lives at its start */
    uint64_t leaving;         /* what lives at its end whatever follows in the function */
    uint32_t first_edge, edge_count;
};

struct convention {
    uint64_t usable;   /* registers that may be used at all */
    uint64_t flags;    /* that instructions compute */
    uint64_t unread;   /* by calls that keep the convention */
    uint64_t lost;     /* at returns of functions that keep it: neither preserved nor results */
    uint64_t between;  /* belong to whoever comes between caller and callee, in all code */
    uint8_t stack;     /* the stack pointer */
    bool has_red_zone; /* there is such a thing */
};

/* x18 belongs to the platform, or carries the frame of an outer function; x16 and x17 are changed by whatever
   the linker puts into calls. */
static const struct convention aarch64_convention = {.usable = 0x7ffbffff,
                                                     .flags = UINT64_C(1) << FLAG_BIT,
                                                     .unread = 0x0003fe00,
                                                     .lost = 0x0003fffc,
                                                     .between = PROBE_BETWEEN,
                                                     .stack = PROBE_AARCH64_SP};
/* Calls do not read r11.  Returns keep rax and rdx; rbx, rsp, rbp, r12 … r15 are preserved.  Flags: cf, pf,
   af, zf, sf, of. */
static const struct convention x86_convention = {.usable = 0xffef,
                                                 .flags = UINT64_C(0x8d5) << FLAG_BIT,
                                                 .unread = 0x0800,
                                                 .lost = 0x0fc2,
                                                 .stack = PROBE_X86_RSP,
                                                 .has_red_zone = true};

static const struct convention *convention_of(uint8_t isa)
{
    return isa == isa_AARCH64 ? &aarch64_convention : isa == isa_X86_64 ? &x86_convention : NULL;
}

/* The set of a register, by its row. */
static uint64_t set_of(const struct model *model, uint32_t row)
{
    const struct register_ *fact = model_register(model, row);
    const struct convention *convention = convention_of(fact->isa);
    if (!convention)
        return 0;
    if (fact->kind == register_kind_FLAGS) {
        bool is_part = fact->full && fact->full != row && fact->bits <= 2;
        return is_part ? UINT64_C(1) << (FLAG_BIT + fact->bit_offset % 32) : convention->flags;
    }
    uint8_t number = probe_general_number(model, row);
    return number != PROBE_NO_REGISTER ? UINT64_C(1) << number : 0;
}

static void note_registers(struct probe_freedom *freedom, const uint64_t *sets)
{
    const struct model *model = freedom->model;
    for (uint32_t i = 0; i < model->register_uses.count; i++) {
        const struct register_use *row = model_register_use(model, i);
        struct probe_uses *uses = &freedom->uses[row->encoding];
        uint64_t set = sets[row->register_];
        if (row->access & access_READ)
            uses->reads |= set;
        if (row->access & access_WRITE) {
            uses->writes |= set;
            bool is_flag = set >> FLAG_BIT && (set & (set - 1)) == 0;
            if (!row->is_conditional && (!row->keeps_rest || is_flag))
                uses->kills |= set;
        }
    }
}

/* x86: what the operands do with the stack pointer. */
static void note_operands(struct probe_freedom *freedom, const uint64_t *sets)
{
    const struct model *model = freedom->model;
    for (uint32_t i = 0; i < model->operands.count; i++) {
        const struct operand *operand = model_operand(model, i);
        if (model_encoding(model, operand->encoding)->isa != isa_X86_64)
            continue;
        struct probe_uses *uses = &freedom->uses[operand->encoding];
        uint64_t stack = UINT64_C(1) << PROBE_X86_RSP;
        if (operand->kind == operand_kind_REGISTER && sets[operand->register_] == stack &&
            operand->access == access_READ)
            uses->stack |= STACK_COPIED;
        bool is_based = operand->base_register && sets[operand->base_register] == stack;
        if (is_based && (operand->displacement < 0 || operand->index_register))
            uses->stack |= STACK_BELOW;
        if (is_based && operand->kind == operand_kind_ADDRESS && !(uses->writes & stack))
            uses->stack |= STACK_COPIED;
    }
}

void probe_free_begin(struct probe_freedom *freedom, const struct model *model)
{
    *freedom = (struct probe_freedom){.model = model, .before = ARRAY_OF(uint64_t)};
    freedom->blocks = ARRAY_OF(struct probe_block);
    freedom->uses = memory_get((model->encodings.count + 1) * sizeof *freedom->uses);
    uint64_t *sets = memory_get((model->registers.count + 1) * sizeof *sets);
    for (uint32_t row = 1; row < model->registers.count; row++)
        sets[row] = set_of(model, row);
    note_registers(freedom, sets);
    note_operands(freedom, sets);
    free(sets);
    probe_between_find(&freedom->between, freedom);
}

uint32_t probe_reads(const struct probe_freedom *freedom, uint32_t encoding)
{
    return (uint32_t)freedom->uses[encoding].reads;
}

uint32_t probe_writes(const struct probe_freedom *freedom, uint32_t encoding)
{
    return (uint32_t)freedom->uses[encoding].writes;
}

void probe_free_end(struct probe_freedom *freedom)
{
    free(freedom->uses);
    array_free(&freedom->before);
    array_free(&freedom->blocks);
    probe_between_free(&freedom->between);
}

/* One function, while its arrays are filled. */
struct study {
    struct probe_freedom *freedom;
    const struct model *model;
    const struct function *function;
    const struct convention *convention;
    uint64_t written; /* by some instruction */
    uint64_t between; /* the convention's, if the program keeps to it */
    bool is_conventional, is_switch_known, is_linker;
    bool counts_reads; /* only what its instructions read counts */
};

static bool is_conventional(const struct model *model, const struct function *function)
{
    if (!function->unit)
        return false;
    uint8_t language = model_unit(model, function->unit)->language;
    const char *name = model_text(model, function->name);
    /* clang's outliner: pieces of functions, which are called with any register. */
    bool is_outlined = name && !strncmp(name, "OUTLINED_FUNCTION", strlen("OUTLINED_FUNCTION"));
    return !is_outlined &&
           (language == language_C || language == language_CPLUSPLUS || language == language_FORTRAN);
}

static uint64_t call_reads(const struct study *study, uint32_t instruction)
{
    const struct model *model = study->model;
    uint64_t all = ~study->convention->flags & ~study->between;
    if (!study->is_conventional)
        return all;
    size_t row = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), instruction);
    if (row == model->calls.count || model_call(model, (uint32_t)row)->instruction != instruction)
        return all;
    const struct call *call = model_call(model, (uint32_t)row);
    bool is_trusted = call->kind == call_kind_IMPORT || call->kind == call_kind_INDIRECT ||
                      (call->callee && is_conventional(model, model_function(model, call->callee)));
    return is_trusted ? all & ~study->convention->unread : all;
}

static void effect_of(const struct study *study, uint32_t instruction, uint64_t *reads, uint64_t *kills)
{
    uint32_t encoding = model_instruction(study->model, instruction)->encoding;
    const struct encoding *row = model_encoding(study->model, encoding);
    const struct probe_uses *uses = &study->freedom->uses[encoding];
    *reads = uses->reads;
    *kills = uses->kills;
    if (study->counts_reads) {
        *kills |= row->flow == flow_CALL ? study->convention->lost : 0;
    } else if (row->flow == flow_CALL) {
        *reads |= call_reads(study, instruction) & ~uses->kills;
        *kills |= study->convention->flags;
    } else if (row->flow == flow_SYSTEM || row->flow == flow_STOP || row->is_unknown) {
        *reads = ALL;
    }
}

/* What lives where the function returns. */
static uint64_t returned(const struct study *study)
{
    uint64_t all = ~study->convention->flags & ~study->between;
    if (study->is_linker)
        return ALL;
    return study->is_conventional ? all & ~(study->convention->lost & study->written) : all;
}

/* How many edges must be there, so that they are all ways on. */
static uint32_t least_edges(uint8_t ends)
{
    return ends == block_end_BRANCH ? 2 : 1;
}

/* A jump through a register to another function.  Entries of a PLT jump by x17 and leave x16 for the dynamic
   linker. */
static bool is_by_pointer(const struct study *study, const struct block *block)
{
    if (!block->instruction_count)
        return false;
    const struct instruction *last =
        model_instruction(study->model, block->first_instruction + block->instruction_count - 1);
    return last->target == NO_ADDRESS && !(study->freedom->uses[last->encoding].reads & PROBE_BETWEEN);
}

static uint64_t leaving(const struct study *study, const struct block *block, const struct probe_block *state)
{
    switch ((enum block_end)block->ends) {
    case block_end_RETURN:
        return state->edge_count ? ALL : returned(study);
    case block_end_NO_RETURN:
        return 0;
    case block_end_SWITCH:
        return study->is_switch_known && state->edge_count ? 0 : ALL;
    case block_end_TAIL_CALL:
        return state->edge_count ? 0 : is_by_pointer(study, block) ? ALL & ~study->between : ALL;
    case block_end_FALL:
    case block_end_JUMP:
    case block_end_BRANCH:
    case block_end_CALL:
        return state->edge_count >= least_edges(block->ends) ? 0 : ALL;
    default:
        return ALL;
    }
}

static bool is_inside(const struct study *study, const struct edge *edge)
{
    return edge->kind != edge_kind_TAIL_CALL &&
           edge->target - study->function->first_block < study->function->block_count;
}

/* What lives where an edge leads to another function: everything, but at its start those between that it does
   not read itself.  A cold part of a function has its own start. */
static uint64_t needed_outside(const struct study *study, const struct edge *edge)
{
    const struct block *target = model_block(study->model, edge->target);
    bool is_start = target->function && target->address != NO_ADDRESS &&
                    target->address == model_function(study->model, target->function)->address;
    return is_start
               ? ALL & ~(study->between & ~probe_between_read(&study->freedom->between, target->function))
               : ALL;
}

static void summarise(struct study *study, uint32_t index, uint32_t *next_edge)
{
    const struct model *model = study->model;
    uint32_t id = study->function->first_block + index;
    const struct block *block = model_block(model, id);
    struct probe_block *state = ARRAY_AT(struct probe_block, &study->freedom->blocks, index);
    *state = (struct probe_block){.first_edge = *next_edge};
    for (; *next_edge < model->edges.count && model_edge(model, *next_edge)->source == id; ++*next_edge)
        state->edge_count++;
    state->leaving = study->counts_reads ? 0 : leaving(study, block, state);
    for (uint32_t e = 0; e < state->edge_count && !study->counts_reads; e++)
        if (!is_inside(study, model_edge(model, state->first_edge + e)))
            state->leaving |= needed_outside(study, model_edge(model, state->first_edge + e));
    for (uint32_t i = block->instruction_count; i-- > 0;) {
        uint64_t reads, kills;
        effect_of(study, block->first_instruction + i, &reads, &kills);
        state->exposed = reads | (state->exposed & ~kills);
        state->killed |= kills;
    }
}

static uint64_t live_at_end(const struct study *study, const struct probe_block *state)
{
    uint64_t live = state->leaving;
    for (uint32_t e = 0; e < state->edge_count; e++) {
        const struct edge *edge = model_edge(study->model, state->first_edge + e);
        if (is_inside(study, edge))
            live |= ARRAY_AT(struct probe_block, &study->freedom->blocks,
                             edge->target - study->function->first_block)
                        ->start;
    }
    return live;
}

/* Rounds over all blocks, last first, until nothing changes.  A loop inside others takes a round for each;
   code that needs very many is not worth it. */
static bool settle(struct study *study)
{
    enum { MOST_ROUNDS = 100 };
    uint32_t count = study->function->block_count;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        bool has_changed = false;
        for (uint32_t b = count; b-- > 0;) {
            struct probe_block *state = ARRAY_AT(struct probe_block, &study->freedom->blocks, b);
            uint64_t start = state->exposed | (live_at_end(study, state) & ~state->killed);
            has_changed |= start != state->start;
            state->start = start;
        }
        if (!has_changed)
            return true;
    }
    return false;
}

static void note_instructions(struct study *study)
{
    struct probe_freedom *freedom = study->freedom;
    for (uint32_t b = 0; b < study->function->block_count; b++) {
        const struct block *block = model_block(study->model, study->function->first_block + b);
        uint64_t live = live_at_end(study, ARRAY_AT(struct probe_block, &freedom->blocks, b));
        for (uint32_t i = block->instruction_count; i-- > 0;) {
            uint64_t reads, kills;
            effect_of(study, block->first_instruction + i, &reads, &kills);
            live = reads | (live & ~kills);
            *ARRAY_AT(uint64_t, &freedom->before, block->first_instruction + i - freedom->first_instruction) =
                live;
        }
    }
}

/* What all instructions together do: registers written, the stack pointer copied, calls. */
static void survey(struct study *study, uint32_t first, uint32_t count)
{
    uint8_t stack = 0;
    bool has_calls = false;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t encoding = model_instruction(study->model, i)->encoding;
        study->written |= study->freedom->uses[encoding].writes;
        stack |= study->freedom->uses[encoding].stack;
        has_calls |= model_encoding(study->model, encoding)->flow == flow_CALL;
    }
    bool jumps_away = false;
    for (uint32_t b = 0; b < study->function->block_count; b++) {
        uint8_t ends = model_block(study->model, study->function->first_block + b)->ends;
        jumps_away |= ends == block_end_TAIL_CALL || ends == block_end_INDIRECT || ends == block_end_STOP;
    }
    study->freedom->has_red_zone =
        !study->convention->has_red_zone ||
        (!(stack & STACK_BELOW) && (has_calls || (!(stack & STACK_COPIED) && !jumps_away)));
}

static bool has_cut_tables(const struct model *model, uint32_t program)
{
    for (uint32_t i = 1; i < model->problems.count; i++) {
        const struct problem *problem = model_problem(model, i);
        if (problem->program == program && problem->kind == problem_kind_TABLE)
            return true;
    }
    return false;
}

static void study_function(struct probe_freedom *freedom, uint32_t id, bool counts_reads)
{
    const struct model *model = freedom->model;
    const struct function *function = model_function(model, id);
    struct study study = {.freedom = freedom,
                          .model = model,
                          .function = function,
                          .convention = convention_of(model_program(model, function->program)->isa),
                          .is_conventional = is_conventional(model, function),
                          .counts_reads = counts_reads,
                          .is_linker = probe_between_is_linker(&freedom->between, function->program),
                          .is_switch_known = !has_cut_tables(model, function->program)};
    freedom->function = id;
    freedom->is_known = freedom->has_red_zone = false;
    if (!study.convention || !function->block_count)
        return;
    study.between =
        probe_between_is_kept(&freedom->between, function->program) ? study.convention->between : 0;
    freedom->usable = study.convention->usable;
    freedom->flags = study.convention->flags;
    freedom->first_block = function->first_block;
    const struct block *last = model_block(model, function->first_block + function->block_count - 1);
    freedom->first_instruction = model_block(model, function->first_block)->first_instruction;
    uint32_t count = last->first_instruction + last->instruction_count - freedom->first_instruction;
    freedom->blocks.count = freedom->before.count = 0;
    array_add_many(&freedom->blocks, function->block_count);
    array_push_many(&freedom->before, count);
    survey(&study, freedom->first_instruction, count);
    uint32_t edge = (uint32_t)array_first_not_below(&model->edges, 0, offsetof(struct edge, source),
                                                    function->first_block);
    for (uint32_t b = 0; b < function->block_count; b++)
        summarise(&study, b, &edge);
    freedom->is_known = settle(&study);
    if (freedom->is_known)
        note_instructions(&study);
}

/* What lives where a block goes on by an edge of this kind. */
static uint64_t live_on(const struct probe_freedom *freedom, uint32_t block, enum edge_kind kind)
{
    const struct probe_block *state =
        ARRAY_AT(struct probe_block, &freedom->blocks, block - freedom->first_block);
    for (uint32_t e = 0; e < state->edge_count; e++) {
        const struct edge *edge = model_edge(freedom->model, state->first_edge + e);
        if (edge->kind == kind && edge->target - freedom->first_block < freedom->blocks.count)
            return ARRAY_AT(struct probe_block, &freedom->blocks, edge->target - freedom->first_block)->start;
    }
    return ALL;
}

struct probe_free_registers probe_free_at(struct probe_freedom *freedom, uint32_t instruction,
                                          enum probe_where where)
{
    uint32_t id = model_instruction(freedom->model, instruction)->block;
    const struct block *block = model_block(freedom->model, id);
    if (!block->function)
        return (struct probe_free_registers){0};
    if (block->function != freedom->function)
        study_function(freedom, block->function, false);
    if (!freedom->is_known)
        return (struct probe_free_registers){0};
    bool is_last = instruction + 1 == block->first_instruction + block->instruction_count;
    uint64_t live = ALL;
    if (where == PROBE_BEFORE)
        live = *ARRAY_AT(uint64_t, &freedom->before, instruction - freedom->first_instruction);
    else if (where == PROBE_TAKEN)
        live = is_last ? live_on(freedom, id, edge_kind_TAKEN) : ALL;
    else if (is_last)
        live = live_on(freedom, id, edge_kind_FALL);
    else
        live = *ARRAY_AT(uint64_t, &freedom->before, instruction + 1 - freedom->first_instruction);
    return (struct probe_free_registers){.general = (uint32_t)(~live & freedom->usable),
                                         .has_flags = !(live & freedom->flags),
                                         .has_red_zone = freedom->has_red_zone};
}

uint32_t probe_read_at_entry(struct probe_freedom *freedom, uint32_t function)
{
    study_function(freedom, function, true);
    freedom->function = 0; /* what was found is no answer for points */
    const struct function *row = model_function(freedom->model, function);
    for (uint32_t b = 0; freedom->is_known && b < row->block_count; b++)
        if (model_block(freedom->model, row->first_block + b)->address == row->address)
            return (uint32_t)(ARRAY_AT(struct probe_block, &freedom->blocks, b)->start & freedom->usable);
    return 0;
}
