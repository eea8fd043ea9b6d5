/* libclang reads the text in a child process and answers with lines: a letter, numbers, and a name at the
   end.

       D kind start end name_at open flags array_size name TAB mangled     a declaration outside of functions
       N at name                                                           a name that it makes known, too
       S …                                                                 like D: a static variable of a
                                                                           function
       F first last flags                                                  the function with the line
       G …                                                                 like D: that function
       L start end first last                                              a loop in it
       P start end name_at flags name TAB type                             a parameter of it

   Whether data is written: every use of it is looked at, with what stands around it.  A use that is only read
   (a load of the value, of an element or a member) does not count; everything else does. */
#include "change/optimise/extract/shape.h"

#include "base/child.h"
#include "code/source/libclang.h"
#include "code/source/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SHAPE = 256 << 20, NO_PARSE = 3, MOST_DEPTH = 2000 };

enum declaration_flags {
    flag_STATIC = 1,
    flag_EXTERN = 2,
    flag_CONSTANT = 4,
    flag_WRITTEN = 8,
    flag_ANONYMOUS = 16,
    flag_TEMPLATE = 32,
    flag_USING = 64,
    flag_OPERATOR = 128,
    flag_IN_CLASS = 256,
    flag_NESTED = 512,
    flag_POINTER = 1024,
    flag_RESTRICT = 2048,
    flag_ARRAY = 4096
};

struct reading {
    const struct libclang *clang;
    const struct compilation *compilation;
    const char *text, *file;
    size_t size;
    unsigned line;
    FILE *out;                             /* not stdout, whose buffer may hold words of Assay */
    struct clang_cursor stack[MOST_DEPTH]; /* cursors around the one at hand */
    int depth;
    struct array written; /* of unsigned: hashes of variables that are written */
    struct clang_cursor function;
    unsigned function_lines, function_flags;
    bool has_function;
};

static size_t offset_of(const struct reading *reading, struct clang_location location)
{
    unsigned offset = 0;
    void *file = NULL;
    reading->clang->expansion(location, &file, NULL, NULL, &offset);
    return offset;
}

static void extent_of(const struct reading *reading, struct clang_cursor cursor, size_t *start, size_t *end)
{
    struct clang_range range = reading->clang->extent(cursor);
    *start = offset_of(reading, reading->clang->range_start(range));
    *end = offset_of(reading, reading->clang->range_end(range));
}

/* Line of a place, 0 in other files. */
static unsigned line_of(const struct reading *reading, struct clang_location location)
{
    struct clang_string file;
    unsigned line = 0, column;
    reading->clang->presumed(location, &file, &line, &column);
    const char *name = reading->clang->text(file);
    if (!name || strcmp(name, reading->file))
        line = 0;
    reading->clang->free_string(file);
    return line;
}

static bool is_function(int kind)
{
    return kind == cursor_FUNCTION || kind == cursor_METHOD || kind == cursor_CONSTRUCTOR ||
           kind == cursor_DESTRUCTOR || kind == cursor_CONVERSION || kind == cursor_FUNCTION_TEMPLATE;
}

static bool is_class(int kind)
{
    return kind == cursor_STRUCT || kind == cursor_UNION || kind == cursor_CLASS ||
           kind == cursor_CLASS_TEMPLATE || kind == cursor_CLASS_PARTIAL;
}

static bool is_loop(int kind)
{
    return kind == cursor_FOR || kind == cursor_WHILE || kind == cursor_DO || kind == cursor_RANGE_FOR;
}

/* The body of a function or the brace of a scope. */
static size_t brace_in(const struct reading *reading, size_t start, size_t end)
{
    for (size_t at = start; at < end && at < reading->size; at++) {
        if (reading->text[at] == '"')
            for (at++; at < end && reading->text[at] != '"'; at++)
                at += reading->text[at] == '\\';
        else if (reading->text[at] == '{')
            return at;
    }
    return 0;
}

static int find_body(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    (void)parent;
    if (cursor.kind == cursor_COMPOUND)
        *(struct clang_cursor *)context = cursor;
    return visit_CONTINUE;
}

static size_t body_of(const struct reading *reading, struct clang_cursor function)
{
    struct clang_cursor body = {0};
    size_t start = 0, end;
    reading->clang->visit(function, find_body, &body);
    if (body.kind)
        extent_of(reading, body, &start, &end);
    return start;
}

static bool is_constant_type(const struct reading *reading, struct clang_type type)
{
    for (int i = 0; i < 20; i++) {
        type = reading->clang->canonical(type);
        if (type.kind != type_CONSTANT_ARRAY && type.kind != type_INCOMPLETE_ARRAY)
            break;
        type = reading->clang->element(type);
    }
    return reading->clang->is_const(type);
}

static unsigned flags_of(const struct reading *reading, struct clang_cursor cursor)
{
    const struct libclang *clang = reading->clang;
    unsigned flags = 0;
    int storage = clang->storage(cursor);
    if (cursor.kind == cursor_VARIABLE) {
        flags |= clang->linkage(cursor) == linkage_INTERNAL || storage == storage_STATIC ? flag_STATIC : 0;
        flags |= storage == storage_EXTERN ? flag_EXTERN : 0;
        flags |= is_constant_type(reading, clang->type(cursor)) ? flag_CONSTANT : 0;
        unsigned hash = clang->hash(clang->referenced(cursor));
        for (size_t i = 0; i < reading->written.count; i++)
            if (*ARRAY_AT(unsigned, &reading->written, i) == hash)
                return flags | flag_WRITTEN;
    } else if (is_function(cursor.kind)) {
        flags |= storage == storage_STATIC ? flag_STATIC : 0;
    }
    if (cursor.kind == cursor_FUNCTION_TEMPLATE || cursor.kind == cursor_CLASS_TEMPLATE)
        flags |= flag_TEMPLATE;
    if (cursor.kind == cursor_USING_DIRECTIVE)
        flags |= flag_USING;
    return flags;
}

static void print_declaration(const struct reading *reading, char letter, struct clang_cursor cursor,
                              enum shape_kind kind, unsigned flags)
{
    const struct libclang *clang = reading->clang;
    size_t start, end, open = 0;
    extent_of(reading, cursor, &start, &end);
    struct clang_string name = clang->name(cursor), mangled = kind == shape_FUNCTION || kind == shape_VARIABLE
                                                                  ? clang->mangled(cursor)
                                                                  : (struct clang_string){0};
    const char *text = clang->text(name), *symbol = mangled.data ? clang->text(mangled) : NULL;
    text = text ? text : "";
    if (kind == shape_FUNCTION)
        open = body_of(reading, cursor);
    else if (kind == shape_SCOPE)
        open = brace_in(reading, start, end);
    if (kind == shape_SCOPE && !*text && cursor.kind == cursor_NAMESPACE)
        flags |= flag_ANONYMOUS;
    if (!strncmp(text, "operator", 8) || *text == '<')
        flags |= flag_OPERATOR;
    fprintf(reading->out, "%c %d %zu %zu %zu %zu %u %lld %s\t%s\n", letter, (int)kind, start, end,
            offset_of(reading, clang->location(cursor)), open, flags, clang->array_size(clang->type(cursor)),
            text, symbol ? symbol : "");
    clang->free_string(name);
    if (mangled.data)
        clang->free_string(mangled);
}

/* A use of a variable that is no mere load. */
static void note_use(struct reading *reading, struct clang_cursor cursor)
{
    struct clang_cursor variable = reading->clang->referenced(cursor);
    if (variable.kind != cursor_VARIABLE || reading->clang->linkage(variable) > linkage_INTERNAL)
        return;
    int at = reading->depth - 1, kind = at >= 0 ? reading->stack[at].kind : 0;
    bool has_element = false;
    for (;;) {
        int above = at > 0 ? reading->stack[at - 1].kind : 0;
        if (kind == cursor_UNEXPOSED && above == cursor_SUBSCRIPT)
            at -= 2; /* an array becomes a pointer, which is indexed */
        else if (kind == cursor_SUBSCRIPT || kind == cursor_MEMBER || kind == cursor_PARENTHESES)
            at--;
        else
            break;
        has_element = true;
        kind = at >= 0 ? reading->stack[at].kind : 0;
    }
    struct clang_type type =
        reading->clang->canonical(reading->clang->type(has_element ? reading->stack[at + 1] : cursor));
    bool is_array = type.kind == type_CONSTANT_ARRAY || type.kind == type_INCOMPLETE_ARRAY;
    if (kind == cursor_SIZEOF || (kind == cursor_UNEXPOSED && !is_array))
        return;
    *(unsigned *)array_push(&reading->written) = reading->clang->hash(variable);
}

/* Whether the wanted line is in it; the innermost function counts. */
static void consider_function(struct reading *reading, struct clang_cursor cursor)
{
    struct clang_range range = reading->clang->extent(cursor);
    unsigned first = line_of(reading, reading->clang->range_start(range)),
             last = line_of(reading, reading->clang->range_end(range));
    if (!first || !last || reading->line < first || reading->line > last ||
        !reading->clang->is_definition(cursor) || !body_of(reading, cursor))
        return;
    unsigned flags = cursor.kind == cursor_FUNCTION_TEMPLATE ? flag_TEMPLATE : 0;
    for (int i = 0; i < reading->depth; i++) {
        flags |= is_class(reading->stack[i].kind) ? flag_IN_CLASS : 0;
        flags |= reading->stack[i].kind == cursor_CLASS_TEMPLATE ? flag_TEMPLATE : 0;
        flags |= is_function(reading->stack[i].kind) ? flag_NESTED : 0;
    }
    reading->function = cursor;
    reading->function_flags = flags;
    reading->has_function = true;
}

/* The first walk: who is written, and where is the function. */
static int survey(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct reading *reading = context;
    (void)parent;
    if (is_function(cursor.kind))
        consider_function(reading, cursor);
    if (cursor.kind == cursor_NAME)
        note_use(reading, cursor);
    if (reading->depth < MOST_DEPTH) {
        reading->stack[reading->depth++] = cursor;
        reading->clang->visit(cursor, survey, reading);
        reading->depth--;
    }
    return visit_CONTINUE;
}

/* Static variables of functions, and names inside of declarations. */
static int inside(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct reading *reading = context;
    (void)parent;
    if (cursor.kind == cursor_VARIABLE && reading->clang->storage(cursor) == storage_STATIC)
        print_declaration(reading, 'S', cursor, shape_VARIABLE, flags_of(reading, cursor));
    if (cursor.kind == cursor_ENUMERATOR || cursor.kind == cursor_ENUM || is_class(cursor.kind)) {
        size_t start, end;
        extent_of(reading, cursor, &start, &end);
        struct clang_string name = reading->clang->name(cursor);
        if (reading->clang->text(name) && *reading->clang->text(name))
            fprintf(reading->out, "N %zu %s\n", start, reading->clang->text(name));
        reading->clang->free_string(name);
    }
    if (reading->depth < MOST_DEPTH) {
        reading->depth++;
        reading->clang->visit(cursor, inside, reading);
        reading->depth--;
    }
    return visit_CONTINUE;
}

static int list(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct reading *reading = context;
    (void)parent;
    size_t start, end;
    extent_of(reading, cursor, &start, &end);
    bool is_scope = cursor.kind == cursor_NAMESPACE ||
                    ((cursor.kind == cursor_LINKAGE || cursor.kind == cursor_UNEXPOSED_DECLARATION) &&
                     end > start && !strncmp(reading->text + start, "extern", 6));
    if (is_scope) {
        /* extern "C" of one declaration has no brace of its own: it starts with its declaration's text. */
        size_t open = brace_in(reading, start, end), quote = start;
        for (unsigned quotes = 0; quote < end && quotes < 2; quote++)
            quotes += reading->text[quote] == '"';
        while (cursor.kind != cursor_NAMESPACE && quote < end && strchr(" \t\n", reading->text[quote]))
            quote++;
        if (cursor.kind == cursor_NAMESPACE || (open && quote == open))
            print_declaration(reading, 'D', cursor, shape_SCOPE, 0);
        reading->clang->visit(cursor, list, reading);
        return visit_CONTINUE;
    }
    bool has_body =
        is_function(cursor.kind) && reading->clang->is_definition(cursor) && body_of(reading, cursor);
    enum shape_kind kind = has_body                         ? shape_FUNCTION
                           : cursor.kind == cursor_VARIABLE ? shape_VARIABLE
                                                            : shape_OTHER;
    print_declaration(reading, 'D', cursor, kind, flags_of(reading, cursor));
    reading->clang->visit(cursor, inside, reading);
    return visit_CONTINUE;
}

static int list_loops(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct reading *reading = context;
    (void)parent;
    if (is_loop(cursor.kind)) {
        size_t start, end;
        struct clang_range range = reading->clang->extent(cursor);
        extent_of(reading, cursor, &start, &end);
        fprintf(reading->out, "L %zu %zu %u %u\n", start, end,
                line_of(reading, reading->clang->range_start(range)),
                line_of(reading, reading->clang->range_end(range)));
    }
    if (reading->depth < MOST_DEPTH) {
        reading->depth++;
        reading->clang->visit(cursor, list_loops, reading);
        reading->depth--;
    }
    return visit_CONTINUE;
}

static int list_parameters(struct clang_cursor cursor, struct clang_cursor parent, void *context)
{
    struct reading *reading = context;
    const struct libclang *clang = reading->clang;
    (void)parent;
    if (cursor.kind != cursor_PARAMETER)
        return visit_CONTINUE;
    size_t start, end;
    extent_of(reading, cursor, &start, &end);
    /* Arrays of parameters are pointers; the text says which it is. */
    struct clang_type type = clang->type(cursor), plain = clang->canonical(type);
    bool is_array =
        plain.kind >= type_CONSTANT_ARRAY && plain.kind <= type_DEPENDENT_ARRAY && plain.kind != type_VECTOR;
    bool is_pointer = plain.kind == type_POINTER || is_array;
    struct clang_type target = clang->canonical(is_array     ? clang->element(plain)
                                                : is_pointer ? clang->pointee(plain)
                                                             : plain);
    if (is_pointer && (target.kind == type_FUNCTION || target.kind == type_FUNCTION_PROTOTYPE))
        is_pointer = false;
    struct clang_string name = clang->name(cursor), target_name = clang->type_name(target);
    unsigned flags = (is_pointer ? flag_POINTER : 0) | (clang->is_restrict(plain) ? flag_RESTRICT : 0) |
                     (clang->is_const(plain) ? flag_CONSTANT : 0) | (is_array ? flag_ARRAY : 0);
    fprintf(reading->out, "P %zu %zu %zu %u %s\t%s\n", start, end,
            offset_of(reading, clang->location(cursor)), flags, clang->text(name) ? clang->text(name) : "",
            clang->text(target_name) ? clang->text(target_name) : "");
    clang->free_string(name);
    clang->free_string(target_name);
    return visit_CONTINUE;
}

static void *parse(const struct reading *reading, const char *standard)
{
    bool is_cpp = reading->compilation->language == source_CPP;
    const char *words[] = {
        "-w",    "-ferror-limit=0", "-fbracket-depth=4096", "-x", is_cpp ? "c++-cpp-output" : "cpp-output",
        standard};
    struct clang_unsaved text = {"/assay/text", reading->text, reading->size};
    void *unit = NULL, *index = reading->clang->create_index(0, 0);
    int problem =
        reading->clang->parse(index, text.path, words, standard ? 6 : 5, &text, 1, parse_KEEP_GOING, &unit);
    return problem ? NULL : unit;
}

static const char *standard_of(const struct compilation *compilation)
{
    const char *standard = compilation->language == source_CPP ? "-std=gnu++17" : NULL;
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        if (!strncmp(word, "-std=", 5))
            standard = word;
    }
    return standard;
}

static int work(void *context)
{
    struct reading *reading = context;
    const struct libclang *clang = reading->clang;
    reading->out = fdopen(dup(STDOUT_FILENO), "w");
    if (!reading->out)
        return 1;
    void *unit = parse(reading, standard_of(reading->compilation));
    if (!unit)
        unit = parse(reading, NULL);
    if (!unit)
        return NO_PARSE;
    struct clang_cursor all = clang->unit_cursor(unit);
    clang->visit(all, survey, reading);
    reading->depth = 0;
    clang->visit(all, list, reading);
    if (reading->has_function) {
        struct clang_range range = clang->extent(reading->function);
        fprintf(reading->out, "F %u %u %u\n", line_of(reading, clang->range_start(range)),
                line_of(reading, clang->range_end(range)), reading->function_flags);
        print_declaration(reading, 'G', reading->function, shape_FUNCTION,
                          flags_of(reading, reading->function));
        clang->visit(reading->function, list_parameters, reading);
        clang->visit(reading->function, list_loops, reading);
    }
    return fclose(reading->out) ? 1 : 0;
}

static char *keep(struct shape *shape, const char *text, size_t length)
{
    char *copy = arena_get(&shape->memory, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* The last two fields: a name and what stands after a tab. */
static void take_texts(struct shape *shape, const char *text, char **name, char **other)
{
    size_t length = strcspn(text, "\t\n");
    *name = keep(shape, text, length);
    *other = text[length] == '\t' ? keep(shape, text + length + 1, strcspn(text + length + 1, "\n")) : NULL;
}

static bool take_declaration(struct shape *shape, const char *line, struct shape_declaration *made)
{
    int kind, used = 0;
    unsigned flags;
    *made = (struct shape_declaration){0};
    if (sscanf(line, "%*c %d %zu %zu %zu %zu %u %lld %n", &kind, &made->start, &made->end, &made->name_at,
               &made->open, &flags, &made->array_size, &used) < 7 ||
        kind < 0 || kind > shape_SCOPE)
        return false;
    /* %n has eaten the blank before an empty name, and the tab after it. */
    const char *rest = line;
    for (int blanks = 0; blanks < 8 && *rest; rest++)
        blanks += *rest == ' ';
    take_texts(shape, rest, &made->name, &made->mangled);
    made->kind = (enum shape_kind)kind;
    made->is_static = flags & flag_STATIC;
    made->is_extern = flags & flag_EXTERN;
    made->is_constant = flags & flag_CONSTANT;
    made->is_written = flags & flag_WRITTEN;
    made->is_anonymous = flags & flag_ANONYMOUS;
    made->is_template = flags & flag_TEMPLATE;
    made->is_using = flags & flag_USING;
    made->is_operator = flags & flag_OPERATOR;
    made->is_local = *line == 'S';
    return true;
}

static void take_parameter(struct shape *shape, const char *line)
{
    struct shape_parameter made = {0};
    unsigned flags;
    if (sscanf(line, "P %zu %zu %zu %u", &made.start, &made.end, &made.name_at, &flags) < 4)
        return;
    for (int blanks = 0; blanks < 5 && *line; line++)
        blanks += *line == ' ';
    take_texts(shape, line, &made.name, &made.type);
    made.is_pointer = flags & flag_POINTER;
    made.is_restrict = flags & flag_RESTRICT;
    made.is_constant = flags & flag_CONSTANT;
    made.is_array = flags & flag_ARRAY;
    *(struct shape_parameter *)array_push(&shape->parameters) = made;
}

static void take_line(struct shape *shape, const char *line)
{
    struct shape_declaration declaration;
    struct shape_loop loop;
    size_t at;
    unsigned flags;
    if ((*line == 'D' || *line == 'S') && take_declaration(shape, line, &declaration))
        *(struct shape_declaration *)array_push(&shape->declarations) = declaration;
    else if (*line == 'G')
        shape->has_function = take_declaration(shape, line, &shape->function);
    else if (*line == 'F' &&
             sscanf(line, "F %u %u %u", &shape->function_line, &shape->function_last, &flags) == 3) {
        shape->is_in_class = flags & flag_IN_CLASS;
        shape->is_nested = flags & flag_NESTED;
        shape->function.is_template = flags & flag_TEMPLATE;
    } else if (*line == 'L' && sscanf(line, "L %zu %zu %u %u", &loop.start, &loop.end, &loop.first_line,
                                      &loop.last_line) == 4)
        *(struct shape_loop *)array_push(&shape->loops) = loop;
    else if (*line == 'P')
        take_parameter(shape, line);
    else if (*line == 'N' && sscanf(line, "N %zu", &at) == 1) {
        const char *name = strchr(line + 2, ' ');
        if (name)
            *(struct shape_name *)array_push(&shape->names) =
                (struct shape_name){at, keep(shape, name + 1, strcspn(name + 1, "\n"))};
    }
}

/* Places beyond the text would be a fault of the parser; nothing behind this looks again. */
static bool is_sound(const struct shape *shape, size_t size)
{
    for (size_t i = 0; i < shape->declarations.count; i++) {
        const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, &shape->declarations, i);
        if (one->start > one->end || one->end > size || one->name_at > size || one->open > size)
            return false;
    }
    for (size_t i = 0; i < shape->loops.count; i++) {
        const struct shape_loop *loop = ARRAY_AT(struct shape_loop, &shape->loops, i);
        if (loop->start > loop->end || loop->end > size)
            return false;
    }
    for (size_t i = 0; i < shape->parameters.count; i++) {
        const struct shape_parameter *one = ARRAY_AT(struct shape_parameter, &shape->parameters, i);
        if (one->start > one->end || one->end > size || one->name_at > size)
            return false;
    }
    return shape->function.end <= size && shape->function.start <= shape->function.end;
}

/* A copy for libclang, every character in its place.  GCC's library has a word that Clang refuses, and with
   it the declarations around it: `__integer_pack(N)...`, which becomes `N`. */
static char *without_integer_packs(const char *text, size_t size)
{
    static const char word[] = "__integer_pack(", end[] = ")...";
    char *copy = memory_get(size + 1);
    memcpy(copy, text, size);
    for (char *at = copy; (at = strstr(at, word));) {
        char *close = strstr(at, end);
        memset(at, ' ', sizeof word - 1);
        if (close && close - at < 100)
            memset(close, ' ', sizeof end - 1);
    }
    return copy;
}

bool shape_read(const struct compilation *compilation, const char *text, size_t size, const char *file,
                unsigned line, struct shape *shape, struct error *error)
{
    *shape = (struct shape){.declarations = ARRAY_OF(struct shape_declaration),
                            .names = ARRAY_OF(struct shape_name),
                            .loops = ARRAY_OF(struct shape_loop),
                            .parameters = ARRAY_OF(struct shape_parameter)};
    if (!libclang_load())
        return error_set(error, NULL, "libclang is not installed (apt install libclang1)");
    char *copy = without_integer_packs(text, size);
    struct reading *reading = memory_get(sizeof *reading);
    *reading = (struct reading){.clang = libclang_load(),
                                .compilation = compilation,
                                .text = copy,
                                .size = size,
                                .file = file,
                                .line = line,
                                .written = ARRAY_OF(unsigned)};
    struct child_job job = {.work = work, .context = reading, .limits = source_limits(MOST_SHAPE)};
    struct child_answer answer;
    bool done = child_run(&job, &answer, error);
    free(reading);
    free(copy);
    if (!done)
        return false;
    if (answer.end != child_end_DONE)
        done = error_set(error, NULL,
                         child_met_limit(&answer) ? "libclang took longer, or more memory, than it may have"
                                                  : "libclang could not read it");
    for (const char *at = answer.output.data; done && *at;) {
        take_line(shape, at);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (done && !is_sound(shape, size))
        done = error_set(error, NULL, "libclang's places do not fit the text");
    child_answer_free(&answer);
    if (!done)
        shape_free(shape);
    return done;
}

void shape_free(struct shape *shape)
{
    array_free(&shape->declarations);
    array_free(&shape->names);
    array_free(&shape->loops);
    array_free(&shape->parameters);
    arena_free(&shape->memory);
    *shape = (struct shape){0};
}
