/* Which function is called, and what sort of function it is. */
#ifndef CODE_QUALITY_RULES_CALLEES_H
#define CODE_QUALITY_RULES_CALLEES_H
#include "code/quality/subject.h"

enum callee_sort {
    callee_OWN,        /* a function of the program with code */
    callee_OTHER,      /* of a library, and none of the following */
    callee_INDIRECT,   /* through a pointer: unknown */
    callee_MATH,       /* of libm, with a vector version in vector libraries */
    callee_PLAIN_MATH, /* of libm, without */
    callee_POWER,      /* pow: with a vector version, but often a product or a root does */
    callee_NEAREST,    /* lrint: one instruction, but for errno */
    callee_RANDOM,     /* random numbers of the C library */
    callee_SCANNING,   /* reads numbers from text by a format */
    callee_STREAM,     /* makes a stream that reads or writes a text */
    callee_FORMATTING, /* writes numbers into text by a format */
    callee_APPENDING,  /* looks for the end of a text and copies another one there */
    callee_GROWTH,     /* makes a std::vector longer */
    callee_BITS,       /* counts bits: one instruction on newer processors */
    callee_ROUNDING,   /* such as floor: one instruction on newer processors */
    callee_EXTREME,    /* fmin, fmax: the same, except for NaN */
    callee_ROOT,       /* sqrt: one instruction, but for errno */
    callee_FUSED,      /* fma: one instruction on newer processors */
    callee_COMPLEX,    /* multiplies or divides complex numbers */
    callee_QUADRUPLE,  /* arithmetic that the processor does not have */
    callee_MEMORY,     /* copies, fills or compares bytes */
    callee_ALLOCATION, /* allocates memory */
    callee_RELEASE,    /* frees memory */
    callee_PACKING,    /* Fortran: makes a copy of an array that has gaps */
    callee_VECTOR,     /* of a library of mathematical functions that work on vectors */
    callee_SORTS
};

struct callee {
    enum callee_sort sort;
    const char *name;      /* without a linker's suffix; NULL: unknown; lives in the arena of the subject */
    uint32_t function;     /* row of functions; 0: unknown */
    unsigned instructions; /* its own; 0 if its code is elsewhere */
};

/* By name alone; callee_OTHER for an unknown name. */
enum callee_sort callee_sort(const char *name);
/* The name as the source has it, without parameters and cut where it is very long; memory of the arena. */
const char *callee_source_name(const struct subject *subject, const char *name);
/* The callee of a call instruction; false if it has no row in calls. */
bool callee_find(const struct subject *subject, uint32_t instruction, struct callee *callee);
/* The first call of a sort anywhere in the subject's loop, on other paths too; 0 for none. */
uint32_t callee_find_in_loop(const struct subject *subject, enum callee_sort sort, struct callee *callee);
#endif
