#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct error *error, const char *where, const char *format, va_list arguments)
{
    int used = where ? snprintf(error->text, sizeof error->text, "%s: ", where) : 0;
    if (used < 0 || (size_t)used >= sizeof error->text)
        used = 0;
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    error->set = true;
}

bool error_set(struct error *error, const char *where, const char *format, ...)
{
    if (error->set)
        return false;
    va_list arguments;
    va_start(arguments, format);
    fill(error, where, format, arguments);
    va_end(arguments);
    return false;
}

bool error_set_errno(struct error *error, const char *where, const char *format, ...)
{
    int number = errno;
    if (error->set)
        return false;
    va_list arguments;
    va_start(arguments, format);
    fill(error, where, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", strerror(number));
    return false;
}
