/* A CHIP³S script in memory, as import.c reads it and import_write.c writes it again. */
#ifndef PLAN_MODELLING_LANGUAGE_CHIPS_H
#define PLAN_MODELLING_LANGUAGE_CHIPS_H
#include "base/memory.h"
#include "base/error.h"
#include "plan/modelling/language/tokens.h"

#include <stdio.h>

enum { MOST_CHIPS_DEPTH = 60 };

struct chips_pair { /* name = value, of variables, links, options and hardware */
    char *owner;    /* section of hardware, object of a link; NULL: none */
    char *name;
    char *value; /* text of the expression; NULL: none */
    bool is_text;
};

enum chips_step_kind { chips_COMPUTE, chips_LOOP, chips_END, chips_CALL, chips_CONFDEV };
struct chips_step {
    enum chips_step_kind kind;
    char *section;    /* of COMPUTE and LOOP: clc */
    char *operations; /* their text, with commas */
    char *count;      /* of LOOP; name of CALL; variable of CONFDEV */
};

struct chips_procedure {
    char *kind, *name;  /* exec init, cflow blend */
    struct array steps; /* of struct chips_step; loops end with END */
};

enum chips_kind { chips_APPLICATION, chips_SUBTASK, chips_TEMPLATE, chips_HARDWARE };
struct chips_object {
    enum chips_kind kind;
    char *name;
    struct array includes;                /* of char * */
    struct array variables;               /* of struct chips_pair; owner: numeric or compute */
    struct array links, options, entries; /* of struct chips_pair */
    struct array procedures;              /* of struct chips_procedure */
    bool has_gap;                         /* hardware: an ellipsis stands for entries */
};

struct chips {
    struct array objects; /* of struct chips_object */
    struct array names;   /* of char *: files that were read */
    struct array *notes;
};

bool chips_write(struct chips *chips, FILE *out, struct error *error);
struct chips_object *chips_find(const struct chips *chips, enum chips_kind kind, const char *name);
void chips_note(struct chips *chips, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
