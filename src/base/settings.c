/* The reader goes line by line. At any time it has one open section and at most one open setting, whose value
   grows by a piece for each line that goes on with it. A setting is closed, and checked for a value, when the
   next one begins, at an empty line, at a head and at the end. */
#include "base/settings.h"

#include "base/nearest.h"
#include "base/regular_file.h"
#include "base/strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 16 << 20, LONGEST_VALUE = 64 << 10, LONGEST_WORD = 60 };

struct reader {
    struct settings *settings;
    const struct settings_key *keys;
    struct strings heads; /* texts of heads, to find those that are there twice */
    struct array head_lines;
    const struct settings_key *open_key;
    struct array value; /* of char: what the open setting has by now */
    unsigned open_line, open_column;
    size_t first_piece;
    unsigned line;
    const char *text, *end; /* of the current line, without its comment and blanks at its end */
    struct error *error;
};

static bool complain(struct reader *reader, unsigned line, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool complain(struct reader *reader, unsigned line, size_t column, const char *format, ...)
{
    char text[700], *where = memory_format("%s:%u:%zu", reader->settings->path, line, column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(reader->error, where, "%s", text);
    free(where);
    return false;
}

static size_t column_of(const struct reader *reader, const char *at)
{
    return (size_t)(at - reader->text) + 1;
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static const char *trim(const char *begin, const char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    return end;
}

static bool is_of_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
}

static struct settings_section *section_of(const struct reader *reader)
{
    return ARRAY_AT(struct settings_section, &reader->settings->sections,
                    reader->settings->sections.count - 1);
}

static bool is_of_section(const struct settings_key *key, const char *kind)
{
    return kind && key->section ? !strcmp(kind, key->section) : kind == key->section;
}

static const struct settings_key *key_of(const struct reader *reader, const char *kind, const char *word,
                                         size_t length)
{
    for (const struct settings_key *key = reader->keys; key->name; key++)
        if (is_of_section(key, kind) && strlen(key->name) == length && !memcmp(key->name, word, length))
            return key;
    return NULL;
}

/* A word and `=`: where its value begins; NULL if there is none here. */
static const char *assigned(const struct reader *reader, const char *at, size_t *length)
{
    const char *end = at;
    while (end < reader->end && is_of_word(*end))
        end++;
    *length = (size_t)(end - at);
    const char *equals = skip_blanks(end, reader->end);
    if (end == at || equals == reader->end || *equals != '=' ||
        (equals + 1 < reader->end && equals[1] == '='))
        return NULL;
    return equals + 1;
}

static bool complain_of_key(struct reader *reader, const char *word, size_t length)
{
    const char *kind = section_of(reader)->kind;
    char *wanted = memory_copy_text(word, length < LONGEST_WORD ? length : LONGEST_WORD);
    struct nearest nearest = {.wanted = wanted};
    struct array known = ARRAY_OF(char);
    const struct settings_key *elsewhere = NULL;
    for (const struct settings_key *key = reader->keys; key->name; key++) {
        if (!is_of_section(key, kind)) {
            elsewhere = strlen(key->name) == length && !memcmp(key->name, word, length) ? key : elsewhere;
            continue;
        }
        nearest_offer(&nearest, key->name);
        char *item = memory_format("%s%s", known.count ? ", " : "", key->name);
        memcpy(array_add_many(&known, strlen(item)), item, strlen(item));
        free(item);
    }
    *(char *)array_add(&known) = 0;
    size_t column = column_of(reader, word);
    if (elsewhere && elsewhere->section)
        complain(reader, reader->line, column, "`%s` belongs into a section [%s …]", wanted,
                 elsewhere->section);
    else if (elsewhere)
        complain(reader, reader->line, column, "`%s` belongs before the first section", wanted);
    else if (nearest.best)
        complain(reader, reader->line, column, "there is no setting `%s`: did you mean `%s`?", wanted,
                 nearest.best);
    else
        complain(reader, reader->line, column, "there is no setting `%s`: known are %s", wanted,
                 (const char *)known.data);
    array_free(&known);
    free(nearest.best);
    free(wanted);
    return false;
}

/* Whether a word is so near to a key that it must be a mistake, even in the middle of a line. */
static bool is_nearly_a_key(const struct reader *reader, const char *word, size_t length)
{
    if (length < 4 || length >= LONGEST_WORD)
        return false;
    char copy[LONGEST_WORD + 1] = {0};
    memcpy(copy, word, length);
    for (const struct settings_key *key = reader->keys; key->name; key++)
        if (is_of_section(key, section_of(reader)->kind) &&
            nearest_edits(copy, key->name) <= (length < 6 ? 1 : 2))
            return true;
    return false;
}

static bool close_setting(struct reader *reader)
{
    const struct settings_key *key = reader->open_key;
    if (!key)
        return true;
    reader->open_key = NULL;
    if (!reader->value.count)
        return complain(reader, reader->open_line, reader->open_column, "`%s` has no value: %s", key->name,
                        key->doc);
    struct settings *settings = reader->settings;
    char *value = arena_get(&settings->arena, reader->value.count + 1);
    memcpy(value, reader->value.data, reader->value.count);
    *(struct setting *)array_add(&settings->settings) = (struct setting){
        key,
        value,
        reader->open_line,
        reader->open_column,
        reader->first_piece,
        settings->pieces.count - reader->first_piece,
    };
    section_of(reader)->count++;
    return true;
}

static bool add_piece(struct reader *reader, const char *begin, const char *end)
{
    if (begin == end)
        return true;
    if (reader->value.count + (size_t)(end - begin) >= LONGEST_VALUE)
        return complain(reader, reader->line, column_of(reader, begin),
                        "the value of `%s` is longer than %u bytes", reader->open_key->name,
                        (unsigned)LONGEST_VALUE);
    unsigned column = (unsigned)column_of(reader, begin);
    if (reader->value.count) {
        *(char *)array_push(&reader->value) = ' ';
    } else {
        reader->open_line = reader->line;
        reader->open_column = column;
    }
    *(struct settings_piece *)array_push(&reader->settings->pieces) =
        (struct settings_piece){reader->value.count, reader->line, column};
    memcpy(array_push_many(&reader->value, (size_t)(end - begin)), begin, (size_t)(end - begin));
    return true;
}

static bool open_setting(struct reader *reader, const struct settings_key *key, const char *word)
{
    if (!close_setting(reader))
        return false;
    const struct setting *earlier = settings_find(reader->settings, section_of(reader), key->name);
    if (earlier)
        return complain(reader, reader->line, column_of(reader, word), "`%s` is there already, in line %u",
                        key->name, earlier->line);
    reader->open_key = key;
    reader->open_line = reader->line;
    reader->open_column = (unsigned)column_of(reader, word);
    reader->value.count = 0;
    reader->first_piece = reader->settings->pieces.count;
    return true;
}

/* Where the next setting of this line begins, or its end; *is_wrong: at a word that is nearly a key. */
static const char *find_split(const struct reader *reader, const char *at, bool *is_wrong)
{
    *is_wrong = false;
    while (at < reader->end) {
        if (!is_blank(*at)) {
            at++;
            continue;
        }
        const char *word = skip_blanks(at, reader->end);
        size_t length;
        if ((word - at >= 2 || memchr(at, '\t', (size_t)(word - at))) && assigned(reader, word, &length)) {
            if (key_of(reader, section_of(reader)->kind, word, length))
                return word;
            *is_wrong = is_nearly_a_key(reader, word, length);
            if (*is_wrong)
                return word;
        }
        at = word;
    }
    return reader->end;
}

/* The part of a line from `at` on: the value of the open setting, then more settings. */
static bool take_values(struct reader *reader, const char *at)
{
    for (;;) {
        bool is_wrong;
        const char *next = find_split(reader, at, &is_wrong), *begin = skip_blanks(at, next);
        if (!add_piece(reader, begin, trim(begin, next)))
            return false;
        if (next == reader->end)
            return true;
        size_t length;
        at = assigned(reader, next, &length);
        if (is_wrong)
            return complain_of_key(reader, next, length);
        if (!open_setting(reader, key_of(reader, section_of(reader)->kind, next, length), next))
            return false;
    }
}

static bool take_line(struct reader *reader)
{
    const char *word = skip_blanks(reader->text, reader->end), *value;
    bool is_indented = word > reader->text;
    size_t length;
    value = assigned(reader, word, &length);
    const struct settings_key *key = key_of(reader, section_of(reader)->kind, word, length);
    if (key && value)
        return open_setting(reader, key, word) && take_values(reader, value);
    if (!is_indented) {
        if (!length)
            return complain(reader, reader->line, 1, "expected `key = value`");
        if (!key)
            return complain_of_key(reader, word, length);
        return complain(reader, reader->line, length + 1, "expected `=` after `%s`", key->name);
    }
    if (!reader->open_key)
        return value
                   ? complain_of_key(reader, word, length)
                   : complain(reader, reader->line, column_of(reader, word),
                              "a line that begins with a blank goes on with the value above: there is none");
    /* `word = …` after a value that is complete is meant to be a setting. */
    const char *before = reader->value.data;
    if (value && is_blank(value[-2]) &&
        (is_nearly_a_key(reader, word, length) ||
         (reader->value.count && !strchr(",\\", before[reader->value.count - 1]))))
        return complain_of_key(reader, word, length);
    return take_values(reader, reader->text);
}

/* --- sections --- */

static bool close_section(struct reader *reader)
{
    if (!close_setting(reader))
        return false;
    const struct settings_section *section = section_of(reader);
    for (const struct settings_key *key = reader->keys; key->name; key++) {
        if (!key->is_needed || !is_of_section(key, section->kind) ||
            settings_find(reader->settings, section, key->name))
            continue;
        if (!section->kind)
            return error_set(reader->error, reader->settings->path, "the setting `%s` is missing: %s",
                             key->name, key->doc);
        return complain(reader, section->line, 1, "[%s%s%s] has no setting `%s`: %s", section->kind,
                        section->name ? " " : "", section->name ? section->name : "", key->name, key->doc);
    }
    return true;
}

static void add_section(struct reader *reader, const char *kind, const char *name)
{
    *(struct settings_section *)array_add(&reader->settings->sections) =
        (struct settings_section){kind, name, reader->line, reader->settings->settings.count, 0};
}

/* The kind of section that a head begins, as its key table spells it; NULL: none. */
static const char *kind_of(const struct reader *reader, const char *word, size_t length)
{
    for (const struct settings_key *key = reader->keys; key->name; key++)
        if (key->section && strlen(key->section) == length && !memcmp(key->section, word, length))
            return key->section;
    return NULL;
}

static bool complain_of_kind(struct reader *reader, const char *word, size_t length)
{
    char *wanted = memory_copy_text(word, length < LONGEST_WORD ? length : LONGEST_WORD);
    struct nearest nearest = {.wanted = wanted};
    const char *any = NULL;
    for (const struct settings_key *key = reader->keys; key->name; key++)
        if (key->section) {
            any = key->section;
            nearest_offer(&nearest, key->section);
        }
    if (!any)
        complain(reader, reader->line, 1, "files of this kind have no sections");
    else if (nearest.best)
        complain(reader, reader->line, column_of(reader, word),
                 "there is no kind of section `%s`: did you mean `%s`?", wanted, nearest.best);
    else
        complain(reader, reader->line, column_of(reader, word),
                 "there is no kind of section `%s`: known is, for example, `[%s …]`", wanted, any);
    free(nearest.best);
    free(wanted);
    return false;
}

static bool take_head(struct reader *reader, const char *bracket)
{
    const char *word = skip_blanks(bracket + 1, reader->end), *close = reader->end - 1, *end = word;
    while (end < close && is_of_word(*end))
        end++;
    if (*close != ']' || close == bracket)
        return complain(reader, reader->line, column_of(reader, reader->end),
                        "expected `]` at the end of a section's head");
    const char *kind = kind_of(reader, word, (size_t)(end - word));
    if (!kind || (end < close && !is_blank(*end)))
        return complain_of_kind(reader, word, (size_t)(end - word));
    if (!close_section(reader))
        return false;
    const char *name = skip_blanks(end, close);
    size_t length = (size_t)(trim(name, close) - name);
    char *copy = NULL;
    if (length) {
        copy = arena_get(&reader->settings->arena, length + 1);
        memcpy(copy, name, length);
    }
    char *head = memory_format("%s %s", kind, copy ? copy : "");
    string_id id = strings_find(&reader->heads, head);
    if (id)
        complain(reader, reader->line, column_of(reader, bracket),
                 "the section [%s%s%s] is there already, in line %u", kind, copy ? " " : "", copy ? copy : "",
                 *ARRAY_AT(unsigned, &reader->head_lines, id - 1));
    strings_add(&reader->heads, head);
    *(unsigned *)array_add(&reader->head_lines) = reader->line;
    free(head);
    add_section(reader, kind, copy);
    return !id;
}

/* An indented bracket is a head only if what it holds is one: values may have brackets, too. */
static bool is_head(const struct reader *reader, const char *at)
{
    if (*at != '[')
        return false;
    const char *word = skip_blanks(at + 1, reader->end), *end = word;
    while (end < reader->end && is_of_word(*end))
        end++;
    return at == reader->text || (reader->end[-1] == ']' && kind_of(reader, word, (size_t)(end - word)));
}

/* --- lines --- */

static bool check_bytes(struct reader *reader)
{
    for (const char *at = reader->text; at < reader->end; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 127)
            return complain(reader, reader->line, column_of(reader, at),
                            "a byte %u, which is not text: is this the right file?", (unsigned char)*at);
    return true;
}

static bool read_line(struct reader *reader)
{
    if (!check_bytes(reader))
        return false;
    const char *whole = reader->end;
    for (const char *at = reader->text; at < reader->end; at++)
        if (*at == '#' && (at == reader->text || is_blank(at[-1])))
            reader->end = at;
    bool has_comment = reader->end < whole;
    reader->end = trim(reader->text, reader->end);
    const char *first = skip_blanks(reader->text, reader->end);
    if (first == reader->end)
        return has_comment || close_setting(reader);
    return is_head(reader, first) ? take_head(reader, first) : take_line(reader);
}

static bool read_lines(struct reader *reader, const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        at += 3;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader->line++;
        reader->text = at;
        reader->end = newline ? newline : end;
        at = reader->end + 1;
        if (reader->end > reader->text && reader->end[-1] == '\r')
            reader->end--;
        if (!read_line(reader))
            return false;
    }
    return close_section(reader);
}

bool settings_parse(struct settings *settings, const char *path, const char *text, size_t size,
                    const struct settings_key *keys, struct error *error)
{
    *settings = (struct settings){
        .sections = ARRAY_OF(struct settings_section),
        .settings = ARRAY_OF(struct setting),
        .pieces = ARRAY_OF(struct settings_piece),
    };
    char *copy = arena_get(&settings->arena, strlen(path) + 1);
    settings->path = memcpy(copy, path, strlen(path));
    if (size > LARGEST_FILE) {
        settings_free(settings);
        return error_set(error, path, "has more than the %u bytes that such a file can have",
                         (unsigned)LARGEST_FILE);
    }
    struct reader reader = {.settings = settings,
                            .keys = keys,
                            .head_lines = ARRAY_OF(unsigned),
                            .value = ARRAY_OF(char),
                            .error = error};
    add_section(&reader, NULL, NULL);
    bool is_fine = read_lines(&reader, text, size);
    strings_free(&reader.heads);
    array_free(&reader.head_lines);
    array_free(&reader.value);
    if (!is_fine)
        settings_free(settings);
    return is_fine;
}

bool settings_read(struct settings *settings, const char *path, const struct settings_key *keys,
                   struct error *error)
{
    *settings = (struct settings){0};
    uint64_t size = 0;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    size_t room = size < LARGEST_FILE ? (size_t)size + 1 : LARGEST_FILE + 1;
    char *text = memory_get(room);
    int64_t got = regular_file_read(file, text, room);
    bool is_fine = got < 0 ? error_set_errno(error, path, "cannot be read")
                           : settings_parse(settings, path, text, (size_t)got, keys, error);
    close(file);
    free(text);
    return is_fine;
}

void settings_free(struct settings *settings)
{
    array_free(&settings->sections);
    array_free(&settings->settings);
    array_free(&settings->pieces);
    arena_free(&settings->arena);
    *settings = (struct settings){0};
}
