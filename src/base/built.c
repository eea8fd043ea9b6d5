#include "base/built.h"

#include <features_built.h>
#include <stddef.h>

const struct feature_facts features[FEATURE_COUNT] = {
#define FEATURE(symbol, word, purpose, needs, debian, fedora)                                                \
    [feature_##symbol] = {word, purpose, needs, debian, fedora, BUILT_##symbol},
#include "base/features.def"
#undef FEATURE
};

bool feature_missing(enum feature feature, struct error *error)
{
    const struct feature_facts *facts = &features[feature];
    return error_set(
        error, NULL,
        "%s: this Assay was built without %s; apt-get install %s, or dnf install %s, and build it "
        "again",
        facts->purpose, facts->needs, facts->debian, facts->fedora);
}

bool feature_needed(enum feature feature, struct error *error)
{
    return features[feature].is_built || feature_missing(feature, error);
}
