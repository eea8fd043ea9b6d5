#include "show/report/common/text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static size_t columns_of(uint32_t code_point)
{
    if (code_point < 0x80)
        return 1;
    int width = wcwidth((wchar_t)code_point);
    return width < 0 ? 1 : (size_t)width;
}

size_t text_width(const char *text)
{
    size_t width = 0, left = strlen(text);
    while (left) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text, left, &code_point);
        width += size ? columns_of(code_point) : 1;
        text += size ? size : 1;
        left -= size ? size : 1;
    }
    return width;
}

/* Bytes from the start of text that fit into width columns. */
static size_t bytes_within(const char *text, size_t width)
{
    size_t used = 0, at = 0, length = strlen(text);
    while (at < length) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text + at, length - at, &code_point);
        used += size ? columns_of(code_point) : 1;
        if (used > width)
            break;
        at += size ? size : 1;
    }
    return at;
}

char *text_cut(const char *text, size_t width, bool at_start, bool unicode)
{
    size_t whole = text_width(text);
    if (whole <= width)
        return memory_copy_text(text, strlen(text));
    const char *mark = unicode ? "…" : "~";
    size_t room = width ? width - 1 : 0;
    if (!at_start)
        return memory_format("%.*s%s", (int)bytes_within(text, room), text, width ? mark : "");
    size_t skipped = bytes_within(text, whole - room);
    while (text_width(text + skipped) > room)
        skipped += bytes_within(text + skipped, 2) ? bytes_within(text + skipped, 2) : 1;
    return memory_format("%s%s", width ? mark : "", text + skipped);
}
