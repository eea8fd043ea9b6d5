/* Whole numbers, except near both ends, where one more digit is shown; there it is cut, not rounded, so
 * that 99.96 does not become 100. */
#include "show/report/common/share.h"

#include <math.h>
#include <stdio.h>

struct share_words share_words(double share)
{
    struct share_words words;
    double percent = share * 100;
    if (share >= 1 || share <= 0)
        snprintf(words.text, sizeof words.text, "%.0f", share >= 1 ? percent : 0);
    else if (percent < 0.1)
        snprintf(words.text, sizeof words.text, "under 0.1");
    else if (percent < 1 || percent >= 99)
        snprintf(words.text, sizeof words.text, "%.1f", floor(percent * 10) / 10);
    else
        snprintf(words.text, sizeof words.text, "%.0f", percent);
    return words;
}
