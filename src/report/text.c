#include "report/text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

unsigned text_decode(const char *text, size_t left, uint32_t *code_point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (!left)
        return 0;
    if (bytes[0] < 0x80) {
        *code_point = bytes[0];
        return 1;
    }
    unsigned length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || left < length)
        return 0;
    uint32_t value = bytes[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code_point = value;
    return length;
}

bool text_is_harmful(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
           (code_point >= 0x200b && code_point <= 0x200f) || (code_point >= 0x2028 && code_point <= 0x202e) ||
           (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xfeff;
}

char *text_safe(const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    char *safe = memory_get(length * 4 + 1), *out = safe;
    for (size_t i = 0; i < length;) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text + i, length - i, &code_point);
        if (size && !text_is_harmful(code_point)) {
            memcpy(out, text + i, size);
            out += size;
            i += size;
            continue;
        }
        for (unsigned end = size ? size : 1; end; end--, i++) {
            unsigned char byte = (unsigned char)text[i];
            *out++ = '\\';
            if (byte == '\n' || byte == '\t' || byte == '\r') {
                *out++ = byte == '\n' ? 'n' : byte == '\t' ? 't' : 'r';
                continue;
            }
            *out++ = 'x';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
        }
    }
    *out = 0;
    return safe;
}

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
