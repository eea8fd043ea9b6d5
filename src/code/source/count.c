/* The operations of one iteration of each loop, from the syntax tree of libclang.

   The tree is walked with a stack of our own, so its depth costs memory and not C's stack.  A piece of work
   is a node, the loop that its operations belong to, and its role: whether what it denotes is only the base
   of an access that was counted already (a[i] in a[i][j]; the operand of &), or is both read and written.

   libclang 14 does not give the operator of a node.  Mostly types show it: a unary operator whose result is
   what its operand points to is *, one that keeps the type of an operand that is not a value yet (libclang
   shows the conversion of a variable to its value as a node) is ++ or --.  For binary operators the text
   between the operands shows it; inside macros, where there is none, an operand on the left that was not
   converted to a value shows an assignment.

   Templates: the pattern has no types.  Calls in the file show which instances there are, and these are
   visited like functions; loops that stand at the same place are then one loop, that of the instance with
   the most operations. */
#include "code/source/count.h"

#include <string.h>

enum role {
    role_PLAIN,
    role_BASE, /* part of an access that is counted already, or only its address is taken */
    role_TWICE /* read and written */
};

enum { MOST_INSTANCES = 20000 };

static bool set_has(const struct libclang *clang, const struct cursor_set *set, struct clang_cursor cursor)
{
    uint64_t hash = clang->hash(cursor);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&set->index, hash, &slot)) != UINT32_MAX;)
        if (clang->equal(*ARRAY_AT(struct clang_cursor, &set->cursors, place), cursor))
            return true;
    return false;
}

/* false if it was in already. */
static bool set_add(const struct libclang *clang, struct cursor_set *set, struct clang_cursor cursor)
{
    if (set_has(clang, set, cursor))
        return false;
    hash_index_add(&set->index, clang->hash(cursor), (uint32_t)set->cursors.count);
    *(struct clang_cursor *)array_push(&set->cursors) = cursor;
    return true;
}

static int take_child(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    (void)parent;
    *(struct clang_cursor *)array_push(context) = cursor;
    return visit_CONTINUE;
}

size_t counting_children(struct counting *counting, struct clang_cursor cursor)
{
    counting->children.count = 0;
    counting->clang->visit(cursor, take_child, &counting->children);
    return counting->children.count;
}

static struct clang_cursor child(const struct counting *counting, size_t index)
{
    return *ARRAY_AT(struct clang_cursor, &counting->children, index);
}

static void push(struct counting *counting, struct clang_cursor cursor, uint32_t loop, enum role role)
{
    *(struct work *)array_push(&counting->work) = (struct work){cursor, loop, role};
}

/* All children in one role, the first one in another: pushed so that they are visited in order. */
static void push_children(struct counting *counting, uint32_t loop, enum role first, enum role others)
{
    for (size_t i = counting->children.count; i-- > 0;)
        push(counting, child(counting, i), loop, i ? others : first);
}

static struct clang_type type_of(const struct counting *counting, struct clang_cursor cursor)
{
    return counting->clang->canonical(counting->clang->type(cursor));
}

static bool is_reference(struct clang_type type)
{
    return type.kind == type_LVALUE_REFERENCE || type.kind == type_RVALUE_REFERENCE;
}

static bool is_array(struct clang_type type)
{
    return type.kind == type_CONSTANT_ARRAY ||
           (type.kind >= type_INCOMPLETE_ARRAY && type.kind <= type_DEPENDENT_ARRAY);
}

static bool is_floating(const struct counting *counting, struct clang_type type)
{
    const struct libclang *clang = counting->clang;
    if (is_reference(type))
        type = clang->canonical(clang->pointee(type));
    if (type.kind == type_COMPLEX || type.kind == type_VECTOR || type.kind == type_EXTENDED_VECTOR)
        type = clang->canonical(clang->element(type));
    return (type.kind >= type_FLOAT && type.kind <= type_LONG_DOUBLE) ||
           (type.kind >= type_FLOAT128 && type.kind <= type_FLOAT16) || type.kind == type_BFLOAT16 ||
           type.kind == type_IBM128;
}

static bool is_dependent(struct clang_type type)
{
    return type.kind == type_DEPENDENT || type.kind == type_UNEXPOSED;
}

static struct counted_loop *loop_of(const struct counting *counting, const struct work *work)
{
    return work->loop ? ARRAY_AT(struct counted_loop, &counting->loops, work->loop - 1) : NULL;
}

static void count_floating(struct counting *counting, const struct work *work, uint32_t operations)
{
    struct counted_loop *loop = loop_of(counting, work);
    if (loop)
        loop->loop.floating += operations;
}

static void count_branch(struct counting *counting, const struct work *work)
{
    struct counted_loop *loop = loop_of(counting, work);
    if (loop)
        loop->loop.branches++;
}

/* An access to memory in the role of the work.  Arrays as a whole are only addresses. */
static void count_access(struct counting *counting, const struct work *work, struct clang_type type)
{
    struct counted_loop *loop = loop_of(counting, work);
    if (loop && work->role != role_BASE && !is_array(type) && type.kind != type_FUNCTION &&
        type.kind != type_FUNCTION_PROTOTYPE)
        loop->loop.memory += work->role == role_TWICE ? 2 : 1;
}

static void note_dependent(struct counting *counting, const struct work *work, struct clang_type type)
{
    struct counted_loop *loop = loop_of(counting, work);
    if (loop && counting->is_cplusplus && is_dependent(type))
        loop->is_dependent = true;
}

static bool name_equals(const struct counting *counting, struct clang_cursor cursor, const char *name)
{
    struct clang_string string = counting->clang->name(cursor);
    const char *text = counting->clang->text(string);
    bool equal = text && !strcmp(text, name);
    counting->clang->free_string(string);
    return equal;
}

static bool returns_reference(const struct counting *counting, struct clang_cursor call)
{
    struct clang_cursor function = counting->clang->referenced(call);
    if (counting->clang->is_null(function))
        return false;
    return is_reference(counting->clang->canonical(counting->clang->result(counting->clang->type(function))));
}

/* The node below parentheses and conversions that the compiler inserted. */
static struct clang_cursor stripped(struct counting *counting, struct clang_cursor cursor,
                                    bool with_conversions)
{
    while (cursor.kind == cursor_PARENTHESES || (with_conversions && cursor.kind == cursor_UNEXPOSED)) {
        if (counting_children(counting, cursor) != 1)
            break;
        cursor = child(counting, 0);
    }
    return cursor;
}

/* Whether a node denotes a place and was not converted to the value in it. */
static bool is_place(struct counting *counting, struct clang_cursor cursor)
{
    cursor = stripped(counting, cursor, false);
    switch (cursor.kind) {
    case cursor_NAME:
    case cursor_MEMBER:
    case cursor_SUBSCRIPT:
        return true;
    case cursor_UNARY:
        return counting_children(counting, cursor) == 1 &&
               type_of(counting, child(counting, 0)).kind == type_POINTER &&
               type_of(counting, cursor).kind != type_POINTER;
    case cursor_CALL:
        return returns_reference(counting, cursor);
    default:
        return false;
    }
}

bool counting_place(const struct counting *counting, struct clang_location location, uint32_t *line,
                    uint32_t *offset)
{
    void *file = NULL;
    unsigned at_line = 0, at_offset = 0;
    counting->clang->expansion(location, &file, &at_line, NULL, &at_offset);
    *line = at_line;
    *offset = at_offset;
    return file && counting->wanted && counting->clang->equal_files(file, counting->wanted);
}

const char *counting_between(const struct counting *counting, struct clang_cursor left,
                             struct clang_cursor right, size_t *length)
{
    const struct libclang *clang = counting->clang;
    uint32_t line, start, end;
    *length = 0;
    if (!counting_place(counting, clang->range_end(clang->extent(left)), &line, &start) ||
        !counting_place(counting, clang->range_start(clang->extent(right)), &line, &end) || start >= end ||
        end > counting->text_size || !counting->text)
        return "";
    const char *at = counting->text + start, *stop = counting->text + end;
    while (at < stop) {
        if (strchr(" \t\r\n\\", *at)) {
            at++;
        } else if (stop - at >= 2 && !memcmp(at, "/*", 2)) {
            const char *close = memmem(at + 2, (size_t)(stop - at - 2), "*/", 2);
            at = close ? close + 2 : stop;
        } else if (stop - at >= 2 && !memcmp(at, "//", 2)) {
            const char *close = memchr(at, '\n', (size_t)(stop - at));
            at = close ? close : stop;
        } else {
            break;
        }
    }
    *length = (size_t)(stop - at);
    return at;
}

/* Whether a binary operator on floating-point operands computes: arithmetic or comparison, no assignment,
   comma or logical connection. */
static bool is_computation(struct counting *counting, struct clang_cursor left, struct clang_cursor right)
{
    size_t length;
    const char *text = counting_between(counting, left, right, &length);
    if (length && strchr("+-*/<>!", *text))
        return true;
    if (length && *text == '=')
        return length > 1 && text[1] == '=';
    if (length && strchr(",&|", *text))
        return false;
    return !is_place(counting, left);
}

static void visit_binary(struct counting *counting, const struct work *work)
{
    if (counting_children(counting, work->cursor) != 2) {
        push_children(counting, work->loop, role_PLAIN, role_PLAIN);
        return;
    }
    struct clang_cursor left = child(counting, 0), right = child(counting, 1);
    push(counting, right, work->loop, role_PLAIN);
    push(counting, left, work->loop, role_PLAIN);
    struct clang_type left_type = type_of(counting, left), right_type = type_of(counting, right);
    note_dependent(counting, work, left_type);
    note_dependent(counting, work, right_type);
    if (is_floating(counting, left_type) || is_floating(counting, right_type))
        count_floating(counting, work, is_computation(counting, left, right));
}

static void visit_compound_assignment(struct counting *counting, const struct work *work)
{
    size_t count = counting_children(counting, work->cursor);
    for (size_t i = 0; i < count; i++)
        note_dependent(counting, work, type_of(counting, child(counting, i)));
    if (count == 2 && (is_floating(counting, type_of(counting, child(counting, 0))) ||
                       is_floating(counting, type_of(counting, child(counting, 1)))))
        count_floating(counting, work, 1);
    push_children(counting, work->loop, role_TWICE, role_PLAIN);
}

static void visit_unary(struct counting *counting, const struct work *work)
{
    const struct libclang *clang = counting->clang;
    if (counting_children(counting, work->cursor) != 1) {
        push_children(counting, work->loop, role_PLAIN, role_PLAIN);
        return;
    }
    struct clang_cursor operand = child(counting, 0);
    struct clang_type type = type_of(counting, work->cursor), from = type_of(counting, operand);
    note_dependent(counting, work, type);
    enum role role = role_PLAIN;
    if (from.kind == type_POINTER && clang->equal_types(clang->canonical(clang->pointee(from)), type)) {
        count_access(counting, work, type);
        role = role_BASE;
    } else if (type.kind == type_POINTER &&
               clang->equal_types(clang->canonical(clang->pointee(type)), from)) {
        role = role_BASE;
    } else if (type.kind == from.kind && is_place(counting, operand)) { /* ++ or -- */
        count_floating(counting, work, is_floating(counting, type));
        role = role_TWICE;
    }
    push(counting, operand, work->loop, role);
}

static void visit_subscript(struct counting *counting, const struct work *work)
{
    size_t count = counting_children(counting, work->cursor);
    struct clang_type first = count ? type_of(counting, child(counting, 0)) : (struct clang_type){0};
    bool is_turned = count == 2 && first.kind != type_POINTER && !is_array(first) &&
                     type_of(counting, child(counting, 1)).kind == type_POINTER; /* 2[a] */
    if (first.kind == type_VECTOR || first.kind == type_EXTENDED_VECTOR) {
        push_children(counting, work->loop, work->role, role_PLAIN); /* a lane of a register */
        return;
    }
    count_access(counting, work, type_of(counting, work->cursor));
    push_children(counting, work->loop, is_turned ? role_PLAIN : role_BASE,
                  is_turned ? role_BASE : role_PLAIN);
}

static void visit_member(struct counting *counting, const struct work *work)
{
    size_t count = counting_children(counting, work->cursor);
    struct clang_cursor member = counting->clang->referenced(work->cursor);
    bool is_field = !counting->clang->is_null(member) && member.kind == cursor_FIELD;
    enum role role = is_field ? work->role : role_PLAIN;
    if (is_field && count) {
        struct clang_cursor object = stripped(counting, child(counting, 0), true);
        counting_children(counting, work->cursor);
        bool is_arrow = type_of(counting, child(counting, 0)).kind == type_POINTER;
        if (is_arrow && object.kind != cursor_THIS)
            count_access(counting, work, type_of(counting, work->cursor));
        if (is_arrow)
            role = role_BASE;
    }
    push_children(counting, work->loop, role, role_PLAIN);
}

/* Functions of the mathematics library that are one operation of most machines, without prefixes of builtins
   and the letters of types. */
static uint32_t operations_of_function(const char *name)
{
    static const struct {
        const char *name;
        uint32_t operations;
    } known[] = {{"fmin", 1}, {"fmax", 1}, {"min", 1}, {"max", 1}, {"sqrt", 1}, {"fma", 2}};
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].name);
        if (!strncmp(name, known[i].name, length) &&
            (!name[length] || (strchr("fl", name[length]) && !name[length + 1])))
            return known[i].operations;
    }
    return 0;
}

/* A function made from a template, or a member of a class made from one: visited later, once. */
static void note_instance(struct counting *counting, struct clang_cursor user)
{
    const struct libclang *clang = counting->clang;
    struct clang_cursor function = clang->referenced(user);
    uint32_t line, offset;
    if (clang->is_null(function) || counting->instances.count >= MOST_INSTANCES ||
        clang->is_null(clang->specialized(function)) ||
        !counting_place(counting, clang->location(function), &line, &offset))
        return;
    if (set_add(clang, &counting->seen, function))
        *(struct clang_cursor *)array_push(&counting->instances) = function;
}

static bool is_complex_class(const struct counting *counting, struct clang_type type)
{
    const struct libclang *clang = counting->clang;
    if (is_reference(type))
        type = clang->canonical(clang->pointee(type));
    struct clang_string string = clang->type_name(type);
    const char *name = clang->text(string);
    bool is_complex =
        name && (!strncmp(name, "std::complex<", 13) || !strncmp(name, "const std::complex<", 19));
    clang->free_string(string);
    return is_complex;
}

/* Operators that a class defines: those of containers and iterators are accesses, those of std::complex
   floating-point operations. */
static void visit_operator(struct counting *counting, const struct work *work, const char *symbol,
                           int arguments)
{
    counting_children(counting, work->cursor);
    bool is_assignment = strlen(symbol) == 2 && strchr("+-*/", symbol[0]) && symbol[1] == '=';
    bool is_computing = (strlen(symbol) == 1 && strchr("+-*/", *symbol) && arguments == 2) || is_assignment ||
                        !strcmp(symbol, "==") || !strcmp(symbol, "!=");
    bool is_access = !strcmp(symbol, "[]") || (!strcmp(symbol, "*") && arguments == 1) ||
                     (!strcmp(symbol, "()") && returns_reference(counting, work->cursor));
    if (is_computing && counting->children.count) {
        bool is_complex = is_complex_class(counting, type_of(counting, work->cursor));
        for (size_t i = 0; i < counting->children.count && !is_complex; i++)
            is_complex = is_complex_class(counting, type_of(counting, child(counting, i)));
        count_floating(counting, work, is_complex);
    }
    if (is_access)
        count_access(counting, work, type_of(counting, work->cursor));
    push_children(counting, work->loop,
                  is_access       ? role_BASE
                  : is_assignment ? role_TWICE
                                  : role_PLAIN,
                  role_PLAIN);
}

static void visit_call(struct counting *counting, const struct work *work)
{
    const struct libclang *clang = counting->clang;
    note_instance(counting, work->cursor);
    struct clang_cursor function = clang->referenced(work->cursor);
    struct clang_string string = clang->name(clang->is_null(function) ? work->cursor : function);
    const char *name = clang->text(string);
    if (name && !strncmp(name, "operator", 8) && name[8] && strchr("+-*/[(=!<>", name[8])) {
        visit_operator(counting, work, name + 8, clang->argument_count(work->cursor));
    } else if (name && !strcmp(name, "at") && returns_reference(counting, work->cursor)) {
        visit_operator(counting, work, "()", clang->argument_count(work->cursor));
    } else {
        if (name && is_floating(counting, type_of(counting, work->cursor)))
            count_floating(counting, work, operations_of_function(name));
        counting_children(counting, work->cursor);
        push_children(counting, work->loop, role_PLAIN, role_PLAIN);
    }
    clang->free_string(string);
}

static void visit_name(struct counting *counting, const struct work *work)
{
    struct clang_cursor target = counting->clang->referenced(work->cursor);
    if (counting->clang->is_null(target))
        return;
    if (target.kind == cursor_VARIABLE && set_has(counting->clang, &counting->aliases, target))
        count_access(counting, work, type_of(counting, work->cursor));
    if (target.kind == cursor_FUNCTION)
        note_instance(counting, work->cursor);
}

/* A reference to an element of an array is another name of it: its uses are the accesses. */
static void visit_variable(struct counting *counting, const struct work *work)
{
    size_t count = counting_children(counting, work->cursor);
    enum role role = role_PLAIN;
    if (count && is_reference(type_of(counting, work->cursor))) {
        struct clang_cursor value = stripped(counting, child(counting, count - 1), true);
        if (value.kind == cursor_SUBSCRIPT || value.kind == cursor_UNARY || value.kind == cursor_MEMBER ||
            (value.kind == cursor_CALL &&
             (name_equals(counting, value, "operator[]") || name_equals(counting, value, "operator*")))) {
            set_add(counting->clang, &counting->aliases, work->cursor);
            role = role_BASE;
        }
        counting_children(counting, work->cursor);
    }
    for (size_t i = count; i-- > 0;)
        push(counting, child(counting, i), work->loop, i + 1 == count ? role : role_PLAIN);
}

static uint32_t add_loop(struct counting *counting, const struct work *work)
{
    const struct libclang *clang = counting->clang;
    struct clang_range extent = clang->extent(work->cursor);
    uint32_t first, last, offset, end;
    bool is_here = counting_place(counting, clang->range_start(extent), &first, &offset);
    bool ends_here = counting_place(counting, clang->range_end(extent), &last, &end);
    struct counted_loop *loop = array_add(&counting->loops);
    *loop = (struct counted_loop){
        .loop = {.first_line = first,
                 .last_line = ends_here && last >= first ? last : first,
                 .parent = work->loop,
                 .branches = 1},
        .offset = offset,
        .visit = counting->visit,
        .is_elsewhere = !is_here,
    };
    return (uint32_t)counting->loops.count;
}

/* Whether the first child of a for statement is its initialisation. */
static bool has_start(struct counting *counting, struct clang_cursor first, size_t count)
{
    if (count >= 4 || first.kind == cursor_DECLARATION)
        return true;
    if (count < 2 || first.kind != cursor_BINARY || counting_children(counting, first) != 2)
        return false;
    struct clang_cursor left = child(counting, 0);
    return is_place(counting, left); /* an assignment */
}

static void visit_loop(struct counting *counting, const struct work *work)
{
    if (counting->loops.count >= MOST_SOURCE_LOOPS)
        return;
    uint32_t loop = add_loop(counting, work);
    size_t count = counting_children(counting, work->cursor), outside = count;
    if (work->cursor.kind == cursor_FOR && count) {
        outside = has_start(counting, child(counting, 0), count) ? 0 : count;
        counting_children(counting, work->cursor);
    } else if (work->cursor.kind == cursor_RANGE_FOR && count >= 2) {
        outside = count - 2; /* what it runs over */
    }
    for (size_t i = count; i-- > 0;)
        push(counting, child(counting, i), i == outside ? work->loop : loop, role_PLAIN);
}

static void visit_node(struct counting *counting, const struct work *work)
{
    switch (work->cursor.kind) {
    case cursor_FOR:
    case cursor_WHILE:
    case cursor_DO:
    case cursor_RANGE_FOR:
        visit_loop(counting, work);
        return;
    case cursor_BINARY:
        visit_binary(counting, work);
        return;
    case cursor_COMPOUND_ASSIGNMENT:
        visit_compound_assignment(counting, work);
        return;
    case cursor_UNARY:
        visit_unary(counting, work);
        return;
    case cursor_SUBSCRIPT:
        visit_subscript(counting, work);
        return;
    case cursor_MEMBER:
        visit_member(counting, work);
        return;
    case cursor_CALL:
        visit_call(counting, work);
        return;
    case cursor_NAME:
        visit_name(counting, work);
        return;
    case cursor_VARIABLE:
        visit_variable(counting, work);
        return;
    case cursor_SIZEOF:
    case cursor_TYPEID:
        return; /* nothing in it is computed */
    case cursor_IF:
    case cursor_SWITCH:
    case cursor_BREAK:
    case cursor_GOTO:
    case cursor_INDIRECT_GOTO:
    case cursor_CONDITIONAL:
        count_branch(counting, work);
        break;
    default:
        break;
    }
    bool is_function = work->cursor.kind == cursor_LAMBDA || work->cursor.kind == cursor_BLOCK ||
                       work->cursor.kind == cursor_FUNCTION || work->cursor.kind == cursor_METHOD ||
                       work->cursor.kind == cursor_CONSTRUCTOR || work->cursor.kind == cursor_DESTRUCTOR ||
                       work->cursor.kind == cursor_CONVERSION ||
                       work->cursor.kind == cursor_FUNCTION_TEMPLATE;
    bool is_transparent = work->cursor.kind == cursor_UNEXPOSED || work->cursor.kind == cursor_PARENTHESES;
    counting_children(counting, work->cursor);
    push_children(counting, is_function ? 0 : work->loop, is_transparent ? work->role : role_PLAIN,
                  role_PLAIN);
}

static void visit_all(struct counting *counting)
{
    while (counting->work.count) {
        struct work work = *ARRAY_AT(struct work, &counting->work, --counting->work.count);
        visit_node(counting, &work);
    }
}

void counting_statement(struct counting *counting, struct clang_cursor cursor, struct found_loop *sum)
{
    size_t before = counting->loops.count;
    *(struct counted_loop *)array_add(&counting->loops) = (struct counted_loop){0};
    push(counting, cursor, (uint32_t)before + 1, role_PLAIN);
    visit_all(counting);
    *sum = ARRAY_AT(struct counted_loop, &counting->loops, before)->loop;
    counting->loops.count = before;
}

void counting_visit(struct counting *counting)
{
    const struct libclang *clang = counting->clang;
    struct array roots = ARRAY_OF(struct clang_cursor);
    clang->visit(clang->unit_cursor(counting->unit), take_child, &roots);
    for (size_t i = 0; i < roots.count; i++) {
        struct clang_cursor root = *ARRAY_AT(struct clang_cursor, &roots, i);
        uint32_t line, offset;
        if (!counting_place(counting, clang->location(root), &line, &offset) &&
            !clang->is_from_main_file(clang->location(root)))
            continue;
        counting->visit++;
        push(counting, root, 0, role_PLAIN);
        visit_all(counting);
    }
    array_free(&roots);
    for (size_t i = 0; i < counting->instances.count; i++) {
        counting->visit++;
        push(counting, *ARRAY_AT(struct clang_cursor, &counting->instances, i), 0, role_PLAIN);
        visit_all(counting);
    }
}
