/* By libedit.  The history is a file of the user's. */
#include "cli/line_editor.h"

#include <histedit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HISTORY_SIZE = 1000 };

struct line_editor {
    struct line_editor_host host;
    EditLine *editor;
    History *history;
    char *history_path;
};

static char *prompt(EditLine *editor)
{
    struct line_editor *self = NULL;
    el_get(editor, EL_CLIENTDATA, &self);
    return (char *)self->host.prompt(self->host.context);
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_';
}

/* Completes the word before the cursor as far as it is unique, or lists the candidates. */
static unsigned char complete_word(EditLine *editor, int key)
{
    (void)key;
    struct line_editor *self = NULL;
    el_get(editor, EL_CLIENTDATA, &self);
    const struct array *words = self->host.words;
    FILE *output = self->host.output;
    const LineInfo *line = el_line(editor);
    const char *start = line->cursor;
    while (start > line->buffer && is_name_byte(start[-1]))
        start--;
    if (start == line->buffer + 1 && line->buffer[0] == '.')
        start--;
    size_t length = (size_t)(line->cursor - start), common = 0, count = 0;
    const char *first = NULL;
    for (size_t i = 0; length && i < words->count; i++) {
        const char *word = *ARRAY_AT(char *, words, i);
        if (strncmp(word, start, length) || (first && !strcmp(word, first)))
            continue;
        if (!count++) {
            first = word;
            common = strlen(word);
        }
        for (size_t k = 0; k < common; k++)
            if (word[k] != first[k])
                common = k;
    }
    if (!count)
        return CC_REFRESH_BEEP;
    if (common > length || count == 1) {
        autofree char *rest =
            memory_format("%.*s%s", (int)(common - length), first + length, count == 1 ? " " : "");
        el_insertstr(editor, rest);
        return CC_REFRESH;
    }
    fputc('\n', output);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = *ARRAY_AT(char *, words, i);
        if (!strncmp(word, start, length))
            fprintf(output, "%s  ", word);
    }
    fputc('\n', output);
    fflush(output);
    return CC_REDISPLAY;
}

/* The history file, whose directories are created; NULL if there is no place for it. */
static char *history_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = state && state[0] == '/' ? memory_format("%s/assay/history", state)
                 : home && home[0] == '/' ? memory_format("%s/.local/state/assay/history", home)
                                          : NULL;
    for (char *slash = path; slash && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        bool made = !mkdir(path, 0700) || errno == EEXIST;
        *slash = '/';
        if (!made) {
            free(path);
            return NULL;
        }
    }
    return path;
}

static void set_up(struct line_editor *self)
{
    HistEvent event;
    history(self->history, &event, H_SETSIZE, HISTORY_SIZE);
    history(self->history, &event, H_SETUNIQUE, 1);
    self->history_path = history_file();
    if (self->history_path)
        history(self->history, &event, H_LOAD, self->history_path);
    el_set(self->editor, EL_CLIENTDATA, self);
    el_set(self->editor, EL_PROMPT, prompt);
    el_set(self->editor, EL_EDITOR, "emacs");
    el_set(self->editor, EL_HIST, history, self->history);
    el_set(self->editor, EL_ADDFN, "assay-complete", "completes a name", complete_word);
    el_set(self->editor, EL_BIND, "^I", "assay-complete", NULL);
    el_set(self->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(self->editor, NULL);
}

struct line_editor *line_editor_open(const struct line_editor_host *host, struct error *error)
{
    struct line_editor *self = memory_get(sizeof *self);
    *self = (struct line_editor){
        .host = *host, .history = history_init(), .editor = el_init("assay", stdin, stdout, stderr)};
    if (self->history && self->editor) {
        set_up(self);
        return self;
    }
    line_editor_close(self);
    error_set(error, NULL, "cannot start the line editor");
    return NULL;
}

const char *line_editor_read(struct line_editor *self)
{
    int count = 0;
    const char *line = el_gets(self->editor, &count);
    return count > 0 ? line : NULL;
}

void line_editor_reset(struct line_editor *self)
{
    el_reset(self->editor);
}

void line_editor_remember(struct line_editor *self, const char *line)
{
    HistEvent event;
    history(self->history, &event, H_ENTER, line);
}

void line_editor_close(struct line_editor *self)
{
    if (!self)
        return;
    HistEvent event;
    if (self->history && self->history_path)
        history(self->history, &event, H_SAVE, self->history_path);
    if (self->editor)
        el_end(self->editor);
    if (self->history)
        history_end(self->history);
    free(self->history_path);
    free(self);
}
