/* What this Assay was built with.

   Required for a build are a C compiler, libelf, libdw, SQLite and Zydis.  Everything else costs its feature
   where it is missing, never the build: each such library is after one small interface in its room, and
   where it was not there meson.build takes another file with the same interface, which answers with the
   sentence of feature_missing.  features.def names all of them. */
#ifndef BASE_BUILT_H
#define BASE_BUILT_H
#include "base/error.h"

enum feature {
#define FEATURE(symbol, word, purpose, needs, debian, fedora) feature_##symbol,
#include "base/features.def"
#undef FEATURE
    FEATURE_COUNT
};

struct feature_facts {
    const char *word, *purpose, *needs, *debian, *fedora;
    bool is_built; /* its library was there; some are only asked when Assay runs */
};
extern const struct feature_facts features[FEATURE_COUNT];

/* Says what is missing and what brings it; false, so that a caller can return it. */
bool feature_missing(enum feature feature, struct error *error);
/* The same unless it was built. */
bool feature_needed(enum feature feature, struct error *error);
#endif
