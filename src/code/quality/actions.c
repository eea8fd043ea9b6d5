/* Advice on a loop becomes a wish: an action for the loop, with its gain. Wishes are sorted by file, action
   and loop, so that each group is a range, and the wishes of one loop in it a range of that. */
#include "code/quality/actions.h"

#include "code/quality/weight.h"

#include <math.h>
#include <stdlib.h>

struct wish {
    uint32_t file; /* its first program */
    uint32_t loop;
    uint32_t path;
    uint8_t action, level;
    double gain;  /* NaN: unknown */
    double saved; /* of the time of the loop */
};

static int compare_wishes(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->action != b->action)
        return a->action < b->action ? -1 : 1;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    return a->path < b->path ? -1 : a->path > b->path;
}

static bool is_same_loop(const struct wish *one, const struct wish *other)
{
    return one->file == other->file && one->action == other->action && one->loop == other->loop;
}

static int compare_actions(const void *left, const void *right)
{
    const struct program_action *a = left, *b = right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->saving != b->saving)
        return a->saving > b->saving ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->loop_count != b->loop_count)
        return a->loop_count > b->loop_count ? -1 : 1;
    return (int)a->action - (int)b->action;
}

static int compare_gains(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static enum action first_action(const struct model *model, uint32_t advice)
{
    size_t at = array_first_not_below(&model->remedies, 0, offsetof(struct remedy_row, advice), advice);
    if (at == model->remedies.count || model_remedy_row(model, (uint32_t)at)->advice != advice ||
        model_advice(model, advice)->level > advice_level_POTENTIAL)
        return action_OTHER;
    return model_remedy_row(model, (uint32_t)at)->action;
}

/* Whether an option alone does not vectorise a loop: a store may change what it loads, until the source is
   changed. */
static bool is_hindered(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), loop);
    for (; at < model->advice.count && model_advice(model, (uint32_t)at)->loop == loop; at++) {
        enum action action = first_action(model, (uint32_t)at);
        if (action == action_HOIST || action == action_KEEP_LOCAL || action == action_RESTRICT)
            return true;
    }
    return false;
}

enum action actions_of_advice(const struct model *model, uint32_t advice)
{
    enum action action = first_action(model, advice);
    if (action == action_WHY ||
        (action == action_OPTIMISE && is_hindered(model, model_advice(model, advice)->loop)))
        return action_OTHER;
    return action;
}

bool actions_is_option(enum action action)
{
    switch (action) {
    case action_OPTIMISE:
    case action_TARGET:
    case action_MATH_ERRNO:
    case action_VECTOR_WIDTH:
    case action_NO_GATHER:
    case action_LINK_TIME:
    case action_VISIBILITY:
    case action_DROP_OPTION:
    case action_NO_CHECKS:
        return true;
    default:
        return false;
    }
}

bool actions_is_arithmetic(enum action action)
{
    switch (action) {
    case action_ASSOCIATIVE_MATH:
    case action_FINITE_MATH:
    case action_RECIPROCAL_MATH:
    case action_FAST_MATH:
    case action_COMPLEX_RANGE:
    case action_CONTRACT:
        return true;
    default:
        return false;
    }
}

static struct array collect(const struct model *model, const uint32_t *files)
{
    struct array wishes = ARRAY_OF(struct wish);
    for (uint32_t id = 1; id < model->advice.count; id++) {
        const struct advice *advice = model_advice(model, id);
        enum action action = actions_of_advice(model, id);
        if (action == action_OTHER)
            continue;
        uint32_t function = model_loop(model, advice->loop)->function;
        *(struct wish *)array_push(&wishes) =
            (struct wish){.file = files[model_function(model, function)->program],
                          .loop = advice->loop,
                          .path = advice->path,
                          .action = (uint8_t)action,
                          .level = advice->level,
                          .gain = advice->gain,
                          .saved = weight_saved(model, id)};
    }
    if (wishes.count)
        qsort(wishes.data, wishes.count, wishes.width, compare_wishes);
    return wishes;
}

/* A file's wishes with one action. */
struct group {
    struct program_action row;
    double most;        /* saved in row.loop */
    uint32_t function;  /* of the last loop */
    struct array gains; /* of double: of loops with one */
};

/* The wishes of one loop count once, with the largest gain, and save on each path what the best of them does.
 */
static void add_loop(struct group *group, const struct model *model, const struct wish *wishes, size_t count)
{
    uint32_t loop = wishes->loop, function = model_loop(model, loop)->function;
    double gain = NAN, saved = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        best = i && wishes[i].path == wishes[i - 1].path ? fmax(best, wishes[i].saved) : wishes[i].saved;
        saved += i + 1 == count || wishes[i + 1].path != wishes[i].path ? best : 0;
        gain = fmax(gain, wishes[i].gain);
        if (wishes[i].level < group->row.level)
            group->row.level = wishes[i].level;
    }
    double saving = weight_share(model, loop) * fmin(saved, 1);
    if (!group->row.loop || saving > group->most) {
        group->row.loop = loop;
        group->most = saving;
    }
    group->row.saving += saving;
    group->row.loop_count++;
    group->row.function_count += function != group->function;
    group->function = function;
    if (isfinite(gain))
        *(double *)array_push(&group->gains) = gain;
}

static double median(struct array *numbers)
{
    if (!numbers->count)
        return NAN;
    qsort(numbers->data, numbers->count, numbers->width, compare_gains);
    size_t middle = numbers->count / 2;
    double upper = *ARRAY_AT(double, numbers, middle);
    return numbers->count % 2 ? upper : (*ARRAY_AT(double, numbers, middle - 1) + upper) / 2;
}

static size_t add_group(struct model *model, const struct array *wishes, size_t at, struct array *gains)
{
    const struct wish *first = ARRAY_AT(struct wish, wishes, at);
    struct group group = {
        .row = {.program = first->file, .action = first->action, .level = advice_level_COUNT},
        .gains = *gains};
    group.gains.count = 0;
    while (at < wishes->count) {
        const struct wish *wish = ARRAY_AT(struct wish, wishes, at);
        if (wish->file != first->file || wish->action != first->action)
            break;
        size_t count = 1;
        while (at + count < wishes->count && is_same_loop(wish, wish + count))
            count++;
        add_loop(&group, model, wish, count);
        at += count;
    }
    group.row.gain = median(&group.gains);
    *gains = group.gains;
    *(struct program_action *)model_add(&model->program_actions) = group.row;
    return at;
}

void actions_build(struct model *model)
{
    uint32_t *files = weight_files(model), position = 0;
    struct array wishes = collect(model, files), gains = ARRAY_OF(double);
    model->program_actions.count = 0;
    for (size_t at = 0; at < wishes.count;)
        at = add_group(model, &wishes, at, &gains);
    struct array *rows = &model->program_actions;
    if (rows->count)
        qsort(rows->data, rows->count, rows->width, compare_actions);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct program_action *row = model_program_action(model, i);
        bool is_first = !i || model_program_action(model, i - 1)->program != row->program;
        row->position = position = is_first ? 1 : position + 1;
    }
    array_free(&wishes);
    array_free(&gains);
    free(files);
}
