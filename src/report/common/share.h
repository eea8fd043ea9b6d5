/* A share in per cent, as people read it: 100 is said of all and 0 of none, never of what is nearly so. */
#ifndef REPORT_COMMON_SHARE_H
#define REPORT_COMMON_SHARE_H

struct share_words {
    char text[24]; /* without the sign: 37, 99.9, under 0.1 */
};

struct share_words share_words(double share);
#endif
