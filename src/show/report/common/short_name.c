/* In a C++ name of hundreds of characters only the function and its class matter. So other parts are dropped
   in this order, only as many as needed:

     1. parameters, and anything after them (const, clones)
     2. the result type, which template names include
     3. template arguments; an ellipsis in their brackets stays
     4. namespaces from the outside; the last two parts (class and function) stay

   Brackets mean something else in operators (operator<, operator->, operator()) and in "(anonymous
   namespace)", and a bracket that starts a part of a name, as in Rust (<T as Trait>::f), belongs to the name:
   those are skipped. Unbalanced text is left unchanged; names come from hostile files, so nothing recurses.
 */
#include "show/report/common/short_name.h"

#include "show/report/common/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_PARTS = 2 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Length of the operator's name at text ("operator<<", "operator()"), 0 where there is none. */
static size_t operator_length(const char *whole, size_t at)
{
    static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "->",
                                        "<=",  ">=",  "()",  "[]",  "<",  ">"};
    size_t word = strlen("operator");
    if (!starts(whole + at, "operator") || (at && is_word(whole[at - 1])) || is_word(whole[at + word]))
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts(whole + at + word, signs[i]))
            return word + strlen(signs[i]);
    return word;
}

/* The place after the bracket that closes the one at a place; 0: none. Inside parentheses < and > may
 * compare. */
static size_t group_end(const char *text, size_t at)
{
    size_t angles = 0, rounds = 0;
    do {
        size_t sign = operator_length(text, at);
        char c = text[at];
        if (sign) {
            at += sign;
            continue;
        }
        if (c == '(' || c == '{' || c == '[')
            rounds++;
        else if (c == ')' || c == '}' || c == ']') {
            if (!rounds)
                return 0;
            rounds--;
        } else if (c == '<' && !rounds)
            angles++;
        else if (c == '>' && !rounds && text[at - 1] != '-' && angles)
            angles--;
        at++;
    } while (text[at] && (angles || rounds));
    return angles || rounds ? 0 : at;
}

struct parts {
    bool no_parameters, no_result, no_arguments;
};

/* Whether the bracket is part of the name rather than a list after it. */
static bool is_named_group(const char *text, size_t at)
{
    return !at || text[at - 1] == ' ' || text[at] == '{' || starts(text + at, "(anonymous namespace)") ||
           starts(text + at, "<impl ");
}

/* Where the name itself begins: after the last space outside brackets before it. */
static size_t name_start(const char *text)
{
    static const char *const words[] = {" for ", " to "};
    size_t start = 0;
    for (size_t at = 0; text[at];) {
        size_t sign = operator_length(text, at);
        if (sign)
            return start;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (starts(text + at, words[i]))
                return 0; /* "vtable for X" */
        bool is_group = strchr("(<[{", text[at]) != NULL;
        size_t end = is_group ? group_end(text, at) : at + 1;
        if (!end)
            return 0;
        if (text[at] == '(' && !is_named_group(text, at))
            return start;
        if (text[at] == ' ' && text[at + 1] && text[at + 1] != '[')
            start = at + 1;
        at = end;
    }
    return start;
}

/* The name without some of its parts; NULL where its brackets are not balanced. */
static char *without(const char *text, struct parts parts, const char *mark)
{
    struct array out = ARRAY_OF(char);
    for (size_t at = parts.no_result ? name_start(text) : 0; text[at];) {
        size_t sign = operator_length(text, at);
        bool is_group = !sign && strchr("(<[{", text[at]);
        size_t end = is_group ? group_end(text, at) : at + (sign ? sign : 1);
        if (!end) {
            array_free(&out);
            return NULL;
        }
        bool is_list = is_group && text[at] != '[' && !is_named_group(text, at);
        if (is_list && text[at] == '(' && parts.no_parameters) {
            if (!starts(text + end, "::"))
                break;
        } else if (is_list && text[at] == '<' && parts.no_arguments) {
            memcpy(array_add_many(&out, 1), "<", 1);
            memcpy(array_add_many(&out, strlen(mark)), mark, strlen(mark));
            memcpy(array_add_many(&out, 1), ">", 1);
        } else {
            memcpy(array_add_many(&out, end - at), text + at, end - at);
        }
        at = end;
    }
    *(char *)array_add(&out) = 0;
    return out.data;
}

/* Without its outermost namespaces, as many as it takes. */
static char *without_namespaces(const char *text, size_t columns, const char *mark)
{
    size_t parts = 1, next = 0;
    struct array starts_of = ARRAY_OF(size_t);
    for (size_t at = 0; text[at]; at = next) {
        size_t sign = operator_length(text, at);
        next = sign ? at + sign : strchr("(<[{", text[at]) ? group_end(text, at) : at + 1;
        if (!next)
            break;
        if (starts(text + at, "::") && text[at + 2]) {
            *(size_t *)array_add(&starts_of) = at + 2;
            parts++;
            next = at + 2;
        }
    }
    char *found = NULL;
    for (size_t i = 0; i + KEPT_PARTS < parts; i++) {
        free(found);
        found = memory_format("%s::%s", mark, text + *ARRAY_AT(size_t, &starts_of, i));
        if (text_width(found) <= columns)
            break;
    }
    array_free(&starts_of);
    return found;
}

char *name_shorten(const char *name, size_t columns, bool unicode)
{
    static const struct parts steps[] = {{.no_parameters = true},
                                         {.no_parameters = true, .no_result = true},
                                         {.no_parameters = true, .no_result = true, .no_arguments = true}};
    const char *mark = unicode ? "…" : "~";
    char *shorter = memory_copy_text(name, strlen(name));
    for (size_t i = 0; i < sizeof steps / sizeof *steps && text_width(shorter) > columns; i++) {
        char *next = without(name, steps[i], mark);
        if (!next)
            return shorter;
        free(shorter);
        shorter = next;
    }
    if (text_width(shorter) <= columns)
        return shorter;
    char *last = without_namespaces(shorter, columns, mark);
    if (!last)
        return shorter;
    free(shorter);
    return last;
}

char *name_fit(const char *name, size_t columns, bool unicode)
{
    autofree char *shorter = name_shorten(name, columns, unicode);
    return text_cut(shorter, columns, strstr(shorter, "::") != NULL, unicode);
}
