/* Results on a terminal.  Names and texts of strangers are in them, and every way of printing ends here: what
   could drive the terminal becomes a visible escape, whoever wrote it.  Colours are let through, exactly
   those that report/common/style.c knows, where the output has colours.  A file or a pipe gets every byte as
   it is.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H
#include "report/common/style.h"

/* A stream in front of out, which stays open; close it with fclose.  NULL where there is no memory for it. */
FILE *terminal_open(FILE *out, bool has_color);
#endif
