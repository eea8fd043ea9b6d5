/* How a reader wants results: decided once by cli/, obeyed by every view. */
#ifndef SHOW_REPORT_COMMON_STYLE_H
#define SHOW_REPORT_COMMON_STYLE_H
#include "base/error.h"
#include <stdint.h>
#include <stdio.h>

enum report_format {
    report_TABLE,
    report_CSV,
    report_JSON,
};

struct report_style {
    enum report_format format;
    bool color;
    bool unicode;  /* the terminal shows UTF-8 */
    bool demangle; /* show C++, Rust and Fortran names as in the source */
    bool is_brief; /* tables leave out ids (columns named …_id), empty columns and the head of an empty table;
                      addresses (columns named address or …_address) are hexadecimal, function names as
                      demangle says */
    bool short_names;   /* tables shorten names of functions, in pipes too (short_name.h) */
    bool groups_digits; /* tables write 17,908,672; columns named line stay as they are */
    unsigned width;     /* columns of the terminal; 0: not a terminal, nothing is cut */
};

/* Escape sequences, or empty where the style has no colour. */
enum report_ink {
    ink_PLAIN,
    ink_BOLD,
    ink_DIM,
    ink_SOURCE,
    ink_LOOP,
    ink_NAME,
    ink_BAR,
    ink_ALARM,
    ink_GROUP, /* the first of GROUP_INKS that tell groups of things apart */
    ink_COUNT = ink_GROUP + 5
};
enum { GROUP_INKS = ink_COUNT - ink_GROUP };
const char *report_ink(const struct report_style *style, enum report_ink ink);
#endif
