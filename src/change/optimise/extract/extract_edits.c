/* What changes in declarations that come along with a function.

   Data: `static double a[] = {1, 2}, b;` becomes `extern double a[2], b;`.  What is constant, and what nobody
   in the file writes and nobody else can name, keeps its values: the compiler may use them. Functions: static
   and inline ones stay.  Another one would be defined twice, so in C it gets GNU's `extern inline`, which is
   there for inlining only; in C++ `inline`, of which the linker keeps one. The function itself loses static
   and inline: its symbol must be in the object. */
#include "change/optimise/replay/codelet.h"
#include "change/optimise/extract/extract_parts.h"
#include "change/optimise/extract/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_position_independent(const struct compilation *compilation)
{
    bool is_it = false;
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        is_it = !strcasecmp(word, "-fpic") || (is_it && strcasecmp(word, "-fno-pic"));
    }
    return is_it;
}

/* Takes a keyword out of the specifiers before `end`; whether it was there. */
static bool remove_word(const char *text, size_t start, size_t end, const char *word, struct array *edits)
{
    for (size_t at = start; at < end;) {
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END || tokens_is(text, token, "="))
            return false;
        if (tokens_is(text, token, word)) {
            text_edit_add(edits, token.at, token.length, " ");
            return true;
        }
        if (tokens_is(text, token, "(") || tokens_is(text, token, "{"))
            at = tokens_past_bracket(text, token.at, end);
    }
    return false;
}

static bool has_word(const char *text, size_t start, size_t end, const char *word)
{
    for (size_t at = start; at < end;) {
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END)
            return false;
        if (tokens_is(text, token, word))
            return true;
    }
    return false;
}

/* After a declarator: [] gets its size, an initial value goes; the place of the , or ; after. */
static size_t edit_declarator(const char *text, size_t at, size_t end,
                              const struct shape_declaration *variable, const char *label,
                              struct array *edits)
{
    bool is_first = true;
    at = variable->name_at + strlen(variable->name);
    for (;;) {
        size_t before = at;
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END || tokens_is(text, token, ";") || tokens_is(text, token, ",")) {
            text_edit_add(edits, token.kind == token_END ? before : token.at, 0, label);
            return token.kind == token_END ? end : token.at;
        }
        if (tokens_is(text, token, "[") && is_first && variable->array_size > 0) {
            size_t behind = at;
            struct token close = tokens_next(text, &behind, end);
            char size[40];
            snprintf(size, sizeof size, "%lld", variable->array_size);
            if (tokens_is(text, close, "]"))
                text_edit_add(edits, close.at, 0, size);
            is_first = false;
        }
        /* v(100) of C++ is an initial value, too */
        bool is_first_word = before == variable->name_at + strlen(variable->name);
        if (tokens_is(text, token, "=") || tokens_is(text, token, "{") ||
            (is_first_word && tokens_is(text, token, "("))) {
            size_t stop = token.at;
            for (;;) {
                before = stop;
                struct token next = tokens_next(text, &stop, end);
                if (next.kind == token_END || tokens_is(text, next, ";") || tokens_is(text, next, ","))
                    break;
                if (next.kind == token_SIGN && strchr("([{", text[next.at]))
                    stop = tokens_past_bracket(text, next.at, end);
            }
            text_edit_add(edits, token.at, before - token.at, label);
            return before;
        }
        if (token.kind == token_SIGN && strchr("([", text[token.at]))
            at = tokens_past_bracket(text, token.at, end);
    }
}

/* Where it is not the name itself; to be freed. */
static char *symbol_of(const struct shape_declaration *variable, bool is_cpp, const char *owner)
{
    if (!is_cpp)
        return owner ? memory_format("%s" CODELET_STATIC "%s", variable->name, owner) : NULL;
    return variable->is_static && variable->mangled && *variable->mangled
               ? memory_copy_text(variable->mangled, strlen(variable->mangled))
               : NULL;
}

void extract_edit_data(struct extract *extract, const char *text, size_t start, size_t end,
                       const struct shape_declaration *const *variables, size_t count, const char *owner,
                       struct array *edits)
{
    bool is_cpp = extract->compilation->language == source_CPP, stays = true, is_static = false;
    for (size_t i = 0; i < count; i++) {
        stays &= variables[i]->is_constant || (variables[i]->is_static && !variables[i]->is_written);
        is_static |= variables[i]->is_static;
        if (variables[i]->is_extern)
            return;
    }
    size_t first = variables[0]->start;
    if (stays) {
        /* A constant of external linkage would be defined twice. */
        if (!is_static && !is_cpp)
            text_edit_add(edits, first, 0, "static ");
        return;
    }
    bool is_visible = is_position_independent(extract->compilation) && !is_static;
    text_edit_add(edits, first, 0,
                  is_visible ? "extern " : "extern __attribute__((visibility(\"hidden\"))) ");
    remove_word(text, start, variables[0]->name_at, "static", edits); /* after what goes to the same place */
    size_t at = start;
    for (size_t i = 0; i < count; i++) {
        char *symbol = symbol_of(variables[i], is_cpp, owner),
             *label = symbol ? memory_format(" __asm__(\"%s\") ", symbol) : NULL;
        at = edit_declarator(text, at, end, variables[i], label, edits);
        if (variables[i]->is_static) {
            const char *known = symbol ? symbol : variables[i]->name;
            *(char **)array_push(&extract->statics) = memory_copy_text(known, strlen(known));
        }
        free(symbol);
        free(label);
    }
}

void extract_edit_function(const struct extract *extract, const char *text,
                           const struct shape_declaration *function, struct array *edits)
{
    static const char *const inline_words[] = {"inline", "__inline", "__inline__", "constexpr", "consteval"};
    bool is_inline = false;
    for (size_t i = 0; i < sizeof inline_words / sizeof *inline_words; i++)
        is_inline |= has_word(text, function->start, function->name_at, inline_words[i]);
    if (function->is_static || function->is_template || is_inline)
        return;
    if (extract->compilation->language == source_CPP) {
        if (strncmp(text + function->start, "template", 8) &&
            !has_word(text, function->start, function->name_at, "template"))
            text_edit_add(edits, function->start, 0, "inline ");
        return;
    }
    bool is_extern = has_word(text, function->start, function->name_at, "extern");
    text_edit_add(edits, function->start, 0,
                  is_extern ? "inline __attribute__((gnu_inline)) "
                            : "extern inline __attribute__((gnu_inline)) ");
}

void extract_edit_target(struct extract *extract, const char *text, const struct shape_declaration *function,
                         size_t start, bool is_hidden_name, struct array *edits)
{
    bool is_cpp = extract->compilation->language == source_CPP;
    if (is_cpp && (is_hidden_name || has_word(text, start, function->name_at, "inline") ||
                   has_word(text, start, function->name_at, "constexpr"))) {
        text_edit_add(edits, function->start, 0, "__attribute__((used)) ");
        return;
    }
    remove_word(text, start, function->name_at, "static", edits);
    static const char *const inline_words[] = {"inline", "__inline", "__inline__"};
    for (size_t i = 0; !is_cpp && i < sizeof inline_words / sizeof *inline_words; i++)
        remove_word(text, start, function->name_at, inline_words[i], edits);
    if (!is_cpp && has_word(text, start, function->name_at, "gnu_inline"))
        remove_word(text, start, function->name_at, "extern", edits);
    if (!function->open)
        return; /* only declared here */
    /* A static C++ function is called _ZL3sum…; as an external one it is _Z3sum…. */
    char *local = is_cpp && function->is_static && extract->symbol ? strstr(extract->symbol, "L") : NULL;
    if (local && (local == extract->symbol + 2 || strstr(extract->symbol, "_ZN") == extract->symbol))
        memmove(local, local + 1, strlen(local));
}
