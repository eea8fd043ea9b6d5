#include "base/text.h"

#include "base/memory.h"

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

/* Whether the character at text may be shown unchanged; sets size to its size, or 1. */
static bool is_safe(const char *text, size_t left, unsigned *size)
{
    uint32_t code_point = 0;
    unsigned length = text_decode(text, left, &code_point);
    *size = length ? length : 1;
    return length && !text_is_harmful(code_point);
}

char *text_safe(const char *text, size_t length)
{
    char *safe = memory_get(length * LONGEST_ESCAPE + 1), *out = safe;
    unsigned size;
    for (size_t i = 0; i < length; i += size) {
        bool passes = is_safe(text + i, length - i, &size);
        for (unsigned k = 0; k < size; k++)
            if (passes)
                *out++ = text[i + k];
            else
                out += text_escape((unsigned char)text[i + k], out);
    }
    *out = 0;
    return safe;
}

void text_print_safe(const char *text, size_t length, FILE *out)
{
    unsigned size;
    for (size_t i = 0; i < length; i += size) {
        bool passes = is_safe(text + i, length - i, &size);
        for (unsigned k = 0; k < size; k++) {
            char escape[LONGEST_ESCAPE] = {text[i + k]};
            fwrite(escape, 1, passes ? 1 : text_escape((unsigned char)text[i + k], escape), out);
        }
    }
}
