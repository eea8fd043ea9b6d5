/* Expressions in gfortran's dump of a parsed program, and the operations in them.

   The dump writes operators before their operands in parentheses, with types already made equal by calls of
   conversion functions, variables as procedure:name with subscripts and components, and calls with
   their arguments in brackets:

       (+ daxpy:y(daxpy:i) (* daxpy:a daxpy:x(daxpy:i)))
       arr:p(arr:i) % x      __min_r4[[((arr:a(:)) (3.00000000e0))]]      (/ 1 , 2 /)

   One pass from left to right with a stack of open brackets: no recursion, no tree.  An operation is counted
   when its bracket closes, for the loop that is the target then.  The argument of a reduction (sum,
   dot_product, …) is a loop of its own: while it is read, that is the target.

   A subscripted variable is one access however many subscripts and components it has; the subscripts' own
   accesses count too.  A variable that is only passed by address, or only asked for its size, is not an
   access. */
#include "code/source/fortran.h"

#include <ctype.h>
#include <string.h>

enum frame_kind { frame_OPERATOR, frame_SUBSCRIPT, frame_CALL, frame_GROUP };

struct designator {
    struct fortran_symbol symbol;
    bool is_access, is_section;
};

struct frame {
    enum frame_kind kind;
    char sign[8]; /* of an operator */
    bool is_floating, is_array, saved_mute;
    bool passes_addresses; /* a call of a function that is not Fortran's own */
    uint32_t operands;
    uint32_t operations; /* of a reduction, for each element */
    uint32_t saved_target;
    bool is_reduction;
    struct designator variable; /* that is subscripted */
    const char *name;           /* of the function that is called */
    size_t name_length;
};

struct walk {
    struct fortran_dump *dump;
    const char *at, *end;
    size_t bottom; /* frames of ours start here */
    bool is_done;
    struct fortran_value value;
};

static struct frame *top(const struct walk *walk)
{
    size_t count = walk->dump->frames.count;
    return count > walk->bottom ? ARRAY_AT(struct frame, &walk->dump->frames, count - 1) : NULL;
}

static struct frame *push(struct walk *walk, enum frame_kind kind)
{
    struct frame *frame = array_add(&walk->dump->frames);
    frame->kind = kind;
    frame->saved_target = walk->dump->target;
    frame->saved_mute = walk->dump->is_muted;
    return frame;
}

static void deliver(struct walk *walk, struct fortran_value value)
{
    struct frame *frame = top(walk);
    if (!frame) {
        walk->value = value;
        walk->is_done = true;
        return;
    }
    frame->operands++;
    frame->is_floating |= value.is_floating;
    frame->is_array |= value.is_array;
}

static struct found_loop *target(struct fortran_dump *dump)
{
    if (!dump->target || dump->is_muted)
        return NULL;
    return dump->target == FORTRAN_SCRATCH
               ? &dump->scratch
               : ARRAY_AT(struct found_loop, &dump->found->loops, dump->target - 1);
}

static void count_floating(struct fortran_dump *dump, uint32_t operations)
{
    struct found_loop *loop = target(dump);
    if (loop)
        loop->floating += operations;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '@' || c == '.';
}

static bool looking_at(const struct walk *walk, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(walk->end - walk->at) >= length && !memcmp(walk->at, text, length);
}

/* The operator after an opening parenthesis, or NULL. */
static const char *operator_at(const struct walk *walk)
{
    static const char *const operators[] = {
        "+",  "-",  "*",  "/",  "**", "//",  "==",  "/=",  "<",    ">",
        "<=", ">=", "U+", "U-", "OR", "AND", "NOT", "EQV", "NEQV", "parens"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (looking_at(walk, operators[i]) && (size_t)(walk->end - walk->at) > length &&
            walk->at[length] == ' ')
            return operators[i];
    }
    return NULL;
}

static bool computes(const char *sign)
{
    static const char *const computing[] = {"+", "-", "*", "/", "**", "==", "/=", "<", ">", "<=", ">="};
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
        if (!strcmp(sign, computing[i]))
            return true;
    return false;
}

/* A variable is passed by address if it alone is an argument of a function that is not Fortran's own. */
static bool is_passed(const struct walk *walk)
{
    size_t count = walk->dump->frames.count;
    if (count < walk->bottom + 3 || walk->at >= walk->end || *walk->at != ')')
        return false;
    const struct frame *frame = ARRAY_AT(struct frame, &walk->dump->frames, count - 3);
    return frame[2].kind == frame_GROUP && frame[1].kind == frame_GROUP && frame->kind == frame_CALL &&
           frame->passes_addresses;
}

static bool name_at(struct walk *walk, const char **name, size_t *length)
{
    *name = walk->at;
    while (walk->at < walk->end && is_name_character(*walk->at))
        walk->at++;
    *length = (size_t)(walk->at - *name);
    return *length > 0;
}

/* What follows a variable: another subscript, a component, or nothing. */
static void continue_variable(struct walk *walk, struct designator variable)
{
    while (walk->at < walk->end) {
        if (*walk->at == '(') {
            walk->at++;
            struct frame *frame = push(walk, frame_SUBSCRIPT);
            frame->variable = variable;
            return;
        }
        if (!looking_at(walk, " % "))
            break;
        walk->at += 3;
        const char *name, *type = strings_text(&walk->dump->names, variable.symbol.derived);
        size_t length;
        name_at(walk, &name, &length);
        struct fortran_symbol *component =
            type ? fortran_symbol(walk->dump, type, strlen(type), '%', name, length, false) : NULL;
        variable.symbol = component ? *component : (struct fortran_symbol){0};
    }
    struct found_loop *loop = target(walk->dump);
    if (variable.is_access && loop && !is_passed(walk))
        loop->memory++;
    deliver(walk, (struct fortran_value){variable.symbol.is_floating, variable.is_section});
}

static bool is_name(const char *name, size_t length, const char *text)
{
    return length == strlen(text) && !memcmp(name, text, length);
}

/* Names of Fortran's own functions in the dump: __sqrt_r4, _gfortran_sum_r8, size. */
static bool stem_of(const char **name, size_t *length)
{
    static const char *const prefixes[] = {"_gfortran_", "__", "_F."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i]);
        if (*length > size && !memcmp(*name, prefixes[i], size)) {
            *name += size;
            *length -= size;
            return true;
        }
    }
    return false;
}

static bool has_stem(const char *name, size_t length, const char *stem)
{
    size_t size = strlen(stem);
    return length >= size && !memcmp(name, stem, size) &&
           (length == size || !isalpha((unsigned char)name[size]));
}

static bool is_among(const char *name, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (has_stem(name, length, *list))
            return true;
    return false;
}

/* Functions that do not look at the values of their arguments. */
static bool is_inquiry(const char *name, size_t length)
{
    static const char *const inquiries[] = {
        "size",         "shape",         "lbound", "ubound",     "rank",      "present", "kind",
        "len",          "loc",           "c_loc",  "associated", "allocated", "_loc",    "sizeof",
        "storage_size", "is_contiguous", "digits", "epsilon",    "huge",      "tiny",    NULL};
    return is_among(name, length, inquiries);
}

static bool is_reduction(const char *name, size_t length, uint32_t *operations)
{
    static const char *const one[] = {"sum",      "msum",   "ssum",    "product", "mproduct",
                                      "sproduct", "minval", "mminval", "maxval",  "mmaxval",
                                      "minloc",   "maxloc", "mminloc", "mmaxloc", NULL};
    static const char *const two[] = {"dot_product", "matmul", "norm", NULL};
    static const char *const none[] = {"any", "all", "count", "parity", NULL};
    *operations = is_among(name, length, one) ? 1 : is_among(name, length, two) ? 2 : 0;
    return *operations || is_among(name, length, none);
}

/* The type of a function of Fortran's own is the end of its name, with exceptions. */
static bool gives_floating(const char *name, size_t length)
{
    static const char *const integers[] = {"int",     "nint",    "floor", "ceiling",  "maxloc", "minloc",
                                           "mmaxloc", "mminloc", "count", "exponent", NULL};
    static const char *const reals[] = {"real", "dble", "cmplx", "float", "aimag", "conjg", NULL};
    if (is_among(name, length, integers))
        return false;
    if (is_among(name, length, reals))
        return true;
    size_t end = length;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    return end < length && end >= 2 && name[end - 2] == '_' && (name[end - 1] == 'r' || name[end - 1] == 'c');
}

static void open_call(struct walk *walk, const char *name, size_t length)
{
    bool is_named = looking_at(walk, "[["); /* functions of the program are; of Fortran's own only some */
    walk->at += is_named ? 2 : 1;
    struct frame *frame = push(walk, frame_CALL);
    frame->name = name;
    frame->name_length = length;
    bool is_own = stem_of(&name, &length);
    uint32_t operations;
    if ((is_own || !is_named) && is_inquiry(name, length)) {
        walk->dump->is_muted = true;
    } else if (is_own && is_reduction(name, length, &operations)) {
        frame->is_reduction = true;
        frame->operations = operations;
        if (!walk->dump->is_muted) {
            walk->dump->target = fortran_add_loop(walk->dump, walk->dump->loop);
        }
    } else {
        frame->passes_addresses = !is_own;
    }
}

static void close_call(struct walk *walk)
{
    walk->at += looking_at(walk, "]]") ? 2 : 1;
    struct frame *frame = top(walk);
    if (!frame || frame->kind != frame_CALL)
        return;
    struct fortran_dump *dump = walk->dump;
    const char *name = frame->name;
    size_t length = frame->name_length;
    struct fortran_value value = {.is_array = frame->is_array && !frame->passes_addresses};
    if (frame->is_reduction) {
        count_floating(dump, frame->is_floating ? frame->operations : 0);
        value.is_array = false;
    }
    dump->target = frame->saved_target;
    dump->is_muted = frame->saved_mute;
    bool passes_addresses = frame->passes_addresses;
    uint32_t operands = frame->operands;
    dump->frames.count--;
    if (stem_of(&name, &length)) {
        value.is_floating = gives_floating(name, length);
        if (value.is_floating && (has_stem(name, length, "min") || has_stem(name, length, "max")))
            count_floating(dump, operands > 1 ? operands - 1 : 1);
        else if (value.is_floating && has_stem(name, length, "sqrt"))
            count_floating(dump, 1);
        if (has_stem(name, length, "matmul"))
            value.is_array = true;
    } else if (passes_addresses) {
        const struct fortran_symbol *symbol = fortran_symbol(dump, NULL, 0, 0, name, length, false);
        if (symbol)
            value = (struct fortran_value){symbol->is_floating, symbol->is_array};
    }
    deliver(walk, value);
}

/* A name: a variable with the procedure it belongs to, a function, a keyword, a constructor of a type. */
static void read_name(struct walk *walk)
{
    const char *name, *scope = NULL;
    size_t length, scope_length = 0;
    name_at(walk, &name, &length);
    if (walk->at + 1 < walk->end && *walk->at == ':' &&
        (isalpha((unsigned char)walk->at[1]) || walk->at[1] == '_')) {
        const char *colon = walk->at++, *inner;
        size_t inner_length;
        name_at(walk, &inner, &inner_length);
        bool is_block = length > 6 && !memcmp(name, "block@", 6);
        if (is_block || fortran_symbol(walk->dump, name, length, ':', inner, inner_length, false) ||
            fortran_symbol(walk->dump, name, length, ':', "", 0, false)) {
            const char *procedure = strings_text(&walk->dump->names, walk->dump->scope);
            scope = !is_block ? name : procedure ? procedure : "";
            scope_length = is_block ? strlen(scope) : length;
            name = inner;
            length = inner_length;
        } else {
            walk->at = colon;
        }
    }
    if (walk->at < walk->end && *walk->at == '[') {
        open_call(walk, name, length);
        return;
    }
    struct frame *frame = top(walk);
    if (!scope && frame && frame->kind == frame_SUBSCRIPT && is_name(name, length, "FULL")) {
        frame->is_array = true;
        return;
    }
    if (!scope && looking_at(walk, " = ")) {
        walk->at += 3; /* an argument with its name */
        return;
    }
    if (!scope && walk->at < walk->end && *walk->at == '(') {
        walk->at++;
        push(walk, frame_GROUP);
        return;
    }
    const struct fortran_symbol *symbol =
        scope ? fortran_symbol(walk->dump, scope, scope_length, ':', name, length, false) : NULL;
    continue_variable(walk, (struct designator){.symbol = symbol ? *symbol : (struct fortran_symbol){0}});
}

static void read_open(struct walk *walk)
{
    walk->at++;
    const char *sign = operator_at(walk);
    if (sign) {
        struct frame *frame = push(walk, frame_OPERATOR);
        strcpy(frame->sign, sign);
        walk->at += strlen(sign);
    } else if (looking_at(walk, "arg not-present)")) {
        walk->at += strlen("arg not-present)");
    } else if (looking_at(walk, ")")) {
        walk->at++;
    } else {
        struct frame *frame = push(walk, frame_GROUP);
        if (looking_at(walk, "complex ")) {
            frame->is_floating = true;
            walk->at += strlen("complex ");
        }
    }
}

static void read_close(struct walk *walk)
{
    walk->at++;
    struct frame *frame = top(walk);
    if (!frame || frame->kind == frame_CALL)
        return;
    struct frame closed = *frame;
    walk->dump->frames.count--;
    struct fortran_value value = {closed.is_floating, closed.is_array};
    switch (closed.kind) {
    case frame_SUBSCRIPT:
        if (closed.variable.symbol.is_array) {
            closed.variable.is_access = true;
            closed.variable.is_section |= closed.is_array;
            closed.variable.symbol.is_array = false; /* what follows is a substring */
        }
        continue_variable(walk, closed.variable);
        return;
    case frame_OPERATOR:
        if (closed.is_floating && closed.operands > 1 && computes(closed.sign)) {
            count_floating(walk->dump, 1);
            /* A comparison is not a number. */
            value.is_floating = strchr("+-*", closed.sign[0]) || !strcmp(closed.sign, "/");
        }
        deliver(walk, value);
        return;
    default:
        frame = top(walk);
        if (frame && frame->kind == frame_CALL) { /* the list of arguments */
            frame->operands = closed.operands;
            frame->is_floating |= closed.is_floating;
            frame->is_array |= closed.is_array;
        } else if (closed.operands) {
            deliver(walk, value);
        }
    }
}

static void read_string(struct walk *walk)
{
    char quote = *walk->at++;
    while (walk->at < walk->end) {
        if (*walk->at++ != quote)
            continue;
        if (walk->at >= walk->end || *walk->at != quote)
            break;
        walk->at++;
    }
    deliver(walk, (struct fortran_value){0});
}

static void read_number(struct walk *walk)
{
    bool is_floating = *walk->at == '@';
    const char *start = walk->at;
    while (walk->at < walk->end) {
        char c = *walk->at;
        bool is_sign = (c == '-' || c == '+') && (walk->at == start || walk->at[-1] == 'e');
        if (!isalnum((unsigned char)c) && c != '.' && c != '_' && c != '@' && !is_sign)
            break;
        is_floating |= c == '.' || c == 'e';
        walk->at++;
    }
    if (*start == '.')
        is_floating = false; /* .true. */
    deliver(walk, (struct fortran_value){.is_floating = is_floating});
}

static void read_token(struct walk *walk)
{
    char c = *walk->at, behind = walk->at + 1 < walk->end ? walk->at[1] : 0;
    struct frame *frame = top(walk);
    if (c == '(') {
        read_open(walk);
    } else if (c == '/' && behind == ')' && frame && frame->kind == frame_OPERATOR &&
               !strcmp(frame->sign, "/")) {
        struct fortran_value value = {frame->is_floating, true}; /* no division: the end of (/ … /) */
        walk->at += 2;
        walk->dump->frames.count--;
        deliver(walk, value);
    } else if (c == ')') {
        read_close(walk);
    } else if (c == ']') {
        close_call(walk);
    } else if (c == '\'' || c == '"') {
        read_string(walk);
    } else if (isdigit((unsigned char)c) || c == '.' || c == '@' ||
               ((c == '-' || c == '+') && (isdigit((unsigned char)behind) || behind == '@'))) {
        read_number(walk);
    } else if (isalpha((unsigned char)c) || c == '_') {
        read_name(walk);
    } else {
        if (c == ':' && frame && frame->kind == frame_SUBSCRIPT)
            frame->is_array = true;
        walk->at++;
    }
}

static struct fortran_value run(struct walk *walk)
{
    while (!walk->is_done && walk->at < walk->end)
        read_token(walk);
    struct frame *first = walk->dump->frames.count > walk->bottom
                              ? ARRAY_AT(struct frame, &walk->dump->frames, walk->bottom)
                              : NULL;
    if (first) { /* unclosed brackets */
        walk->dump->target = first->saved_target;
        walk->dump->is_muted = first->saved_mute;
        walk->dump->frames.count = walk->bottom;
    }
    return walk->value;
}

struct fortran_value fortran_expression(struct fortran_dump *dump, const char **at, const char *end)
{
    if (!dump->frames.width)
        dump->frames = ARRAY_OF(struct frame);
    struct walk walk = {.dump = dump, .at = *at, .end = end, .bottom = dump->frames.count};
    struct fortran_value value = run(&walk);
    *at = walk.at;
    return value;
}

void fortran_arguments(struct fortran_dump *dump, const char **at, const char *end)
{
    if (!dump->frames.width)
        dump->frames = ARRAY_OF(struct frame);
    struct walk walk = {.dump = dump, .at = *at, .end = end, .bottom = dump->frames.count};
    push(&walk, frame_CALL)->passes_addresses = true;
    run(&walk);
    *at = walk.at;
}
