#include "code/check/source_text.h"

#include <string.h>
#include <strings.h>

enum { DEEPEST = 64 };

static const struct source_token *token_at(const struct source_text *source, size_t index)
{
    return ARRAY_AT(const struct source_token, &source->tokens, index);
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && !strcasecmp(path + length - wanted, end);
}

enum source_kind source_kind_of(const char *path)
{
    static const struct {
        const char *end;
        enum source_kind kind;
    } known[] = {{".f", source_FORTRAN},   {".for", source_FORTRAN}, {".ftn", source_FORTRAN},
                 {".f77", source_FORTRAN}, {".f90", source_FORTRAN}, {".f95", source_FORTRAN},
                 {".f03", source_FORTRAN}, {".f08", source_FORTRAN}, {".f18", source_FORTRAN},
                 {".fpp", source_FORTRAN}, {".s", source_ASSEMBLY},  {".asm", source_ASSEMBLY}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(path, known[i].end))
            return known[i].kind;
    return source_BRACES;
}

/* After `assay:` at the start of a comment, in any case and with blanks; NULL: it says something else. */
static const char *behind_mark(const char *text, const char *end)
{
    static const char mark[] = "assay";
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if ((size_t)(end - text) < sizeof mark || strncasecmp(text, mark, sizeof mark - 1))
        return NULL;
    text += sizeof mark - 1;
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    return text < end && *text == ':' ? text + 1 : NULL;
}

bool source_text_mentions(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at = text; (at = memchr(at, ':', (size_t)(end - at))); at++) {
        const char *word = at;
        while (word > text && (word[-1] == ' ' || word[-1] == '\t'))
            word--;
        if (word - text >= 5 && !strncasecmp(word - 5, "assay", 5))
            return true;
    }
    return false;
}

struct source_token *source_text_add(struct source_text *source, enum source_token_kind kind, uint32_t line)
{
    struct source_token *token = array_push(&source->tokens);
    *token = (struct source_token){.kind = kind, .line = line, .partner = UINT32_MAX};
    return token;
}

void source_text_add_comment(struct source_text *source, const char *text, const char *end,
                             const char *line_start, uint32_t line, bool is_first)
{
    const char *rest = behind_mark(text, end);
    if (!rest)
        return;
    while (end > rest && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    source_text_add(source, source_COMMENT, line);
    *(struct source_comment *)array_push(&source->comments) =
        (struct source_comment){.token = (uint32_t)source->tokens.count - 1,
                                .line = line,
                                .column = (uint32_t)(rest - line_start) + 1,
                                .text = rest,
                                .length = (size_t)(end - rest),
                                .is_first = is_first};
}

const char *source_text_read_directive(struct source_text *source, const char *hash, const char *end,
                                       uint32_t *line)
{
    const char *word = hash + 1;
    uint32_t first = *line;
    while (word < end && (*word == ' ' || *word == '\t'))
        word++;
    const char *at = word;
    while (at < end && *at != '\n') {
        if (*at == '\\' && at + 1 < end && at[1] == '\n') {
            ++*line;
            at++;
        }
        at++;
    }
    size_t left = (size_t)(at - word);
    if (left >= 2 && !strncmp(word, "if", 2))
        source_text_add(source, source_IF, first);
    else if (left >= 4 && !strncmp(word, "el", 2))
        source_text_add(source, source_ELSE_IF, first);
    else if (left >= 5 && !strncmp(word, "endif", 5))
        source_text_add(source, source_END_IF, first);
    return at;
}

/* Every comment of one line: nobody needs more of assembly. */
static void read_assembly(struct source_text *source, const char *text, const char *end)
{
    for (; text < end; source->last_line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        for (const char *at = text; at < stop; at++) {
            bool is_sign = strchr("#;@!", *at) && *at,
                 is_double = *at == '/' && at + 1 < stop && strchr("/*", at[1]);
            if (!is_sign && !is_double)
                continue;
            size_t before = source->comments.count;
            const char *close = is_double && at[1] == '*' ? memmem(at, (size_t)(stop - at), "*/", 2) : NULL;
            source_text_add_comment(source, at + (is_double ? 2 : 1), close ? close : stop, text,
                                    source->last_line + 1, true);
            if (source->comments.count > before)
                break;
        }
        text = newline ? newline + 1 : end;
    }
}

/* Partners of brackets and branches.  Each branch of an #if begins with the brackets that were open before
 * it. */
static void find_partners(struct source_text *source)
{
    struct array open = ARRAY_OF(uint32_t), branches = ARRAY_OF(uint32_t), depths = ARRAY_OF(size_t);
    uint32_t none = (uint32_t)source->tokens.count;
    for (uint32_t i = 0; i < none; i++) {
        struct source_token *token = ARRAY_AT(struct source_token, &source->tokens, i);
        bool is_close = token->kind == source_CLOSE || token->kind == source_PAREN_END;
        token->partner = none;
        if (token->kind == source_OPEN || token->kind == source_PAREN) {
            *(uint32_t *)array_push(&open) = i;
        } else if (is_close) {
            enum source_token_kind wanted = token->kind == source_CLOSE ? source_OPEN : source_PAREN;
            size_t at = open.count;
            while (at && token_at(source, *ARRAY_AT(uint32_t, &open, at - 1))->kind != wanted &&
                   wanted == source_OPEN)
                at--; /* parentheses that nobody closed end with their block */
            if (at && token_at(source, *ARRAY_AT(uint32_t, &open, at - 1))->kind == wanted) {
                ARRAY_AT(struct source_token, &source->tokens, *ARRAY_AT(uint32_t, &open, at - 1))->partner =
                    i;
                open.count = at - 1;
            }
        } else if (token->kind == source_IF) {
            *(uint32_t *)array_push(&branches) = i;
            *(size_t *)array_push(&depths) = open.count;
        } else if ((token->kind == source_ELSE_IF || token->kind == source_END_IF) && branches.count) {
            uint32_t *branch = ARRAY_AT(uint32_t, &branches, branches.count - 1);
            size_t depth = *ARRAY_AT(size_t, &depths, depths.count - 1);
            ARRAY_AT(struct source_token, &source->tokens, *branch)->partner = i;
            *branch = i;
            if (token->kind == source_END_IF) {
                branches.count--;
                depths.count--;
            } else if (open.count > depth) {
                open.count = depth;
            }
        }
    }
    array_free(&open);
    array_free(&branches);
    array_free(&depths);
}

void source_text_read(struct source_text *source, enum source_kind kind, const char *text, size_t length)
{
    *source = (struct source_text){
        .kind = kind, .tokens = ARRAY_OF(struct source_token), .comments = ARRAY_OF(struct source_comment)};
    if (kind == source_BRACES)
        source_text_read_braces(source, text, text + length);
    else if (kind == source_FORTRAN)
        source_text_read_fortran(source, text, text + length);
    else
        read_assembly(source, text, text + length);
    find_partners(source);
}

void source_text_free(struct source_text *source)
{
    array_free(&source->tokens);
    array_free(&source->comments);
}

static bool is_beside(enum source_token_kind kind)
{
    return kind == source_COMMENT || kind == source_IF || kind == source_ELSE_IF || kind == source_END_IF;
}

static uint32_t skip_beside(const struct source_text *source, uint32_t at)
{
    while (at < source->tokens.count && is_beside(token_at(source, at)->kind))
        at++;
    return at;
}

static uint32_t behind_partner(const struct source_text *source, uint32_t at)
{
    uint32_t partner = token_at(source, at)->partner;
    return partner < source->tokens.count ? partner + 1 : (uint32_t)source->tokens.count;
}

/* After what stands between a keyword and its body: `(…)`, or anything before a brace. */
static uint32_t behind_head(const struct source_text *source, uint32_t at)
{
    for (; at < source->tokens.count; at++) {
        enum source_token_kind kind = token_at(source, at)->kind;
        if (kind == source_PAREN)
            return behind_partner(source, at);
        if (kind == source_OPEN || kind == source_SEMICOLON || kind == source_CLOSE)
            return at;
    }
    return at;
}

/* The token after a plain statement, a declaration or a definition. */
static uint32_t behind_plain(const struct source_text *source, uint32_t at)
{
    while (at < source->tokens.count) {
        enum source_token_kind kind = token_at(source, at)->kind;
        if (kind == source_SEMICOLON)
            return at + 1;
        if (kind == source_CLOSE)
            return at;
        if (kind == source_PAREN) {
            at = behind_partner(source, at);
        } else if (kind == source_OPEN) {
            at = behind_partner(source, at);
            uint32_t next = skip_beside(source, at);
            enum source_token_kind follows =
                next < source->tokens.count ? token_at(source, next)->kind : source_CLOSE;
            if (follows != source_SEMICOLON && follows != source_SIGN && follows != source_PAREN &&
                follows != source_PAREN_END && follows != source_OPEN)
                return at;
        } else {
            at++;
        }
    }
    return at;
}

/* The token after the statement that begins here. */
static uint32_t behind_statement(const struct source_text *source, uint32_t at, unsigned depth)
{
    for (at = skip_beside(source, at); at < source->tokens.count && depth < DEEPEST;
         at = skip_beside(source, at)) {
        enum source_token_kind kind = token_at(source, at)->kind;
        if (kind == source_OPEN)
            return behind_partner(source, at);
        if (kind == source_LOOP) {
            at = behind_head(source, at + 1);
        } else if (kind == source_DO) {
            at = behind_statement(source, at + 1, depth + 1);
            return behind_plain(source, at);
        } else if (kind == source_CONDITION) {
            at = behind_statement(source, behind_head(source, at + 1), depth + 1);
            uint32_t next = skip_beside(source, at);
            if (next >= source->tokens.count || token_at(source, next)->kind != source_ELSE)
                return at;
            at = next + 1;
        } else {
            return behind_plain(source, at);
        }
    }
    return at;
}

static struct source_lines lines_of(const struct source_text *source, uint32_t first, uint32_t behind)
{
    if (first >= source->tokens.count)
        return (struct source_lines){0, 0};
    uint32_t last = behind > first ? behind - 1 : first;
    return (struct source_lines){token_at(source, first)->line, token_at(source, last)->line};
}

/* Where a comment's statement begins: after it, or at a loop in front of it in its line. */
static uint32_t start_of(const struct source_text *source, const struct source_comment *comment)
{
    for (uint32_t i = comment->token;
         i-- && !comment->is_first && token_at(source, i)->line == comment->line;)
        if (token_at(source, i)->kind == source_LOOP || token_at(source, i)->kind == source_DO)
            return i;
    return comment->token + 1;
}

struct source_lines source_text_statement(const struct source_text *source,
                                          const struct source_comment *comment)
{
    if (source->kind == source_ASSEMBLY)
        return (struct source_lines){comment->line, UINT32_MAX};
    uint32_t first = skip_beside(source, start_of(source, comment));
    if (first < source->tokens.count && token_at(source, first)->kind == source_CLOSE)
        return (struct source_lines){0, 0};
    return lines_of(source, first, behind_statement(source, first, 0));
}

/* The innermost branch around a token, from place `from` of the list of tokens backwards; UINT32_MAX: none.
 */
static uint32_t branch_around(const struct source_text *source, uint32_t token, uint32_t from)
{
    for (uint32_t i = from; i--;) {
        const struct source_token *it = token_at(source, i);
        if ((it->kind == source_IF || it->kind == source_ELSE_IF) && it->partner > token &&
            it->partner < source->tokens.count)
            return i;
    }
    return UINT32_MAX;
}

struct source_lines source_text_branch(const struct source_text *source, const struct source_comment *comment,
                                       uint32_t *at)
{
    uint32_t branch = branch_around(source, comment->token, *at ? *at - 1 : comment->token);
    if (branch == UINT32_MAX)
        return (struct source_lines){0, 0};
    *at = branch + 1;
    return lines_of(source, branch, token_at(source, branch)->partner + 1);
}

/* Whether a block is the body of a function: its head has parentheses, and is not that of a statement or a
 * value. */
static bool is_function(const struct source_text *source, uint32_t open, uint32_t *head)
{
    uint32_t first = open;
    bool has_parentheses = false, has_value = false;
    while (first) {
        enum source_token_kind kind = token_at(source, first - 1)->kind;
        if (kind == source_SEMICOLON || kind == source_OPEN || kind == source_CLOSE || is_beside(kind))
            break;
        first--;
    }
    for (uint32_t i = first; i < open;) {
        enum source_token_kind kind = token_at(source, i)->kind;
        has_parentheses |= kind == source_PAREN;
        has_value |= kind == source_ASSIGN;
        i = kind == source_PAREN && token_at(source, i)->partner < open ? token_at(source, i)->partner + 1
                                                                        : i + 1;
    }
    *head = first;
    enum source_token_kind kind = token_at(source, first)->kind;
    return has_parentheses && !has_value && kind != source_LOOP && kind != source_CONDITION &&
           kind != source_DO && kind != source_ELSE;
}

struct source_lines source_text_function(const struct source_text *source,
                                         const struct source_comment *comment)
{
    for (uint32_t i = 0; i < comment->token; i++) {
        uint32_t head;
        const struct source_token *token = token_at(source, i);
        if (token->kind == source_OPEN && token->partner > comment->token && is_function(source, i, &head))
            return lines_of(source, head, behind_partner(source, i));
    }
    return (struct source_lines){0, 0};
}

struct source_lines source_text_next_loop(const struct source_text *source,
                                          const struct source_comment *comment, uint32_t *at,
                                          struct source_lines *branch)
{
    uint32_t start = start_of(source, comment), depth = 0;
    uint32_t end = source_text_function(source, comment).first ? (uint32_t)source->tokens.count
                                                               : behind_statement(source, start, 0);
    *branch = (struct source_lines){0, 0};
    for (uint32_t i = start; i < end; i++) {
        enum source_token_kind kind = token_at(source, i)->kind;
        if (kind == source_CLOSE && !depth--)
            break;
        depth += kind == source_OPEN;
        if ((kind != source_LOOP && kind != source_DO) || i < *at)
            continue;
        *at = i + 1;
        uint32_t around = branch_around(source, i, i);
        if (around != UINT32_MAX && around > comment->token)
            *branch = lines_of(source, around, token_at(source, around)->partner + 1);
        return lines_of(source, i, behind_statement(source, i, 0));
    }
    return (struct source_lines){0, 0};
}
