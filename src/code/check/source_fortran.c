/* Tokens of Fortran, line by line.  `do` and the procedures open blocks, their ends close them; everything
   else is a statement.  Free and fixed form are read alike: a comment of the fixed form (C, c or * in the
   first column) counts only if it speaks to Assay, and others do no harm as statements. */
#include "code/check/source_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 32, LONGEST = 400 };

struct reading {
    struct source_text *source;
    uint32_t line;
    bool is_continued;
    unsigned long labels[MOST_LABELS]; /* of `do 10`: the statement with this label ends it */
    unsigned label_count;
};

static void add(struct reading *reading, enum source_token_kind kind)
{
    source_text_add(reading->source, kind, reading->line);
}

/* The code of a line in small letters, without strings and comment; returns where the comment starts, or
 * NULL. */
static const char *take_code(const char *text, const char *end, char code[LONGEST + 1])
{
    size_t length = 0;
    char quote = 0;
    for (; text < end; text++) {
        if (quote) {
            quote = *text == quote ? 0 : quote;
            continue;
        }
        if (*text == '!')
            break;
        if (*text == '\'' || *text == '"')
            quote = *text;
        if (length < LONGEST)
            code[length++] = (char)tolower((unsigned char)*text);
    }
    while (length && (code[length - 1] == ' ' || code[length - 1] == '\t' || code[length - 1] == '\r'))
        length--;
    code[length] = 0;
    return text < end ? text : NULL;
}

static const char *skip_blanks(const char *code)
{
    return code + strspn(code, " \t");
}

static bool has_word(const char *code, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(code, word, length) && !isalnum((unsigned char)code[length]) && code[length] != '_';
}

static bool is_procedure(const char *code)
{
    static const char *const heads[] = {"subroutine", "function", "program", "module procedure"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const char *at = strstr(code, heads[i]);
        if (at && (at == code || at[-1] == ' ' || at[-1] == ')') && has_word(at, heads[i]) &&
            !strchr("=(%", *skip_blanks(at + strlen(heads[i]))))
            return true;
    }
    return false;
}

static bool ends_procedure(const char *code)
{
    const char *rest = skip_blanks(code + 3);
    return !*rest || has_word(rest, "subroutine") || has_word(rest, "function") ||
           has_word(rest, "program") || has_word(rest, "procedure");
}

/* do, do i = …, do while (…), do concurrent (…), do 10 i = …, name: do … */
static bool is_do(const char *code, unsigned long *label)
{
    *label = 0;
    if (!has_word(code, "do"))
        return false;
    const char *rest = skip_blanks(code + 2);
    if (*rest == '=' || *rest == '(' || *rest == '%')
        return false;
    if (isdigit((unsigned char)*rest))
        *label = strtoul(rest, NULL, 10);
    return true;
}

static void end_labels(struct reading *reading, unsigned long label)
{
    while (label && reading->label_count && reading->labels[reading->label_count - 1] == label) {
        add(reading, source_CLOSE);
        reading->label_count--;
    }
}

static void read_statement(struct reading *reading, const char *code)
{
    unsigned long label = isdigit((unsigned char)*code) ? strtoul(code, NULL, 10) : 0, wanted;
    code += strspn(code, "0123456789");
    code = skip_blanks(code);
    size_t name = strspn(code, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *behind = skip_blanks(code + name);
    if (name && behind[0] == ':' && behind[1] != ':')
        code = skip_blanks(behind + 1);
    if (is_do(code, &wanted)) {
        add(reading, source_LOOP);
        add(reading, source_OPEN);
        if (wanted && reading->label_count < MOST_LABELS)
            reading->labels[reading->label_count++] = wanted;
    } else if (has_word(code, "enddo") || (has_word(code, "end") && has_word(skip_blanks(code + 3), "do"))) {
        add(reading, source_CLOSE);
        if (reading->label_count && reading->labels[reading->label_count - 1] == label)
            reading->label_count--;
        return;
    } else if ((has_word(code, "end") && ends_procedure(code)) || has_word(code, "endsubroutine") ||
               has_word(code, "endfunction") || has_word(code, "endprogram")) {
        add(reading, source_CLOSE);
    } else if (!has_word(code, "end") && is_procedure(code)) {
        add(reading, source_WORD);
        add(reading, source_PAREN);
        add(reading, source_PAREN_END);
        add(reading, source_OPEN);
    } else if (*code) {
        add(reading, source_WORD);
    }
    end_labels(reading, label);
}

/* Such a line cannot be a statement of the free form, whatever the file's form is. */
static bool is_fixed_comment(struct source_text *source, const char *text, const char *stop, uint32_t line)
{
    size_t before = source->comments.count;
    if (stop > text && (*text == 'c' || *text == 'C' || *text == '*'))
        source_text_add_comment(source, text + 1, stop, text, line, true);
    return source->comments.count > before;
}

void source_text_read_fortran(struct source_text *source, const char *text, const char *end)
{
    struct reading reading = {.source = source};
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        char code[LONGEST + 1];
        reading.line++;
        if (*text == '#') {
            source_text_read_directive(source, text, stop, &(uint32_t){reading.line});
        } else if (!is_fixed_comment(source, text, stop, reading.line)) {
            const char *comment = take_code(text, stop, code);
            const char *start = skip_blanks(code);
            bool goes_on = *start && start[strlen(start) - 1] == '&';
            if (*start && *start != '&' && !reading.is_continued)
                read_statement(&reading, start);
            else if (*start)
                add(&reading, source_WORD);
            if (*start)
                reading.is_continued = goes_on;
            if (*start && !goes_on && source->tokens.count &&
                ARRAY_AT(struct source_token, &source->tokens, source->tokens.count - 1)->kind == source_WORD)
                add(&reading, source_SEMICOLON);
            if (comment)
                source_text_add_comment(source, comment + 1, stop, text, reading.line, !*start);
        }
        text = newline ? newline + 1 : end;
    }
    source->last_line = reading.line;
}
