/* What the files about compilations share. */
#ifndef CHANGE_OPTIMISE_COMPILE_COMPILATION_PARTS_H
#define CHANGE_OPTIMISE_COMPILE_COMPILATION_PARTS_H
#include "base/trust.h"
#include "change/optimise/compile/compilation.h"

struct compilation_reader {
    struct compilation *compilation;
    const char *wanted; /* absolute path of the source that is meant; NULL: there is one */
    bool is_strangers;
    struct trust *trust; /* of a stranger's words */
    bool has_language;   /* -x */
    enum source_language language;
    unsigned sources;
    const char *stray; /* the first word that is neither an option nor a source; NULL: none */
};

/* Empty, with its folder. */
void compilation_begin(struct compilation *compilation, const char *folder);
/* Options and source of a command, without the compiler. */
bool compilation_take_words(struct compilation_reader *reader, const char *const *words, size_t count,
                            struct error *error);
bool compilation_complete(struct compilation_reader *reader, struct error *error);
void compilation_add(struct array *words, const char *text);

/* Sets compiler, version and family.  is_strangers: only known names, from PATH. */
bool compilation_find_compiler(struct compilation *compilation, const char *word, bool is_strangers,
                               struct error *error);
#endif
