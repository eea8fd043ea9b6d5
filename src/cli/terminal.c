/* The stream's buffer can cut a character in two. Its first bytes are held back until the rest arrives; bytes
   still held at the end are not a character and are escaped. */
#include "cli/terminal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_HELD = 16 };

struct terminal {
    FILE *out;
    bool has_color;
    char held[LONGEST_HELD];
    size_t held_size;
};

enum { NOT_WHOLE = -1 };

/* Length of one of our colour codes at text: 0 if there is none, NOT_WHOLE if it may be an incomplete one. */
static int color_length(const char *text, size_t left)
{
    static const struct report_style style = {.color = true};
    int length = 0;
    for (enum report_ink ink = ink_PLAIN; ink < ink_COUNT; ink++) {
        const char *sequence = report_ink(&style, ink);
        size_t size = strlen(sequence), common = size < left ? size : left;
        if (memcmp(sequence, text, common))
            continue;
        if (size <= left)
            return (int)size;
        length = NOT_WHOLE;
    }
    return length;
}

static bool is_begun(const char *text, size_t left)
{
    unsigned char first = (unsigned char)text[0];
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    for (size_t i = 1; i < left; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return false;
    return first <= 0xf4 && left < length;
}

/* Number of bytes at text that may pass unchanged: 0 if the first must be escaped. */
static int passing(const struct terminal *terminal, const char *text, size_t left)
{
    if (text[0] == '\n' || text[0] == '\t')
        return 1;
    if (text[0] == '\r')
        return left < 2 ? NOT_WHOLE : text[1] == '\n' ? 2 : 0;
    if (text[0] == '\033')
        return terminal->has_color ? color_length(text, left) : 0;
    uint32_t code_point;
    unsigned size = text_decode(text, left, &code_point);
    if (!size)
        return is_begun(text, left) ? NOT_WHOLE : 0;
    return text_is_harmful(code_point) ? 0 : (int)size;
}

/* Writes the complete characters and returns how many bytes they were. */
static size_t pass(struct terminal *terminal, const char *text, size_t size, bool is_end)
{
    size_t at = 0;
    while (at < size) {
        int length = passing(terminal, text + at, size - at);
        if (length == NOT_WHOLE && !is_end)
            break;
        if (length > 0) {
            fwrite(text + at, 1, (size_t)length, terminal->out);
            at += (size_t)length;
            continue;
        }
        uint32_t code_point;
        unsigned end = text_decode(text + at, size - at, &code_point);
        for (end = end ? end : 1; end; end--, at++) {
            char escape[LONGEST_ESCAPE];
            fwrite(escape, 1, text_escape((unsigned char)text[at], escape), terminal->out);
        }
    }
    return at;
}

static ssize_t write_some(void *cookie, const char *text, size_t size)
{
    struct terminal *terminal = cookie;
    size_t whole = terminal->held_size + size;
    autofree char *joined = memory_get(whole + 1);
    memcpy(joined, terminal->held, terminal->held_size);
    memcpy(joined + terminal->held_size, text, size);
    size_t done = pass(terminal, joined, whole, false);
    terminal->held_size = whole - done;
    memcpy(terminal->held, joined + done, terminal->held_size);
    return fflush(terminal->out) || ferror(terminal->out) ? 0 : (ssize_t)size;
}

static int close_it(void *cookie)
{
    autofree struct terminal *terminal = cookie;
    pass(terminal, terminal->held, terminal->held_size, true);
    return fflush(terminal->out);
}

FILE *terminal_open(FILE *out, bool has_color)
{
    struct terminal *terminal = memory_get(sizeof *terminal);
    *terminal = (struct terminal){.out = out, .has_color = has_color};
    FILE *stream =
        fopencookie(terminal, "w", (cookie_io_functions_t){.write = write_some, .close = close_it});
    if (!stream)
        free(terminal);
    else
        setvbuf(stream, NULL, _IOLBF, 0);
    return stream;
}
