#include "quality/flags.h"

#include <math.h>
#include <string.h>

bool flags_are_known(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return compiler->flags && compiler->language != language_OTHER && compiler->language != language_ASSEMBLY;
}

bool flags_matter(const struct subject *subject)
{
    return flags_are_known(subject) && subject_is_timed(subject) && !subject_is_aside(subject);
}

/* Bits of the vectors that the options allow and compilers choose. */
static unsigned allowed_bits(const struct subject *subject)
{
    /* Targets without AVX. */
    static const char *const narrow[] = {"x86-64-v2", "core2",   "nehalem",   "westmere", "silvermont",
                                         "goldmont",  "penryn",  "barcelona", "amdfam10", "btver1",
                                         "nocona",    "tremont", NULL};
    enum { BASELINE = 128, PREFERRED = 256 };
    const struct compiler *compiler = subject->compiler;
    unsigned bits = subject->machine->core.vector_bits;
    if (!compiler_has(compiler, "-march"))
        return BASELINE;
    for (unsigned i = 0; narrow[i]; i++)
        if (!strcmp(compiler->target, narrow[i]) && !compiler->has_features)
            return BASELINE;
    if (compiler->preferred_vector)
        return compiler->preferred_vector < bits ? compiler->preferred_vector : bits;
    return subject->machine->isa == isa_X86_64 && bits > PREFERRED ? PREFERRED : bits;
}

double flags_vector_cycles(const struct subject *subject)
{
    double cycles = subject->metric->cycles_vectorised;
    if (!flags_vector_speedup(subject))
        return NAN;
    cycles *= (double)subject->machine->core.vector_bits / allowed_bits(subject);
    return cycles < subject->path->cycles ? cycles : NAN;
}

double flags_vector_speedup(const struct subject *subject)
{
    double cycles = subject->metric->cycles_vectorised;
    return subject_is_timed(subject) && cycles > 0 ? subject->path->cycles / cycles : 0;
}

/* Instructions of AVX and later have names of their own, with a v in front; SVE has vectors of any length. */
bool flags_is_beyond_baseline(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        const char *name = model_text(subject->model, item->row->name);
        if (item->row->is_scalable || item->row->vector_bits > 128)
            return true;
        if ((item->row->isa == isa_X86_64 || item->row->isa == isa_I386) && name && name[0] == 'v' &&
            (item->is_fp || item->row->is_vector))
            return true;
    }
    return false;
}

bool flags_has_vectors(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorised &&
            subject->items[i].is_vectorisable)
            return true;
    return false;
}

bool flags_name(const struct subject *subject, const char *option)
{
    size_t length = strlen(option);
    const char *flags = subject->compiler->flags;
    for (const char *at = flags; at && (at = strstr(at, option)); at += length)
        if ((at == flags || at[-1] == ' ') && (!at[length] || at[length] == ' ' || at[length] == '='))
            return true;
    return false;
}
