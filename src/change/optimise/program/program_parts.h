/* What the files of this part share. */
#ifndef CHANGE_OPTIMISE_PROGRAM_PROGRAM_PARTS_H
#define CHANGE_OPTIMISE_PROGRAM_PROGRAM_PARTS_H
#include "change/optimise/program/program.h"

enum { PROGRAM_MOST_CHANGES = 32 };

/* program_changes.c: what is tried. */
void program_changes_list(const struct program_request *request, struct array *changes);
void program_changes_free(struct array *changes);
/* "-O3 -flto; -march=native for thal.c"; to be freed. */
char *program_changes_name(const struct array *changes, const uint32_t *sets, const struct array *units);
/* The words of a set's changes of a kind in one text; to be freed. */
char *program_changes_words(const struct array *changes, uint32_t set, enum program_kind kind);
bool program_changes_has(const struct array *changes, uint32_t set, enum program_kind kind);

/* program_build.c */
struct program_builder {
    const struct program_request *request;
    const struct array *changes;
    char *folder;           /* private */
    size_t units;           /* 1 where a command builds */
    unsigned made;          /* how many profiles */
    struct array libraries; /* of char *: words of the linker */
};
bool program_builder_begin(struct program_builder *builder, const struct program_request *request,
                           const struct array *changes, struct error *error);
void program_builder_end(struct program_builder *builder);
/* Puts the program at path.  false: *problem says why not, to be freed. */
bool program_builder_build(struct program_builder *builder, const uint32_t *sets, const char *path,
                           char **problem);
/* $ASSAY_FLAGS of a set; to be freed. */
char *program_builder_flags(const struct program_builder *builder, uint32_t set);

/* program_measure.c: two programs by turns. */
struct program_times {
    double seconds, other_seconds; /* medians */
    double ratio, error;           /* median of the ratios of pairs, and its standard error */
    unsigned rounds;
};
/* stops_early: after two pairs in which the program took longer than the other. */
bool program_measure(const char *run, const char *program, const char *other, unsigned least, unsigned most,
                     double seconds, bool stops_early, struct program_times *times, struct error *error);
/* One run: its output, to be freed, and how long it took. */
bool program_run_once(const char *run, const char *program, double most, char **output, double *seconds,
                      char **problem, struct error *error);

/* program_trials.c: one variant after the other. */
struct program_memory {
    struct ledger *ledger;
    char digest[65];
    const char *command;
};
struct program_trials {
    const struct program_request *request;
    struct program_answer *answer;
    struct program_builder builder;
    struct program_memory memory;
    char *original, *best, *candidate,
        *trial;           /* paths of programs: as it is, the best, the best of a stage */
    char *output;         /* of the program as it is */
    struct array digests; /* of char[65]: of the code of each trial; empty: not known */
    char original_digest[65];
    uint32_t *sets;         /* of the best */
    char *name;             /* of it */
    size_t place;           /* of its trial; SIZE_MAX: as it is */
    size_t candidate_place; /* whose program is there; SIZE_MAX: nobody's */
    double begin, longest;  /* when it began; what the longest trial took */
};
/* Builds the program as it is and compares it with the one that is there. */
bool program_trials_begin(struct program_trials *trials, const struct program_request *request,
                          struct program_answer *answer, struct error *error);
void program_trials_end(struct program_trials *trials);
/* Tries the sets, which are copied; its place among the trials, SIZE_MAX: there is no time left, or Ctrl-C came. */
size_t program_trials_try(struct program_trials *trials, const uint32_t *sets);
/* Whether it is right, and clearly faster than the best. */
bool program_trials_is_better(const struct program_trials *trials, size_t place);
/* It is the best from now on; false: it could not be built again. */
bool program_trials_promote(struct program_trials *trials, size_t place);
struct program_trial *program_trials_at(const struct program_trials *trials, size_t place);

/* program_ledger.c: what earlier calls measured. */
/* by the contents of the program as it is, and by whether results are compared. */
bool program_memory_begin(struct program_memory *memory, const struct program_request *request,
                          const char *original, bool is_uncompared, struct error *error);
/* Whether there was a trial of this name beside this other one; fills its figures. */
bool program_memory_find(const struct program_memory *memory, const char *beside,
                         struct program_trial *trial);
bool program_memory_add(const struct program_memory *memory, const char *beside,
                        const struct program_trial *trial, struct error *error);
#endif
