/* Which machine file a computer is, by what it calls itself and by what it has. */
#ifndef CODE_MACHINE_GENERATION_H
#define CODE_MACHINE_GENERATION_H
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum machine_feature {
#define FEATURE(symbol, word, leaf, bit) feature_##symbol,
#include "code/machine/features.def"
    feature_COUNT
};
/* Sets of features are bits by enum machine_feature. */
/* By its word; feature_COUNT where there is none. */
enum machine_feature generation_feature_named(const char *word, size_t length);
const char *generation_feature_word(enum machine_feature feature);
/* The one that came last; feature_COUNT: the set is empty. */
enum machine_feature generation_newest(uint32_t set);

enum host_fit {
    host_fit_NONE,     /* the machine is not taken for this computer */
    host_fit_NUMBER,   /* the file has the computer's number */
    host_fit_FEATURES, /* it does not, but the file that has it lacks features that this computer has */
    host_fit_NEAREST   /* no file has its number; this one's features come nearest */
};

/* What a file is to a computer. */
struct host_judgement {
    enum host_fit fit;
    uint32_t family, model; /* the computer's number */
    uint32_t beyond;        /* features of the computer that no processor with that number has (FEATURES) */
    const char *numbered;   /* the machine whose number it is (FEATURES) */
};

/* A file, as far as a computer is judged by it. */
struct host_candidate {
    const char *name;
    uint32_t features;             /* 0: the file does not say */
    bool has_number, is_same_make; /* of the computer */
};
/* Whether the file has its number, and nothing speaks against it. */
bool generation_agrees(const struct host_candidate *file, uint32_t features);
/* The file that describes a computer with these features; SIZE_MAX: none.  Candidates are struct host_candidate,
   the preferred first. */
size_t generation_judge(const struct array *candidates, uint32_t features, struct host_judgement *judgement);
#endif
