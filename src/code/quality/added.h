/* Metrics and advice that come from outside this room: from files in Lua (script/judge.h).

   They become rows beside the built-in ones, at their places in the order of loops and paths, so that nobody
   who reads the tables has to know where a row came from; rules.file and added_metrics.file say it. */
#ifndef CODE_QUALITY_ADDED_H
#define CODE_QUALITY_ADDED_H
#include "model/model.h"

struct added_value {
    uint32_t loop, path;
    double value;
};

struct added_remedy {
    char *text, *option; /* option may be NULL */
};

struct added_remark {
    uint32_t loop, path;
    enum advice_level level;
    double cycles, gain; /* NaN: unknown; one follows from the other */
    bool is_upper;
    char *text;
    struct array evidence; /* of uint32_t: rows of code, in order, each once */
    struct array remedies; /* of struct added_remedy */
};

/* What one file found. */
struct addition {
    const char *name, *title, *meaning, *file;
    bool is_rule;
    struct array values;  /* of struct added_value, in order: of a metric */
    struct array remarks; /* of struct added_remark: of a rule */
};

void addition_free(struct addition *addition);
/* Adds rows to what quality_build left: of struct addition. Ids of advice change. */
void quality_add(struct model *model, const struct array *additions);
#endif
