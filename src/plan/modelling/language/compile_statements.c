/* Statements become code.

   Statements that only compute (pure ones) are not walked: their times are added up, and become one activity
   for each cause.  A loop whose iterations are all the same is carried out once and multiplied. A branch with
   a probability weighs the times of both sides; where chance is drawn, the weights are 0 and 1. */
#include "plan/modelling/language/code.h"

#include <stdlib.h>
#include <string.h>

static uint32_t cause_of(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    if (!node->text && !node->purpose)
        return compiler->symbol->cause;
    const char *text = node->text ? language_text(model, node->text) : "";
    const char *object = ARRAY_AT(struct activity_cause, &model->causes, compiler->symbol->cause)->object;
    for (size_t i = compiler->symbol->cause; i < model->causes.count; i++) {
        const struct activity_cause *cause = ARRAY_AT(struct activity_cause, &model->causes, i);
        if (cause->object == object && cause->purpose == (enum activity_purpose)node->purpose &&
            !strcmp(cause->label ? cause->label : "", text))
            return (uint32_t)i;
    }
    enum { MOST_LABELS = 1000 };
    if (model->causes.count - model->object_causes > MOST_LABELS)
        return compiler->symbol->cause;
    struct activity_cause made = *ARRAY_AT(struct activity_cause, &model->causes, compiler->symbol->cause);
    made.label = node->text ? text : NULL;
    made.purpose = node->purpose;
    *(struct activity_cause *)array_push(&model->causes) = made;
    return (uint32_t)model->causes.count - 1;
}

static void add_sum(struct compiler *compiler, uint32_t cause, bool *fits)
{
    for (unsigned i = 0; i < compiler->sum_count; i++)
        if (compiler->sum_causes[i] == cause)
            return;
    *fits &= compiler->sum_count < MOST_SUMS;
    if (*fits)
        compiler->sum_causes[compiler->sum_count++] = cause;
}

/* The causes of all that a pure statement computes; false: too many. */
static void find_sums(struct compiler *compiler, const struct node *node, bool *fits)
{
    if (!node)
        return;
    if (node->kind == node_COMPUTE)
        add_sum(compiler, cause_of(compiler, node), fits);
    else if (node->kind == node_BLOCK)
        for (const struct node *one = node->a; one; one = one->next)
            find_sums(compiler, one, fits);
    else if (node->kind == node_IF || node->kind == node_CHANCE)
        find_sums(compiler, node->b, fits), find_sums(compiler, node->c, fits);
    else if (node->kind == node_FOR)
        find_sums(compiler, node->c, fits);
}

/* Sums are put aside into other slots and begin at 0. */
static void put_aside(struct compiler *compiler, struct place place, uint16_t *slots)
{
    for (unsigned i = 0; compiler->adds_up && i < compiler->sum_count; i++) {
        slots[i] = code_take_slot(compiler, place);
        code_emit_slot(compiler, op_LOCAL, place, compiler->sum_slots[i]);
        code_emit_slot(compiler, op_STORE, place, slots[i]);
        code_emit_number(compiler, place, 0);
        code_emit_slot(compiler, op_STORE, place, compiler->sum_slots[i]);
    }
}

/* sum = aside + factor × sum; without a factor slot: 1. */
static void put_together(struct compiler *compiler, struct place place, const uint16_t *slots, int factor)
{
    for (unsigned i = 0; compiler->adds_up && i < compiler->sum_count; i++) {
        code_emit_slot(compiler, op_LOCAL, place, slots[i]);
        code_emit_slot(compiler, op_LOCAL, place, compiler->sum_slots[i]);
        if (factor >= 0) {
            code_emit_slot(compiler, op_LOCAL, place, (uint16_t)factor);
            code_emit(compiler, op_MULTIPLY, place);
        }
        code_emit(compiler, op_ADD, place);
        code_emit_slot(compiler, op_STORE, place, compiler->sum_slots[i]);
    }
}

static void compile_for(struct compiler *compiler, const struct node *node)
{
    struct place place = node->place;
    unsigned names = compiler->local_count, slots = compiler->slots;
    uint16_t index = code_take_slot(compiler, place), count = code_take_slot(compiler, place),
             aside[MOST_SUMS];
    if (node->a)
        compile_expecting(compiler, node->a, dimension_number(), "the first index");
    else
        code_emit_number(compiler, place, 1);
    code_emit_slot(compiler, op_STORE, place, index);
    compile_expecting(compiler, node->b, dimension_number(),
                      node->a ? "the last index" : "a number of times");
    size_t begins = code_size(compiler);
    code_emit_slot(compiler, op_COUNT, place, index);
    put_aside(compiler, place, aside);
    size_t top = code_size(compiler);
    uint32_t chances = compiler->chances;
    struct local *name = &compiler->locals[compiler->local_count];
    if (node->name && compiler->local_count < MOST_LOCALS)
        *name = (struct local){.name = node->name, .slot = index}, compiler->local_count++;
    compile_statement(compiler, node->c);
    bool uses_index = node->name && name->uses;
    bool is_same = compiler->adds_up && !uses_index && !node->c->has_assignment;
    bool has_chance = compiler->chances != chances;
    size_t drawn = code_size(compiler), ends = 0;
    if (is_same) {
        if (has_chance)
            code_emit(compiler, op_JUMP_IF_DRAWN, place);
        put_together(compiler, place, aside, count);
        ends = code_size(compiler);
        code_emit(compiler, op_JUMP, place);
        if (has_chance)
            code_emit_target(compiler, drawn);
    }
    if (!is_same || has_chance) {
        struct instruction *next = code_emit(compiler, op_NEXT, place);
        next->detail = index;
        next->target = (int32_t)top;
        put_together(compiler, place, aside, -1);
    }
    if (is_same)
        code_emit_target(compiler, ends);
    if (!node->a) /* repeat: a mean of 2.5 times is no mistake where times are added up */
        ARRAY_AT(struct instruction, &compiler->symbol->code, begins)->number =
            is_same && !has_chance ? counting_EXACTLY : counting_WHOLE;
    code_emit_target(compiler, begins);
    compiler->local_count = names;
    compiler->slots = slots;
}

static void compile_if(struct compiler *compiler, const struct node *node)
{
    if (node->kind == node_CHANCE) {
        compile_expecting(compiler, node->a, dimension_number(), "a probability");
        code_emit(compiler, op_CHANCE_ALIKE, node->place);
        compiler->chances++;
    } else {
        compile_expecting(compiler, node->a, dimension_number(), "a condition");
    }
    size_t first = code_size(compiler);
    code_emit(compiler, op_JUMP_IF_NOT, node->place);
    compile_statement(compiler, node->b);
    size_t second = code_size(compiler);
    if (node->c)
        code_emit(compiler, op_JUMP, node->place);
    code_emit_target(compiler, first);
    if (node->c) {
        compile_statement(compiler, node->c);
        code_emit_target(compiler, second);
    }
}

static void compile_while(struct compiler *compiler, const struct node *node)
{
    size_t top = code_size(compiler);
    compile_expecting(compiler, node->a, dimension_number(), "a condition");
    size_t ends = code_size(compiler);
    code_emit(compiler, op_JUMP_IF_NOT, node->place);
    compile_statement(compiler, node->b);
    code_emit(compiler, op_AGAIN, node->place)->target = (int32_t)top;
    code_emit_target(compiler, ends);
}

/* A pure branch with a probability: weights of both sides. A side of weight 0 is not carried out. */
static void compile_weighed(struct compiler *compiler, const struct node *node)
{
    struct place place = node->place;
    unsigned slots = compiler->slots;
    uint16_t aside[MOST_SUMS], weight = code_take_slot(compiler, place);
    compiler->chances++;
    compile_expecting(compiler, node->a, dimension_number(), "a probability");
    code_emit(compiler, op_CHANCE, place);
    code_emit_slot(compiler, op_STORE, place, weight);
    for (unsigned side = 0; side < 2; side++) {
        const struct node *body = side ? node->c : node->b;
        code_emit_slot(compiler, op_LOCAL, place, weight);
        size_t skip = code_size(compiler);
        code_emit(compiler, op_JUMP_IF_NOT, place);
        if (body) {
            put_aside(compiler, place, aside);
            compile_statement(compiler, body);
            put_together(compiler, place, aside, weight);
        }
        code_emit_target(compiler, skip);
        code_emit_number(compiler, place, 1);
        code_emit_slot(compiler, op_LOCAL, place, weight);
        code_emit(compiler, op_SUBTRACT, place);
        code_emit_slot(compiler, op_STORE, place, weight);
    }
    compiler->slots = slots;
}

static const struct {
    enum message_part part;
    unsigned base; /* of its unit; BASE_UNITS: a number */
    const char *what;
} parts[MESSAGE_PARTS] = {
    [part_BYTES] = {part_BYTES, UNIT_DATA, "the size of a message"},
    [part_OTHER_BYTES] = {part_OTHER_BYTES, UNIT_DATA, "the size of a message"},
    [part_PARTNER] = {part_PARTNER, BASE_UNITS, "a rank"},
    [part_TAG] = {part_TAG, BASE_UNITS, "a tag"},
    [part_REQUEST] = {part_REQUEST, BASE_UNITS, "a request"},
    [part_COLUMNS] = {part_COLUMNS, BASE_UNITS, "the columns of a grid"},
    [part_ROWS] = {part_ROWS, BASE_UNITS, "the rows of a grid"},
    [part_CORNER] = {part_CORNER, BASE_UNITS, "a corner"},
    [part_TILES] = {part_TILES, BASE_UNITS, "the number of tiles"},
    [part_BEFORE] = {part_BEFORE, UNIT_TIME, "computing before the receives"},
    [part_SECONDS] = {part_SECONDS, UNIT_TIME, "computing of a tile"},
    [part_VALUE] = {part_VALUE, BASE_UNITS, "the number in a message"},
};

/* A new name of this block, or another value of one that is known. */
static void compile_received(struct compiler *compiler, const struct node *node, string_id name,
                             uint16_t what)
{
    struct local *local = name ? code_find_local(compiler, name) : NULL;
    uint16_t slot = local ? local->slot : 0;
    if (!name)
        return;
    if (local && !dimension_fits(local->unit, dimension_number()))
        language_mistake(compiler->model, node->place,
                         "%s is %s, and what a message brings is a plain number",
                         language_text(compiler->model, name), dimension_words(local->unit).text);
    if (local)
        local->uses++;
    else if (!code_declare_local(compiler, name, node->place, dimension_number(), &slot))
        return;
    code_emit(compiler, op_RECEIVED, node->place)->detail = what;
    code_emit_slot(compiler, op_STORE, node->place, slot);
}

static void compile_message(struct compiler *compiler, const struct node *node)
{
    uint32_t given = 0;
    for (unsigned i = 0; i < MESSAGE_PARTS; i++) {
        const struct node *part = node->parts[i];
        if (!part)
            continue;
        given |= 1u << i;
        if (parts[i].base == UNIT_TIME)
            compile_time(compiler, part, parts[i].what);
        else
            compile_expecting(compiler, part,
                              parts[i].base == BASE_UNITS ? dimension_number() : dimension_of(parts[i].base),
                              parts[i].what);
    }
    struct instruction *made = code_emit(compiler, op_MESSAGE, node->place);
    made->detail = node->activity;
    made->target = (int32_t)compiler->symbol->cause;
    made->number = given;
    compiler->model->communicates = true;
    compiler->model->receives_from_any |= node->is_from_any;
    compile_received(compiler, node, node->name, 0);
    compile_received(compiler, node, node->section, 1);
}

static void compile_object_call(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    struct symbol *symbol = language_symbol(model, node->name);
    if (symbol && (symbol->kind == symbol_SUBTASK || symbol->kind == symbol_TEMPLATE)) {
        compile_arguments(compiler, node, symbol);
        compile_symbol(model, symbol);
        code_emit(compiler, op_CALL, node->place)->symbol = symbol;
        return;
    }
    char *nearest = language_nearest(model, language_text(model, node->name));
    if (symbol)
        language_mistake(model, node->place,
                         "%s is neither a subtask nor a template: write compute %s(…); if it is a time",
                         language_text(model, node->name), language_text(model, node->name));
    else
        language_mistake(model, node->place, "there is no subtask or template %s%s",
                         language_text(model, node->name), nearest);
    free(nearest);
}

static void compile_compute(struct compiler *compiler, const struct node *node)
{
    bool is_flow = compiler->symbol->kind == symbol_FLOW;
    if (is_flow && node->text)
        language_mistake(compiler->model, node->place, "labels belong to subtasks: a flow is only a time");
    if (is_flow && node->purpose)
        language_mistake(compiler->model, node->place,
                         "a flow only computes: spend belongs to subtasks and applications");
    uint32_t cause = is_flow ? 0 : cause_of(compiler, node);
    for (unsigned i = 0; compiler->adds_up && i < compiler->sum_count; i++)
        if (compiler->sum_causes[i] == cause || is_flow) {
            code_emit_slot(compiler, op_LOCAL, node->place, compiler->sum_slots[i]);
            compile_time(compiler, node->a, "what is computed");
            code_emit(compiler, op_ADD, node->place);
            code_emit_slot(compiler, op_STORE, node->place, compiler->sum_slots[i]);
            return;
        }
    compile_time(compiler, node->a, "what is computed");
    code_emit(compiler, op_COMPUTE, node->place)->target = (int32_t)cause;
}

static void compile_assignment(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    struct local *local = code_find_local(compiler, node->name);
    uint16_t slot;
    if (node->kind == node_LET) {
        struct dimension unit = compile_expression(compiler, node->a);
        if (code_declare_local(compiler, node->name, node->place, unit, &slot))
            code_emit_slot(compiler, op_STORE, node->place, slot);
        return;
    }
    struct dimension unit = compile_expression(compiler, node->a);
    if (!local) {
        language_mistake(model, node->place,
                         "%s is not known here: a new name begins with let, and parameters do not change",
                         language_text(model, node->name));
        return;
    }
    if (!dimension_fits(local->unit, unit))
        language_mistake(model, node->place, "%s is %s, and cannot become %s",
                         language_text(model, node->name), dimension_words(local->unit).text,
                         dimension_words(unit).text);
    local->uses++;
    code_emit_slot(compiler, op_STORE, node->place, local->slot);
}

static void compile_plain(struct compiler *compiler, const struct node *node)
{
    unsigned names = compiler->local_count, slots = compiler->slots;
    switch (node->kind) {
    case node_BLOCK:
        for (const struct node *one = node->a; one; one = one->next)
            compile_statement(compiler, one);
        compiler->local_count = names;
        compiler->slots = slots;
        return;
    case node_COMPUTE:
        compile_compute(compiler, node);
        return;
    case node_IF:
        compile_if(compiler, node);
        return;
    case node_CHANCE:
        if (compiler->adds_up && node->is_pure)
            compile_weighed(compiler, node);
        else
            compile_if(compiler, node);
        return;
    case node_FOR:
        compile_for(compiler, node);
        return;
    case node_WHILE:
        compile_while(compiler, node);
        return;
    case node_MESSAGE:
        compile_message(compiler, node);
        return;
    case node_CALL:
        compile_object_call(compiler, node);
        return;
    default: /* node_LET, node_ASSIGN */
        compile_assignment(compiler, node);
    }
}

/* A pure statement with others inside: sums around it. */
static bool compile_summed(struct compiler *compiler, const struct node *node)
{
    bool fits = true;
    unsigned slots = compiler->slots;
    compiler->sum_count = 0;
    find_sums(compiler, node, &fits);
    if (!fits)
        return false;
    for (unsigned i = 0; i < compiler->sum_count; i++) {
        compiler->sum_slots[i] = code_take_slot(compiler, node->place);
        code_emit_number(compiler, node->place, 0);
        code_emit_slot(compiler, op_STORE, node->place, compiler->sum_slots[i]);
    }
    compiler->adds_up = true;
    compile_plain(compiler, node);
    compiler->adds_up = false;
    for (unsigned i = 0; i < compiler->sum_count; i++) {
        code_emit_slot(compiler, op_LOCAL, node->place, compiler->sum_slots[i]);
        code_emit(compiler, op_COMPUTE, node->place)->target = (int32_t)compiler->sum_causes[i];
    }
    compiler->slots = slots;
    return true;
}

void compile_statement(struct compiler *compiler, const struct node *node)
{
    bool is_compound = node->kind == node_FOR || node->kind == node_IF || node->kind == node_CHANCE;
    if (!compiler->adds_up && node->is_pure && is_compound && compile_summed(compiler, node))
        return;
    compile_plain(compiler, node);
}

static void find_impure(struct language_model *model, const struct node *node)
{
    for (const struct node *one = node; one; one = one->next) {
        if (one->is_pure)
            continue;
        if (one->kind == node_BLOCK)
            find_impure(model, one->a);
        else if (one->kind == node_IF || one->kind == node_CHANCE) {
            find_impure(model, one->b);
            if (one->c)
                find_impure(model, one->c);
        } else if (one->kind == node_FOR)
            find_impure(model, one->c);
        else if (one->kind == node_WHILE)
            language_mistake(model, one->place,
                             "a flow only computes: while belongs to subtasks and templates");
        else
            language_mistake(model, one->place,
                             "a flow only computes: messages and calls belong to subtasks and templates");
    }
}

void compile_flow(struct compiler *compiler, const struct node *body)
{
    struct place place = body->place;
    find_impure(compiler->model, body);
    compiler->adds_up = true;
    compiler->sum_count = 1;
    compiler->sum_slots[0] = code_take_slot(compiler, place);
    code_emit_number(compiler, place, 0);
    code_emit_slot(compiler, op_STORE, place, compiler->sum_slots[0]);
    if (body->is_pure)
        compile_plain(compiler, body);
    code_emit_slot(compiler, op_LOCAL, place, compiler->sum_slots[0]);
}
