#include "report/common/style.h"

const char *report_ink(const struct report_style *style, enum report_ink ink)
{
    static const char *const sequences[] = {
        [ink_PLAIN] = "\033[0m",   [ink_BOLD] = "\033[1m",  [ink_DIM] = "\033[2m",  [ink_SOURCE] = "\033[32m",
        [ink_LOOP] = "\033[1;33m", [ink_NAME] = "\033[36m", [ink_BAR] = "\033[34m",
    };
    return style->color ? sequences[ink] : "";
}
