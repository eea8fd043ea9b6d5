#include "show/report/common/html.h"

#include "base/expect.h"
#include "base/path.h"
#include "show/report/common/text.h"

#include <stdarg.h>
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

/* The value of the conversion at the start of a format; returns what stands behind it. */
static const char *write_value(FILE *out, const char *format, va_list *values)
{
    static const char *const conversions[] = {"%%", "%s", "%u", "%d", "%zu", "%lld", "%llu"};
    unsigned kind = 0;
    while (kind < sizeof conversions / sizeof *conversions &&
           strncmp(format, conversions[kind], strlen(conversions[kind])) != 0)
        kind++;
    switch (kind) {
    case 0:
        putc('%', out);
        break;
    case 1:
        html_string(out, va_arg(*values, const char *));
        break;
    case 2:
        fprintf(out, "%u", va_arg(*values, unsigned));
        break;
    case 3:
        fprintf(out, "%d", va_arg(*values, int));
        break;
    case 4:
        fprintf(out, "%zu", va_arg(*values, size_t));
        break;
    case 5:
        fprintf(out, "%lld", va_arg(*values, long long));
        break;
    case 6:
        fprintf(out, "%llu", va_arg(*values, unsigned long long));
        break;
    default:
        expect(format[1] == '.' && format[2] >= '0' && format[2] <= '9' && format[3] == 'f');
        fprintf(out, "%.*f", format[2] - '0', va_arg(*values, double));
        return format + strlen("%.1f");
    }
    return format + strlen(conversions[kind]);
}

void html_format(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, out);
        format += plain;
        if (*format)
            format = write_value(out, format, &values);
    }
    va_end(values);
}

/* Characters of the option at the start of text, without punctuation after it; 0 where there is none. */
static size_t option_length(const char *text)
{
    bool is_letter = (text[1] >= 'a' && text[1] <= 'z') || (text[1] >= 'A' && text[1] <= 'Z');
    if (text[0] != '-' || !(is_letter || text[1] == '-'))
        return 0;
    size_t length = strcspn(text, " \t\n`");
    while (length && strchr(".,;:)", text[length - 1]))
        length--;
    return length > 1 ? length : 0;
}

static void print_code(FILE *out, const char *text, size_t length)
{
    fputs("<code>", out);
    html_text(out, text, length);
    fputs("</code>", out);
}

void html_prose(FILE *out, const char *text)
{
    const char *plain = text; /* start of the text that is not yet written */
    for (const char *at = text; *at;) {
        bool starts_word = at == text || at[-1] == ' ' || at[-1] == '(';
        const char *quote = *at == '`' ? strchr(at + 1, '`') : NULL;
        size_t option = starts_word ? option_length(at) : 0;
        if (!quote && !option) {
            at++;
            continue;
        }
        html_text(out, plain, (size_t)(at - plain));
        if (quote)
            print_code(out, at + 1, (size_t)(quote - at) - 1);
        else
            print_code(out, at, option);
        plain = at = quote ? quote + 1 : at + option;
    }
    html_string(out, plain);
}

void html_place(FILE *out, const char *place, const char *whole, size_t most)
{
    const char *shown = place, *next;
    while (strlen(shown) > most && (next = strchr(shown + 1, '/')))
        shown = next;
    if (shown != place || strcmp(place, whole)) {
        fputs(" title=\"", out);
        html_string(out, whole);
        fputs("\"", out);
    }
    fputs(shown != place && most ? ">…" : ">", out);
    html_string(out, shown + (shown != place && !most));
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

void html_begin_page(FILE *out, const char *policy, const char *more_policy, const char *path,
                     const char *what, const char *style)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
            policy, more_policy);
    html_string(out, path_name(path));
    fprintf(out, " – %s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", what, style);
}

void html_bar(FILE *out, const char *class, double share)
{
    double width = !(share > 0) ? 0 : share > 1 ? 100 : share * 100;
    fprintf(out,
            "<svg class=\"bar%s%s\" aria-hidden=\"true\"><rect width=\"%.1f%%\" height=\"100%%\"/></svg>",
            *class ? " " : "", class, width);
}
