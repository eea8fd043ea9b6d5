/* What AArch64 code does with x16 and x17 between functions.

   The convention gives them to whoever comes between caller and callee: linkers put veneers there.  So even
   compilers that know both sides expect them to change, and probes at entries and exits use them.  Code
   written by hand does not always keep to that: OpenSSL's elliptic curves hand numbers over in x14 … x17.
   Evidence is a function that is called and reads x16 or x17 before it writes it, or code after a call that
   does, in a straight line: compilers leave reads on ways that are never taken.  Then they are not free
   between any functions of that file.  Where the callee was not decoded, a value that is put there before the
   call, and that nothing reads until then, is evidence.  Calls that find thread-local variables leave alone
   nearly everything, and compilers know: that counts as evidence, too.

   Functions of the dynamic linker have callers with conventions of their own: PLT entries, descriptors of
   thread-local storage.  Nothing is free where they begin and end.

   Cold parts of functions read whatever the rest has left in any register.  They are reached by jumps, so
   they are not evidence: jumps to them need what they read. */
#include "run/probe/site/free.h"

#include <stdlib.h>
#include <string.h>

enum { READS = 1, WRITES = 2, CALLS = 4 };

struct search {
    struct probe_freedom *freedom;
    const struct model *model;
    uint8_t *does[2]; /* by encoding: what it does with x16, x17 */
    bool *is_reader;  /* by function: some instruction reads one */
};

static void note_encodings(struct search *search)
{
    const struct model *model = search->model;
    for (uint32_t i = 1; i < model->encodings.count; i++) {
        const struct encoding *encoding = model_encoding(model, i);
        for (unsigned r = 0; r < 2 && encoding->isa == isa_AARCH64; r++)
            search->does[r][i] = (uint8_t)((probe_reads(search->freedom, i) >> (16 + r) & 1 ? READS : 0) |
                                           (probe_writes(search->freedom, i) >> (16 + r) & 1 ? WRITES : 0) |
                                           (encoding->flow == flow_CALL ? CALLS : 0));
    }
}

/* What one of them is used for first, from an instruction to the end of its block or to the next call. */
static bool is_read_first(const struct search *search, unsigned r, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        uint8_t does = search->does[r][model_instruction(search->model, i)->encoding];
        if (does)
            return does & READS;
    }
    return false;
}

static bool is_any_read_first(const struct search *search, uint32_t from, uint32_t end)
{
    return is_read_first(search, 0, from, end) || is_read_first(search, 1, from, end);
}

/* Calls are far fewer than instructions: from each of them on. */
static void search_behind_calls(const struct search *search, bool *is_broken)
{
    const struct model *model = search->model;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        if (!search->is_reader[call->caller])
            continue;
        uint32_t id = model_instruction(model, call->instruction)->block, from = call->instruction + 1;
        const struct block *block = model_block(model, id);
        bool is_call = search->does[0][model_instruction(model, call->instruction)->encoding] & CALLS;
        if (from == block->first_instruction + block->instruction_count) {
            bool goes_on = block->ends == block_end_CALL && id + 1 < model->blocks.count &&
                           model_block(model, id + 1)->function == block->function;
            if (!goes_on)
                continue;
            block = model_block(model, id + 1);
            from = block->first_instruction;
        }
        if (is_call && is_any_read_first(search, from, block->first_instruction + block->instruction_count))
            is_broken[model_function(model, call->caller)->program] = true;
    }
}

static bool is_read_at_start(const struct search *search, uint32_t function)
{
    const struct function *row = model_function(search->model, function);
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        const struct block *block = model_block(search->model, b);
        if (block->address == row->address)
            return is_any_read_first(search, block->first_instruction,
                                     block->first_instruction + block->instruction_count);
    }
    return false;
}

static void search_callees(const struct search *search, const struct probe_between *between)
{
    const struct model *model = search->model;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        uint32_t encoding = model_instruction(model, call->instruction)->encoding;
        if (between->reads[call->callee] && search->does[0][encoding] & CALLS &&
            is_read_at_start(search, call->callee))
            between->is_broken[model_function(model, call->callee)->program] = true;
    }
}

/* Whether one of them gets a value before a call, in its block, that nothing reads until then. */
static bool is_handed_over(const struct search *search, unsigned r, uint32_t call)
{
    bool is_waiting = false;
    uint32_t first =
        model_block(search->model, model_instruction(search->model, call)->block)->first_instruction;
    for (uint32_t i = first; i < call; i++) {
        uint8_t does = search->does[r][model_instruction(search->model, i)->encoding];
        if (does)
            is_waiting = does & WRITES && !(does & CALLS);
    }
    return is_waiting;
}

/* Functions that were not decoded, because the file was read in part, may read what they are handed. */
static void search_before_calls(const struct search *search, bool *is_broken)
{
    const struct model *model = search->model;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        const struct function *callee = model_function(model, call->callee);
        if (call->callee && callee->instruction_count && !callee->block_count &&
            search->does[0][model_instruction(model, call->instruction)->encoding] & CALLS &&
            (is_handed_over(search, 0, call->instruction) || is_handed_over(search, 1, call->instruction)))
            is_broken[callee->program] = true;
    }
}

static bool is_linker(const struct model *model, uint32_t program)
{
    const char *path = model_text(model, model_program(model, program)->path);
    const char *name = path ? strrchr(path, '/') : NULL;
    return path && !strncmp(name ? name + 1 : path, "ld-", 3);
}

void probe_between_find(struct probe_between *between, struct probe_freedom *freedom)
{
    const struct model *model = freedom->model;
    struct search search = {.freedom = freedom, .model = model};
    *between = (struct probe_between){memory_get(model->functions.count + 1),
                                      memory_get((model->programs.count + 1) * sizeof(bool)),
                                      memory_get((model->programs.count + 1) * sizeof(bool))};
    for (uint32_t id = 1; id < model->programs.count; id++)
        between->is_broken[id] = between->is_linker[id] = is_linker(model, id);
    for (unsigned r = 0; r < 2; r++)
        search.does[r] = memory_get(model->encodings.count + 1);
    search.is_reader = memory_get((model->functions.count + 1) * sizeof(bool));
    note_encodings(&search);
    for (uint32_t i = 1; i < model->code.count; i++) {
        const struct instruction *row = model_instruction(model, i);
        if ((search.does[0][row->encoding] | search.does[1][row->encoding]) & READS)
            search.is_reader[model_block(model, row->block)->function] = true;
    }
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (search.is_reader[id])
            between->reads[id] = (uint8_t)(probe_read_at_entry(freedom, id) >> 16 & 3);
    search_behind_calls(&search, between->is_broken);
    search_callees(&search, between);
    search_before_calls(&search, between->is_broken);
    for (unsigned r = 0; r < 2; r++)
        free(search.does[r]);
    free(search.is_reader);
}

void probe_between_free(struct probe_between *between)
{
    free(between->reads);
    free(between->is_broken);
    free(between->is_linker);
}

uint32_t probe_between_read(const struct probe_between *between, uint32_t function)
{
    return (uint32_t)between->reads[function] << 16;
}

bool probe_between_is_linker(const struct probe_between *between, uint32_t program)
{
    return between->is_linker && between->is_linker[program];
}

bool probe_between_is_kept(const struct probe_between *between, uint32_t program)
{
    return between->is_broken && !between->is_broken[program];
}
