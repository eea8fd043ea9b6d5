/* See flow.h.  In a child process, as loops are counted (clang.c).  Statements become steps; expressions and whole statements without
   loops in them are counted by count.c, and neighbours are one step.  A loop has a number of iterations if it is `for (i = a; i < b;
   i += c)` with a whole number c, nothing in it changes i, and nothing leaves it early. */
#include "code/source/flow.h"
#include "base/path.h"
#include "code/source/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOW_MAGIC = 0x41434650, DEEPEST = 100, FLOW_NO_PARSE = 3 };

struct flow_head {
    uint32_t magic, steps, errors;
};
struct known_name { /* a variable that has a text here */
    struct clang_cursor variable;
    char text[SOURCE_STEP_TEXT];
};
struct walking {
    struct counting counting;
    struct array steps, known; /* of struct source_step; of struct known_name */
    struct array changed;      /* of struct clang_cursor: what the function changes after it began */
    struct source_step pending;
    bool is_pending;
    unsigned depth;
};

static struct source_step *add_step(struct walking *walking, enum source_step_kind kind, uint32_t line)
{
    struct source_step *step = array_add(&walking->steps);
    *step = (struct source_step){.kind = kind, .line = line, .last_line = line};
    return step;
}

static void flush(struct walking *walking)
{
    if (walking->is_pending &&
        (walking->pending.floating || walking->pending.memory || walking->pending.branches))
        *(struct source_step *)array_add(&walking->steps) = walking->pending;
    walking->is_pending = false;
}

static uint32_t line_of(const struct walking *walking, struct clang_cursor cursor, bool is_end)
{
    const struct libclang *clang = walking->counting.clang;
    struct clang_range extent = clang->extent(cursor);
    uint32_t line, offset;
    counting_place(&walking->counting, is_end ? clang->range_end(extent) : clang->range_start(extent), &line,
                   &offset);
    return line;
}

static struct clang_cursor child_at(struct walking *walking, struct clang_cursor cursor, size_t index)
{
    counting_children(&walking->counting, cursor);
    return *ARRAY_AT(struct clang_cursor, &walking->counting.children, index);
}

static struct clang_cursor bare(struct walking *walking, struct clang_cursor cursor)
{
    while ((cursor.kind == cursor_PARENTHESES || cursor.kind == cursor_UNEXPOSED) &&
           counting_children(&walking->counting, cursor) == 1)
        cursor = child_at(walking, cursor, 0);
    return cursor;
}

static bool is_whole(const struct walking *walking, struct clang_cursor cursor)
{
    int kind = walking->counting.clang->canonical(walking->counting.clang->type(cursor)).kind;
    return kind >= type_FIRST_WHOLE && kind <= type_LAST_WHOLE;
}

/* The operator of a binary node: at most two characters. */
static void operator_of(struct walking *walking, struct clang_cursor cursor, char sign[3])
{
    size_t length, used = 0;
    struct clang_cursor left = child_at(walking, cursor, 0), right = child_at(walking, cursor, 1);
    const char *text = counting_between(&walking->counting, left, right, &length);
    while (length && *text == ')') /* of an operand in brackets */
        text++, length--;
    while (length && strchr(" \t\r\n", *text))
        text++, length--;
    while (used < 2 && used < length && strchr("+-*/%<>=!&|^,", text[used])) {
        sign[used] = text[used];
        used++;
    }
    if (used == 2 && strchr("-*&(+!~", sign[1]) &&
        strchr("+-*/%<>,", *sign)) /* a sign of the operand behind */
        used = 1;
    sign[used] = 0;
}

/* ++, --, -, ! or & of a unary node. */
static void unary_of(struct walking *walking, struct clang_cursor cursor, char sign[3])
{
    const struct counting *counting = &walking->counting;
    const struct libclang *clang = counting->clang;
    uint32_t line, start, end, from, to;
    struct clang_cursor operand = child_at(walking, cursor, 0);
    *sign = 0;
    if (!counting_place(counting, clang->range_start(clang->extent(cursor)), &line, &start) ||
        !counting_place(counting, clang->range_end(clang->extent(cursor)), &line, &end) ||
        !counting_place(counting, clang->range_start(clang->extent(operand)), &line, &from) ||
        !counting_place(counting, clang->range_end(clang->extent(operand)), &line, &to) || !counting->text ||
        end > counting->text_size || start > from || to > end)
        return;
    const char *at = counting->text + (start < from ? start : to);
    size_t length = start < from ? from - start : end - to, used = 0;
    while (used < 2 && used < length && strchr("+-!&~*", at[used])) {
        sign[used] = at[used];
        used++;
    }
    sign[used] = 0;
}

static struct clang_cursor target_of(struct walking *walking, struct clang_cursor cursor)
{
    cursor = bare(walking, cursor);
    return cursor.kind == cursor_NAME ? walking->counting.clang->referenced(cursor)
                                      : (struct clang_cursor){0};
}

static bool is_same(const struct walking *walking, struct clang_cursor one, struct clang_cursor other)
{
    return one.kind && other.kind && walking->counting.clang->equal(one, other);
}

/* ---- expressions ---- */

static bool expression(struct walking *walking, struct clang_cursor cursor, char *out);

static bool put(char *out, const char *format, const char *one, const char *other)
{
    char text[3 * SOURCE_STEP_TEXT];
    int length = snprintf(text, sizeof text, format, one, other);
    if (length < 0 || length >= SOURCE_STEP_TEXT)
        return false;
    memcpy(out, text, (size_t)length + 1);
    return true;
}

static bool constant(const struct walking *walking, struct clang_cursor cursor, long long *value)
{
    const struct libclang *clang = walking->counting.clang;
    if (!is_whole(walking, cursor))
        return false;
    void *result = clang->evaluate(cursor);
    bool is_number = result && clang->result_kind(result) == evaluated_WHOLE;
    if (is_number)
        *value = clang->result_number(result);
    if (result)
        clang->free_result(result);
    return is_number;
}

static bool binary(struct walking *walking, struct clang_cursor cursor, char *out)
{
    static const char *const known[][2] = {
        {"+", "(%s + %s)"},      {"-", "(%s - %s)"},   {"*", "(%s * %s)"},   {"%", "(%s %% %s)"},
        {"/", "floor(%s / %s)"}, {"<", "(%s < %s)"},   {">", "(%s > %s)"},   {"<=", "(%s <= %s)"},
        {">=", "(%s >= %s)"},    {"==", "(%s == %s)"}, {"!=", "(%s != %s)"}, {"&&", "(%s && %s)"},
        {"||", "(%s || %s)"}};
    char sign[3], left[SOURCE_STEP_TEXT], right[SOURCE_STEP_TEXT];
    if (counting_children(&walking->counting, cursor) != 2)
        return false;
    operator_of(walking, cursor, sign);
    struct clang_cursor one = child_at(walking, cursor, 0), other = child_at(walking, cursor, 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(sign, known[i][0]))
            return expression(walking, one, left) && expression(walking, other, right) &&
                   put(out, known[i][1], left, right);
    return false;
}

/* The text of an expression.  false: the source does not say it in these words. */
static bool expression(struct walking *walking, struct clang_cursor cursor, char *out)
{
    long long value;
    char sign[3], inner[SOURCE_STEP_TEXT];
    bool is_fine = false;
    cursor = bare(walking, cursor);
    if (walking->depth > DEEPEST || !is_whole(walking, cursor))
        return false;
    if (constant(walking, cursor, &value)) {
        snprintf(inner, sizeof inner, "%lld", value);
        return put(out, value < 0 ? "(%s)%s" : "%s%s", inner, "");
    }
    walking->depth++;
    if (cursor.kind == cursor_NAME) {
        struct clang_cursor variable = walking->counting.clang->referenced(cursor);
        for (size_t i = walking->known.count; i-- > 0 && !is_fine;) {
            const struct known_name *name = ARRAY_AT(struct known_name, &walking->known, i);
            is_fine = is_same(walking, name->variable, variable) && put(out, "%s%s", name->text, "");
        }
    } else if (cursor.kind == cursor_BINARY) {
        is_fine = binary(walking, cursor, out);
    } else if (cursor.kind == cursor_UNARY && counting_children(&walking->counting, cursor) == 1) {
        unary_of(walking, cursor, sign);
        is_fine = (!strcmp(sign, "-") || !strcmp(sign, "!")) &&
                  expression(walking, child_at(walking, cursor, 0), inner) &&
                  put(out, *sign == '-' ? "(-%s)%s" : "(!%s)%s", inner, "");
    }
    walking->depth--;
    return is_fine;
}

/* ---- what changes ---- */

static struct clang_cursor changed_by(struct walking *walking, struct clang_cursor cursor)
{
    char sign[3] = "";
    size_t count = counting_children(&walking->counting, cursor);
    if (cursor.kind == cursor_COMPOUND_ASSIGNMENT && count == 2)
        return target_of(walking, child_at(walking, cursor, 0));
    if (cursor.kind == cursor_BINARY && count == 2)
        operator_of(walking, cursor, sign);
    else if (cursor.kind == cursor_UNARY && count == 1)
        unary_of(walking, cursor, sign);
    bool is_change = cursor.kind == cursor_BINARY
                         ? !strcmp(sign, "=") || !*sign
                         : !strcmp(sign, "++") || !strcmp(sign, "--") || *sign == '&' || !*sign;
    return (cursor.kind == cursor_BINARY || cursor.kind == cursor_UNARY) && count && is_change
               ? target_of(walking, child_at(walking, cursor, 0))
               : (struct clang_cursor){0};
}

static int note_change(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct walking *walking = context;
    (void)parent;
    struct clang_cursor target = changed_by(walking, cursor);
    if (target.kind)
        *(struct clang_cursor *)array_push(&walking->changed) = target;
    return visit_RECURSE;
}

static bool is_changed(struct walking *walking, struct clang_cursor variable, size_t first)
{
    for (size_t i = first; i < walking->changed.count; i++)
        if (is_same(walking, *ARRAY_AT(struct clang_cursor, &walking->changed, i), variable))
            return true;
    return false;
}

/* Whether something in a loop leaves it: breaks of loops and switches inside do not. */
static int note_exit(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    (void)parent;
    bool is_inner = cursor.kind == cursor_FOR || cursor.kind == cursor_WHILE || cursor.kind == cursor_DO ||
                    cursor.kind == cursor_SWITCH;
    struct {
        const struct libclang *clang;
        bool leaves, is_inner;
    } *looking = context, inner = {looking->clang, false, true};
    looking->leaves |= cursor.kind == cursor_RETURN || cursor.kind == cursor_GOTO ||
                       (cursor.kind == cursor_BREAK && !looking->is_inner);
    if (!is_inner || looking->is_inner)
        return visit_RECURSE;
    looking->clang->visit(cursor, note_exit, &inner);
    looking->leaves |= inner.leaves;
    return visit_CONTINUE;
}

static bool leaves_early(const struct walking *walking, struct clang_cursor body)
{
    struct {
        const struct libclang *clang;
        bool leaves, is_inner;
    } looking = {walking->counting.clang, body.kind == cursor_BREAK || body.kind == cursor_RETURN, false};
    walking->counting.clang->visit(body, note_exit, &looking);
    return looking.leaves;
}

/* ---- statements ---- */

static void statement(struct walking *walking, struct clang_cursor cursor);

static void name_into(const struct walking *walking, struct clang_cursor cursor, char name[SOURCE_STEP_NAME])
{
    struct clang_string string = walking->counting.clang->name(cursor);
    const char *text = walking->counting.clang->text(string);
    snprintf(name, SOURCE_STEP_NAME, "%s", text ? text : "");
    walking->counting.clang->free_string(string);
}

struct calls {
    struct walking *walking;
    struct array found; /* of struct clang_cursor */
};

static int note_call(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct calls *calls = context;
    (void)parent;
    if (cursor.kind == cursor_CALL)
        *(struct clang_cursor *)array_push(&calls->found) = cursor;
    return visit_RECURSE;
}

static void call(struct walking *walking, struct clang_cursor cursor)
{
    struct clang_cursor function = walking->counting.clang->referenced(cursor);
    struct source_step *step = add_step(walking, source_step_CALL, line_of(walking, cursor, false));
    if (function.kind == cursor_FUNCTION)
        name_into(walking, function, step->name);
    size_t count = counting_children(&walking->counting, cursor);
    char arguments[SOURCE_STEP_TEXT] = "", one[SOURCE_STEP_TEXT], all[SOURCE_STEP_TEXT];
    for (size_t i = 1; i < count; i++) { /* the first one is the function */
        struct clang_cursor argument = child_at(walking, cursor, i);
        if (!is_whole(walking, argument))
            continue;
        if (!expression(walking, argument, one))
            strcpy(one, "?");
        memcpy(all, arguments, sizeof all);
        if (!put(arguments, *all ? "%s, %s" : "%s%s", all, one))
            break;
    }
    memcpy(ARRAY_AT(struct source_step, &walking->steps, walking->steps.count - 1)->first, arguments,
           sizeof arguments);
}

/* Something without statements in it: its operations, and its calls. */
static void count(struct walking *walking, struct clang_cursor cursor)
{
    struct found_loop sum;
    struct calls calls = {walking, ARRAY_OF(struct clang_cursor)};
    counting_statement(&walking->counting, cursor, &sum);
    if (!walking->is_pending)
        walking->pending =
            (struct source_step){.kind = source_step_COMPUTE, .line = line_of(walking, cursor, false)};
    walking->is_pending = true;
    walking->pending.floating += sum.floating;
    walking->pending.memory += sum.memory;
    walking->pending.branches += sum.branches;
    walking->pending.last_line = line_of(walking, cursor, true);
    note_call(cursor, cursor, &calls);
    walking->counting.clang->visit(cursor, note_call, &calls);
    for (size_t i = 0; i < calls.found.count; i++) {
        flush(walking);
        call(walking, *ARRAY_AT(struct clang_cursor, &calls.found, i));
    }
    array_free(&calls.found);
}

/* A variable that begins with a known value and keeps it is that value. */
static void declare(struct walking *walking, struct clang_cursor cursor)
{
    struct array variables = ARRAY_OF(struct clang_cursor);
    for (size_t i = 0, n = counting_children(&walking->counting, cursor); i < n; i++)
        *(struct clang_cursor *)array_push(&variables) = child_at(walking, cursor, i);
    for (size_t i = 0; i < variables.count; i++) {
        struct clang_cursor variable = *ARRAY_AT(struct clang_cursor, &variables, i);
        char text[SOURCE_STEP_TEXT];
        size_t parts = counting_children(&walking->counting, variable);
        if (variable.kind == cursor_VARIABLE && parts && is_whole(walking, variable) &&
            !is_changed(walking, variable, 0) &&
            expression(walking, child_at(walking, variable, parts - 1), text)) {
            struct known_name *known = array_add(&walking->known);
            known->variable = variable;
            memcpy(known->text, text, sizeof text);
        }
    }
    array_free(&variables);
    count(walking, cursor);
}

struct counted_for { /* for (variable = first; variable SIGN bound; variable += step) */
    struct clang_cursor variable;
    char first[SOURCE_STEP_TEXT], last[SOURCE_STEP_TEXT];
    long long step;
};

static bool begins(struct walking *walking, struct clang_cursor init, struct counted_for *made)
{
    size_t parts = counting_children(&walking->counting, init);
    if (init.kind == cursor_DECLARATION && parts == 1) {
        made->variable = child_at(walking, init, 0);
        parts = counting_children(&walking->counting, made->variable);
        return made->variable.kind == cursor_VARIABLE && parts &&
               expression(walking, child_at(walking, made->variable, parts - 1), made->first);
    }
    char sign[3];
    if (init.kind != cursor_BINARY || parts != 2)
        return false;
    operator_of(walking, init, sign);
    made->variable = target_of(walking, child_at(walking, init, 0));
    return !strcmp(sign, "=") && made->variable.kind &&
           expression(walking, child_at(walking, init, 1), made->first);
}

static bool steps_by(struct walking *walking, struct clang_cursor cursor, struct counted_for *made)
{
    char sign[3];
    size_t parts = counting_children(&walking->counting, cursor);
    if (!parts || !is_same(walking, target_of(walking, child_at(walking, cursor, 0)), made->variable))
        return false;
    if (cursor.kind == cursor_UNARY) {
        unary_of(walking, cursor, sign);
        made->step = !strcmp(sign, "++") ? 1 : !strcmp(sign, "--") ? -1 : 0;
    } else if (cursor.kind == cursor_COMPOUND_ASSIGNMENT && parts == 2) {
        operator_of(walking, cursor, sign);
        if ((strcmp(sign, "+=") && strcmp(sign, "-=")) ||
            !constant(walking, bare(walking, child_at(walking, cursor, 1)), &made->step))
            return false;
        made->step = *sign == '-' ? -made->step : made->step;
    }
    return made->step && made->step > -1000000000 && made->step < 1000000000;
}

static bool ends_at(struct walking *walking, struct clang_cursor cursor, struct counted_for *made)
{
    char sign[3], bound[SOURCE_STEP_TEXT];
    cursor = bare(walking, cursor);
    if (cursor.kind != cursor_BINARY || counting_children(&walking->counting, cursor) != 2)
        return false;
    operator_of(walking, cursor, sign);
    if (!is_same(walking, target_of(walking, child_at(walking, cursor, 0)), made->variable) ||
        !expression(walking, child_at(walking, cursor, 1), bound))
        return false;
    bool is_up = made->step > 0, is_not = !strcmp(sign, "!=") && (made->step == 1 || made->step == -1);
    if (!strcmp(sign, is_up ? "<=" : ">="))
        return put(made->last, "%s%s", bound, "");
    if (strcmp(sign, is_up ? "<" : ">") && !is_not)
        return false;
    return put(made->last, is_up ? "(%s - 1)%s" : "(%s + 1)%s", bound, "");
}

static bool is_counted(struct walking *walking, struct clang_cursor cursor, struct counted_for *made)
{
    size_t changed = walking->changed.count;
    if (cursor.kind != cursor_FOR || counting_children(&walking->counting, cursor) != 4)
        return false;
    struct clang_cursor body = child_at(walking, cursor, 3);
    if (!begins(walking, child_at(walking, cursor, 0), made) ||
        !steps_by(walking, child_at(walking, cursor, 2), made) ||
        !ends_at(walking, child_at(walking, cursor, 1), made) || leaves_early(walking, body))
        return false;
    note_change(body, body, walking);
    walking->counting.clang->visit(body, note_change, walking);
    bool is_kept = !is_changed(walking, made->variable, changed);
    walking->changed.count = changed;
    return is_kept;
}

static void loop(struct walking *walking, struct clang_cursor cursor)
{
    struct counted_for made = {0};
    size_t known = walking->known.count, parts = counting_children(&walking->counting, cursor);
    uint32_t line = line_of(walking, cursor, false);
    bool has_count = is_counted(walking, cursor, &made);
    flush(walking);
    if (has_count && (made.step == 1 || made.step == -1)) {
        struct known_name *name = array_add(&walking->known);
        name->variable = made.variable;
        name_into(walking, made.variable, name->text);
        struct source_step *step = add_step(walking, source_step_FOR, line);
        name_into(walking, made.variable, step->name);
        memcpy(step->first, made.step > 0 ? made.first : made.last, sizeof step->first);
        memcpy(step->last, made.step > 0 ? made.last : made.first, sizeof step->last);
    } else {
        struct source_step *step = add_step(walking, source_step_REPEAT, line);
        char format[80];
        snprintf(format, sizeof format, "max(0, floor((%%s - %%s) / %lld) + 1)", llabs(made.step));
        if (has_count && !put(step->first, format, made.step > 0 ? made.last : made.first,
                              made.step > 0 ? made.first : made.last))
            *step->first = 0;
    }
    walking->pending =
        (struct source_step){.kind = source_step_COMPUTE, .line = line, .last_line = line, .branches = 1};
    walking->is_pending = true;
    for (size_t i = has_count ? 3 : 0; i < parts; i++)
        statement(walking, child_at(walking, cursor, i));
    flush(walking);
    add_step(walking, source_step_END, line_of(walking, cursor, true));
    walking->known.count = known;
}

static void condition(struct walking *walking, struct clang_cursor cursor)
{
    size_t parts = counting_children(&walking->counting, cursor), known = walking->known.count;
    uint32_t line = line_of(walking, cursor, false);
    if (parts < 2)
        return;
    count(walking, child_at(walking, cursor, 0));
    walking->pending.branches++;
    flush(walking);
    struct source_step *step = add_step(walking, source_step_IF, line);
    char text[SOURCE_STEP_TEXT];
    if (expression(walking, child_at(walking, cursor, 0), text))
        memcpy(step->first, text, sizeof text);
    for (size_t i = 1; i < parts && i < 3; i++) {
        if (i == 2)
            add_step(walking, source_step_ELSE, line);
        statement(walking, child_at(walking, cursor, i));
        flush(walking);
        walking->known.count = known;
    }
    add_step(walking, source_step_END, line_of(walking, cursor, true));
}

static void statement(struct walking *walking, struct clang_cursor cursor)
{
    size_t parts, known = walking->known.count;
    if (walking->steps.count > MOST_SOURCE_STEPS || walking->depth > DEEPEST)
        return;
    walking->depth++;
    switch (cursor.kind) {
    case cursor_COMPOUND:
        parts = counting_children(&walking->counting, cursor);
        for (size_t i = 0; i < parts; i++)
            statement(walking, child_at(walking, cursor, i));
        walking->known.count = known;
        break;
    case cursor_FOR:
    case cursor_WHILE:
    case cursor_DO:
        loop(walking, cursor);
        break;
    case cursor_IF:
        condition(walking, cursor);
        break;
    case cursor_SWITCH:
        flush(walking);
        add_step(walking, source_step_SWITCH, line_of(walking, cursor, false));
        break;
    case cursor_DECLARATION:
        declare(walking, cursor);
        break;
    default:
        count(walking, cursor);
        break;
    }
    walking->depth--;
}

/* Parameters that are whole numbers and never change have their names in the function. */
static void function(struct walking *walking, struct clang_cursor cursor)
{
    size_t parts = counting_children(&walking->counting, cursor);
    if (!parts || child_at(walking, cursor, parts - 1).kind != cursor_COMPOUND)
        return;
    walking->known.count = walking->changed.count = 0;
    walking->counting.clang->visit(cursor, note_change, walking);
    struct source_step *step = add_step(walking, source_step_FUNCTION, line_of(walking, cursor, false));
    name_into(walking, cursor, step->name);
    char names[SOURCE_STEP_TEXT] = "", all[SOURCE_STEP_TEXT], name[SOURCE_STEP_NAME];
    for (size_t i = 0; i < parts; i++) {
        struct clang_cursor parameter = child_at(walking, cursor, i);
        if (parameter.kind != cursor_PARAMETER || !is_whole(walking, parameter))
            continue;
        name_into(walking, parameter, name);
        memcpy(all, names, sizeof all);
        if (!put(names, *all ? "%s, %s" : "%s%s", all, name))
            break;
        if (is_changed(walking, parameter, 0))
            continue;
        struct known_name *known = array_add(&walking->known);
        known->variable = parameter;
        put(known->text, "%s%s", name, "");
    }
    memcpy(ARRAY_AT(struct source_step, &walking->steps, walking->steps.count - 1)->first, names,
           sizeof names);
    statement(walking, child_at(walking, cursor, parts - 1));
    flush(walking);
    add_step(walking, source_step_END, line_of(walking, cursor, true));
}

/* ---- the child and its answer ---- */

struct flow_job {
    const struct libclang *clang;
    const char *path;
    const struct source_compilation *compilation;
};

static int read_in_child(void *context)
{
    const struct flow_job *job = context;
    const struct libclang *clang = job->clang;
    struct flow_head head = {.magic = FLOW_MAGIC};
    void *unit = source_clang_unit(clang, job->path, NULL, job->compilation);
    if (!unit)
        return FLOW_NO_PARSE;
    struct walking walking = {.counting = {.clang = clang,
                                           .unit = unit,
                                           .wanted = clang->file(unit, job->path),
                                           .work = ARRAY_OF(struct work),
                                           .children = ARRAY_OF(struct clang_cursor),
                                           .loops = ARRAY_OF(struct counted_loop),
                                           .instances = ARRAY_OF(struct clang_cursor),
                                           .seen.cursors = ARRAY_OF(struct clang_cursor),
                                           .aliases.cursors = ARRAY_OF(struct clang_cursor)},
                              .steps = ARRAY_OF(struct source_step),
                              .known = ARRAY_OF(struct known_name),
                              .changed = ARRAY_OF(struct clang_cursor)};
    if (walking.counting.wanted)
        walking.counting.text = clang->contents(unit, walking.counting.wanted, &walking.counting.text_size);
    struct clang_cursor root = clang->unit_cursor(unit);
    for (size_t i = 0, n = counting_children(&walking.counting, root); i < n; i++) {
        struct clang_cursor cursor = child_at(&walking, root, i);
        if (cursor.kind == cursor_FUNCTION && clang->is_from_main_file(clang->location(cursor)))
            function(&walking, cursor);
    }
    for (unsigned i = 0, n = clang->diagnostic_count(unit); i < n; i++)
        head.errors += clang->severity(clang->diagnostic(unit, i)) >= severity_ERROR;
    head.steps = (uint32_t)walking.steps.count;
    return child_write(&head, sizeof head) &&
                   child_write(walking.steps.data, walking.steps.count * sizeof(struct source_step))
               ? 0
               : 1;
}

/* What a stranger's source made of the child may be anything. */
static bool is_sound(const struct source_step *steps, size_t count)
{
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        const struct source_step *step = &steps[i];
        bool begins = step->kind == source_step_FUNCTION || step->kind == source_step_FOR ||
                      step->kind == source_step_REPEAT || step->kind == source_step_IF;
        if (step->kind >= source_step_COUNT || step->name[SOURCE_STEP_NAME - 1] ||
            step->first[SOURCE_STEP_TEXT - 1] || step->last[SOURCE_STEP_TEXT - 1] ||
            (step->kind == source_step_FUNCTION) != !depth || (step->kind == source_step_END && !depth))
            return false;
        depth += begins;
        depth -= step->kind == source_step_END;
    }
    return !depth;
}

static bool take_steps(const struct child_answer *answer, struct array *steps, uint32_t *errors)
{
    struct flow_head head;
    if (answer->output.count < sizeof head)
        return false;
    memcpy(&head, answer->output.data, sizeof head);
    if (head.magic != FLOW_MAGIC || head.steps > 2 * MOST_SOURCE_STEPS ||
        answer->output.count != sizeof head + head.steps * sizeof(struct source_step))
        return false;
    if (head.steps)
        memcpy(array_add_many(steps, head.steps), (const char *)answer->output.data + sizeof head,
               head.steps * sizeof(struct source_step));
    *errors = head.errors;
    return is_sound(steps->data, steps->count);
}

bool source_flow_read(const char *path, const struct source_options *options, struct array *steps,
                      uint32_t *errors, struct error *error)
{
    struct source_compilation compilation = {0};
    if (!source_find_compilation(path, options, &compilation, error))
        return false;
    if (!libclang_load()) {
        source_compilation_free(&compilation);
        return error_set(error, path,
                         "reading C needs libclang, which is not installed: apt install libclang1");
    }
    char *whole = path_absolute(path);
    struct flow_job job = {libclang_load(), whole, &compilation};
    struct child_job child = {.work = read_in_child,
                              .context = &job,
                              .limits = source_limits(sizeof(struct flow_head) +
                                                      2 * MOST_SOURCE_STEPS * sizeof(struct source_step))};
    struct child_answer answer;
    bool is_fine = child_run(&child, &answer, error);
    free(whole);
    source_compilation_free(&compilation);
    if (!is_fine)
        return false;
    is_fine = answer.end == child_end_DONE && take_steps(&answer, steps, errors);
    if (!is_fine && answer.end == child_end_SLOW)
        error_set(error, path, "libclang took more than %d seconds for this source and was stopped",
                  SOURCE_SECONDS);
    else if (!is_fine)
        error_set(error, path, "libclang cannot parse this source; does the compiler accept it?");
    child_answer_free(&answer);
    return is_fine;
}
