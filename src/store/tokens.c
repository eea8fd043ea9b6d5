#include "store/tokens.h"

#include <sqlite3.h>
#include <string.h>

static bool is_word_byte(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || byte >= 0x80;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_word_byte((unsigned char)text[length]))
        length++;
    return length;
}

/* Length of a quoted string or name; a doubled quote stands for one quote. */
static size_t quoted_length(const char *text)
{
    char quote = text[0] == '[' ? ']' : text[0];
    size_t length = 1;
    while (text[length]) {
        if (text[length++] != quote)
            continue;
        if (quote == ']' || text[length] != quote)
            break;
        length++;
    }
    return length;
}

enum token_kind token_next(const char *text, size_t *length)
{
    *length = 1;
    switch (text[0]) {
    case '\0':
        *length = 0;
        return TOKEN_END;
    case ' ':
    case '\t':
    case '\n':
    case '\f':
    case '\r':
        return TOKEN_BLANK;
    case ';':
        return TOKEN_SEMICOLON;
    case '-':
        if (text[1] != '-')
            return TOKEN_OTHER;
        *length = strcspn(text, "\n");
        return TOKEN_BLANK;
    case '/': {
        if (text[1] != '*' || !text[2])
            return TOKEN_OTHER;
        const char *end = strstr(text + 2, "*/");
        *length = end ? (size_t)(end - text) + 2 : strlen(text);
        return TOKEN_BLANK;
    }
    case '\'':
    case '"':
    case '`':
    case '[':
        *length = quoted_length(text);
        return TOKEN_OTHER;
    case ':':
    case '@':
    case '#':
    case '$':
    case '?':
        *length = 1 + word_length(text + 1);
        return TOKEN_OTHER;
    case '.':
        /* ".5" is a number, and "a.b" a dotted name. */
        if (text[1] >= '0' && text[1] <= '9') {
            *length = 1 + word_length(text + 1);
            return TOKEN_OTHER;
        }
        return TOKEN_DOT;
    default:
        *length = word_length(text);
        if (!*length) {
            *length = 1;
            return TOKEN_OTHER;
        }
        return TOKEN_WORD;
    }
}

/* The next token that is not a blank. */
static enum token_kind token_after_blanks(const char **text, size_t *length)
{
    enum token_kind kind;
    while ((kind = token_next(*text, length)) == TOKEN_BLANK)
        *text += *length;
    return kind;
}

bool tokens_are_equal(const char *left, const char *right)
{
    for (;;) {
        size_t left_length, right_length;
        enum token_kind kind = token_after_blanks(&left, &left_length);
        if (token_after_blanks(&right, &right_length) != kind || left_length != right_length)
            return false;
        if (kind == TOKEN_END)
            return true;
        if (kind == TOKEN_WORD ? sqlite3_strnicmp(left, right, (int)left_length)
                               : memcmp(left, right, left_length))
            return false;
        left += left_length;
        right += right_length;
    }
}
