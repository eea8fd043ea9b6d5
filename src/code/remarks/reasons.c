/* Compilers say why in words of their own, which differ between versions. reasons.def knows parts of them. */
#include "code/remarks/parts.h"

#include <ctype.h>
#include <string.h>

static const struct {
    enum remark_reason kind;
    const char *words;
} reasons[] = {
#define NOISE(words)
#define REASON(kind, words) {remark_reason_##kind, words},
#include "code/remarks/reasons.def"
#undef NOISE
#undef REASON
};
static const char *const noises[] = {
#define NOISE(words) words,
#define REASON(kind, words)
#include "code/remarks/reasons.def"
#undef NOISE
#undef REASON
};

enum remark_reason reason_of(const char *text)
{
    for (size_t i = 0; text && i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(text, reasons[i].words))
            return reasons[i].kind;
    return remark_reason_OTHER;
}

bool reason_is_noise(const char *text)
{
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        if (strstr(text, noises[i]))
            return true;
    return false;
}

string_id reason_text(struct strings *strings, const char *text)
{
    static const char *const fronts[] = {"loop not vectorized", "not vectorized", "missed"};
    while (isspace((unsigned char)*text))
        text++;
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        size_t length = strlen(fronts[i]);
        if (!strncmp(text, fronts[i], length) && (strchr(":,", text[length]) || !text[length]))
            text += length + (text[length] != 0);
    }
    while (*text == ' ')
        text++;
    size_t length = strcspn(text, "\n");
    while (length && (isspace((unsigned char)text[length - 1]) || strchr(".;", text[length - 1])))
        length--;
    return length ? strings_add_length(strings, text, length) : 0;
}
