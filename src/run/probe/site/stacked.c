/* Arguments of IA-64 functions: r32 to r39 and f8 to f15 that some way through the function reads before it writes
   them.

   Registers of the stack have the same names before and after the function's alloc, whose first number says how
   many of them are arguments.  Where the alloc makes some of them rotate, a rotating branch gives the others
   different names: what is read after it is no argument any more.  A call may change f8 to f15. */
#include "run/probe/site/stacked.h"

#include "run/probe/site/entry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 0xffff, GENERAL = 0xff, FLOATS = 0xff00 };

static uint32_t argument_bit(const char *name)
{
    unsigned long number =
        strchr("rf", *name) && name[1] >= '0' && name[1] <= '9' ? strtoul(name + 1, NULL, 10) : 0;
    unsigned long first = *name == 'r' ? PROBE_STACKED_GENERAL : PROBE_STACKED_FLOAT;
    if (number < first || number >= first + PROBE_STACKED_EACH)
        return 0;
    return 1u << (number - first + (*name == 'f' ? PROBE_STACKED_EACH : 0));
}

/* What is read and what is certainly written. */
static void uses_of(const struct model *model, uint32_t encoding, uint32_t *read, uint32_t *written)
{
    const struct encoding *row = model_encoding(model, encoding);
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    *read = *written = 0;
    for (; at < model->register_uses.count && model_register_use(model, (uint32_t)at)->encoding == encoding;
         at++) {
        const struct register_use *use = model_register_use(model, (uint32_t)at);
        uint32_t bit = argument_bit(model_text(model, model_register(model, use->register_)->name));
        *read |= use->access & access_READ ? bit : 0;
        *written |= use->access & access_WRITE && !row->predicate ? bit : 0;
    }
    if (row->flow == flow_CALL)
        *written |= FLOATS;
}

static bool rotates(const char *name)
{
    static const char *const words[] = {"br.ctop", "br.wtop", "br.cexit", "br.wexit", "clrrrb"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return true;
    return false;
}

/* The numbers of an alloc: 0 the arguments, 3 what rotates. */
static uint64_t alloc_number(const struct model *model, uint32_t encoding, unsigned which)
{
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        if (operand->kind == operand_kind_IMMEDIATE && !which--)
            return operand->value;
    }
    return 0;
}

struct walk {
    const struct model *model;
    const struct function *function;
    uint32_t *unwritten; /* by block: of arguments, at its start */
    uint32_t read, most; /* most: what its alloc allows */
    bool has_rotation;
};

/* What is unwritten at the end of a block; what it reads is noted. */
static uint32_t pass(struct walk *walk, const struct block *block, uint32_t unwritten)
{
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t encoding = model_instruction(walk->model, block->first_instruction + i)->encoding, read,
                 written;
        uses_of(walk->model, encoding, &read, &written);
        walk->read |= read & unwritten;
        unwritten &= ~written;
        if (walk->has_rotation &&
            rotates(model_text(walk->model, model_encoding(walk->model, encoding)->text)))
            unwritten &= ~(uint32_t)GENERAL;
    }
    return unwritten;
}

static void look_at_alloc(struct walk *walk)
{
    for (uint32_t b = 0; b < walk->function->block_count; b++) {
        const struct block *block = model_block(walk->model, walk->function->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(walk->model, block->first_instruction + i)->encoding;
            if (strcmp(model_text(walk->model, model_encoding(walk->model, encoding)->name), "alloc") != 0)
                continue;
            uint64_t count = alloc_number(walk->model, encoding, 0);
            if (count < PROBE_STACKED_EACH)
                walk->most = FLOATS | ((1u << count) - 1);
            walk->has_rotation |= alloc_number(walk->model, encoding, 3) > 0;
        }
    }
}

uint32_t probe_stacked_arguments(const struct model *model, uint32_t function)
{
    struct walk walk = {.model = model, .function = model_function(model, function), .most = ALL};
    uint32_t count = walk.function->block_count, first = walk.function->first_block;
    uint32_t entry = probe_entry_instruction(model, function);
    if (!entry)
        return 0;
    walk.unwritten = memory_get((count + 1) * sizeof *walk.unwritten);
    look_at_alloc(&walk);
    walk.unwritten[model_instruction(model, entry)->block - first] = ALL;
    for (bool has_changed = true; has_changed;) { /* bits are only added: 16 rounds a block at most */
        has_changed = false;
        for (uint32_t b = 0; b < count; b++) {
            if (!walk.unwritten[b])
                continue;
            uint32_t left = pass(&walk, model_block(model, first + b), walk.unwritten[b]);
            struct model_rows rows = probe_edges_from(model, first + b);
            for (uint32_t i = rows.first; i < rows.end; i++) {
                uint32_t target = model_edge(model, i)->target - first;
                bool is_new = target < count && left & ~walk.unwritten[target];
                if (is_new)
                    walk.unwritten[target] |= left;
                has_changed |= is_new;
            }
        }
    }
    free(walk.unwritten);
    return walk.read & walk.most;
}
