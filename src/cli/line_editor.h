/* Lines that a person types at a terminal: with a history and completion where there is libedit
   (line_editor.c), else as the terminal gives them (line_editor_absent.c). */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

struct line_editor_host {
    const char *(*prompt)(void *context);
    void *context;
    const struct array *words; /* of char *: what can be completed; filled before the first line is read */
    FILE *output;              /* of lists of words */
};

struct line_editor;
struct line_editor *line_editor_open(const struct line_editor_host *host, struct error *error);
/* The next line, with its end, until the next call.  NULL: the input ended, or a signal came. */
const char *line_editor_read(struct line_editor *editor);
/* After a signal: the line that was begun is forgotten. */
void line_editor_reset(struct line_editor *editor);
/* For the history. */
void line_editor_remember(struct line_editor *editor, const char *line);
/* NULL is nothing. */
void line_editor_close(struct line_editor *editor);
#endif
