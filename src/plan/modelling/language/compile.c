/* From what was parsed to code: one symbol after the other, each when it is first needed. */
#include "plan/modelling/language/code.h"

#include <stdlib.h>
#include <string.h>

struct instruction *code_emit(struct compiler *compiler, enum operation operation, struct place place)
{
    struct instruction *made = array_add(&compiler->symbol->code);
    made->operation = (uint16_t)operation;
    made->place = place;
    return made;
}

void code_emit_number(struct compiler *compiler, struct place place, double number)
{
    code_emit(compiler, op_NUMBER, place)->number = number;
}

void code_emit_slot(struct compiler *compiler, enum operation operation, struct place place, uint16_t slot)
{
    code_emit(compiler, operation, place)->detail = slot;
}

size_t code_size(const struct compiler *compiler)
{
    return compiler->symbol->code.count;
}

void code_emit_target(struct compiler *compiler, size_t at)
{
    ARRAY_AT(struct instruction, &compiler->symbol->code, at)->target = (int32_t)code_size(compiler);
}

uint16_t code_take_slot(struct compiler *compiler, struct place place)
{
    enum { MOST_SLOTS = 20000 };
    if (compiler->slots >= MOST_SLOTS) {
        language_mistake(compiler->model, place, "this object is too large; split it");
        return (uint16_t)(compiler->slots - 1);
    }
    uint16_t slot = (uint16_t)compiler->slots++;
    if (compiler->slots > compiler->symbol->locals)
        compiler->symbol->locals = (uint16_t)compiler->slots;
    return slot;
}

bool code_declare_local(struct compiler *compiler, string_id name, struct place place, struct dimension unit,
                        uint16_t *slot)
{
    if (compiler->local_count == MOST_LOCALS)
        return language_mistake(compiler->model, place, "more than %d names in one object; split it",
                                MOST_LOCALS);
    *slot = code_take_slot(compiler, place);
    compiler->locals[compiler->local_count++] = (struct local){.name = name, .slot = *slot, .unit = unit};
    return true;
}

struct local *code_find_local(struct compiler *compiler, string_id name)
{
    for (unsigned i = compiler->local_count; i-- > 0;)
        if (compiler->locals[i].name == name)
            return &compiler->locals[i];
    return NULL;
}

static uint32_t object_cause(struct language_model *model, const struct symbol *symbol)
{
    *(struct activity_cause *)array_push(&model->causes) =
        (struct activity_cause){.object = language_text(model, symbol->name),
                                .file = *ARRAY_AT(char *, &model->files, symbol->place.file)};
    model->object_causes++;
    return (uint32_t)model->causes.count - 1;
}

static struct symbol *hidden_value(struct language_model *model, struct node *body, string_id name)
{
    struct symbol *symbol = arena_get(&model->arena, sizeof *symbol);
    *symbol = (struct symbol){.kind = symbol_VALUE,
                              .name = name,
                              .place = body->place,
                              .body = body,
                              .code = ARRAY_OF(struct instruction)};
    *(struct symbol **)array_push(&model->all) = symbol;
    return symbol;
}

static void compile_value_body(struct compiler *compiler)
{
    struct language_model *model = compiler->model;
    struct symbol *symbol = compiler->symbol;
    const struct node *body = symbol->set ? symbol->set : symbol->body;
    const char *name = language_text(model, symbol->name);
    if (!body) {
        symbol->unit = symbol->has_unit ? symbol->unit : dimension_number();
        return;
    }
    struct dimension wanted = symbol->unit, found = compile_expression(compiler, body);
    /* What --set gives must fit the default. */
    if (symbol->set && !symbol->has_unit && symbol->body) {
        size_t before = symbol->code.count;
        wanted = compile_expression(compiler, symbol->body);
        symbol->code.count = before;
    }
    bool has_wanted = symbol->has_unit || symbol->set;
    if (has_wanted && !dimension_fits(wanted, found)) {
        language_mistake(model, body->place, "%s is %s%s: %s does not fit", name,
                         dimension_fits(wanted, dimension_number()) ? "" : "in ",
                         dimension_words(wanted).text, dimension_words(found).text);
    }
    symbol->unit = has_wanted && !wanted.is_any ? wanted : found;
}

static void compile_body(struct compiler *compiler)
{
    struct language_model *model = compiler->model;
    struct symbol *symbol = compiler->symbol;
    for (unsigned i = 0; i < symbol->formal_count; i++) {
        struct formal *formal = &symbol->formals[i];
        uint16_t slot;
        code_declare_local(compiler, formal->name, formal->place,
                           formal->is_known ? formal->unit : dimension_any(), &slot);
        for (unsigned end = 0; end < 2 && formal->first && formal->last; end++) {
            formal->bounds[end] = hidden_value(model, end ? formal->last : formal->first, symbol->name);
            compile_symbol(model, formal->bounds[end]);
            if (!dimension_fits(formal->bounds[end]->unit, dimension_number()))
                language_mistake(model, formal->place, "an index is a plain number, not %s",
                                 dimension_words(formal->bounds[end]->unit).text);
        }
    }
    if (symbol->kind == symbol_VALUE) {
        compile_value_body(compiler);
    } else if (symbol->kind == symbol_FUNCTION || symbol->kind == symbol_VECTOR) {
        struct dimension wanted = symbol->unit,
                         found = symbol->body ? compile_expression(compiler, symbol->body) : wanted;
        if (symbol->has_unit && !dimension_fits(wanted, found))
            language_mistake(model, symbol->body->place, "%s is in %s, but this is %s",
                             language_text(model, symbol->name), dimension_words(wanted).text,
                             dimension_words(found).text);
        if (!symbol->has_unit)
            symbol->unit = found;
    } else if (symbol->kind == symbol_FLOW && symbol->body) {
        compile_flow(compiler, symbol->body);
    } else if (symbol->body) {
        compile_statement(compiler, symbol->body);
    }
    bool has_value = symbol->kind == symbol_VALUE || symbol->kind == symbol_FUNCTION ||
                     symbol->kind == symbol_VECTOR || symbol->kind == symbol_FLOW;
    code_emit(compiler, op_RETURN, symbol->place)->detail = has_value;
}

bool compile_symbol(struct language_model *model, struct symbol *symbol)
{
    if (symbol->compiled != compile_NOT_YET || symbol->kind == symbol_HARDWARE)
        return true;
    symbol->compiled = compile_BUSY;
    if (!symbol->has_unit)
        symbol->unit = dimension_any();
    bool is_object = symbol->kind == symbol_SUBTASK || symbol->kind == symbol_TEMPLATE ||
                     symbol->kind == symbol_APPLICATION;
    if (is_object && !symbol->has_cause) {
        symbol->cause = object_cause(model, symbol);
        symbol->has_cause = true;
    }
    struct compiler *compiler = memory_get(sizeof *compiler);
    compiler->model = model;
    compiler->symbol = symbol;
    symbol->code.count = 0;
    model->compile_depth++;
    compile_body(compiler);
    model->compile_depth--;
    free(compiler);
    symbol->compiled = compile_DONE;
    return true;
}

void compile_model(struct language_model *model)
{
    /* What the application reaches decides whether ranks differ and whether a network is needed. */
    if (model->ranks) {
        model->ranks_symbol = hidden_value(model, model->ranks, strings_add(&model->strings, "ranks"));
        compile_symbol(model, model->ranks_symbol);
        if (!dimension_fits(model->ranks_symbol->unit, dimension_number()))
            language_mistake(model, model->ranks->place, "ranks must be a plain number, not %s",
                             dimension_words(model->ranks_symbol->unit).text);
    }
    model->uses_rank = model->communicates = model->receives_from_any = false;
    if (model->application)
        compile_symbol(model, model->application);
    bool uses_rank = model->uses_rank, communicates = model->communicates, any = model->receives_from_any;
    for (size_t i = 0; i < model->all.count; i++)
        compile_symbol(model, *ARRAY_AT(struct symbol *, &model->all, i));
    model->uses_rank = uses_rank;
    model->communicates = communicates;
    model->receives_from_any = any;
}
