/* What the files of the source reader share. */
#ifndef CODE_SOURCE_PARTS_H
#define CODE_SOURCE_PARTS_H
#include "base/child.h"
#include "code/source/source.h"

enum { MOST_SOURCE_LOOPS = 1000000 };

/* What a parser may use, with so many bytes of output. */
enum { SOURCE_SECONDS = 60 };
static inline struct child_limits source_limits(size_t output)
{
    return (struct child_limits){.memory = UINT64_C(4) << 30,
                                 .file_size = UINT64_C(256) << 20,
                                 .output = output,
                                 .seconds = SOURCE_SECONDS};
}

/* A loop as the parts below hand it up: parent is 1 + the index of the loop around it, which comes earlier.
 */
struct found_loop {
    uint32_t first_line, last_line, parent, floating, memory, branches;
};

/* The result of reading one source file. */
struct found_source {
    struct array loops;   /* of struct found_loop, outer ones first */
    uint32_t errors;      /* complaints of the compiler */
    uint32_t loop_errors; /* those that lie in loops: their counts may be too low */
    uint32_t templates;   /* loops of templates that nothing here uses: unknown types */
    uint32_t misplaced;   /* loops with an unknown line, left out */
    char first_error[300];
};

/* Words of a command line, in memory of their own. */
struct source_words {
    struct array words; /* of char * */
    struct arena memory;
};
void source_words_add(struct source_words *words, const char *text, size_t length);
void source_words_free(struct source_words *words);
static inline const char *source_word(const struct source_words *words, size_t index)
{
    return *ARRAY_AT(char *, &words->words, index);
}
/* Splits a command line as a shell does: quotes and backslashes, nothing else. */
void source_words_split(struct source_words *words, const char *text, size_t length);

/* The options of one compilation, as they stand in debug information or compile_commands.json. */
struct source_compilation {
    struct source_words words;
    char *directory;     /* names in them are relative to it; never NULL */
    bool is_recorded;    /* from compile_commands.json: the paths of headers are known */
    struct trust *trust; /* files that they name are read only where it allows */
};
/* Where a compile_commands.json usually is: in the folder of a source or above it, there ("") or in one of these
   folders of builds, with a slash at the end. NULL ends the list. */
extern const char *const source_build_folders[];
/* file: the source that is compiled.  false where a named compile_commands.json cannot be read. */
bool source_find_compilation(const char *file, const struct source_options *options,
                             struct source_compilation *compilation, struct error *error);
void source_compilation_free(struct source_compilation *compilation);
/* directory/name without . and .. and doubled slashes; name where that is absolute.  To be freed. */
char *source_join_path(const char *directory, const char *name);

/* The entry of a compilation database for a file.  **is_found: whether there is one. */
bool source_find_entry(const char *database, const char *file, struct source_compilation *compilation,
                       bool *is_found, struct error *error);

/* What is kept of a compilation's options: less where a parser refuses more. */
enum kept_options { kept_PATHS, kept_LANGUAGE, kept_MACHINE };
/* The options that matter to a parser, with absolute paths, added to words. */
void source_keep_clang_options(const struct source_compilation *compilation, enum kept_options most,
                               struct source_words *words);
void source_keep_fortran_options(const struct source_compilation *compilation, struct source_words *words);
bool source_is_cplusplus(const char *path, const struct source_compilation *compilation);

bool source_read_clang(const char *path, const char *unit, const struct source_compilation *compilation,
                       struct found_source *found, struct error *error);
/* The parsed file, in a child: with as many of the options as the parser takes.  NULL: it cannot be parsed. */
struct libclang;
void *source_clang_unit(const struct libclang *clang, const char *path, const char *unit,
                        const struct source_compilation *compilation);
bool source_read_fortran(const char *path, struct span text, const struct source_compilation *compilation,
                         struct found_source *found, struct error *error);
#endif
