/* What a loop without arithmetic does to memory. memcpy and memset can do only part of that. */
#ifndef CODE_QUALITY_VECTOR_MOVED_H
#define CODE_QUALITY_VECTOR_MOVED_H
#include "code/quality/subject.h"

enum moved_kind {
    moved_NOTHING,   /* no store */
    moved_COPIED,    /* it stores what it loads, in the same order and width */
    moved_FILLED,    /* it stores a byte, or zero, everywhere */
    moved_REPEATED,  /* it stores the same value of several bytes everywhere */
    moved_COUNTED,   /* it stores its counter, or addresses */
    moved_CONVERTED, /* numbers are stored with more or fewer bytes than they were loaded with */
    moved_REVERSED,  /* loads go up and stores down */
    moved_EXCHANGED, /* elements change places */
};

/* For a path none of whose data is computed. Of several stores, the last of the kinds above counts. */
enum moved_kind moved_find(const struct subject *subject);
#endif
