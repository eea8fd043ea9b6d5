/* The program units of a Fortran text: modules, procedures, and the DO loops in them. */
#ifndef CHANGE_OPTIMISE_EXTRACT_FORTRAN_UNITS_H
#define CHANGE_OPTIMISE_EXTRACT_FORTRAN_UNITS_H
#include "change/optimise/extract/extract_parts.h"

enum unit_kind { unit_PROGRAM, unit_MODULE, unit_PROCEDURE, unit_INTERFACE, unit_OTHER };
struct fortran_unit {
    enum unit_kind kind;
    char *name;         /* small letters */
    char *binding;      /* of bind(c); NULL: none */
    size_t parent;      /* 1 + index; 0: none */
    size_t first, last; /* indices of physical lines */
    size_t contains;    /* of its CONTAINS; SIZE_MAX: none */
};
struct fortran_do {
    size_t unit;        /* 1 + index */
    size_t first, last; /* physical lines */
    bool is_alone;      /* it begins its line */
};
struct fortran_units {
    struct array units; /* outer ones first */
    struct array loops;
};
/* width: columns of a fixed line that count; 0: all of them. */
void fortran_units_read(struct fortran_units *units, const struct marked_text *marked, bool is_fixed,
                        size_t width);
void fortran_units_free(struct fortran_units *units);
#endif
