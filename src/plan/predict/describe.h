/* What a description says, checked: docs/predict.md has the table of its settings. */
#ifndef PLAN_PREDICT_DESCRIBE_H
#define PLAN_PREDICT_DESCRIBE_H
#include "base/settings.h"
#include "plan/predict/model.h"
#include "plan/predict/predict.h"
#include "plan/predict/scaling.h"

enum predict_feature_kind { feature_BYTES, feature_LINES, feature_COMMAND, feature_ALL_BYTES };

struct predict_feature {
    const char *name;
    const char *definition; /* as it stands in the description: another one is another feature */
    enum predict_feature_kind kind;
    unsigned input; /* of BYTES and LINES */
    size_t offset;  /* of the command, in the value of the setting */
};

struct predict_pair { /* identity = source := target */
    unsigned replaced, by;
};

struct predict_output {
    const char *name, *suffix; /* NULL: the one of the first input */
};

struct predict_description {
    struct settings settings;
    const struct settings_section *section;
    char *here; /* absolute: the folder of the file */
    const char *name, *command, *probe, *shrink, *program;
    struct array inputs;   /* of char * */
    struct array outputs;  /* of predict_output */
    struct array factors;  /* of double, the largest first: those that it says */
    bool chooses_factors;  /* it says none, and runs can be made smaller: factors.c chooses */
    struct array pairs;    /* of predict_pair */
    struct array features; /* of predict_feature */
    struct array hosts;    /* of char *; empty: any */
    struct array success;  /* of int: exit statuses that do not mean failure */
    bool *is_whole;        /* by input: it is not shrunk */
    unsigned size;         /* the feature that is the size */
    unsigned least, most;  /* processors */
    bool has_scaling;
    struct scaling scaling;
    enum model_kind model;    /* model_SEEN: the best one */
    unsigned feature_seconds; /* that the command of a feature may take; 0: the usual limit */
    char digest[65];          /* of what decides about times */
};

extern const struct settings_key predict_keys[];
/* The same from a text; path is for messages. */
struct predict_description *predict_describe_text(const char *path, const char *text, size_t size,
                                                  struct error *error);
#endif
