/* The depth is limited, and so is what is kept of a text; nothing here is recursive. What is not JSON is an
   error with its line, because a record that was cut off in the middle must not pass for a short one. */
#include "code/remarks/json.h"

#include <string.h>

void json_begin(struct json *json, struct stream *stream)
{
    memset(json, 0, sizeof *json);
    json->stream = stream;
}

static enum json_token wrong(struct json *json, const char *what)
{
    stream_wrong(json->stream, what);
    return json_WRONG;
}

/* The next byte that is no blank, without taking it. */
static int past_blanks(struct json *json)
{
    int byte;
    while ((byte = stream_peek(json->stream)) == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        stream_next(json->stream);
    return byte;
}

static void put(struct json *json, unsigned byte)
{
    char character = (char)byte;
    short_text_put(&json->text, &character, 1);
}

/* A character as UTF-8; halves of pairs stand for themselves as U+FFFD. */
static void put_character(struct json *json, unsigned value)
{
    if (!value || (value >= 0xd800 && value < 0xe000))
        value = 0xfffd;
    if (value < 0x80) {
        put(json, value);
    } else if (value < 0x800) {
        put(json, 0xc0 | value >> 6);
        put(json, 0x80 | (value & 0x3f));
    } else {
        put(json, 0xe0 | value >> 12);
        put(json, 0x80 | (value >> 6 & 0x3f));
        put(json, 0x80 | (value & 0x3f));
    }
}

static bool escaped(struct json *json)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int byte = stream_next(json->stream);
    const char *at = byte > 0 ? strchr(letters, byte) : NULL;
    unsigned value = 0;
    if (at) {
        put(json, (unsigned char)meant[at - letters]);
        return true;
    }
    if (byte != 'u')
        return stream_wrong(json->stream,
                            "this is not JSON: \\ is followed by what it cannot be followed by");
    for (int i = 0; i < 4; i++) {
        byte = stream_next(json->stream);
        int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                    : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                    : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return stream_wrong(json->stream, "this is not JSON: \\u needs four hexadecimal digits");
        value = value * 16 + (unsigned)digit;
    }
    put_character(json, value);
    return true;
}

/* What needs no care: everything up to a quote, an escape, an end of line or a zero. */
static void take_plain(struct json *json)
{
    struct stream *stream = json->stream;
    size_t from = stream->at;
    while (stream->at < stream->end && stream->text[stream->at] > '\n' && stream->text[stream->at] != '"' &&
           stream->text[stream->at] != '\\')
        stream->at++;
    short_text_put(&json->text, (const char *)stream->text + from, stream->at - from);
}

/* From the quote on. */
static bool take_text(struct json *json)
{
    short_text_clear(&json->text);
    stream_next(json->stream);
    for (;;) {
        take_plain(json);
        int byte = stream_next(json->stream);
        if (byte == STREAM_END)
            return stream_wrong(json->stream, "the record ends inside a text: it is cut off");
        if (byte == '"')
            return true;
        if (byte != '\\')
            put(json, byte ? (unsigned)byte : ' ');
        else if (!escaped(json))
            return false;
    }
}

static enum json_token open_value(struct json *json, bool is_object)
{
    stream_next(json->stream);
    if (json->depth == MOST_NESTED)
        return wrong(json, "JSON is nested deeper than in any record of GCC");
    json->is_object[json->depth++] = is_object;
    json->has_value = json->has_name = false;
    return is_object ? json_OBJECT : json_ARRAY;
}

static enum json_token close_value(struct json *json, int byte)
{
    bool is_object = json->is_object[json->depth - 1];
    if (is_object != (byte == '}') || json->has_name)
        return wrong(json, "this is not JSON: a bracket ends what another one began");
    stream_next(json->stream);
    json->depth--;
    json->has_value = true;
    return is_object ? json_OBJECT_END : json_ARRAY_END;
}

static bool is_plain(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '+' || byte == '-' || byte == '.';
}

static enum json_token other_value(struct json *json)
{
    short_text_clear(&json->text);
    while (is_plain(stream_peek(json->stream)))
        put(json, (unsigned)stream_next(json->stream));
    if (!json->text.size)
        return wrong(json, "this is not JSON: a value is missing");
    return json_OTHER;
}

static enum json_token value(struct json *json, int byte)
{
    enum json_token token;
    json->has_name = false;
    if (byte == '{' || byte == '[')
        return open_value(json, byte == '{');
    if (byte == '"')
        token = take_text(json) ? json_TEXT : json_WRONG;
    else
        token = other_value(json);
    json->has_value = true;
    return token;
}

static enum json_token name(struct json *json, int byte)
{
    if (byte != '"')
        return wrong(json, "this is not JSON: a member has no name");
    if (!take_text(json))
        return json_WRONG;
    if (past_blanks(json) != ':')
        return wrong(json, "this is not JSON: a colon is missing after a name");
    stream_next(json->stream);
    json->has_name = true;
    return json_NAME;
}

enum json_token json_next(struct json *json)
{
    int byte = past_blanks(json);
    if (json->stream->failed)
        return json_WRONG;
    if (!json->depth && json->has_value)
        return byte == STREAM_END ? json_END : wrong(json, "this is not JSON: something follows its end");
    if (byte == STREAM_END)
        return wrong(json, "the record ends too early: it is cut off");
    if (json->depth && (byte == '}' || byte == ']'))
        return close_value(json, byte);
    if (json->has_value && !json->has_name) {
        if (byte != ',')
            return wrong(json, "this is not JSON: a comma is missing");
        stream_next(json->stream);
        json->has_value = false;
        byte = past_blanks(json);
    }
    if (json->depth && json->is_object[json->depth - 1] && !json->has_name)
        return name(json, byte);
    return value(json, byte);
}
