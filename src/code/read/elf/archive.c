#include "code/read/elf/archive.h"

#include <stdlib.h>
#include <string.h>

/* The header before each member: text in fixed columns. */
struct archive_header {
    char name[16], date[12], user[6], group[6], mode[8], size[10], end[2];
};

bool archive_open(struct archive *archive, struct span bytes)
{
    *archive = (struct archive){.bytes = bytes, .at = ARCHIVE_MAGIC};
    if (bytes.size < ARCHIVE_MAGIC)
        return false;
    archive->is_thin = !memcmp(bytes.data, "!<thin>\n", ARCHIVE_MAGIC);
    return archive->is_thin || !memcmp(bytes.data, "!<arch>\n", ARCHIVE_MAGIC);
}

/* A decimal number in a column, with spaces after it. */
static bool column_number(const char *column, size_t width, uint64_t *value)
{
    size_t i = 0;
    *value = 0;
    while (i < width && column[i] >= '0' && column[i] <= '9')
        *value = *value * 10 + (uint64_t)(column[i++] - '0');
    size_t digits = i;
    while (i < width && column[i] == ' ')
        i++;
    return digits > 0 && i == width;
}

/* A name in the table of long names ends with a slash and a line feed. */
static char *long_name(const struct archive *archive, uint64_t offset)
{
    if (offset >= archive->long_names.size)
        return NULL;
    const char *start = (const char *)archive->long_names.data + offset;
    size_t left = archive->long_names.size - offset;
    const char *end = memchr(start, '\n', left);
    size_t length = end ? (size_t)(end - start) : left;
    if (length && start[length - 1] == '/')
        length--;
    return memory_copy_text(start, strnlen(start, length));
}

static char *member_name(struct archive *archive, const struct archive_header *header, struct span *contents)
{
    uint64_t number;
    if (header->name[0] == '/' && column_number(header->name + 1, sizeof header->name - 1, &number))
        return long_name(archive, number);
    if (!memcmp(header->name, "#1/", 3) &&
        column_number(header->name + 3, sizeof header->name - 3, &number) && number <= contents->size) {
        const char *name = (const char *)contents->data;
        contents->data += number;
        contents->size -= number;
        return memory_copy_text(name, strnlen(name, number));
    }
    size_t length = strnlen(header->name, sizeof header->name);
    while (length && header->name[length - 1] == ' ')
        length--;
    if (length && header->name[length - 1] == '/')
        length--;
    return memory_copy_text(header->name, length);
}

static bool is_column(const struct archive_header *header, const char *name)
{
    size_t length = strlen(name);
    return !memcmp(header->name, name, length) && header->name[length] == ' ';
}

bool archive_next(struct archive *archive, struct archive_member *member)
{
    for (;;) {
        struct archive_header header;
        size_t left = archive->bytes.size - archive->at;
        if (left < sizeof header) {
            archive->is_damaged = left > 1;
            return false;
        }
        memcpy(&header, archive->bytes.data + archive->at, sizeof header);
        uint64_t size;
        archive->at += sizeof header;
        left -= sizeof header;
        if (memcmp(header.end, "`\n", 2) || !column_number(header.size, sizeof header.size, &size)) {
            archive->is_damaged = true;
            return false;
        }
        bool is_index = is_column(&header, "/") || is_column(&header, "/SYM64/");
        bool is_names = is_column(&header, "//");
        bool is_here = !archive->is_thin || is_index || is_names;
        if (is_here && size > left) {
            archive->is_damaged = true;
            size = left;
        }
        struct span contents = {archive->bytes.data + archive->at, is_here ? size : 0};
        archive->at += contents.size;
        archive->at += archive->at & 1 && archive->at < archive->bytes.size;
        if (is_names)
            archive->long_names = contents;
        if (is_index || is_names)
            continue;
        char *name = member_name(archive, &header, &contents);
        if (name && strncmp(name, "__.SYMDEF", 9)) {
            *member = (struct archive_member){name, contents};
            return true;
        }
        free(name);
    }
}
