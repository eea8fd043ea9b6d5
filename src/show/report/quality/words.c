#include "show/report/quality/words.h"

#include "show/report/cycles.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const struct machine *quality_machine(const struct quality_view *view, uint32_t loop)
{
    struct loop_machines machines;
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machines.of[isa] = view->machines[isa];
    return loop_machine(&machines, view->model, loop);
}

const char *quality_up_to(bool is_upper)
{
    return is_upper ? "up to " : "";
}

bool quality_is_cut(const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    size_t returning = 0, listed = 0;
    size_t at = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), rows->loop);
    for (; at < model->paths.count && model_path(model, (uint32_t)at)->loop == rows->loop; at++) {
        listed++;
        returning += !model_path(model, (uint32_t)at)->is_exit;
    }
    return listed < model_loop(model, rows->loop)->path_count || rows->cycle_count < returning;
}

/* A path as it was when its row was written. */
static struct loop_path path_of(const struct model *model, uint32_t loop, const struct loop_cycle *cycles,
                                const struct loop_metric *metric)
{
    if (!cycles)
        return (struct loop_path){.loop = loop, .path = 1, .cycles = NAN};
    return (struct loop_path){.loop = loop,
                              .path = cycles->path,
                              .cycles = cycles->cycles,
                              .limit = (enum core_part)cycles->limit,
                              .instruction_count = cycles->instruction_count,
                              .known_count = cycles->known_count,
                              .call_count = metric ? metric->call_count : 0,
                              .missing = cycles->missing,
                              .lack = (enum lack)cycles->lack,
                              .lacking_extension = model_text(model, cycles->lacking_extension),
                              .is_cut = cycles->instruction_count >= MOST_BLOCK_INSTRUCTIONS};
}

char *quality_refusal(const struct quality_view *view, uint32_t loop, const struct loop_cycle *cycles)
{
    const struct machine *machine = quality_machine(view, loop);
    struct loop_path path = path_of(view->model, loop, cycles, NULL);
    return machine ? cycles_refusal(view->model, machine, &path)
                   : memory_format("there is no machine for its instruction set");
}

char *quality_remark(const struct quality_view *view, const struct quality_rows *rows,
                     const struct loop_cycle *cycles)
{
    struct loop_path path =
        path_of(view->model, rows->loop, cycles, cycles ? quality_metric(rows, cycles->path) : NULL);
    struct cycles_view shown = {.model = view->model,
                                .machine = quality_machine(view, rows->loop),
                                .path = &path,
                                .mode = cost_LOOP,
                                .path_count = model_loop(view->model, rows->loop)->path_count,
                                .seen_count = rows->cycle_count};
    if (!quality_is_cut(rows))
        shown.path_count = shown.seen_count;
    return shown.machine ? cycles_remark(&shown) : quality_refusal(view, rows->loop, cycles);
}

char *quality_instruction(const struct model *model, uint32_t instruction)
{
    const struct instruction *row = model_instruction(model, instruction);
    const char *text = model_text(model, model_encoding(model, row->encoding)->text);
    const char *at = text ? strchr(text, '@') : NULL;
    if (!at || row->target == NO_ADDRESS)
        return memory_format("%s", text ? text : "?");
    return memory_format("%.*s0x%llx%s", (int)(at - text), text, (unsigned long long)row->target, at + 1);
}

struct array quality_path_instructions(const struct model *model, uint32_t loop, uint32_t path)
{
    struct array instructions = ARRAY_OF(uint32_t);
    size_t at = array_first_not_below(&model->path_blocks, 0, offsetof(struct path_block, loop), loop);
    for (; at < model->path_blocks.count; at++) {
        const struct path_block *row = model_path_block(model, (uint32_t)at);
        if (row->loop != loop || row->path > path)
            break;
        const struct block *block = model_block(model, row->block);
        for (uint32_t k = 0; row->path == path && k < block->instruction_count; k++)
            *(uint32_t *)array_push(&instructions) = block->first_instruction + k;
    }
    return instructions;
}
