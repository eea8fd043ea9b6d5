/* The entry of one file in a compilation database (compile_commands.json): an array of objects with the
   members file, directory and either command (a line for a shell) or arguments (an array of words).

   One pass over the text with no tree and no recursion: values are slices of the text, unknown ones are
   skipped by counting brackets, and only the wanted entry is ever copied.  Text that is not JSON is an error
   with the line of the first wrong character. */
#include "code/source/parts.h"
#include "base/path.h"
#include "code/read/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DATABASE_BYTES = 256 << 20 };

struct slice {
    const char *at, *end;
};

struct json {
    const char *text, *at, *end;
    const char *path;
    struct error *error;
};

static bool wrong(struct json *json, const char *what)
{
    size_t line = 1;
    for (const char *at = json->text; at < json->at; at++)
        line += *at == '\n';
    return error_set(json->error, json->path, "line %zu: this is not a compilation database: %s", line, what);
}

static char next(struct json *json)
{
    while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at)
        json->at++;
    return json->at < json->end ? *json->at : 0;
}

static bool expect(struct json *json, char c, const char *what)
{
    if (next(json) != c)
        return wrong(json, what);
    json->at++;
    return true;
}

/* What stands between the quotes. */
static bool string(struct json *json, struct slice *slice)
{
    if (!expect(json, '"', "a string is missing"))
        return false;
    slice->at = json->at;
    for (; json->at < json->end && *json->at != '"'; json->at++)
        if (*json->at == '\\' && json->at + 1 < json->end)
            json->at++;
    if (json->at >= json->end)
        return wrong(json, "a string has no end");
    slice->end = json->at++;
    return true;
}

/* Any value; nested ones are skipped by counting brackets. */
static bool skip(struct json *json, struct slice *slice)
{
    next(json);
    slice->at = json->at;
    size_t depth = 0;
    do {
        char c = next(json);
        struct slice ignored;
        if (c == '"') {
            if (!string(json, &ignored))
                return false;
        } else if (c == '[' || c == '{') {
            depth++;
            json->at++;
        } else if ((c == ']' || c == '}') && depth) {
            depth--;
            json->at++;
        } else if ((c == ',' || c == ':') && depth) {
            json->at++;
        } else {
            const char *start = json->at;
            while (json->at < json->end && !strchr(",:]}[{\" \t\r\n", *json->at))
                json->at++;
            if (json->at == start)
                return wrong(json, "a value is missing");
        }
    } while (depth);
    slice->end = json->at;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static long escaped_number(const char *at, const char *end)
{
    long value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_character(char *to, unsigned long value)
{
    if (value < 0x80) {
        *to++ = (char)value;
    } else if (value < 0x800) {
        *to++ = (char)(0xc0 | value >> 6);
        *to++ = (char)(0x80 | (value & 0x3f));
    } else if (value < 0x10000) {
        *to++ = (char)(0xe0 | value >> 12);
        *to++ = (char)(0x80 | (value >> 6 & 0x3f));
        *to++ = (char)(0x80 | (value & 0x3f));
    } else {
        *to++ = (char)(0xf0 | value >> 18);
        *to++ = (char)(0x80 | (value >> 12 & 0x3f));
        *to++ = (char)(0x80 | (value >> 6 & 0x3f));
        *to++ = (char)(0x80 | (value & 0x3f));
    }
    return to;
}

/* The text of a string, to be freed.  Bytes of value zero end it: no path or option has them. */
static char *decoded(struct slice slice)
{
    char *text = memory_get((size_t)(slice.end - slice.at) + 1), *to = text;
    for (const char *at = slice.at; at < slice.end; at++) {
        if (*at != '\\' || at + 1 >= slice.end) {
            *to++ = *at;
            continue;
        }
        static const char letters[] = "nrtbf", meanings[] = "\n\r\t\b\f";
        char c = *++at;
        const char *letter = strchr(letters, c);
        long value = c == 'u' ? escaped_number(at + 1, slice.end) : -1;
        if (value >= 0) {
            at += 4;
            long low =
                value >= 0xd800 && value < 0xdc00 && slice.end - at > 6 && at[1] == '\\' && at[2] == 'u'
                    ? escaped_number(at + 3, slice.end)
                    : -1;
            if (low >= 0xdc00 && low < 0xe000) {
                at += 6;
                value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
            }
            to = put_character(to, (unsigned long)value);
        } else {
            *to++ = letter && c ? meanings[letter - letters] : c;
        }
    }
    *to = 0;
    return text;
}

struct entry {
    struct slice file, directory, command, arguments;
};

static bool is_key(struct slice key, const char *name)
{
    return (size_t)(key.end - key.at) == strlen(name) && !memcmp(key.at, name, strlen(name));
}

static bool read_member(struct json *json, struct entry *entry)
{
    struct slice key, value;
    if (!string(json, &key) || !expect(json, ':', "a colon is missing"))
        return false;
    if (is_key(key, "arguments") && next(json) == '[')
        return skip(json, &entry->arguments);
    bool is_string = next(json) == '"';
    if (!(is_string ? string(json, &value) : skip(json, &value)))
        return false;
    if (is_string && is_key(key, "file"))
        entry->file = value;
    if (is_string && is_key(key, "directory"))
        entry->directory = value;
    if (is_string && is_key(key, "command"))
        entry->command = value;
    return true;
}

static bool read_entry(struct json *json, struct entry *entry)
{
    *entry = (struct entry){0};
    if (!expect(json, '{', "an object is missing"))
        return false;
    if (next(json) == '}') {
        json->at++;
        return true;
    }
    do {
        if (!read_member(json, entry))
            return false;
    } while (next(json) == ',' && json->at++);
    return expect(json, '}', "an object has no end");
}

/* The folder of the database: directories in it should be absolute, but some tools write others. */
static char *folder_of(const char *database)
{
    char *real = realpath(database, NULL), *path = real ? real : memory_format("/%s", database);
    *(char *)(path_name(path) > path + 1 ? path_name(path) - 1 : path + 1) = 0;
    return path;
}

static void take_words(struct json *json, const struct entry *entry, struct source_words *words)
{
    if (entry->arguments.at) {
        struct json inside = *json;
        inside.at = entry->arguments.at + 1;
        inside.end = entry->arguments.end;
        struct slice word;
        while (next(&inside) == '"' && string(&inside, &word)) {
            char *text = decoded(word);
            source_words_add(words, text, strlen(text));
            free(text);
            if (next(&inside) == ',')
                inside.at++;
        }
    } else if (entry->command.at) {
        char *line = decoded(entry->command);
        source_words_split(words, line, strlen(line));
        free(line);
    }
}

static bool search(struct json *json, const char *file, struct source_compilation *compilation,
                   bool *is_found)
{
    if (!expect(json, '[', "it does not start with an array"))
        return false;
    if (next(json) == ']')
        return true;
    char *folder = folder_of(json->path);
    bool done = true;
    do {
        struct entry entry;
        if (!(done = read_entry(json, &entry)))
            break;
        if (!entry.file.at)
            continue;
        char *name = decoded(entry.file), *given = entry.directory.at ? decoded(entry.directory) : NULL;
        char *directory = source_join_path(folder, given ? given : ".");
        char *path = source_join_path(directory, name);
        if ((*is_found = !strcmp(path_name(path), path_name(file)) && path_is_same_file(path, file))) {
            take_words(json, &entry, &compilation->words);
            free(compilation->directory);
            compilation->directory = directory;
        } else {
            free(directory);
        }
        free(path);
        free(given);
        free(name);
    } while (!*is_found && next(json) == ',' && json->at++);
    free(folder);
    if (done && !*is_found)
        done = expect(json, ']', "the array has no end");
    return done;
}

bool source_find_entry(const char *database, const char *file, struct source_compilation *compilation,
                       bool *is_found, struct error *error)
{
    *is_found = false;
    struct stat facts;
    if (!stat(database, &facts) && facts.st_size > MOST_DATABASE_BYTES)
        return error_set(error, database, "the compilation database has more than 256 MB");
    struct span bytes;
    if (!bytes_read(database, NULL, &bytes, error))
        return false;
    struct json json = {.text = (const char *)bytes.data,
                        .at = (const char *)bytes.data,
                        .end = (const char *)bytes.data + bytes.size,
                        .path = database,
                        .error = error};
    bool done = search(&json, file, compilation, is_found);
    bytes_free(bytes);
    return done;
}
