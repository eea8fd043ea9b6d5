/* Functions are recognised by their names in the C library, the compilers' run-time libraries and vector
   libraries. The suffixes f and l of libm mean float and long double. */
#include "code/quality/rules/callees.h"

#include "base/memory.h"
#include "model/demangle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct known {
    const char *name;
    enum callee_sort sort;
};

/* Also with the suffix f or l. Those with vector versions are the ones in glibc's libmvec since 2.35 and in
 * Intel's SVML. */
static const struct known mathematical[] = {
    {"acos", callee_MATH},          {"acosh", callee_MATH},
    {"asin", callee_MATH},          {"asinh", callee_MATH},
    {"atan", callee_MATH},          {"atan2", callee_MATH},
    {"atanh", callee_MATH},         {"cabs", callee_PLAIN_MATH},
    {"carg", callee_PLAIN_MATH},    {"cbrt", callee_MATH},
    {"ceil", callee_ROUNDING},      {"cexp", callee_PLAIN_MATH},
    {"clog", callee_PLAIN_MATH},    {"copysign", callee_PLAIN_MATH},
    {"cos", callee_MATH},           {"cosh", callee_MATH},
    {"cpow", callee_PLAIN_MATH},    {"csqrt", callee_PLAIN_MATH},
    {"erf", callee_MATH},           {"erfc", callee_MATH},
    {"exp", callee_MATH},           {"exp10", callee_MATH},
    {"exp2", callee_MATH},          {"expm1", callee_MATH},
    {"floor", callee_ROUNDING},     {"fma", callee_FUSED},
    {"fmax", callee_EXTREME},       {"fmin", callee_EXTREME},
    {"fmod", callee_PLAIN_MATH},    {"frexp", callee_PLAIN_MATH},
    {"hypot", callee_MATH},         {"ldexp", callee_PLAIN_MATH},
    {"lgamma", callee_PLAIN_MATH},  {"llrint", callee_NEAREST},
    {"llround", callee_PLAIN_MATH}, {"log", callee_MATH},
    {"log10", callee_MATH},         {"log1p", callee_MATH},
    {"log2", callee_MATH},          {"lrint", callee_NEAREST},
    {"lround", callee_PLAIN_MATH},  {"modf", callee_PLAIN_MATH},
    {"nearbyint", callee_ROUNDING}, {"pow", callee_POWER},
    {"powi", callee_PLAIN_MATH},    {"remainder", callee_PLAIN_MATH},
    {"rint", callee_ROUNDING},      {"round", callee_ROUNDING},
    {"roundeven", callee_ROUNDING}, {"scalbn", callee_PLAIN_MATH},
    {"sin", callee_MATH},           {"sincos", callee_MATH},
    {"sinh", callee_MATH},          {"sqrt", callee_ROOT},
    {"tan", callee_MATH},           {"tanh", callee_MATH},
    {"tgamma", callee_PLAIN_MATH},  {"trunc", callee_ROUNDING},
};

static const struct known others[] = {
    {"_ZdaPv", callee_RELEASE},
    {"_ZdaPvm", callee_RELEASE},
    {"_ZdlPv", callee_RELEASE},
    {"_ZdlPvm", callee_RELEASE},
    {"_Znam", callee_ALLOCATION},
    {"_Znwm", callee_ALLOCATION},
    {"__addtf3", callee_QUADRUPLE},
    {"__divdc3", callee_COMPLEX},
    {"__divhc3", callee_COMPLEX},
    {"__divsc3", callee_COMPLEX},
    {"__divtc3", callee_COMPLEX},
    {"__divtf3", callee_QUADRUPLE},
    {"__divxc3", callee_COMPLEX},
    {"__eqtf2", callee_QUADRUPLE},
    {"__extenddftf2", callee_QUADRUPLE},
    {"__extendsftf2", callee_QUADRUPLE},
    {"__extendxftf2", callee_QUADRUPLE},
    {"__fixtfdi", callee_QUADRUPLE},
    {"__fixtfsi", callee_QUADRUPLE},
    {"__fixunstfdi", callee_QUADRUPLE},
    {"__fixunstfsi", callee_QUADRUPLE},
    {"__floatditf", callee_QUADRUPLE},
    {"__floatsitf", callee_QUADRUPLE},
    {"__floatunditf", callee_QUADRUPLE},
    {"__floatunsitf", callee_QUADRUPLE},
    {"__getf2", callee_QUADRUPLE},
    {"__gttf2", callee_QUADRUPLE},
    {"__isoc23_sscanf", callee_SCANNING},
    {"__isoc99_sscanf", callee_SCANNING},
    {"__letf2", callee_QUADRUPLE},
    {"__lttf2", callee_QUADRUPLE},
    {"__memcpy_chk", callee_MEMORY},
    {"__memset_chk", callee_MEMORY},
    {"__muldc3", callee_COMPLEX},
    {"__mulhc3", callee_COMPLEX},
    {"__mulsc3", callee_COMPLEX},
    {"__multc3", callee_COMPLEX},
    {"__multf3", callee_QUADRUPLE},
    {"__mulxc3", callee_COMPLEX},
    {"__negtf2", callee_QUADRUPLE},
    {"__netf2", callee_QUADRUPLE},
    {"__popcountdi2", callee_BITS},
    {"__popcountsi2", callee_BITS},
    {"__powidf2", callee_PLAIN_MATH},
    {"__powisf2", callee_PLAIN_MATH},
    {"__snprintf_chk", callee_FORMATTING},
    {"__sprintf_chk", callee_FORMATTING},
    {"__strcat_chk", callee_APPENDING},
    {"__strncat_chk", callee_APPENDING},
    {"__subtf3", callee_QUADRUPLE},
    {"__trunctfdf2", callee_QUADRUPLE},
    {"__trunctfsf2", callee_QUADRUPLE},
    {"__trunctfxf2", callee_QUADRUPLE},
    {"__unordtf2", callee_QUADRUPLE},
    {"_gfortran_internal_pack", callee_PACKING},
    {"_gfortran_internal_unpack", callee_PACKING},
    {"aligned_alloc", callee_ALLOCATION},
    {"calloc", callee_ALLOCATION},
    {"drand48", callee_RANDOM},
    {"free", callee_RELEASE},
    {"lrand48", callee_RANDOM},
    {"malloc", callee_ALLOCATION},
    {"memcmp", callee_MEMORY},
    {"memcpy", callee_MEMORY},
    {"memmove", callee_MEMORY},
    {"memset", callee_MEMORY},
    {"posix_memalign", callee_ALLOCATION},
    {"rand", callee_RANDOM},
    {"rand_r", callee_RANDOM},
    {"random", callee_RANDOM},
    {"realloc", callee_ALLOCATION},
    {"snprintf", callee_FORMATTING},
    {"sprintf", callee_FORMATTING},
    {"sscanf", callee_SCANNING},
    {"strcat", callee_APPENDING},
    {"strncat", callee_APPENDING},
};

/* Libraries of vector functions: the vector ABI of GNU, Arm and LLVM; Intel; SLEEF; AMD; Arm's own. */
static const char *const vector_prefixes[] = {"_ZGV",  "__svml_", "Sleef_",  "amd_vr",
                                              "__vrd", "__vrs",   "armpl_v", "vml"};

static const struct known *find_known(const char *name, const struct known *table, size_t count)
{
    return bisect_named(table, count, sizeof *table, name, strlen(name));
}

/* exp, expf, expl, and __exp_finite as older compilers call them for -ffast-math. */
static const struct known *find_mathematical(const char *name)
{
    enum { LONGEST = 24 };
    static const char finite[] = "_finite";
    char stem[LONGEST];
    size_t length = strlen(name), count = sizeof mathematical / sizeof *mathematical;
    if (length >= LONGEST)
        return NULL;
    if (length > 9 && !strncmp(name, "__", 2) && !strcmp(name + length - (sizeof finite - 1), finite)) {
        name += 2;
        length -= 2 + sizeof finite - 1;
    }
    memcpy(stem, name, length);
    stem[length] = 0;
    const struct known *known = find_known(stem, mathematical, count);
    if (!known && length > 1 && (stem[length - 1] == 'f' || stem[length - 1] == 'l')) {
        stem[length - 1] = 0;
        known = find_known(stem, mathematical, count);
    }
    return known;
}

enum callee_sort callee_sort(const char *name)
{
    const struct known *known = find_known(name, others, sizeof others / sizeof *others);
    if (!known)
        known = find_mathematical(name);
    if (known)
        return known->sort;
    for (size_t i = 0; i < sizeof vector_prefixes / sizeof *vector_prefixes; i++)
        if (!strncmp(name, vector_prefixes[i], strlen(vector_prefixes[i])))
            return callee_VECTOR;
    /* std::vector<…>::_M_realloc_insert, and _M_realloc_append since GCC 14: push_back without room. */
    if (!strncmp(name, "_ZNSt6vector", 12) && strstr(name, "_M_realloc_"))
        return callee_GROWTH;
    /* std::stringstream, std::ostringstream, std::istringstream: their constructors. */
    if (!strncmp(name, "_ZNSt7__cxx11", 13) && strstr(name, "stringstreamI") &&
        (strstr(name, "EEC1E") || strstr(name, "EEC2E") || strstr(name, "EEC4E")))
        return callee_STREAM;
    return callee_OTHER;
}

/* Without the suffix of a linker or reader: exp@plt, exp@GLIBC_2.29. */
static const char *plain_name(const struct subject *subject, const char *name)
{
    size_t length = strcspn(name, "@");
    if (!length || !name[length])
        return name;
    char *plain = arena_get(subject->arena, length + 1);
    memcpy(plain, name, length);
    return plain;
}

const char *callee_source_name(const struct subject *subject, const char *name)
{
    enum { LONGEST = 60 };
    static const char more[] = "…";
    autofree char *plain = demangle_name(name);
    if (!plain)
        return name;
    size_t length = strcspn(plain, "(");
    if (!length || strstr(plain, "operator"))
        length = strlen(plain);
    size_t kept = length > LONGEST ? LONGEST : length;
    while (kept && kept < length && ((unsigned char)plain[kept] & 0xc0) == 0x80)
        kept--;
    char *copy = arena_get(subject->arena, kept + sizeof more);
    memcpy(copy, plain, kept);
    if (kept < length)
        memcpy(copy + kept, more, sizeof more);
    return copy;
}

static void describe(const struct subject *subject, const struct call *call, struct callee *callee)
{
    const struct model *model = subject->model;
    *callee = (struct callee){.sort = callee_INDIRECT, .function = call->callee};
    if (!call->callee)
        return;
    const struct function *function = model_function(model, call->callee);
    bool is_own =
        function->origin != origin_PLT && function->origin != origin_IMPORT && function->instruction_count;
    callee->sort = callee_OTHER;
    if (function->name) {
        callee->name = plain_name(subject, model_text(model, function->name));
        callee->sort = callee_sort(callee->name);
    }
    if (is_own)
        callee->instructions = function->instruction_count;
    if (is_own && callee->sort == callee_OTHER)
        callee->sort = callee_OWN;
}

bool callee_find(const struct subject *subject, uint32_t instruction, struct callee *callee)
{
    const struct array *calls = &subject->model->calls;
    size_t at = array_first_not_below(calls, 0, offsetof(struct call, instruction), instruction);
    if (at == calls->count || model_call(subject->model, (uint32_t)at)->instruction != instruction)
        return false;
    describe(subject, model_call(subject->model, (uint32_t)at), callee);
    return true;
}

uint32_t callee_find_in_loop(const struct subject *subject, enum callee_sort sort, struct callee *callee)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count; at++) {
        const struct loop_block *row = model_loop_block(model, (uint32_t)at);
        if (row->loop != subject->loop)
            break;
        const struct block *block = model_block(model, row->block);
        uint32_t end = block->first_instruction + block->instruction_count;
        size_t call = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction),
                                            block->first_instruction);
        for (; call < model->calls.count; call++) {
            const struct call *found = model_call(model, (uint32_t)call);
            if (found->instruction >= end)
                break;
            describe(subject, found, callee);
            if (callee->sort == sort)
                return found->instruction;
        }
    }
    return 0;
}
