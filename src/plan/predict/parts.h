/* What the files of this room share about a query. */
#ifndef PLAN_PREDICT_PARTS_H
#define PLAN_PREDICT_PARTS_H
#include "base/digest.h"
#include "plan/predict/describe.h"

struct predict_query {
    const struct predict_description *description;
    struct ledger *ledger;
    char *host, *label;
    char **paths;   /* by input: absolute */
    char **outputs; /* by output, as the bindings gave them; NULL: not given */
    double *features;
    char inputs[DIGEST_TEXT], identity[DIGEST_TEXT]; /* identity empty: the description has none */
    char *identity_label;
    int64_t predictor;
    double spent;     /* seconds of probes that were noted, shrinking included */
    double shrinking; /* the part of shrinking */
};

/* The value that each name of a command has; to be freed with the array that it is. */
struct predict_place {
    double factor; /* 1: the whole inputs */
    bool is_identity;
    unsigned processors;
};
/* The suffix of a file's name, from its first dot on; "" for none. */
const char *predict_suffix(const char *path);
/* The input that stands for this one. */
unsigned predict_stand_in(const struct predict_description *description, bool is_identity, unsigned input);
/* How many directions `shrink` makes smaller, by the bytes of smaller inputs that were seen: a sequence of k times fewer
   lines has k times fewer bytes, an image k times smaller in each of three directions has k^3 times fewer.  NaN: none
   was seen. */
bool predict_directions(const struct predict_query *query, double *directions, struct error *error);
/* Of double, the largest first: how many times smaller its probes are. */
bool predict_factors(const struct predict_query *query, struct array *factors, struct error *error);
/* Definition of features that say how many times fewer bytes shrunk inputs have; their names end with the
 * factor. */
#define PREDICT_SHRUNK "bytes of whole inputs over those of shrunk ones"
#endif
