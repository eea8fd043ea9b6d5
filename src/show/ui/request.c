#include "show/ui/request.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, int64_t *number)
{
    char *end = NULL;
    long long value = text && *text ? strtoll(text, &end, 10) : 0;
    *number = value;
    return end && !*end;
}

int64_t ui_number(const struct ui_request *request, const char *name, int64_t otherwise)
{
    int64_t number;
    return read_number(ui_parameter(request, name), &number) ? number : otherwise;
}

int64_t ui_rest_number(const struct ui_request *request)
{
    int64_t number;
    return read_number(request->rest, &number) && number > 0 ? number : 0;
}

void ui_print_encoded(FILE *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at < 0x80 && (isalnum(*at) || strchr("-._~", *at)))
            putc(*at, out);
        else
            fprintf(out, "%%%02X", *at);
}

bool ui_missing(struct ui_answer *answer, struct error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    answer->status = 404;
    return error_set(error, NULL, "%s", text);
}
