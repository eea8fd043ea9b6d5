/* every-point PROGRAM PLAN DENSITY SEED: a plan with events before, after and on the taken way of
   instructions, all over a program.  DENSITY is the share of places that get one, in percent.  Values are
   registers by chance; what is free is what watch/probe/free.h says, or nothing.
   tests/commands/probe_every.py runs programs with it. */
#include "read/read.h"
#include "structure/structure.h"
#include "watch/probe/free.h"
#include "watch/probe/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static struct watch_source some_source(bool is_arm)
{
    struct watch_source source = {
        .kind = WATCH_GENERAL, .base = (uint8_t)chance(is_arm ? 31 : 16), .index = WATCH_NO_REGISTER};
    if (!chance(8))
        source.kind = chance(2) ? WATCH_VECTOR : WATCH_CLOCK;
    return source;
}

static void add_points(struct watch_plan *plan, const struct model *model, uint32_t density)
{
    struct watch_freedom freedom;
    bool is_arm = model_program(model, 1)->isa == isa_AARCH64;
    watch_free_begin(&freedom, model);
    for (uint32_t row = 1; row < model->code.count; row++)
        for (unsigned where = WATCH_BEFORE; where <= WATCH_TAKEN; where++) {
            if (chance(100) >= density)
                continue;
            struct watch_subject one = {
                .kind = WATCH_AT, .program = 1, .instruction = row, .how = {.kind = PROBE_VALUE, .width = 8}};
            uint32_t subject = watch_add_subject(plan, &one);
            struct watch_point *point = watch_add_point(plan, subject, row, (enum watch_where)where);
            point->action = watch_event(subject, PROBE_SEEN, some_source(is_arm));
            if (chance(4))
                point->free = watch_free_at(&freedom, row, (enum watch_where)where);
        }
    watch_free_end(&freedom);
}

int main(int count, char **words)
{
    struct model model;
    struct watch_plan plan;
    struct error error = {0};
    struct read_options options = {.without_debug = true};
    if (count != 5)
        return 2;
    model_init(&model);
    if (!read_file(&model, words[1], &options, &error) ||
        !structure_build(&model, &(struct structure_options){0}, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    state = strtoull(words[4], NULL, 0) * 2654435761u + 12345;
    watch_plan_init(&plan, &model);
    add_points(&plan, &model, (uint32_t)atoi(words[3]));
    watch_place(&plan);
    unsigned placed = 0, not_movable = 0;
    for (size_t i = 0; i < plan.subjects.count; i++) {
        uint8_t refusal = ARRAY_AT(struct watch_subject, &plan.subjects, i)->refusal;
        placed += refusal <= WATCH_FAR;
        not_movable += refusal == WATCH_NOT_MOVABLE;
    }
    printf("%u placed, %u not movable, %zu windows\n", placed, not_movable, plan.windows.windows.count);
    bool is_written = watch_plan_write(&plan, words[2], &error);
    if (!is_written)
        fprintf(stderr, "%s\n", error.text);
    watch_plan_free(&plan);
    model_free(&model);
    return is_written ? 0 : 1;
}
