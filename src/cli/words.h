/* Wordings that the help, the man page and the completions share, and the makers of the latter. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H
#include "cli/options.h"
#include <stdio.h>

extern const char words_usual_exits[];
/* "-o, --output FILE"; to be freed. */
char *words_option(const struct option_description *option);
/* Columns that the first length bytes take, if every character takes one. */
size_t words_columns(const char *text, size_t length);

void man_write(FILE *out);
void completion_write_bash(FILE *out);
void completion_write_zsh(FILE *out);
void completion_write_fish(FILE *out);
void reference_write_tables(FILE *out);
void reference_write_advice(FILE *out);
void reference_write_metrics(FILE *out);
#endif
