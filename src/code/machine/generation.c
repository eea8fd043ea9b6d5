/* Which machine file a computer is.

   A processor reports family, model and stepping, and a list of what it has.  The number usually settles it.  But
   hypervisors tell machines any number, so that they can be moved between hosts: a Granite Rapids was seen that
   called itself a Rocket Lake (6 a7), with matrices of AMX, which no Rocket Lake has.  What such a machine can do, it
   really can; so a file is out of the question for a computer that has something its line `features` does not have.
   The file is taken instead that lacks least of what the computer has, and of those the one that has least
   besides.  That a computer lacks something proves nothing: kernels, hypervisors and makers switch features off.

   Numbers that no file has are those of newer processors, mostly.  They are taken for the nearest of the same maker if
   they have AVX-512, which of Intel's cores only the large ones have, or are AMD's: these have one line of cores. */
#include "code/machine/generation.h"

#include <string.h>

static const char *const words[] = {
#define FEATURE(symbol, word, leaf, bit) word,
#include "code/machine/features.def"
};

enum machine_feature generation_feature_named(const char *word, size_t length)
{
    unsigned feature = 0;
    while (feature < feature_COUNT &&
           (strlen(words[feature]) != length || memcmp(words[feature], word, length) != 0))
        feature++;
    return (enum machine_feature)feature;
}

const char *generation_feature_word(enum machine_feature feature)
{
    return words[feature];
}

enum machine_feature generation_newest(uint32_t set)
{
    return set ? (enum machine_feature)(31 - __builtin_clz(set)) : feature_COUNT;
}

static unsigned count_of(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

/* Of the same maker, with a line `features`: the one that has most of it, and least besides; SIZE_MAX: none. */
static size_t nearest_of(const struct array *candidates, uint32_t features)
{
    size_t best = SIZE_MAX;
    unsigned least = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct host_candidate *file = ARRAY_AT(const struct host_candidate, candidates, i);
        if (!file->is_same_make || !file->features)
            continue;
        unsigned lacks = count_of(features & ~file->features), besides = count_of(file->features & ~features);
        unsigned distance = lacks * (feature_COUNT + 1) + besides;
        if (best == SIZE_MAX || distance < least) {
            best = i;
            least = distance;
        }
    }
    return best;
}

bool generation_agrees(const struct host_candidate *file, uint32_t features)
{
    return file->has_number && (!file->features || !(features & ~file->features));
}

size_t generation_judge(const struct array *candidates, uint32_t features, struct host_judgement *judgement)
{
    *judgement = (struct host_judgement){0};
    const struct host_candidate *refuted = NULL;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct host_candidate *file = ARRAY_AT(const struct host_candidate, candidates, i);
        if (generation_agrees(file, features)) {
            judgement->fit = host_fit_NUMBER;
            return i;
        }
        refuted = refuted || !file->has_number ? refuted : file;
    }
    size_t nearest = nearest_of(candidates, features);
    if (nearest == SIZE_MAX)
        return SIZE_MAX;
    judgement->fit = refuted ? host_fit_FEATURES : host_fit_NEAREST;
    judgement->numbered = refuted ? refuted->name : NULL;
    judgement->beyond = refuted ? features & ~refuted->features : 0;
    return nearest;
}
