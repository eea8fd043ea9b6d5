/* Files of settings that people write: `key = value` lines, in sections.

       # a comment
       name = register          command = mrregister {source} {target}
       [task align]
       after = scan,
               mask

   A key must be one of a table; a section's head is a kind from the table and, in most, a name. A line may
   hold several settings: two or more blanks (or a tab), a key that the section knows and `=` begin the next
   one. A line that begins with a blank goes on with the value of the line above, unless it begins with such a
   key: settings may be indented. An empty line ends a value. `#` begins a comment where a blank or the
   beginning of the line is before it. Everything that is wrong is told with its file, line and column, and
   with the nearest key that exists: a word with `=` that is nearly a key, or that stands where a setting
   would begin, is a mistake and never part of the value before it. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H
#include "base/error.h"
#include "base/memory.h"

/* What may stand in a file: rows of a table that the reader of that file owns. */
struct settings_key {
    const char *section; /* kind of section it stands in; NULL: before the first one */
    const char *name;    /* NULL ends the table */
    bool is_needed;      /* each such section must have it */
    const char *doc;     /* what its value is, for messages and for the reference page */
};

struct setting {
    const struct settings_key *key;
    const char *value; /* one line, trimmed, never empty */
    unsigned line, column;
    size_t piece, piece_count; /* where its lines stand in the file; of settings.pieces */
};

struct settings_piece {
    size_t offset; /* in the value */
    unsigned line, column;
};

struct settings_section {
    const char *kind, *name; /* both NULL before the first head; name NULL where the head has none */
    unsigned line;
    size_t first, count; /* of its settings */
};

struct settings {
    const char *path;
    struct array sections; /* of settings_section; the first is the part before any head */
    struct array settings; /* of setting */
    struct array pieces;   /* of settings_piece */
    struct arena arena;
};

bool settings_read(struct settings *settings, const char *path, const struct settings_key *keys,
                   struct error *error);
/* The same for a text that is not in a file; path is for messages. */
bool settings_parse(struct settings *settings, const char *path, const char *text, size_t size,
                    const struct settings_key *keys, struct error *error);
void settings_free(struct settings *settings);

/* NULL where the section has no such key. */
const struct setting *settings_find(const struct settings *settings, const struct settings_section *section,
                                    const char *key);
const char *settings_value(const struct settings *settings, const struct settings_section *section,
                           const char *key);
/* Sets the error at the place of a setting.  Returns false. */
bool settings_complain(const struct settings *settings, const struct setting *setting, struct error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same at a character of its value, wherever the line stands that has it. */
bool settings_complain_at(const struct settings *settings, const struct setting *setting, size_t offset,
                          struct error *error, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Values that many files have; each complains at the place of the setting and says what it takes. */
bool settings_number(const struct settings *, const struct setting *, double least, double most,
                     double *value, struct error *);
bool settings_seconds(const struct settings *, const struct setting *, double *seconds,
                      struct error *); /* 90, 90s, 15m, 1h30m, 1d, 1:30:00 */
bool settings_bytes(const struct settings *, const struct setting *, double *bytes,
                    struct error *); /* 4096, 64M, 2G */
bool settings_range(const struct settings *, const struct setting *, unsigned *least, unsigned *most,
                    struct error *); /* 4, 1..16 */
/* Items between commas, trimmed: of char *, in the arena.  An empty item is an error. */
bool settings_list(struct settings *, const struct setting *, struct array *items, struct error *);
/* The same values for a word of the command line: false without an error. */
bool settings_parse_seconds(const char *text, double *seconds);
bool settings_parse_bytes(const char *text, double *bytes);
#endif
