/* In the place of line_editor.c where there is no libedit. */
#include "cli/line_editor.h"

#include <stdlib.h>

struct line_editor {
    struct line_editor_host host;
    char *line;
    size_t capacity;
};

struct line_editor *line_editor_open(const struct line_editor_host *host, struct error *error)
{
    (void)error;
    struct line_editor *self = memory_get(sizeof *self);
    *self = (struct line_editor){.host = *host};
    return self;
}

const char *line_editor_read(struct line_editor *self)
{
    fputs(self->host.prompt(self->host.context), self->host.output);
    fflush(self->host.output);
    return getline(&self->line, &self->capacity, stdin) >= 0 ? self->line : NULL;
}

void line_editor_reset(struct line_editor *self)
{
    (void)self;
    clearerr(stdin);
}

void line_editor_remember(struct line_editor *self, const char *line)
{
    (void)self;
    (void)line;
}

void line_editor_close(struct line_editor *self)
{
    if (!self)
        return;
    free(self->line);
    free(self);
}
