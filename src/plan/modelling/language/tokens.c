#include "plan/modelling/language/tokens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lexer_begin(struct lexer *lexer, const char *text, size_t size, uint16_t file)
{
    *lexer = (struct lexer){.text = text, .size = size, .line = 1, .column = 1, .file = file};
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        lexer->at = lexer->counted = 3;
}

static char letter(const struct lexer *lexer, size_t ahead)
{
    return lexer->at + ahead < lexer->size ? lexer->text[lexer->at + ahead] : 0;
}

static void step(struct lexer *lexer)
{
    if (lexer->text[lexer->at++] == '\n') {
        lexer->line++;
        lexer->counted = lexer->at;
        lexer->column = 1;
    }
}

/* Columns are counted in characters, so that an editor shows the same. */
static struct place place_here(struct lexer *lexer)
{
    for (; lexer->counted < lexer->at; lexer->counted++)
        lexer->column += ((unsigned char)lexer->text[lexer->counted] & 0xc0) != 0x80;
    uint16_t column = lexer->column < UINT16_MAX ? (uint16_t)lexer->column : UINT16_MAX;
    return (struct place){lexer->line, column, lexer->file};
}

/* Blanks and comments; false: a comment does not end. */
static bool skip(struct lexer *lexer, struct place *comment)
{
    for (;;) {
        char first = letter(lexer, 0);
        if (lexer->at < lexer->size && (first == ' ' || first == '\t' || first == '\n' || first == '\r')) {
            step(lexer);
        } else if (first == '/' && letter(lexer, 1) == '/') {
            while (lexer->at < lexer->size && lexer->text[lexer->at] != '\n')
                lexer->at++;
        } else if (first == '/' && letter(lexer, 1) == '*') {
            *comment = place_here(lexer);
            lexer->at += 2;
            while (lexer->at < lexer->size && !(letter(lexer, 0) == '*' && letter(lexer, 1) == '/'))
                step(lexer);
            if (lexer->at >= lexer->size)
                return false;
            lexer->at += 2;
        } else {
            return true;
        }
    }
}

static bool is_letter(char one)
{
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_' ||
           (unsigned char)one >= 0x80;
}

static bool is_digit(char one)
{
    return one >= '0' && one <= '9';
}

static void take_number(struct lexer *lexer, struct token *token)
{
    char digits[64];
    size_t begin = lexer->at;
    while (is_digit(letter(lexer, 0)))
        lexer->at++;
    if (letter(lexer, 0) == '.' && letter(lexer, 1) != '.') {
        lexer->at++;
        while (is_digit(letter(lexer, 0)))
            lexer->at++;
    }
    size_t sign = letter(lexer, 1) == '+' || letter(lexer, 1) == '-';
    if ((letter(lexer, 0) == 'e' || letter(lexer, 0) == 'E') && is_digit(letter(lexer, 1 + sign))) {
        lexer->at += 1 + sign;
        while (is_digit(letter(lexer, 0)))
            lexer->at++;
    }
    token->length = lexer->at - begin;
    if (token->length >= sizeof digits) {
        token->kind = token_WRONG;
        token->wrong = "a number with so many digits";
        return;
    }
    memcpy(digits, lexer->text + begin, token->length);
    digits[token->length] = 0;
    token->kind = token_NUMBER;
    token->number = strtod(digits, NULL);
    if (!isfinite(token->number)) {
        token->kind = token_WRONG;
        token->wrong = "a number as large as this";
    }
}

static void take_text(struct lexer *lexer, struct token *token)
{
    lexer->at++;
    token->text = lexer->text + lexer->at;
    while (lexer->at < lexer->size && lexer->text[lexer->at] != '"' && lexer->text[lexer->at] != '\n' &&
           lexer->text[lexer->at])
        lexer->at++;
    token->length = (size_t)(lexer->text + lexer->at - token->text);
    token->kind = token_TEXT;
    if (letter(lexer, 0) != '"') {
        token->kind = token_WRONG;
        token->wrong = "a text without its closing \"";
    } else {
        lexer->at++;
    }
}

static void take_mark(struct lexer *lexer, struct token *token)
{
    static const char pairs[] = "<=>===!=&&||..";
    char first = letter(lexer, 0), second = letter(lexer, 1);
    token->kind = token_MARK;
    token->length = 1;
    token->mark = MARK(first, 0);
    for (size_t i = 0; i + 1 < sizeof pairs - 1; i += 2)
        if (pairs[i] == first && pairs[i + 1] == second) {
            token->mark = MARK(first, second);
            token->length = 2;
        }
    if (token->length == 1 && (!first || !strchr("+-*/%<>=!?:;,.(){}[]", first))) {
        token->kind = token_WRONG;
        token->wrong = "this letter";
    }
    lexer->at += token->length;
}

struct token lexer_next(struct lexer *lexer)
{
    struct place comment;
    struct token token = {0};
    if (!skip(lexer, &comment)) {
        token.kind = token_WRONG;
        token.wrong = "a comment without its end";
        token.place = comment;
        return token;
    }
    token.place = place_here(lexer);
    token.text = lexer->text + lexer->at;
    if (lexer->at >= lexer->size)
        return token;
    char first = letter(lexer, 0);
    if (is_letter(first)) {
        token.kind = token_NAME;
        while (lexer->at < lexer->size && (is_letter(letter(lexer, 0)) || is_digit(letter(lexer, 0))))
            lexer->at++;
        token.length = (size_t)(lexer->text + lexer->at - token.text);
    } else if (is_digit(first) || (first == '.' && is_digit(letter(lexer, 1)))) {
        take_number(lexer, &token);
    } else if (first == '"') {
        take_text(lexer, &token);
    } else {
        take_mark(lexer, &token);
    }
    return token;
}

bool token_is(const struct token *token, const char *word)
{
    return token->kind == token_NAME && token->length == strlen(word) &&
           !memcmp(token->text, word, token->length);
}
