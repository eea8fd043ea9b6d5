#include "show/report/common/wrap.h"

#include "show/report/common/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a word: bytes, unless one of them begins something longer. */
static size_t word_width(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)word[i] >= 0x80) {
            autofree char *copy = memory_copy_text(word, length);
            return text_width(copy);
        }
    return length;
}

/* The next word; a per cent sign stays with its number. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " ");
    if (text[length] == ' ' && text[length + 1] == '%')
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

void wrap_print(FILE *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool is_first = true;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = word_length(text), columns = word_width(text, length);
        if (!is_first && at + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!is_first) {
            putc(' ', out);
            at++;
        }
        is_first = false;
        fwrite(text, 1, length, out);
        at += columns;
        text += length;
    }
    putc('\n', out);
}

void wrap_say(FILE *out, size_t indent, size_t width, const char *format, ...)
{
    autofree char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    autofree char *safe = text_safe(text, (size_t)length);
    fprintf(out, "%*s", (int)indent, "");
    wrap_print(out, safe, indent, indent, width);
}
