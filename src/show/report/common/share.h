/* A share in per cent for people: 100 means all and 0 means none, never nearly. */
#ifndef SHOW_REPORT_COMMON_SHARE_H
#define SHOW_REPORT_COMMON_SHARE_H

struct share_words {
    char text[24]; /* without the sign: 37, 99.9, under 0.1 */
};

struct share_words share_words(double share);
#endif
