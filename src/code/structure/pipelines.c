/* Software-pipelined loops of IA-64.

   The branch that rotates its registers identifies a kernel: br.ctop or br.wtop at its end, br.cexit or
   br.wexit in the middle.  The loop is the innermost one around that branch; if an unrolled kernel has
   several, the top one counts.

   Initiation interval.  The compiler's cycle of the branch plus one, if the listing has cycles (in pipelined
   blocks the cycles of the other instructions span the stages); else the number of issue groups of the loop:
   without stalls, one group issues in each cycle.

   Stages.  Stage predicates are the rotating ones (p16 and up) that instructions of the loop are under.  A
   rotating predicate that an instruction of a counted loop writes is a condition of the program, and so are
   those above it, which it becomes by rotation: they do not count.  (In a while loop the condition is a stage
   predicate itself.)

   Folding.  The state at entry comes from the blocks that dominate the header, searched backwards from their
   last instruction.  If the rotating predicates are set so that only one stage is on, the kernel fills
   itself: the prologue is folded.  If ar.ec is also set to at least the number of stages (for a while loop,
   to more than 1: the part before the condition is speculative and needs no draining), it drains itself: the
   epilogue is folded.  Values are followed only through one register with a constant; otherwise nothing is
   folded. */
#include "code/structure/pipelines.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROTATING = 16, LAST_PREDICATE = 63, MOST_DOMINATORS = 64, MOST_SCANNED = 4096 };

enum rotation { ROTATION_NONE, ROTATION_TOP = 1, ROTATION_COUNTED = 2, ROTATION = 4 };

struct pipelining {
    struct model *model;
    const struct meanings *meanings;
    uint8_t *rotation_of;  /* by encoding: enum rotation, or-ed */
    uint8_t *predicate_of; /* by register: number of a rotating predicate, 0 for others */
    uint32_t *branch_of;   /* by loop: instruction, 0 for none */
    uint32_t epilogue_count, predicates, rotating_predicates; /* rows of registers: ar.ec, pr, pr.rot */
};

/* The known state at entry to a loop. */
struct setup {
    bool is_count_known, is_mask_known, is_count_met, is_mask_met, is_first_set;
    int64_t count, mask;
    uint32_t pending; /* register that ar.ec was set from; its constant is still to be found */
};

struct kernel {
    uint64_t used, written; /* rotating predicates, by bit */
    uint32_t group_count;
};

static uint8_t rotation_of(enum operation operation)
{
    switch (operation) {
    case operation_COUNTED_TOP:
        return ROTATION | ROTATION_TOP | ROTATION_COUNTED;
    case operation_COUNTED_EXIT:
        return ROTATION | ROTATION_COUNTED;
    case operation_WHILE_TOP:
        return ROTATION | ROTATION_TOP;
    case operation_WHILE_EXIT:
        return ROTATION;
    default:
        return ROTATION_NONE;
    }
}

/* Whether there is any such branch at all. */
static bool find_rotations(struct pipelining *work)
{
    const struct model *model = work->model;
    bool is_found = false;
    work->rotation_of = memory_get(model->encodings.count + 1);
    for (uint32_t id = 1; id < model->encodings.count; id++) {
        work->rotation_of[id] = rotation_of((enum operation)model_encoding(model, id)->operation);
        is_found |= work->rotation_of[id] != ROTATION_NONE;
    }
    return is_found;
}

static void find_registers(struct pipelining *work)
{
    const struct model *model = work->model;
    work->predicate_of = memory_get(model->registers.count + 1);
    for (uint32_t id = 1; id < model->registers.count; id++) {
        const struct register_ *row = model_register(model, id);
        const char *name = model_text(model, row->name);
        if (row->isa != isa_IA64 || !name)
            continue;
        if (!strcmp(name, "ar.ec"))
            work->epilogue_count = id;
        else if (!strcmp(name, "pr"))
            work->predicates = id;
        else if (!strcmp(name, "pr.rot"))
            work->rotating_predicates = id;
        else if (name[0] == 'p' && name[1] >= '1' && name[1] <= '9') {
            long number = strtol(name + 1, NULL, 10);
            if (number >= FIRST_ROTATING && number <= LAST_PREDICATE)
                work->predicate_of[id] = (uint8_t)number;
        }
    }
}

static void find_branches(struct pipelining *work)
{
    const struct model *model = work->model;
    work->branch_of = memory_get((model->loops.count + 1) * sizeof(uint32_t));
    for (uint32_t id = 1; id < model->code.count; id++) {
        const struct instruction *instruction = model_instruction(model, id);
        uint8_t rotation = work->rotation_of[instruction->encoding];
        uint32_t loop = rotation ? model_block(model, instruction->block)->loop : 0;
        if (!loop)
            continue;
        uint32_t *branch = &work->branch_of[loop];
        if (!*branch || (rotation & ROTATION_TOP &&
                         !(work->rotation_of[model_instruction(model, *branch)->encoding] & ROTATION_TOP)))
            *branch = id;
    }
}

static uint32_t count_groups(const struct model *model, const struct block *block)
{
    size_t offset = offsetof(struct issue_group, first_instruction);
    uint32_t first = block->first_instruction, end = first + block->instruction_count;
    uint32_t low = array_first_not_below(&model->issue_groups, 0, offset, first);
    return (uint32_t)array_first_not_below(&model->issue_groups, low, offset, end) - low;
}

static void take_block(const struct pipelining *work, const struct block *block, struct kernel *kernel)
{
    const struct model *model = work->model;
    kernel->group_count += count_groups(model, block);
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
        uint8_t predicate = work->predicate_of[model_encoding(model, encoding)->predicate];
        if (predicate)
            kernel->used |= (uint64_t)1 << predicate;
        if (work->rotation_of[encoding])
            continue;
        unsigned count;
        const struct operand *operands = meanings_operands(work->meanings, model, encoding, &count);
        for (unsigned k = 0; k < count; k++)
            if (operands[k].access != access_READ && work->predicate_of[operands[k].register_])
                kernel->written |= (uint64_t)1 << work->predicate_of[operands[k].register_];
    }
}

static struct kernel find_kernel(const struct pipelining *work, uint32_t loop)
{
    const struct model *model = work->model;
    struct kernel kernel = {0};
    uint32_t i = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; i < model->loop_blocks.count && model_loop_block(model, i)->loop == loop; i++)
        take_block(work, model_block(model, model_loop_block(model, i)->block), &kernel);
    return kernel;
}

/* The constant that the instruction puts into its target, if it does nothing else. */
static bool find_constant(const struct operand *operands, unsigned count, int64_t *constant)
{
    bool is_found = false;
    for (unsigned i = 0; i < count; i++) {
        if (operands[i].kind == operand_kind_IMMEDIATE) {
            *constant = is_found ? *constant : operands[i].value;
            is_found = true;
        } else if (operands[i].access != access_WRITE) {
            return false;
        }
    }
    return is_found;
}

static void take_setup(const struct pipelining *work, uint32_t encoding, struct setup *setup)
{
    unsigned count;
    const struct operand *operands = meanings_operands(work->meanings, work->model, encoding, &count);
    if (work->rotation_of[encoding])
        setup->is_count_met = setup->is_mask_met = true; /* another loop may have changed them */
    for (unsigned i = 0; i < count; i++) {
        uint32_t target = operands[i].register_;
        if (operands[i].kind != operand_kind_REGISTER || operands[i].access == access_READ || !target)
            continue;
        if (target == setup->pending) {
            setup->is_count_known = find_constant(operands, count, &setup->count);
            setup->pending = 0;
        } else if (target == work->epilogue_count && !setup->is_count_met) {
            setup->is_count_met = true;
            setup->is_count_known = find_constant(operands, count, &setup->count);
            for (unsigned k = 0; k < count && !setup->is_count_known; k++)
                if (operands[k].access == access_READ && operands[k].kind == operand_kind_REGISTER)
                    setup->pending = operands[k].register_;
        } else if ((target == work->predicates || target == work->rotating_predicates) &&
                   !setup->is_mask_met) {
            setup->is_mask_met = true;
            setup->is_mask_known = find_constant(operands, count, &setup->mask);
        } else if (work->predicate_of[target] == FIRST_ROTATING && !setup->is_mask_met) {
            setup->is_first_set = true;
        }
    }
}

static struct setup find_setup(const struct pipelining *work, const struct loop *loop)
{
    const struct model *model = work->model;
    struct setup setup = {0};
    uint32_t block = model_block(model, loop->header)->dominator, scanned = 0;
    for (unsigned steps = 0; block && steps < MOST_DOMINATORS; steps++) {
        const struct block *row = model_block(model, block);
        for (uint32_t i = row->instruction_count; i-- > 0 && scanned < MOST_SCANNED; scanned++)
            take_setup(work, model_instruction(model, row->first_instruction + i)->encoding, &setup);
        if (scanned == MOST_SCANNED || (setup.is_count_met && setup.is_mask_met && !setup.pending))
            break;
        block = row->dominator;
    }
    return setup;
}

static int32_t interval_of(const struct model *model, uint32_t branch, uint32_t group_count)
{
    const struct array *rows = &model->listing_instructions;
    uint32_t i = array_first_not_below(rows, 0, offsetof(struct listing_instruction, instruction), branch);
    if (i < rows->count) {
        const struct listing_instruction *row = model_listing_instruction(model, i);
        if (row->instruction == branch && row->cycle >= 0 && row->cycle < INT32_MAX)
            return row->cycle + 1;
    }
    return group_count && group_count <= INT32_MAX ? (int32_t)group_count : NO_NUMBER;
}

static void add_loop(const struct pipelining *work, uint32_t loop)
{
    struct model *model = work->model;
    uint32_t branch = work->branch_of[loop];
    struct kernel kernel = find_kernel(work, loop);
    struct setup setup = find_setup(work, model_loop(model, loop));
    bool is_counted = work->rotation_of[model_instruction(model, branch)->encoding] & ROTATION_COUNTED;
    uint64_t lowest_written = kernel.written & -kernel.written;
    if (is_counted && lowest_written > (uint64_t)1 << FIRST_ROTATING)
        kernel.used &= lowest_written - 1;
    struct pipelined_loop row = {
        .loop = loop, .branch = branch, .stages = NO_NUMBER, .is_counted = is_counted};
    row.initiation_interval = interval_of(model, branch, kernel.group_count);
    if (kernel.used) {
        int lowest = __builtin_ctzll(kernel.used), highest = LAST_PREDICATE - __builtin_clzll(kernel.used);
        row.stages = highest - lowest + 1;
        uint64_t stage_mask = ((uint64_t)2 << highest) - ((uint64_t)1 << FIRST_ROTATING);
        int on = __builtin_popcountll((uint64_t)setup.mask & stage_mask);
        row.is_prologue_folded = setup.is_mask_known && (on == 1 || (on == 0 && setup.is_first_set));
        row.is_epilogue_folded = row.is_prologue_folded && setup.is_count_known &&
                                 (is_counted ? setup.count >= row.stages : setup.count > 1);
    }
    *(struct pipelined_loop *)model_add(&model->pipelined_loops) = row;
}

void pipelines_find(struct model *model, const struct meanings *meanings)
{
    struct pipelining work = {.model = model, .meanings = meanings};
    if (find_rotations(&work)) {
        find_registers(&work);
        find_branches(&work);
        for (uint32_t loop = 1; loop < model->loops.count; loop++)
            if (work.branch_of[loop])
                add_loop(&work, loop);
    }
    free(work.rotation_of);
    free(work.predicate_of);
    free(work.branch_of);
}
