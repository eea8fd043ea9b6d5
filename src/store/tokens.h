/* Splits SQL into tokens exactly as SQLite does. */
#ifndef STORE_TOKENS_H
#define STORE_TOKENS_H
#include <stdbool.h>
#include <stddef.h>

/* Blanks include comments; quoted text counts as other. */
enum token_kind { TOKEN_END, TOKEN_BLANK, TOKEN_WORD, TOKEN_SEMICOLON, TOKEN_DOT, TOKEN_OTHER };

/* The kind and length of the first token of text. */
enum token_kind token_next(const char *text, size_t *length);
/* Whether two texts are equal apart from comments, blanks and the case of words. */
bool tokens_are_equal(const char *left, const char *right);
#endif
