/* Points become windows, windows become trampolines.

   A subject of which some point cannot be placed has no probe at all: half of a pair would count wrongly. Its
   points are taken out, and windows are made again, because windows are shared. */
#include "run/probe/plan/plan.h"

#include "run/probe/plan/parts.h"

#include "run/probe/site/loop_shape.h"

#include <stdlib.h>
#include <string.h>

static struct probe_subject *subject_of(struct probe_plan *plan, uint32_t number)
{
    return ARRAY_AT(struct probe_subject, &plan->subjects, number);
}

/* A trap serves, too. */
static bool is_fatal(uint8_t refusal)
{
    return refusal != PROBE_NOT_REFUSED && refusal != PROBE_REFUSED_SMALL &&
           refusal != PROBE_REFUSED_UNKNOWN_JUMPS && refusal != PROBE_REFUSED_FAR;
}

static void refuse(struct probe_plan *plan, uint32_t subject, uint32_t instruction, uint8_t refusal)
{
    struct probe_subject *row = subject_of(plan, subject);
    if (is_fatal(row->refusal))
        return;
    row->refusal = refusal;
    if (is_fatal(refusal))
        *(struct probe_refused *)array_push(&plan->refused) =
            (struct probe_refused){.instruction = instruction, .subject = subject, .refusal = refusal};
}

static void refuse_window(struct probe_plan *plan, const struct probe_window *window, uint8_t refusal)
{
    for (unsigned m = 0; m < window->moved_count; m++)
        for (uint32_t i = 0; i < window->moved[m].point_count; i++) {
            const struct probe_point *point =
                ARRAY_AT(struct probe_point, &plan->windows.points, window->moved[m].first_point + i);
            refuse(plan, point->subject, point->instruction, refusal);
        }
}

static void free_modules(struct probe_plan *plan)
{
    for (size_t i = 0; i < plan->modules.count; i++)
        probe_trampolines_free(&ARRAY_AT(struct probe_made_module, &plan->modules, i)->trampolines);
    plan->modules.count = 0;
}

static struct probe_made_module *module_for(struct probe_plan *plan, const struct probe_window *window,
                                            uint32_t number)
{
    struct probe_made_module *last =
        plan->modules.count ? ARRAY_AT(struct probe_made_module, &plan->modules, plan->modules.count - 1)
                            : NULL;
    if (last && last->program == window->program)
        return last;
    last = array_add(&plan->modules);
    *last = (struct probe_made_module){.program = window->program, .first_window = number};
    probe_trampolines_init(&last->trampolines, number);
    return last;
}

/* false: some windows have no trampoline. */
static bool make_trampolines(struct probe_plan *plan)
{
    bool is_whole = true;
    for (uint32_t i = 0; i < plan->windows.windows.count; i++) {
        const struct probe_window *window = ARRAY_AT(struct probe_window, &plan->windows.windows, i);
        struct probe_made_module *module = module_for(plan, window, i);
        const struct trampoline_encoder *encoder =
            trampoline_encoder((enum isa)model_program(plan->model, window->program)->isa);
        module->window_count++;
        if (encoder && encoder->encode(&module->trampolines, &plan->windows, window))
            continue;
        refuse_window(plan, window, PROBE_REFUSED_NOT_MOVABLE);
        is_whole = false;
    }
    for (size_t i = 0; is_whole && i < plan->modules.count; i++) {
        struct probe_made_module *module = ARRAY_AT(struct probe_made_module, &plan->modules, i);
        trampoline_encoder((enum isa)model_program(plan->model, module->program)->isa)
            ->finish(&module->trampolines);
    }
    return is_whole;
}

static void drop_refused_points(struct probe_plan *plan)
{
    size_t kept = 0;
    struct probe_point *points = plan->points.data;
    for (size_t i = 0; i < plan->points.count; i++)
        if (!is_fatal(subject_of(plan, points[i].subject)->refusal))
            points[kept++] = points[i];
    plan->points.count = kept;
}

void probe_keep_reserved(struct probe_plan *plan)
{
    if (!plan->reserved.count)
        return;
    uint32_t *taken = memory_get(plan->model->blocks.count * sizeof *taken);
    for (size_t i = 0; i < plan->reserved.count; i++) {
        const struct probe_reserved *row = ARRAY_AT(struct probe_reserved, &plan->reserved, i);
        struct loop_shape shape;
        loop_shape_make(&shape, plan->model, row->loop);
        for (size_t b = 0; b < shape.blocks.count; b++)
            taken[*ARRAY_AT(uint32_t, &shape.blocks, b)] |= row->general;
        for (size_t e = 0; e < shape.entries.count; e++)
            taken[model_edge(plan->model, *ARRAY_AT(uint32_t, &shape.entries, e))->source] |= row->general;
        for (size_t e = 0; e < shape.exits.count; e++)
            taken[model_edge(plan->model, *ARRAY_AT(uint32_t, &shape.exits, e))->target] |= row->general;
        loop_shape_free(&shape);
    }
    for (size_t i = 0; i < plan->points.count; i++) {
        struct probe_point *point = ARRAY_AT(struct probe_point, &plan->points, i);
        point->free.general &= ~taken[model_instruction(plan->model, point->instruction)->block];
    }
    free(taken);
}

void probe_place(struct probe_plan *plan)
{
    probe_keep_reserved(plan);
    for (bool is_whole = false; !is_whole;) { /* every round but the last refuses a subject */
        free_modules(plan);
        probe_windows_free(&plan->windows);
        drop_refused_points(plan);
        struct array points =
            ARRAY_OF(struct probe_point); /* windows take them; a next round needs them again */
        if (plan->points.count)
            memcpy(array_push_many(&points, plan->points.count), plan->points.data,
                   plan->points.count * sizeof(struct probe_point));
        probe_windows_make(&plan->windows, plan->model, &points);
        array_free(&points);
        is_whole = true;
        for (size_t i = 0; i < plan->windows.refused.count; i++) {
            const struct probe_refused *row = ARRAY_AT(struct probe_refused, &plan->windows.refused, i);
            is_whole = is_whole && !is_fatal(row->refusal);
            refuse(plan, row->subject, row->instruction, row->refusal);
        }
        probe_plan_switches(plan);
        is_whole = is_whole && make_trampolines(plan);
    }
}
