#include "base/text.h"

#include "base/memory.h"

#include <string.h>

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

unsigned text_escape(unsigned char byte, char escape[LONGEST_ESCAPE])
{
    static const char digits[] = "0123456789abcdef";
    escape[0] = '\\';
    if (byte == '\n' || byte == '\t' || byte == '\r') {
        escape[1] = byte == '\n' ? 'n' : byte == '\t' ? 't' : 'r';
        return 2;
    }
    escape[1] = 'x';
    escape[2] = digits[byte >> 4];
    escape[3] = digits[byte & 15];
    return 4;
}

char *text_safe(const char *text, size_t length)
{
    char *safe = memory_get(length * LONGEST_ESCAPE + 1), *out = safe;
    for (size_t i = 0; i < length;) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text + i, length - i, &code_point);
        if (size && !text_is_harmful(code_point)) {
            memcpy(out, text + i, size);
            out += size;
            i += size;
            continue;
        }
        for (unsigned end = size ? size : 1; end; end--, i++)
            out += text_escape((unsigned char)text[i], out);
    }
    *out = 0;
    return safe;
}
