/* Variants and their risks in words. */
#include "show/report/optimise/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append(char **text, const char *separator, const char *more)
{
    char *longer = *text ? memory_format("%s%s%s", *text, separator, more) : memory_format("%s", more);
    free(*text);
    *text = longer;
}

char *optimise_flags(const struct choices *choices, const struct variant *variant)
{
    struct array flags = variant_flags(choices, variant);
    char *text = NULL;
    for (size_t i = 0; i < flags.count; i++)
        append(&text, " ", *ARRAY_AT(const char *, &flags, i));
    optimise_texts_free(&flags);
    return text;
}

static char *source_change(const struct choice *choice, const char *value)
{
    switch (choice->form) {
    case choice_PRAGMA:
        return memory_format("#pragma %s before the loop", value);
    case choice_ATTRIBUTE:
        return memory_format("__attribute__((%s)) on the function", value);
    case choice_RESTRICT:
        return memory_format("restrict on its pointer parameters");
    case choice_ALIGNED:
        return memory_format("a promise that its pointers are aligned to %s bytes", value);
    default:
        return memory_format("%s", value);
    }
}

struct array optimise_source_changes(const struct choices *choices, const struct variant *variant)
{
    struct array texts = ARRAY_OF(char *);
    for (size_t i = 0; i < choices->list.count; i++) {
        const struct choice *choice = choices_at(choices, i);
        if (variant->values[i] && choice->form != choice_FLAG)
            *(char **)array_push(&texts) = source_change(choice, choice->values[variant->values[i]]);
    }
    return texts;
}

char *optimise_change(const struct choices *choices, const struct variant *variant)
{
    char *text = optimise_flags(choices, variant);
    struct array changes = optimise_source_changes(choices, variant);
    for (size_t i = 0; i < changes.count; i++)
        append(&text, ", ", *ARRAY_AT(const char *, &changes, i));
    optimise_texts_free(&changes);
    return text ? text : memory_format("as it is");
}

struct array optimise_risks(unsigned risks)
{
    static const struct {
        unsigned risk;
        const char *says;
    } sentences[] = {
        {risk_ROUNDING, "the last digits of results may change"},
        {risk_SPECIALS, "NaN, infinities, the sign of zero and errno may not be kept"},
        {risk_ALIASING, "it promises that arrays do not overlap: wrong results where they do"},
        {risk_ALIGNMENT, "it promises aligned addresses: wrong results or a crash where they are not"},
        {risk_OVERFLOW, "it promises that integers do not overflow: wrong results where they do"},
        {risk_TARGET, "the program runs on this kind of processor only"},
        {risk_THREADS, "it promises something about other threads: wrong results where they share this data"},
    };
    struct array texts = ARRAY_OF(char *);
    for (unsigned i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (risks & sentences[i].risk)
            *(char **)array_push(&texts) = memory_format("%s", sentences[i].says);
    return texts;
}

void optimise_texts_free(struct array *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(*ARRAY_AT(char *, texts, i));
    array_free(texts);
}

const char *optimise_verdict(enum replay_verdict verdict)
{
    static const char *const words[] = {[replay_SAME] = "same",
                                        [replay_WITHIN] = "within tolerance",
                                        [replay_DIFFERENT] = "wrong",
                                        [replay_CRASHED] = "crashed",
                                        [replay_NEAR] = "last digits",
                                        [replay_SLOW] = "too slow",
                                        [replay_UNLINKED] = "cannot be run"};
    return words[verdict];
}

/* Two digits, rounded up. */
static char *rounded_up(double number)
{
    double unit = pow(10, floor(log10(number)) - 1);
    return memory_format("%.1e", ceil(number / unit) * unit);
}

char *optimise_accepted_by(const struct replay_result *result)
{
    bool is_refused = result->verdict == replay_NEAR || result->verdict == replay_DIFFERENT;
    if (!is_refused || result->is_strange || !(result->largest_error > 0))
        return NULL;
    if (result->verdict == replay_NEAR && result->largest_ulps > 0)
        return memory_format("--tolerance %.0fulp", ceil(result->largest_ulps));
    autofree char *tolerance = result->largest_error < 0.9 ? rounded_up(result->largest_error) : NULL;
    return tolerance ? memory_format("--tolerance %s", tolerance) : NULL;
}
