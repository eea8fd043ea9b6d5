/* A listing has the name that it had when it got its nodes, without folders.  In it, what was recorded is found by the name
   of the function, the number of the loop, and the line, which all must agree: a listing that was changed meanwhile is
   another one. */
#include "run/probe/recording/join.h"

#include <stddef.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static const struct listing_instruction *row_of(const struct model *model, uint32_t instruction)
{
    size_t at = array_first_not_below(&model->listing_instructions, 0,
                                      offsetof(struct listing_instruction, instruction), instruction);
    const struct listing_instruction *row =
        at < model->listing_instructions.count ? model_listing_instruction(model, (uint32_t)at) : NULL;
    return row && row->instruction == instruction ? row : NULL;
}

static bool is_in(const struct model *model, uint32_t instruction, const char *listing)
{
    const struct listing_instruction *row = instruction ? row_of(model, instruction) : NULL;
    return row && row->file &&
           !strcmp(base_name(model_text(model, model_file(model, row->file)->path)), base_name(listing));
}

static bool has_listing(const struct model *model, const char *listing)
{
    for (uint32_t i = 1; i < model->listings.count; i++)
        if (!strcmp(base_name(model_text(model, model_file(model, model_listing_text(model, i)->file)->path)),
                    base_name(listing)))
            return true;
    return false;
}

static uint32_t function_named(const struct model *model, const struct nodes_texts *texts)
{
    string_id name = texts->function ? strings_find(&model->strings, texts->function) : 0;
    for (uint32_t id = 1; name && id < model->functions.count; id++)
        if (model_function(model, id)->name == name && model_function(model, id)->block_count &&
            is_in(model, model_block(model, model_function(model, id)->first_block)->first_instruction,
                  texts->listing))
            return id;
    return 0;
}

/* The instruction of the function at a line of its listing; 0: none. */
static uint32_t instruction_at(const struct model *model, uint32_t function, uint32_t line)
{
    const struct function *row = model_function(model, function);
    for (uint32_t b = 0; b < row->block_count; b++) {
        const struct block *block = model_block(model, row->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            const struct listing_instruction *place = row_of(model, block->first_instruction + i);
            if (place && place->line == line)
                return block->first_instruction + i;
        }
    }
    return 0;
}

/* Loops of a function stand together. */
static uint32_t loop_numbered(const struct model *model, uint32_t function, uint32_t number)
{
    for (uint32_t id = 1; number && id < model->loops.count; id++)
        if (model_loop(model, id)->function == function && !--number)
            return id;
    return 0;
}

enum nodes_joined nodes_join(struct model *model, const struct probe_node_subject *from,
                             const struct nodes_texts *texts, struct probe_subject *subject)
{
    uint32_t function = function_named(model, texts), loop = 0;
    if (!function)
        return has_listing(model, texts->listing) ? NODES_OTHER_TEXT : NODES_OTHER_LISTING;
    uint32_t instruction = instruction_at(model, function, from->listing_line);
    if (from->loop)
        loop = loop_numbered(model, function, from->loop);
    bool is_there = instruction && (loop || !from->loop);
    if (is_there && from->kind == PROBE_NODE_LOOP)
        is_there = model_block(model, model_loop(model, loop)->header)->first_instruction == instruction;
    if (!is_there)
        return NODES_OTHER_TEXT;
    subject->program = model_function(model, function)->program;
    subject->function = function;
    subject->instruction = instruction;
    subject->loop = loop;
    return NODES_JOINED;
}
