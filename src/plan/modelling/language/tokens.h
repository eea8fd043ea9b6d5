/* Words of model files, one after the other. Comments are those of C. A text ends at its size, not at a zero.
 */
#ifndef PLAN_MODELLING_LANGUAGE_TOKENS_H
#define PLAN_MODELLING_LANGUAGE_TOKENS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    token_END,
    token_NAME,
    token_NUMBER,
    token_TEXT, /* in quotes, which are not part of it */
    token_MARK, /* an operator or other sign: its letters in `mark` */
    token_WRONG /* a letter that means nothing here; `wrong` says what */
};

struct place {
    uint32_t line;
    uint16_t column; /* the last one for all beyond */
    uint16_t file;
};

struct token {
    enum token_kind kind;
    struct place place;
    const char *text;
    size_t length;
    double number;
    uint16_t mark; /* one or two letters: MARK('<', '=') */
    const char *wrong;
};
#define MARK(first, second) ((uint16_t)((unsigned char)(first) | (unsigned)(second) << 8))

struct lexer {
    const char *text;
    size_t size, at;
    size_t counted; /* columns before here are counted */
    uint32_t line, column;
    uint16_t file;
};

void lexer_begin(struct lexer *lexer, const char *text, size_t size, uint16_t file);
struct token lexer_next(struct lexer *lexer);
bool token_is(const struct token *token, const char *word); /* this name */
#endif
