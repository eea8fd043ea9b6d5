/* bench-replay [--left-out | --known N]: what `assay predict` would have said about runs that were measured
   earlier.

   Each line of the input is a run: words size=N, directions=N (by which bytes shrink), feature=N (each time
   the same number of them), probe=K:SECONDS, identity=K:SECONDS, and seconds=N, what it took. The output has
   a line for each: measured, predicted, lower, upper, model, runs known, the mean error it claims. Runs come
   one after the other: a prediction knows those above it. --left-out: it knows all but itself. --known N: the
   N above it (the last ones are above the first), as a ledger that has just begun. */
#include "plan/predict/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 1000, PROBES = 32, FEATURES = 8 };
static struct model_case cases[RUNS];
static struct model_probe probes[RUNS][PROBES];
static double features[RUNS][FEATURES];

static unsigned take(char *line, struct model_case *run, struct model_probe *its_probes, double *its_features)
{
    unsigned feature_count = 0;
    *run = (struct model_case){.size = NAN, .seconds = NAN, .features = its_features, .probes = its_probes};
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = 0;
        bool is_identity = strcmp(word, "identity") == 0;
        if (strcmp(word, "size") == 0)
            run->size = atof(value);
        else if (strcmp(word, "seconds") == 0)
            run->seconds = atof(value);
        else if (strcmp(word, "directions") == 0)
            run->directions = atof(value);
        else if (strcmp(word, "feature") == 0 && feature_count < FEATURES)
            its_features[feature_count++] = atof(value);
        else if ((is_identity || strcmp(word, "probe") == 0) && run->probe_count < PROBES) {
            const char *colon = strchr(value, ':');
            its_probes[run->probe_count++] =
                (struct model_probe){atof(value), is_identity, colon ? atof(colon + 1) : NAN};
        }
    }
    return feature_count;
}

int main(int argument_count, char **arguments)
{
    bool is_left_out = argument_count > 1 && strcmp(arguments[1], "--left-out") == 0;
    bool is_new = argument_count > 2 && strcmp(arguments[1], "--known") == 0;
    size_t known = is_new ? (size_t)atoi(arguments[2]) : 0;
    static char line[4096];
    size_t count = 0;
    unsigned feature_count = 0;
    while (count < RUNS && fgets(line, sizeof line, stdin))
        feature_count = take(line, &cases[count], probes[count], features[count]), count++;
    for (size_t i = 0; i < count; i++) {
        struct model_case question = cases[i];
        struct model_answer answer;
        question.seconds = NAN;
        if (is_left_out) { /* the last one takes its place meanwhile */
            struct model_case mine = cases[i];
            cases[i] = cases[count - 1];
            model_predict(cases, count - 1, feature_count, &question, &answer);
            cases[i] = mine;
        } else if (is_new) {
            struct model_case above[RUNS];
            for (size_t k = 0; k < known && k + 1 < count; k++)
                above[k] = cases[(i + count - 1 - k) % count];
            model_predict(above, known, feature_count, &question, &answer);
        } else
            model_predict(cases, i, feature_count, &question, &answer);
        printf("%g %g %g %g %s %u %g\n", cases[i].seconds, answer.seconds, answer.lower, answer.upper,
               model_kind_names[answer.kind], answer.runs, answer.error);
        model_answer_free(&answer);
    }
    return 0;
}
