#include "show/report/common/phrases.h"

#include "show/report/common/html.h"
#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *phrase_count(uint64_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    html_count(out, count);
    fclose(out);
    return text;
}

char *phrase_seconds(double seconds)
{
    if (!isfinite(seconds))
        return memory_format("an unknown time");
    if (seconds >= 100)
        return memory_format("%.0f s", seconds);
    if (seconds >= 1)
        return memory_format(seconds >= 10 ? "%.1f s" : "%.2f s", seconds);
    if (seconds >= 1e-3)
        return memory_format("%.0f ms", seconds * 1e3);
    return seconds > 0 ? memory_format(seconds < 1e-5 ? "%.2g µs" : "%.0f µs", seconds * 1e6)
                       : memory_format("0 s");
}

char *phrase_ns(double ns)
{
    if (!isfinite(ns) || ns >= 1e6)
        return phrase_seconds(ns * 1e-9);
    double number = ns < 1e3 ? ns : ns * 1e-3;
    const char *unit = ns < 1e3 ? "ns" : "µs";
    return number >= 99.5 ? memory_format("%.0f %s", number, unit) : memory_format("%.3g %s", number, unit);
}

char *phrase_share(double share)
{
    return memory_format("%s %%", share_words(share).text);
}

char *phrase_end(int64_t exit_status, int64_t end_signal)
{
    if (end_signal)
        return memory_format("ended by signal %lld (%s)", (long long)end_signal, strsignal((int)end_signal));
    if (exit_status > 0)
        return memory_format("exit status %lld", (long long)exit_status);
    return exit_status < 0 ? memory_format("end not seen") : memory_format("exit status 0");
}

void sentences_say(struct array *sentences, char *sentence)
{
    *(char **)array_add(sentences) = sentence;
}

void sentences_free(struct array *sentences)
{
    for (size_t i = 0; i < sentences->count; i++)
        free(*ARRAY_AT(char *, sentences, i));
    array_free(sentences);
}
