/* Expressions become code; their units are checked on the way.

   Each expression has one unit, whatever its values are. The number 0 fits every unit. The arguments of a
   function have the units that it declares, or else those of its first call. */
#include "plan/modelling/language/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned least, most;
    enum { SAME, PLAIN, GRID, BYTES_TO_TIME, OTHER } rule;
} built_ins[] = {
    [built_in_MIN] = {"min", 1, MOST_ARGUMENTS, SAME},
    [built_in_MAX] = {"max", 1, MOST_ARGUMENTS, SAME},
    [built_in_ABS] = {"abs", 1, 1, SAME},
    [built_in_FLOOR] = {"floor", 1, 1, SAME},
    [built_in_CEIL] = {"ceil", 1, 1, SAME},
    [built_in_ROUND] = {"round", 1, 1, SAME},
    [built_in_SQRT] = {"sqrt", 1, 1, OTHER},
    [built_in_LOG] = {"log", 1, 1, PLAIN},
    [built_in_LOG2] = {"log2", 1, 1, PLAIN},
    [built_in_EXP] = {"exp", 1, 1, PLAIN},
    [built_in_POWER] = {"power", 2, 2, OTHER},
    [built_in_GRID_COLUMNS] = {"grid_columns", 1, 1, PLAIN},
    [built_in_GRID_ROWS] = {"grid_rows", 1, 1, PLAIN},
    [built_in_SEND_TIME] = {"send_time", 1, 1, BYTES_TO_TIME},
    [built_in_RECEIVE_TIME] = {"receive_time", 1, 1, BYTES_TO_TIME},
    [built_in_MESSAGE_TIME] = {"message_time", 1, 1, BYTES_TO_TIME},
    [built_in_SECONDS] = {"to_seconds", 1, 1, OTHER},
};
enum { BUILT_INS = sizeof built_ins / sizeof *built_ins };

static unsigned built_in_named(const char *name)
{
    unsigned i = 0;
    while (i < BUILT_INS && strcmp(built_ins[i].name, name) != 0)
        i++;
    return i;
}

static struct dimension wrong(struct compiler *compiler)
{
    (void)compiler;
    return dimension_any();
}

static void emit_symbol(struct compiler *compiler, enum operation operation, struct place place,
                        struct symbol *symbol)
{
    code_emit(compiler, operation, place)->symbol = symbol;
}

static struct dimension compile_value(struct compiler *compiler, struct symbol *symbol, struct place place)
{
    compile_symbol(compiler->model, symbol);
    emit_symbol(compiler, op_VALUE, place, symbol);
    return symbol->unit;
}

static struct dimension compile_name(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    const char *name = language_text(model, node->name);
    struct symbol *entry = compiler->section ? language_entry(model, compiler->section, node->name) : NULL;
    struct local *local = code_find_local(compiler, node->name);
    if (entry)
        return compile_value(compiler, entry, node->place);
    if (local) {
        local->uses++;
        code_emit_slot(compiler, op_LOCAL, node->place, local->slot);
        return local->unit;
    }
    if (!strcmp(name, "ranks")) {
        code_emit(compiler, op_RANKS, node->place);
        return dimension_number();
    }
    if (!strcmp(name, "rank")) {
        enum symbol_kind kind = compiler->symbol->kind;
        if (kind != symbol_SUBTASK && kind != symbol_TEMPLATE && kind != symbol_APPLICATION)
            language_mistake(model, node->place,
                             "rank is known in subtasks, templates and run { }; pass it as an argument");
        model->uses_rank = true;
        code_emit(compiler, op_RANK, node->place);
        return dimension_number();
    }
    static const char *const corners[] = {"northwest", "northeast", "southwest", "southeast"};
    struct symbol *symbol = language_symbol(model, node->name);
    if (symbol && symbol->kind == symbol_VALUE)
        return compile_value(compiler, symbol, node->place);
    for (unsigned i = 0; i < 4 && !symbol; i++)
        if (!strcmp(name, corners[i])) {
            code_emit_number(compiler, node->place, i);
            return dimension_number();
        }
    const struct unit *unit = unit_named(name);
    if (unit && !symbol) {
        code_emit_number(compiler, node->place, unit->factor);
        return unit->dimension;
    }
    char *nearest = language_nearest(model, name);
    if (symbol)
        language_mistake(model, node->place, "%s is not a value: it needs %s", name,
                         symbol->kind == symbol_VECTOR ? "indices in []" : "arguments in ()");
    else if (compiler->section)
        language_mistake(model, node->place, "hardware %s has no %s.%s%s",
                         model->hardware ? language_text(model, model->hardware->name) : "",
                         language_text(model, compiler->section), name, nearest);
    else
        language_mistake(model, node->place, "%s is not known%s", name, nearest);
    free(nearest);
    code_emit_number(compiler, node->place, 0);
    return wrong(compiler);
}

static struct dimension compile_entry(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    struct symbol *entry = language_entry(model, node->section, node->name);
    if (entry)
        return compile_value(compiler, entry, node->place);
    if (!model->hardware)
        language_mistake(model, node->place, "no hardware is chosen: the application needs hardware NAME;");
    else
        language_mistake(model, node->place, "hardware %s has no %s%s%s",
                         language_text(model, model->hardware->name),
                         node->section ? language_text(model, node->section) : "", node->section ? "." : "",
                         language_text(model, node->name));
    code_emit_number(compiler, node->place, 0);
    return wrong(compiler);
}

void compile_expecting(struct compiler *compiler, const struct node *node, struct dimension unit,
                       const char *what)
{
    struct dimension found = compile_expression(compiler, node);
    if (!dimension_fits(found, unit))
        language_mistake(compiler->model, node->place, "%s must be %s, not %s", what,
                         dimension_words(unit).text, dimension_words(found).text);
}

static void convert_to_time(struct compiler *compiler, const struct node *node, struct dimension found,
                            const char *what)
{
    struct language_model *model = compiler->model;
    if (dimension_fits(found, dimension_of(UNIT_TIME)))
        return;
    bool is_cycles = dimension_fits(found, dimension_of(UNIT_CYCLES));
    bool is_flops = dimension_fits(found, dimension_of(UNIT_FLOPS));
    if (!is_cycles && !is_flops) {
        language_mistake(model, node->place, "%s must be a time (or cycles, or flops), not %s", what,
                         dimension_words(found).text);
        return;
    }
    string_id name = strings_add(&model->strings, is_cycles ? "clock" : "flops");
    struct symbol *rate = language_entry(model, 0, name);
    if (rate) {
        struct dimension unit = compile_value(compiler, rate, node->place), wanted;
        dimension_multiply(found, dimension_of(UNIT_TIME), -1, &wanted);
        if (!dimension_fits(unit, wanted))
            language_mistake(model, rate->place, "%s of the hardware must be in %s, not %s",
                             language_text(model, name), dimension_words(wanted).text,
                             dimension_words(unit).text);
    } else if (is_cycles) {
        code_emit(compiler, op_WORLD_CLOCK, node->place);
    } else {
        language_mistake(
            model, node->place,
            "flops take a time only on hardware that has an entry flops, such as flops = 2 Gflops/s");
        code_emit_number(compiler, node->place, 1);
    }
    code_emit(compiler, op_DIVIDE, node->place);
}

void compile_time(struct compiler *compiler, const struct node *node, const char *what)
{
    convert_to_time(compiler, node, compile_expression(compiler, node), what);
}

static struct dimension compile_built_in(struct compiler *compiler, const struct node *node, unsigned which)
{
    struct language_model *model = compiler->model;
    const char *name = built_ins[which].name;
    struct dimension unit = dimension_any();
    unsigned count = 0;
    for (const struct node *one = node->a; one; one = one->next, count++) {
        struct dimension found = compile_expression(compiler, one);
        if (built_ins[which].rule == PLAIN || (which == built_in_POWER && count == 1))
            found = dimension_fits(found, dimension_number())
                        ? dimension_number()
                        : (language_mistake(model, one->place, "%s takes a plain number, not %s", name,
                                            dimension_words(found).text),
                           dimension_number());
        else if (built_ins[which].rule == BYTES_TO_TIME && !dimension_fits(found, dimension_of(UNIT_DATA)))
            language_mistake(model, one->place, "%s takes bytes, not %s", name, dimension_words(found).text);
        else if (built_ins[which].rule == SAME && !dimension_fits(unit, found))
            language_mistake(model, one->place, "%s of %s and %s: they have different units", name,
                             dimension_words(unit).text, dimension_words(found).text);
        else if (which == built_in_SECONDS && count == 0)
            convert_to_time(compiler, one, found, "the argument of to_seconds");
        if (unit.is_any && (count == 0 || built_ins[which].rule == SAME))
            unit = found;
    }
    if (count < built_ins[which].least || count > built_ins[which].most)
        language_mistake(model, node->place, "%s takes %u argument%s, not %u", name, built_ins[which].least,
                         built_ins[which].least == 1 ? "" : "s", count);
    if (which == built_in_SECONDS)
        return dimension_of(UNIT_TIME);
    struct instruction *made = code_emit(compiler, op_BUILT_IN, node->place);
    made->detail = (uint16_t)which;
    made->target = (int32_t)count;
    if (built_ins[which].rule == BYTES_TO_TIME) {
        model->communicates = true;
        return dimension_of(UNIT_TIME);
    }
    if (which == built_in_SQRT && !unit.is_any)
        for (unsigned i = 0; i < BASE_UNITS; i++) {
            if (unit.power[i] % 2)
                return language_mistake(model, node->place, "the square root of %s has no unit",
                                        dimension_words(unit).text),
                       dimension_any();
            unit.power[i] /= 2;
        }
    if (which == built_in_POWER && !unit.is_any && !dimension_is_number(unit)) {
        const struct node *exponent = node->a ? node->a->next : NULL;
        struct dimension raised = dimension_any();
        if (!exponent || exponent->kind != node_NUMBER || exponent->number != floor(exponent->number) ||
            exponent->number > 20 ||
            !dimension_multiply(dimension_number(), unit, (int)exponent->number, &raised))
            language_mistake(model, node->place, "a power of %s needs a whole number as exponent",
                             dimension_words(unit).text);
        return raised;
    }
    return unit;
}

bool compile_arguments(struct compiler *compiler, const struct node *call, struct symbol *callee)
{
    struct language_model *model = compiler->model;
    unsigned count = 0;
    for (const struct node *one = call->a; one; one = one->next, count++) {
        struct dimension found = compile_expression(compiler, one);
        if (count >= callee->formal_count)
            continue;
        struct formal *formal = &callee->formals[count];
        if (!formal->is_known && !found.is_any) {
            formal->is_known = true;
            formal->unit = found;
            /* It was checked with any unit. */
            if (callee->compiled == compile_DONE)
                callee->compiled = compile_NOT_YET;
        } else if (formal->is_known && !dimension_fits(formal->unit, found)) {
            language_mistake(model, one->place, "%s of %s must be %s, not %s",
                             language_text(model, formal->name), language_text(model, callee->name),
                             dimension_words(formal->unit).text, dimension_words(found).text);
        }
    }
    if (count != callee->formal_count)
        return language_mistake(model, call->place, "%s takes %u argument%s, not %u",
                                language_text(model, callee->name), callee->formal_count,
                                callee->formal_count == 1 ? "" : "s", count);
    return true;
}

/* clc(FCAL, 4*FARL): the sum of entries of a section. */
static struct dimension compile_sum(struct compiler *compiler, const struct node *node)
{
    string_id outer = compiler->section;
    struct dimension unit = dimension_any();
    compiler->section = node->name;
    bool has_one = false;
    for (const struct node *one = node->a; one; one = one->next) {
        struct dimension found = compile_expression(compiler, one);
        if (!dimension_fits(unit, found))
            language_mistake(compiler->model, one->place, "a sum of %s and %s", dimension_words(unit).text,
                             dimension_words(found).text);
        unit = unit.is_any ? found : unit;
        if (has_one)
            code_emit(compiler, op_ADD, one->place);
        has_one = true;
    }
    if (!has_one)
        code_emit_number(compiler, node->place, 0);
    compiler->section = outer;
    return unit;
}

static struct dimension compile_call(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    const char *name = language_text(model, node->name);
    struct symbol *symbol = language_symbol(model, node->name);
    unsigned which = built_in_named(name);
    if (symbol && (symbol->kind == symbol_FUNCTION || symbol->kind == symbol_FLOW)) {
        compile_arguments(compiler, node, symbol);
        compile_symbol(model, symbol);
        emit_symbol(compiler, op_CALL, node->place, symbol);
        compiler->chances += symbol->kind == symbol_FLOW && symbol->body && symbol->body->has_chance;
        return symbol->kind == symbol_FLOW ? dimension_of(UNIT_TIME) : symbol->unit;
    }
    if (!symbol && which < BUILT_INS)
        return compile_built_in(compiler, node, which);
    char *whole =
        memory_format("%s.%s.", model->hardware ? language_text(model, model->hardware->name) : "", name);
    string_id section = strings_find(&model->strings, whole);
    free(whole);
    if (!symbol && section && language_symbol(model, section))
        return compile_sum(compiler, node);
    char *nearest = language_nearest(model, name);
    if (symbol)
        language_mistake(model, node->place, "%s has no value: it is neither a function nor a flow", name);
    else
        language_mistake(model, node->place, "%s is neither a function nor a section of %s%s", name,
                         model->hardware ? language_text(model, model->hardware->name)
                                         : "hardware (none is chosen)",
                         nearest);
    free(nearest);
    code_emit_number(compiler, node->place, 0);
    return wrong(compiler);
}

static struct dimension compile_element(struct compiler *compiler, const struct node *node)
{
    struct language_model *model = compiler->model;
    struct symbol *symbol = language_symbol(model, node->name);
    if (!symbol || symbol->kind != symbol_VECTOR) {
        language_mistake(model, node->place, "%s is not a vector", language_text(model, node->name));
        code_emit_number(compiler, node->place, 0);
        return wrong(compiler);
    }
    compile_symbol(model, symbol);
    size_t sized = code_size(compiler);
    emit_symbol(compiler, op_IS_SIZED, node->place, symbol);
    for (unsigned i = 0; i < symbol->formal_count; i++)
        for (unsigned end = 0; end < 2 && symbol->formals[i].bounds[end]; end++)
            compile_value(compiler, symbol->formals[i].bounds[end], symbol->formals[i].place);
    emit_symbol(compiler, op_SIZE, node->place, symbol);
    code_emit_target(compiler, sized);
    compile_arguments(compiler, node, symbol);
    emit_symbol(compiler, op_ELEMENT, node->place, symbol);
    return symbol->unit;
}

static struct dimension compile_logic(struct compiler *compiler, const struct node *node)
{
    bool is_and = node->mark == MARK('&', '&');
    struct place place = node->place;
    compile_expecting(compiler, node->a, dimension_number(), "a condition");
    size_t first = code_size(compiler);
    code_emit(compiler, op_JUMP_IF_NOT, place);
    if (is_and) {
        compile_expecting(compiler, node->b, dimension_number(), "a condition");
        code_emit(compiler, op_NOT, place);
        code_emit(compiler, op_NOT, place);
    } else {
        code_emit_number(compiler, place, 1);
    }
    size_t second = code_size(compiler);
    code_emit(compiler, op_JUMP, place);
    code_emit_target(compiler, first);
    if (is_and) {
        code_emit_number(compiler, place, 0);
    } else {
        compile_expecting(compiler, node->b, dimension_number(), "a condition");
        code_emit(compiler, op_NOT, place);
        code_emit(compiler, op_NOT, place);
    }
    code_emit_target(compiler, second);
    return dimension_number();
}

static struct dimension compile_product(struct compiler *compiler, const struct node *node,
                                        struct dimension left, struct dimension right)
{
    struct dimension unit;
    bool divides = node->mark == MARK('/', 0);
    /* The number 0 may have any unit; as a factor it has none. */
    if (left.is_any && node->a->kind == node_NUMBER)
        left = dimension_number();
    if (right.is_any && node->b->kind == node_NUMBER)
        right = dimension_number();
    code_emit(compiler, divides ? op_DIVIDE : op_MULTIPLY, node->place);
    if (!dimension_multiply(left, right, divides ? -1 : 1, &unit))
        language_mistake(compiler->model, node->place, "no value has such a unit");
    return unit;
}

static struct dimension compile_binary(struct compiler *compiler, const struct node *node)
{
    if (node->mark == MARK('&', '&') || node->mark == MARK('|', '|'))
        return compile_logic(compiler, node);
    bool is_swapped = node->mark == MARK('>', 0) || node->mark == MARK('>', '=');
    struct dimension left, right;
    if (is_swapped) {
        right = compile_expression(compiler, node->b);
        left = compile_expression(compiler, node->a);
    } else {
        left = compile_expression(compiler, node->a);
        right = compile_expression(compiler, node->b);
    }
    if (node->mark == MARK('*', 0) || node->mark == MARK('/', 0))
        return compile_product(compiler, node, left, right);
    if (!dimension_fits(left, right)) {
        static const struct {
            uint16_t mark;
            const char *word;
        } verbs[] = {
            {MARK('+', 0), "add"}, {MARK('-', 0), "subtract"}, {MARK('%', 0), "divide with remainder"}};
        const char *verb = "compare";
        for (unsigned i = 0; i < 3; i++)
            verb = verbs[i].mark == node->mark ? verbs[i].word : verb;
        language_mistake(compiler->model, node->place, "cannot %s %s and %s", verb,
                         dimension_words(left).text, dimension_words(right).text);
    }
    struct dimension unit = left.is_any ? right : left;
    switch (node->mark) {
    case MARK('+', 0):
        code_emit(compiler, op_ADD, node->place);
        return unit;
    case MARK('-', 0):
        code_emit(compiler, op_SUBTRACT, node->place);
        return unit;
    case MARK('%', 0):
        code_emit(compiler, op_REMAINDER, node->place);
        return unit;
    case MARK('<', 0):
    case MARK('>', 0):
        code_emit(compiler, op_LESS, node->place);
        break;
    case MARK('<', '='):
    case MARK('>', '='):
        code_emit(compiler, op_LESS_EQUAL, node->place);
        break;
    default:
        code_emit(compiler, op_EQUAL, node->place);
        if (node->mark == MARK('!', '='))
            code_emit(compiler, op_NOT, node->place);
    }
    return dimension_number();
}

static struct dimension compile_choice(struct compiler *compiler, const struct node *node)
{
    compile_expecting(compiler, node->a, dimension_number(), "a condition");
    size_t first = code_size(compiler);
    code_emit(compiler, op_JUMP_IF_NOT, node->place);
    struct dimension yes = compile_expression(compiler, node->b);
    size_t second = code_size(compiler);
    code_emit(compiler, op_JUMP, node->place);
    code_emit_target(compiler, first);
    struct dimension no = compile_expression(compiler, node->c);
    code_emit_target(compiler, second);
    if (!dimension_fits(yes, no))
        language_mistake(compiler->model, node->place, "a choice between %s and %s",
                         dimension_words(yes).text, dimension_words(no).text);
    return yes.is_any ? no : yes;
}

static struct dimension compile_one(struct compiler *compiler, const struct node *node)
{
    struct dimension unit;
    switch (node->kind) {
    case node_NUMBER:
        code_emit_number(compiler, node->place, node->number);
        return node->unit;
    case node_NAME:
        return compile_name(compiler, node);
    case node_ENTRY:
        return compile_entry(compiler, node);
    case node_CALL:
        return compile_call(compiler, node);
    case node_ELEMENT:
        return compile_element(compiler, node);
    case node_BINARY:
        return compile_binary(compiler, node);
    case node_UNARY:
        unit = compile_expression(compiler, node->a);
        code_emit(compiler, node->mark == MARK('-', 0) ? op_NEGATE : op_NOT, node->place);
        return node->mark == MARK('-', 0) ? unit : dimension_number();
    case node_CHOICE:
        return compile_choice(compiler, node);
    default: /* node_LOOP_OF */
        code_emit(compiler, op_LOOP_CYCLES, node->place)->target = (int32_t)node->loop;
        return dimension_of(UNIT_CYCLES);
    }
}

struct dimension compile_expression(struct compiler *compiler, const struct node *node)
{
    enum { DEEPEST = 4000 };
    struct language_model *model = compiler->model;
    if (model->compile_depth >= DEEPEST) {
        language_mistake(model, node->place, "functions and values depend on one another more than %d deep",
                         DEEPEST);
        code_emit_number(compiler, node->place, 0);
        return dimension_any();
    }
    model->compile_depth++;
    struct dimension unit = compile_one(compiler, node);
    model->compile_depth--;
    return unit;
}
