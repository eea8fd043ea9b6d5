/* What services that host code read: annotations of GitHub's runners, JUnit XML, SARIF 2.1.0. For views that
   find something at a place of the source; none of them knows more about these formats.

   Paths are relative to the root of the repository, so that a hosting service finds them; those outside stay
   absolute. A fingerprint is made of a text without line numbers, so that a service knows a finding again when
   lines have moved. */
#ifndef SHOW_REPORT_COMMON_SERVICES_H
#define SHOW_REPORT_COMMON_SERVICES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct service_place {
    char *path;                       /* as service_path gives it; NULL: nowhere in a file */
    uint32_t line, column, last_line; /* 0: unknown */
};
/* A path relative to the root, or absolute; to be freed. */
char *service_path(const char *root, const char *path);

/* One line that GitHub's runners show in the diff; severity: "error", "warning" or "notice". */
void service_annotate(FILE *out, const char *severity, const struct service_place *place, const char *title,
                      const char *text);

struct junit_counts {
    size_t tests, failures, errors, skipped;
};
struct junit_case {
    const char *name, *class;
    struct service_place place;
    const char *element; /* "failure", "error" or "skipped"; NULL: it passed */
    const char *type, *message;
    const char *text; /* what the element contains, after the place; NULL for "skipped" */
};
void junit_begin(FILE *out, const char *tool, const char *suite, const struct junit_counts *counts);
void junit_case(FILE *out, const struct junit_case *it);
void junit_end(FILE *out);

/* A kind of finding. */
struct sarif_rule {
    const char *id, *says;
    const char *title, *help; /* NULL: none; help is for whoever asks what to do */
    const char *level;        /* "error", "warning" or "note" */
};
struct sarif_result {
    size_t rule;       /* among the rules */
    const char *level; /* as of a rule */
    const char *message;
    struct service_place place;
    const char *function; /* NULL: none */
    const char *same;     /* what the finding is, without lines: its fingerprint */
    double gain;          /* how many times faster without it; NaN: unknown */
};
struct sarif {
    FILE *out;
    const struct sarif_rule *rules;
    size_t rule_count;
    const char *fingerprint; /* name and version of what `same` is made of */
    bool has_results;
};
/* The rest of `sarif` is the caller's; tool: "assay check". */
void sarif_begin(struct sarif *sarif, const char *tool, const char *version, const char *root,
                 bool has_failed);
void sarif_put(struct sarif *sarif, const struct sarif_result *result);
void sarif_end(struct sarif *sarif);
#endif
