#include "code/quality/rules/targets.h"

#include "code/quality/metrics/metrics.h"
#include "code/quality/rules/flags.h"
#include "code/quality/vector/vectorise.h"

#include <math.h>
#include <string.h>

/* Of the vectors that compilers choose for processors with AVX-512. */
enum { PREFERRED = 256 };

static unsigned most(unsigned one, unsigned other)
{
    return one > other ? one : other;
}

static unsigned least(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

/* Whether the options allow no more than the baseline has. */
static bool is_narrow(const struct compiler *compiler)
{
    /* Targets without AVX. */
    static const char *const narrow[] = {"x86-64-v2", "core2",   "nehalem",   "westmere", "silvermont",
                                         "goldmont",  "penryn",  "barcelona", "amdfam10", "btver1",
                                         "nocona",    "tremont", NULL};
    if (!compiler_has(compiler, "-march"))
        return true;
    for (unsigned i = 0; narrow[i]; i++)
        if (!strcmp(compiler->target, narrow[i]) && !compiler->has_features)
            return true;
    return false;
}

/* The longest vectors that the file uses. */
static unsigned file_bits(const struct subject *subject)
{
    enum isa isa = subject->items[0].row->isa;
    return subject->facts->code.has_scalable[isa] ? subject->machine->core.vector_bits
                                                  : subject->facts->code.longest_vector[isa];
}

static unsigned native_bits(const struct subject *subject, uint32_t without)
{
    unsigned bits = extensions_vector_bits(subject->machine->core.vector_bits,
                                           without & extensions_of_isa(subject->machine->isa));
    return subject->machine->isa == isa_X86_64 ? least(bits, PREFERRED) : bits;
}

unsigned target_bits(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    unsigned longest = subject->machine->core.vector_bits;
    bool is_beyond = flags_is_beyond_baseline(subject);
    if (!compiler->flags)
        return least(most(file_bits(subject), is_beyond ? target_native_bits(subject) : target_BASELINE),
                     longest);
    /* A function may have a target of its own. */
    if (is_narrow(compiler))
        return is_beyond ? target_native_bits(subject) : target_BASELINE;
    if (!compiler->preferred_vector)
        return native_bits(subject, compiler->without);
    return least(
        compiler->preferred_vector,
        extensions_vector_bits(longest, compiler->without & extensions_of_isa(subject->machine->isa)));
}

bool target_is_guessed(const struct subject *subject)
{
    return !subject->compiler->flags && !flags_is_beyond_baseline(subject) &&
           target_bits(subject) > target_BASELINE;
}

unsigned target_native_bits(const struct subject *subject)
{
    return native_bits(subject, 0);
}

const char *target_native_option(const struct subject *subject)
{
    if (subject->compiler->family == compiler_INTEL)
        return "-xHost";
    return subject->machine->isa == isa_AARCH64 ? "-mcpu=native" : "-march=native";
}

double target_cycles(const struct subject *subject, unsigned bits)
{
    if (!subject_is_timed(subject) || !subject->vectorising)
        return NAN;
    double cycles = vectorising_within(subject->vectorising, bits).cycles;
    return cycles < subject->path->cycles ? cycles : NAN;
}
