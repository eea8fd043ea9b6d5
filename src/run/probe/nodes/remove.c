/* The text without its nodes: whatever stands between the marks goes, and with a node inside a line the
   newline that cut the line. */
#include "run/probe/nodes/parts.h"

#include <string.h>

static bool starts_with(const char *at, size_t size, const char *word)
{
    return size >= strlen(word) && !memcmp(at, word, strlen(word));
}

static size_t line_size(struct span text, size_t at)
{
    const void *newline = memchr(text.data + at, '\n', text.size - at);
    return newline ? (size_t)((const uint8_t *)newline - text.data) + 1 - at : text.size - at;
}

bool nodes_are_in(struct span text)
{
    for (size_t at = 0; at < text.size; at += line_size(text, at))
        if (starts_with((const char *)text.data + at, text.size - at, NODE_BEGINS))
            return true;
    return false;
}

bool nodes_remove(struct span text, const char *path, struct array *out, struct error *error)
{
    bool is_inside = false;
    unsigned long line = 0, opened = 0;
    for (size_t at = 0, size; at < text.size; at += size) {
        const char *start = (const char *)text.data + at;
        size = line_size(text, at);
        line++;
        if (starts_with(start, size, NODE_ENDS)) {
            if (!is_inside)
                return error_set(error, path, "line %lu: a node ends that did not begin", line);
            is_inside = false;
        } else if (is_inside) {
            continue;
        } else if (starts_with(start, size, NODE_BEGINS)) {
            is_inside = true;
            opened = line;
            if (!starts_with(start, size, NODE_BEGINS_INSIDE))
                continue;
            if (!out->count || ((const char *)out->data)[out->count - 1] != '\n')
                return error_set(error, path, "line %lu: a node inside a line without the line", line);
            out->count--;
        } else {
            memcpy(array_push_many(out, size), start, size);
        }
    }
    return !is_inside || error_set(error, path, "line %lu: a node begins and does not end", opened);
}
