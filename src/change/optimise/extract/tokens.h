/* Words of C and C++ text without macros: enough to find names, brackets and ends of declarations. */
#ifndef CHANGE_OPTIMISE_EXTRACT_TOKENS_H
#define CHANGE_OPTIMISE_EXTRACT_TOKENS_H
#include <stdbool.h>
#include <stddef.h>

enum token_kind { token_END, token_NAME, token_NUMBER, token_STRING, token_SIGN };
struct token {
    enum token_kind kind;
    size_t at, length;
};
/* The next token from *at on, before end; *at is after it afterwards.  Comments, lines that start with # and
   lines continued by a backslash are passed over. */
struct token tokens_next(const char *text, size_t *at, size_t end);
bool tokens_is(const char *text, struct token token, const char *word);
/* Past the bracket that fits the one at `at`; end where there is none. */
size_t tokens_past_bracket(const char *text, size_t at, size_t end);
#endif
