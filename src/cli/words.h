/* Text shared by the help, the man page and the completions, and the functions that write them. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H
#include "cli/options.h"
#include <stdio.h>

extern const char words_usual_exits[];
/* "-o, --output FILE"; to be freed. */
char *words_option(const struct option_description *option);
/* Columns of the first length bytes, one for each character. */
size_t words_columns(const char *text, size_t length);

void man_write(FILE *out);
void completion_write_bash(FILE *out);
void completion_write_zsh(FILE *out);
void completion_write_fish(FILE *out);
void reference_write_tables(FILE *out);
void reference_write_ledger(FILE *out);
void reference_write_advice(FILE *out);
void reference_write_metrics(FILE *out);
void reference_write_lua(FILE *out);
#endif
