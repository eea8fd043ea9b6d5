#include "report/html.h"

#include "report/text.h"

#include <string.h>

static const char *entity(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text + i, length - i, &code_point);
        const char *special = size == 1 ? entity(text[i]) : NULL;
        if (special)
            fputs(special, out);
        else if (size && (code_point == '\t' || !text_is_harmful(code_point)))
            fwrite(text + i, 1, size, out);
        else
            fputs("\xef\xbf\xbd", out);
        i += size ? size : 1;
    }
}

void html_string(FILE *out, const char *text)
{
    if (text)
        html_text(out, text, strlen(text));
}

void html_count(FILE *out, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            putc(',', out);
        putc(digits[i], out);
    }
}

void html_counted(FILE *out, uint64_t count, const char *one, const char *many)
{
    html_count(out, count);
    fprintf(out, " %s", count == 1 ? one : many);
}
