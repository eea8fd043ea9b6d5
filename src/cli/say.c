#include "cli/say.h"

#include "base/memory.h"

#include "base/progress.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void say(const char *format, ...)
{
    va_list arguments;
    autofree char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    progress_clear();
    fputs("assay: ", stderr);
    text_print_safe(text, (size_t)length, stderr);
    putc('\n', stderr);
}
