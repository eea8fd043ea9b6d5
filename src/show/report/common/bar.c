#include "show/report/common/bar.h"

size_t report_bar(const struct report_style *style, double share, size_t columns, FILE *out)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share > 0))
        return 0;
    size_t units = (size_t)((share > 1 ? 1 : share) * (double)columns * 8 + 0.5);
    if (!units)
        units = 1;
    bool has_rest = style->unicode ? units % 8 : units % 8 >= 4 || units < 8;
    fputs(report_ink(style, ink_BAR), out);
    for (size_t i = 0; i < units / 8; i++)
        fputs(style->unicode ? "█" : "#", out);
    if (has_rest)
        fputs(style->unicode ? eighths[units % 8] : "#", out);
    fputs(report_ink(style, ink_PLAIN), out);
    return units / 8 + has_rest;
}
