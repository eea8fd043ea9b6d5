/* The words of SQL, told apart exactly as SQLite does it. */
#ifndef STORE_TOKENS_H
#define STORE_TOKENS_H
#include <stdbool.h>
#include <stddef.h>

/* Blanks are comments, too; what is quoted is an other. */
enum token_kind { TOKEN_END, TOKEN_BLANK, TOKEN_WORD, TOKEN_SEMICOLON, TOKEN_DOT, TOKEN_OTHER };

/* The kind of the token that text starts with, and its length. */
enum token_kind token_next(const char *text, size_t *length);
/* Whether two texts are the same but for comments, blanks and the case of words. */
bool tokens_are_equal(const char *left, const char *right);
#endif
