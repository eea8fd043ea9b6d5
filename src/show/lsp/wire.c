/* The head is short and its length is bounded, so that nobody can make us collect bytes for ever. A head that does not
   say how long its message is ends the stream: whatever follows could be anything. */
#include "show/lsp/wire.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONGEST_HEAD = 4096, MOST_BYTES = 32 << 20, PIECE = 1 << 16 };

void wire_free(struct wire *wire)
{
    array_free(&wire->bytes);
}

/* Where the head ends, after its empty line; 0: not yet. */
static size_t head_end(const struct wire *wire)
{
    const char *bytes = wire->bytes.data;
    size_t most = wire->bytes.count < LONGEST_HEAD ? wire->bytes.count : LONGEST_HEAD;
    for (size_t i = 3; i < most; i++)
        if (!memcmp(bytes + i - 3, "\r\n\r\n", 4))
            return i + 1;
    return 0;
}

static bool take_length(const char *value, const char *end, size_t *length, struct error *error)
{
    size_t number = 0;
    const char *at = value;
    for (; at < end && isdigit((unsigned char)*at) && number <= MOST_BYTES; at++)
        number = number * 10 + (size_t)(*at - '0');
    if (number > MOST_BYTES)
        return error_set(error, NULL, "Content-Length is larger than %d bytes", MOST_BYTES);
    if (at == value || at != end)
        return error_set(error, NULL, "Content-Length is no number");
    *length = number;
    return true;
}

/* The length in a head; other fields are for others. */
static bool read_head(const char *head, size_t size, size_t *length, struct error *error)
{
    static const char name[] = "Content-Length:";
    bool has_length = false;
    const char *end = head + size - 2;
    for (const char *line = head, *stop; line < end; line = stop + 2) {
        stop = memmem(line, (size_t)(end - line), "\r\n", 2);
        if (!stop)
            break;
        if (!memchr(line, ':', (size_t)(stop - line)))
            return error_set(error, NULL, "a line of the head has no colon");
        if ((size_t)(stop - line) < strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
            continue;
        const char *value = line + strlen(name);
        while (value < stop && *value == ' ')
            value++;
        if (has_length)
            return error_set(error, NULL, "Content-Length is there twice");
        has_length = true;
        if (!take_length(value, stop, length, error))
            return false;
    }
    return has_length || error_set(error, NULL, "a message has no Content-Length");
}

/* Whether more bytes came; false at the end, or where nothing came for so long (errno is EAGAIN then). */
static bool read_more(struct wire *wire, int milliseconds)
{
    struct pollfd waited = {.fd = wire->in, .events = POLLIN};
    int ready = poll(&waited, 1, milliseconds);
    if (ready <= 0) {
        errno = EAGAIN;
        return false;
    }
    char piece[PIECE];
    ssize_t count = read(wire->in, piece, sizeof piece);
    if (count > 0)
        memcpy(array_push_many(&wire->bytes, (size_t)count), piece, (size_t)count);
    else if (!count || errno != EINTR)
        wire->is_at_end = true;
    return count > 0;
}

enum wire_state wire_next(struct wire *wire, int milliseconds, const char **text, size_t *size,
                          struct error *error)
{
    size_t length = 0, head;
    wire->bytes.width = 1;
    if (wire->size) {
        memmove(wire->bytes.data, (char *)wire->bytes.data + wire->size, wire->bytes.count - wire->size);
        wire->bytes.count -= wire->size;
        wire->size = 0;
    }
    for (;;) {
        head = head_end(wire);
        if (!head && wire->bytes.count >= LONGEST_HEAD) {
            error_set(error, NULL, "the head of a message has no end within %d bytes", LONGEST_HEAD);
            return wire_BROKEN;
        }
        if (head && !read_head(wire->bytes.data, head, &length, error))
            return wire_BROKEN;
        if (head && wire->bytes.count - head >= length)
            break;
        if (!read_more(wire, milliseconds))
            return wire->is_at_end ? wire_END : wire_QUIET;
    }
    *text = (const char *)wire->bytes.data + head;
    *size = length;
    wire->size = head + length;
    return wire_MESSAGE;
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool wire_send(struct wire *wire, const char *text, size_t size)
{
    char head[64];
    int length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", size);
    return write_all(wire->out, head, (size_t)length) && write_all(wire->out, text, size);
}
