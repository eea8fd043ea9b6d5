/* Round by round: the text of all wishes that are left is made and read again, and the functions that they are in
   are judged.  A round that refuses wishes is followed by one without them, because what one wish changes may
   have been what another relied on.  So the text that is written has been read and judged exactly as it is. */
#include "change/edit/parts.h"

#include "code/structure/structure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void edit_wishes_free(struct array *wishes)
{
    for (size_t i = 0; i < wishes->count; i++) {
        struct edit_wish *wish = array_at(wishes, i);
        free(wish->text);
        free(wish->reason);
        free(wish->refusal);
    }
    array_free(wishes);
}

void edit_refuse(struct edit_wish *wish, const char *format, ...)
{
    if (wish->refusal)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&wish->refusal, format, arguments) < 0)
        wish->refusal = memory_format("%s", "it cannot be judged");
    va_end(arguments);
}

uint32_t edit_line_of(const struct model *model, uint32_t instruction)
{
    const struct listing_instruction *row = node_listing_row(model, instruction);
    return row ? row->line : 0;
}

static uint32_t function_of(const struct model *model, uint32_t instruction)
{
    return model_block(model, model_instruction(model, instruction)->block)->function;
}

static bool is_left(const struct edit_wish *wish)
{
    return !wish->refusal;
}

/* The function of the new text that the fresh instructions of an old one are in; 0: there are none. */
static uint32_t new_function(const struct edit_making *making, uint32_t old)
{
    for (size_t i = 0; i < making->fresh.count; i++) {
        const struct edit_fresh *fresh = array_at(&making->fresh, i);
        if (function_of(making->work->model, edit_wish_at(making, fresh->wish)->instruction) == old)
            return function_of(&making->again, fresh->instruction);
    }
    return 0;
}

struct judging {
    struct edit_making *making;
    struct flow_meanings old, again;
};

static void judge_wishes(struct edit_making *making, const struct edit_side *old,
                         const struct edit_side *again, uint32_t function)
{
    for (uint32_t i = 0; i < making->wishes->count; i++) {
        struct edit_wish *wish = edit_wish_at(making, i);
        if (!is_left(wish) || function_of(making->work->model, wish->instruction) != function)
            continue;
        if (wish->kind == edit_kind_DELETE || wish->kind == edit_kind_REPLACE)
            edit_rules_old(making, old, wish);
        if (wish->kind == edit_kind_BEFORE)
            edit_rules_before(old, wish);
        if (wish->kind == edit_kind_SWAP)
            edit_rules_swap(making, old, wish);
        edit_bundles_check(making, old, wish);
        uint32_t next = 0, instruction;
        while ((instruction = edit_fresh_next(making, i, &next)))
            edit_rules_new(making, again, instruction, old, wish);
    }
}

static void judge_function(struct judging *judging, uint32_t function)
{
    struct edit_making *making = judging->making;
    struct flow_function old_flow, new_flow = {0};
    uint32_t there = new_function(making, function);
    bool is_known = flow_function_make(&old_flow, making->work->model, &judging->old, function);
    if (there)
        is_known &= flow_function_make(&new_flow, &making->again, &judging->again, there);
    struct edit_side old = {making->work->model, &judging->old, &old_flow},
                     again = {&making->again, &judging->again, &new_flow};
    for (size_t i = 0; !is_known && i < making->wishes->count; i++)
        if (function_of(making->work->model, edit_wish_at(making, i)->instruction) == function)
            edit_refuse(edit_wish_at(making, i), "its function is too large for data flow");
    if (is_known) {
        judge_wishes(making, &old, &again, function);
        edit_differences(making, &old, &again);
    }
    flow_function_free(&old_flow);
    flow_function_free(&new_flow);
}

static void judge(struct edit_making *making)
{
    struct judging judging = {.making = making};
    const struct model *model = making->work->model;
    struct array functions = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < making->wishes->count; i++)
        if (is_left(edit_wish_at(making, i)))
            *(uint32_t *)array_push(&functions) = function_of(model, edit_wish_at(making, i)->instruction);
    array_sort_numbers(&functions);
    flow_meanings_make(&judging.old, model, making->work->reading.threads);
    flow_meanings_make(&judging.again, &making->again, making->work->reading.threads);
    for (size_t i = 0; i < functions.count; i++)
        judge_function(&judging, *ARRAY_AT(uint32_t, &functions, i));
    flow_meanings_free(&judging.old);
    flow_meanings_free(&judging.again);
    array_free(&functions);
}

static uint32_t count_refused(const struct edit_making *making)
{
    uint32_t count = 0;
    for (size_t i = 0; i < making->wishes->count; i++)
        count += !is_left(edit_wish_at(making, i));
    return count;
}

static bool has_refused_command(const struct edit_making *making)
{
    for (size_t i = 0; i < making->wishes->count; i++)
        if (!is_left(edit_wish_at(making, i)) && !edit_wish_at(making, i)->is_proposal)
            return true;
    return false;
}

/* One round; is_done: nothing was refused in it. */
static bool go_round(struct edit_making *making, bool *is_done, struct error *error)
{
    uint32_t before = count_refused(making);
    bool is_read = false;
    model_init(&making->again);
    edit_text_make(making);
    bool good = edit_again(making, &is_read, error);
    if (good && is_read)
        judge(making);
    *is_done = good && is_read && count_refused(making) == before;
    good = good && (!*is_done || edit_again_check(making, error));
    model_free(&making->again);
    if (good && !is_read && count_refused(making) == before)
        good = error_set(error, making->work->path, "the edited text cannot be read again");
    return good;
}

static void count(const struct edit_making *making, struct edit_outcome *outcome)
{
    outcome->refused = count_refused(making);
    outcome->made = (uint32_t)making->wishes->count - outcome->refused;
    for (size_t i = 0; i < making->wishes->count; i++)
        outcome->replaced +=
            is_left(edit_wish_at(making, i)) && edit_wish_at(making, i)->kind == edit_kind_REPLACE;
}

bool edit_apply(const struct edit_work *work, struct array *wishes, struct array *out,
                struct edit_outcome *outcome, struct error *error)
{
    struct edit_making making = {.work = work, .wishes = wishes};
    bool good = true, is_done = false;
    enum isa isa = (enum isa)model_program(work->model, work->program)->isa;
    if (isa != isa_X86_64 && isa != isa_AARCH64 && isa != isa_IA64)
        return error_set(error, work->path, "edits are for x86-64, AArch64 and IA-64 listings");
    *outcome = (struct edit_outcome){0};
    edit_text_begin(&making);
    edit_text_check(&making);
    while (good && !is_done && !has_refused_command(&making)) {
        good = go_round(&making, &is_done, error);
        outcome->rounds++;
    }
    count(&making, outcome);
    outcome->is_written = good && is_done;
    if (outcome->is_written && making.text.count)
        memcpy(array_add_many(out, making.text.count), making.text.data, making.text.count);
    edit_text_end(&making);
    return good;
}
