#include "show/report/common/style.h"

const char *report_ink(const struct report_style *style, enum report_ink ink)
{
    static const char *const sequences[] = {
        [ink_PLAIN] = "\033[0m",      [ink_BOLD] = "\033[1m",       [ink_DIM] = "\033[2m",
        [ink_SOURCE] = "\033[32m",    [ink_LOOP] = "\033[1;33m",    [ink_NAME] = "\033[36m",
        [ink_BAR] = "\033[34m",       [ink_ALARM] = "\033[1;31m",   [ink_GROUP] = "\033[94m",
        [ink_GROUP + 1] = "\033[93m", [ink_GROUP + 2] = "\033[92m", [ink_GROUP + 3] = "\033[95m",
        [ink_GROUP + 4] = "\033[96m",
    };
    return style->color ? sequences[ink] : "";
}
