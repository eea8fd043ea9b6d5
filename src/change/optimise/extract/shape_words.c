/* The shape of a text where no parser is installed: the function around a line, and its loops, by words and
   brackets alone.  The text has no macros any more, so that a `for` is a loop.  This is enough to compile the
   whole file in many ways and to put a pragma before the loop; what a function needs, its parameters and C++
   symbols are left to the parser (shape.c). */
#include "change/optimise/extract/extract_parts.h"
#include "change/optimise/extract/tokens.h"

#include <string.h>

struct head {
    size_t start, name_at, name_length; /* SIZE_MAX: nothing yet */
    bool is_value, is_static;
};

struct words {
    const char *text;
    size_t size;
    const struct marked_text *marked;
    const char *file;
    struct shape *shape;
};

static bool is_one_of(const char *text, struct token token, const char *const *words)
{
    for (; *words; words++)
        if (tokens_is(text, token, *words))
            return true;
    return false;
}

/* Of the source; 0: of another file. */
static unsigned line_of(const struct words *words, size_t at)
{
    const struct marked_line *line = marked_text_line(words->marked, at);
    return line && !strcmp(marked_text_file(words->marked, line), words->file) ? line->line : 0;
}

static struct token peek(const struct words *words, size_t at, size_t end)
{
    return tokens_next(words->text, &at, end);
}

/* The place after a statement.  Nested ones without brackets are few; a hostile text has `end`. */
static size_t past_statement(const struct words *words, size_t at, size_t end, unsigned depth)
{
    static const char *const heads[] = {"for", "while", "switch", "if", NULL};
    const char *text = words->text;
    struct token token = tokens_next(text, &at, end);
    if (token.kind == token_END || depth > 200)
        return end;
    if (tokens_is(text, token, "{"))
        return tokens_past_bracket(text, token.at, end);
    if (tokens_is(text, token, "do"))
        at = past_statement(words, at, end, depth + 1); /* then while (...); */
    if (is_one_of(text, token, heads)) {
        token = peek(words, at, end);
        if (tokens_is(text, token, "constexpr"))
            tokens_next(text, &at, end);
        token = peek(words, at, end);
        at = past_statement(words, tokens_past_bracket(text, token.at, end), end, depth + 1);
        token = peek(words, at, end);
        return tokens_is(text, token, "else") ? past_statement(words, token.at + 4, end, depth + 1) : at;
    }
    if (tokens_is(text, token, "else"))
        return past_statement(words, at, end, depth + 1);
    for (; token.kind != token_END && !tokens_is(text, token, ";"); token = tokens_next(text, &at, end))
        if (token.kind == token_SIGN && strchr("([{", text[token.at]))
            at = tokens_past_bracket(text, token.at, end);
    return at;
}

static void add_loops(const struct words *words, size_t at, size_t end)
{
    static const char *const heads[] = {"for", "while", "do", NULL};
    struct array ends = ARRAY_OF(size_t); /* of `do` statements: the while before is theirs */
    for (;;) {
        struct token token = tokens_next(words->text, &at, end);
        if (token.kind == token_END)
            break;
        if (token.kind != token_NAME || !is_one_of(words->text, token, heads))
            continue;
        size_t behind = past_statement(words, token.at, end, 0);
        bool is_tail = false;
        for (size_t i = 0; i < ends.count; i++)
            is_tail |= tokens_is(words->text, token, "while") && *ARRAY_AT(size_t, &ends, i) == behind;
        if (tokens_is(words->text, token, "do"))
            *(size_t *)array_push(&ends) = behind;
        if (!is_tail)
            *(struct shape_loop *)array_push(&words->shape->loops) = (struct shape_loop){
                token.at, behind, line_of(words, token.at), line_of(words, behind ? behind - 1 : 0)};
    }
    array_free(&ends);
}

static char *keep(struct shape *shape, const char *text, size_t length)
{
    char *copy = arena_get(&shape->memory, length + 1);
    memcpy(copy, text, length);
    return copy;
}

static void take_function(const struct words *words, const struct head *head, size_t open, size_t end)
{
    struct shape *shape = words->shape;
    shape->has_function = true;
    shape->function =
        (struct shape_declaration){.kind = shape_FUNCTION,
                                   .start = head->start,
                                   .end = end,
                                   .name_at = head->name_at,
                                   .open = open,
                                   .name = keep(shape, words->text + head->name_at, head->name_length),
                                   .is_static = head->is_static};
    shape->function_line = line_of(words, head->start);
    shape->function_last = line_of(words, end ? end - 1 : 0);
    add_loops(words, open + 1, end);
}

/* A word of a declaration outside of functions. */
static void note(const struct words *words, struct head *head, struct token token, size_t behind)
{
    static const char *const others[] = {
        "__attribute__", "__attribute", "__declspec", "__asm__", "asm",  "_Alignas", "alignas", "decltype",
        "__typeof__",    "typeof",      "noexcept",   "throw",   "void", "int",      "double",  "float",
        "char",          "long",        "unsigned",   "short",   "bool", "const",    "signed",  NULL};
    static const char *const hidden[] = {"static", "inline", "__inline", "__inline__", "template", NULL};
    if (head->start == SIZE_MAX)
        head->start = token.at;
    head->is_value |= tokens_is(words->text, token, "=");
    head->is_static |= is_one_of(words->text, token, hidden);
    if (token.kind == token_NAME && head->name_at == SIZE_MAX && !is_one_of(words->text, token, others) &&
        tokens_is(words->text, peek(words, behind, words->size), "(")) {
        head->name_at = token.at;
        head->name_length = token.length;
    }
}

void shape_by_words(const struct marked_text *marked, bool is_cpp, const char *file, unsigned line,
                    struct shape *shape)
{
    static const struct head nothing = {.start = SIZE_MAX, .name_at = SIZE_MAX};
    struct words words = {marked->text, marked->size, marked, file, shape};
    struct head head = nothing;
    *shape = (struct shape){.declarations = ARRAY_OF(struct shape_declaration),
                            .names = ARRAY_OF(struct shape_name),
                            .loops = ARRAY_OF(struct shape_loop),
                            .parameters = ARRAY_OF(struct shape_parameter)};
    for (size_t at = 0; !shape->has_function;) {
        struct token token = tokens_next(words.text, &at, words.size);
        if (token.kind == token_END)
            return;
        if (tokens_is(words.text, token, ";") || tokens_is(words.text, token, "}")) {
            head = nothing;
        } else if (tokens_is(words.text, token, "{")) {
            bool is_function = head.name_at != SIZE_MAX && !head.is_value;
            size_t end = tokens_past_bracket(words.text, token.at, words.size);
            unsigned first = head.start != SIZE_MAX ? line_of(&words, head.start) : 0,
                     last = line_of(&words, end ? end - 1 : 0);
            if (is_function && first && first <= line && line <= last)
                take_function(&words, &head, token.at, end);
            if (is_function || head.is_value || !is_cpp)
                at = end; /* otherwise a class or a namespace: functions are inside */
            if (is_function || is_cpp)
                head = nothing;
        } else {
            note(&words, &head, token, at);
            if (token.kind == token_SIGN && strchr("([", words.text[token.at]))
                at = tokens_past_bracket(words.text, token.at, words.size);
        }
    }
}
