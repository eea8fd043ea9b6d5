/* Which extension a form of instruction belongs to, and machines without one.

   Its registers or its name show it.  SVE: vectors z, predicates p, and a few names that count
   in vectors. AVX-512: zmm, masks, broadcasts from memory, and names and operands that only its encoding has;
   what AVX has got from it later (VNNI, IFMA, GFNI) is left to AVX, because a form is the same for both
   encodings.  AVX2: integers in ymm, and names that came with it.  Registers beyond 15 are counted
   by `vector-registers`. */
#include "code/machine/extensions.h"

#include "code/machine/machine.h"
#include "model/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct extension extensions[extension_COUNT] = {
#define EXTENSION(symbol, isa, word, title, bits, registers, takes, option)                                  \
    {isa, word, title, bits, registers, takes, option},
#include "code/machine/extensions.def"
};

enum { LONGEST_MNEMONIC = 31 };

uint32_t extensions_of_isa(enum isa isa)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (extensions[i].isa == isa)
            set |= 1U << i;
    return set;
}

enum machine_extension extension_named(const char *word, size_t length)
{
    unsigned i = 0;
    while (i < extension_COUNT &&
           (strlen(extensions[i].word) != length || memcmp(extensions[i].word, word, length)))
        i++;
    return (enum machine_extension)i;
}

uint32_t extensions_closure(uint32_t set)
{
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (set >> i & 1)
            set |= extensions[i].takes;
    return set;
}

uint32_t extensions_named_of(uint32_t set)
{
    uint32_t taken = 0;
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (set >> i & 1)
            taken |= extensions[i].takes;
    return set & ~taken;
}

unsigned extensions_vector_bits(unsigned bits, uint32_t without)
{
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (without >> i & 1 && extensions[i].bits && extensions[i].bits < bits)
            bits = extensions[i].bits;
    return bits;
}

char *extensions_titles(uint32_t set)
{
    char *titles = memory_format("%s", "");
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (set >> i & 1) {
            bool is_last = !(set >> i >> 1);
            char *longer = memory_format("%s%s%s", titles,
                                         !*titles  ? ""
                                         : is_last ? " and "
                                                   : ", ",
                                         extensions[i].title);
            free(titles);
            titles = longer;
        }
    return titles;
}

static bool is_border(char letter)
{
    return letter == ',' || letter == '[' || letter == ']' || letter == '{' || letter == '}' ||
           letter == '!' || letter == ' ';
}

/* The next operand of a form or part of an address or a list, from where the last one ended; 0 at the end. */
static size_t next_part(const char **at)
{
    while (is_border(**at))
        ++*at;
    size_t length = 0;
    while ((*at)[length] && !is_border((*at)[length]))
        length++;
    return length;
}

static size_t name_length(const char *form)
{
    size_t length = 0;
    while (form[length] && form[length] != ' ')
        length++;
    return length;
}

static bool is_counting(const char *form, size_t length)
{
    static const char *const names[] = {"addvl",  "addpl", "rdvl",   "ctermeq", "ctermne",
                                        "setffr", "rdffr", "addsvl", "addspl",  "rdsvl"};
    static const char *const stems[] = {"cnt",   "inc",   "dec",  "sqinc",
                                        "sqdec", "uqinc", "uqdec"}; /* + b, h, w, d or p */
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (*names[i] == *form && strlen(names[i]) == length && !memcmp(names[i], form, length))
            return true;
    for (unsigned i = 0; i < sizeof stems / sizeof stems[0]; i++)
        if (*stems[i] == *form && strlen(stems[i]) + 1 == length && !memcmp(stems[i], form, length - 1) &&
            strchr("bhwdp", form[length - 1]))
            return true;
    return false;
}

static uint32_t extension_of_arm(const char *form)
{
    size_t name = name_length(form), length;
    for (const char *at = form + name; (length = next_part(&at)); at += length) {
        char behind = length > 1 ? at[1] : 0;
        if ((*at == 'z' || *at == 'p') && (!behind || behind == '.' || behind == '/'))
            return 1U << extension_SVE;
    }
    return is_counting(form, name) ? 1U << extension_SVE : 0;
}

/* Names that only AVX-512 has, in order; those of half precision follow a rule. */
static const char evex_only[][LONGEST_MNEMONIC + 1] = {
    "valignd",         "valignq",         "vblendmpd",       "vblendmps",       "vbroadcastf32x2",
    "vbroadcastf32x4", "vbroadcastf64x2", "vbroadcasti32x2", "vbroadcasti32x4", "vbroadcasti64x2",
    "vcompresspd",     "vcompressps",     "vcvtne2ps2bf16",  "vcvtpd2qq",       "vcvtpd2udq",
    "vcvtpd2uqq",      "vcvtps2phx",      "vcvtps2qq",       "vcvtps2udq",      "vcvtps2uqq",
    "vcvtqq2pd",       "vcvtqq2ps",       "vcvtsd2usi",      "vcvtss2usi",      "vcvttpd2qq",
    "vcvttpd2udq",     "vcvttpd2uqq",     "vcvttps2qq",      "vcvttps2udq",     "vcvttps2uqq",
    "vcvttsd2usi",     "vcvttss2usi",     "vcvtudq2pd",      "vcvtudq2ps",      "vcvtuqq2pd",
    "vcvtuqq2ps",      "vcvtusi2sd",      "vcvtusi2ss",      "vdbpsadbw",       "vdpbf16ps",
    "vexpandpd",       "vexpandps",       "vextractf32x4",   "vextractf64x2",   "vextracti32x4",
    "vextracti64x2",   "vfixupimmpd",     "vfixupimmps",     "vfixupimmsd",     "vfixupimmss",
    "vgetexppd",       "vgetexpps",       "vgetexpsd",       "vgetexpss",       "vgetmantpd",
    "vgetmantps",      "vgetmantsd",      "vgetmantss",      "vinsertf32x4",    "vinsertf64x2",
    "vinserti32x4",    "vinserti64x2",    "vmovdqa32",       "vmovdqa64",       "vmovdqu16",
    "vmovdqu32",       "vmovdqu64",       "vmovdqu8",        "vmovw",           "vpabsq",
    "vpandd",          "vpandnd",         "vpandnq",         "vpandq",          "vpblendmb",
    "vpblendmd",       "vpblendmq",       "vpblendmw",       "vpcompressb",     "vpcompressd",
    "vpcompressq",     "vpcompressw",     "vpconflictd",     "vpconflictq",     "vpermb",
    "vpermi2b",        "vpermi2d",        "vpermi2pd",       "vpermi2ps",       "vpermi2q",
    "vpermi2w",        "vpermt2b",        "vpermt2d",        "vpermt2pd",       "vpermt2ps",
    "vpermt2q",        "vpermt2w",        "vpermw",          "vpexpandb",       "vpexpandd",
    "vpexpandq",       "vpexpandw",       "vplzcntd",        "vplzcntq",        "vpmaxsq",
    "vpmaxuq",         "vpminsq",         "vpminuq",         "vpmovdb",         "vpmovdw",
    "vpmovqb",         "vpmovqd",         "vpmovqw",         "vpmovsdb",        "vpmovsdw",
    "vpmovsqb",        "vpmovsqd",        "vpmovsqw",        "vpmovswb",        "vpmovusdb",
    "vpmovusdw",       "vpmovusqb",       "vpmovusqd",       "vpmovusqw",       "vpmovuswb",
    "vpmovwb",         "vpmullq",         "vpmultishiftqb",  "vpopcntb",        "vpopcntd",
    "vpopcntq",        "vpopcntw",        "vpord",           "vporq",           "vprold",
    "vprolq",          "vprolvd",         "vprolvq",         "vprord",          "vprorq",
    "vprorvd",         "vprorvq",         "vpshldd",         "vpshldq",         "vpshldvd",
    "vpshldvq",        "vpshldvw",        "vpshldw",         "vpshrdd",         "vpshrdq",
    "vpshrdvd",        "vpshrdvq",        "vpshrdvw",        "vpshrdw",         "vpsllvw",
    "vpsraq",          "vpsravq",         "vpsravw",         "vpsrlvw",         "vpternlogd",
    "vpternlogq",      "vpxord",          "vpxorq",          "vrangepd",        "vrangeps",
    "vrangesd",        "vrangess",        "vrcp14pd",        "vrcp14ps",        "vrcp14sd",
    "vrcp14ss",        "vreducepd",       "vreduceps",       "vreducesd",       "vreducess",
    "vrndscalepd",     "vrndscaleps",     "vrndscalesd",     "vrndscaless",     "vrsqrt14pd",
    "vrsqrt14ps",      "vrsqrt14sd",      "vrsqrt14ss",      "vscalefpd",       "vscalefps",
    "vscalefsd",       "vscalefss",       "vshuff32x4",      "vshuff64x2",      "vshufi32x4",
    "vshufi64x2",
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(left, right);
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && !strcmp(name + length - wanted, end);
}

static bool starts_with_one(const char *name, const char *const *starts)
{
    for (; *starts; starts++)
        if (!strncmp(name, *starts, strlen(*starts)))
            return true;
    return false;
}

static bool is_half_precision(const char *name)
{
    static const char *const from_half[] = {"vcvtph2", "vcvttph2", "vcvtsh2", "vcvttsh2", NULL};
    if (starts_with_one(name, from_half))
        return strcmp(name, "vcvtph2ps");
    return (ends_in(name, "ph") || ends_in(name, "sh")) && strcmp(name, "vcvtps2ph");
}

/* What the operands of an x86 form are, all together. */
struct x86_operands {
    unsigned count;
    bool has_wide, has_ymm, has_xmm;      /* zmm, masks and the like; ymm; xmm */
    bool has_general;                     /* r32 or r64 */
    bool second_is_memory, third_is_wide; /* m128 …; ymm or m256 */
    bool ends_in_constant, ends_in_xmm;
};

static struct x86_operands operands_of(const char *at)
{
    struct x86_operands operands = {0};
    size_t length;
    for (; (length = next_part(&at)); at += length) {
        bool is_memory = *at == 'm' && at[1] >= '0' && at[1] <= '9';
        bool is_xmm = length == 3 && !memcmp(at, "xmm", 3), is_ymm = length == 3 && !memcmp(at, "ymm", 3);
        operands.count++;
        operands.has_xmm |= is_xmm;
        operands.has_ymm |= is_ymm || (length == 2 && !memcmp(at, "vy", 2));
        operands.has_wide |= (length == 3 && !memcmp(at, "zmm", 3)) ||
                             (length == 2 && !memcmp(at, "vz", 2)) || (length == 1 && *at == 'k') ||
                             (length == 2 && !memcmp(at, "kz", 2)) ||
                             (is_memory && (memchr(at, 'b', length) || !strncmp(at, "m512", 4)));
        operands.has_general |= *at == 'r' && length == 3;
        operands.second_is_memory |= operands.count == 2 && is_memory;
        operands.third_is_wide |= operands.count == 3 && (is_ymm || (length == 4 && !memcmp(at, "m256", 4)));
        operands.ends_in_constant = *at == 'i';
        operands.ends_in_xmm = is_xmm;
    }
    return operands;
}

/* Forms that only the encoding of AVX-512 has, of names that AVX has too. */
static bool is_evex_only(const char *name, const struct x86_operands *operands)
{
    static const char *const shifts[] = {"vpsll", "vpsrl", "vpsra", NULL};
    static const char *const permutes[] = {"vpermpd", "vpermq", NULL};
    static const char *const broadcasts[] = {"vpbroadcast", NULL};
    return bsearch(name, evex_only, sizeof evex_only / sizeof evex_only[0], sizeof evex_only[0],
                   compare_names) ||
           is_half_precision(name) ||
           (starts_with_one(name, shifts) && operands->second_is_memory && operands->ends_in_constant) ||
           (starts_with_one(name, permutes) && operands->third_is_wide) ||
           (starts_with_one(name, broadcasts) && operands->has_general);
}

static bool is_avx2(const char *name, const struct x86_operands *operands)
{
    static const char *const names[] = {
        "vpbroadcast", "vpsllv",         "vpsrlv",      "vpsrav",       "vpblendd",   "vpmaskmov", "vpgather",
        "vgather",     "vbroadcasti128", "vinserti128", "vextracti128", "vperm2i128", NULL};
    static const char *const floats[] = {"vpermil", "vperm2f128", "vptest", NULL}; /* of AVX */
    static const char *const integers[] = {"vp", "vmovntdqa", "vmpsadbw", "vaes", NULL};
    if (starts_with_one(name, names))
        return true;
    if (!strncmp(name, "vbroadcasts", 11))
        return operands->ends_in_xmm;
    return operands->has_ymm && starts_with_one(name, integers) && !starts_with_one(name, floats);
}

static uint32_t extension_of_x86(const char *form)
{
    static const char *const fused[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", NULL};
    static const char *const alone[] = {"vzeroupper", "vzeroall", "vldmxcsr", "vstmxcsr", "vcvt", NULL};
    char name[LONGEST_MNEMONIC + 1];
    size_t length = name_length(form);
    if ((*form != 'v' && *form != 'k') || length > LONGEST_MNEMONIC)
        return 0;
    memcpy(name, form, length);
    name[length] = 0;
    struct x86_operands operands = operands_of(form + length);
    if (operands.has_wide)
        return 1U << extension_AVX512;
    /* Others that begin so are of virtual machines and of segments. */
    if (!operands.has_xmm && !operands.has_ymm && !starts_with_one(name, alone))
        return 0;
    if (is_evex_only(name, &operands))
        return 1U << extension_AVX512;
    if (starts_with_one(name, fused))
        return 1U << extension_FMA;
    return is_avx2(name, &operands) ? 1U << extension_AVX2 : 1U << extension_AVX;
}

uint32_t extension_of_form(enum isa isa, const char *form)
{
    switch (isa_facts(isa)->machine) {
    case isa_AARCH64:
        return extension_of_arm(form);
    case isa_X86_64:
        return extension_of_x86(form);
    default:
        return 0;
    }
}

uint32_t machine_extensions(const struct machine *machine)
{
    uint32_t set = 0, all = extensions_of_isa(machine->isa);
    for (size_t i = 0; i < machine->forms.count && set != all; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        if (!form->is_missing)
            set |= extension_of_form(machine->isa, form->text);
    }
    return set;
}

void machine_name_variant(struct machine *machine)
{
    uint32_t named = extensions_named_of(machine->without);
    size_t length = strlen(machine->base_name) + strlen("+" GUARDED_GATHERS) + 1;
    for (unsigned i = 0; i < extension_COUNT; i++)
        length += strlen("+no") + strlen(extensions[i].word);
    char *name = arena_get(&machine->texts, length);
    strcpy(name, machine->base_name);
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (named >> i & 1) {
            strcat(name, "+no");
            strcat(name, extensions[i].word);
        }
    if (machine->guards_gathers)
        strcat(name, "+" GUARDED_GATHERS);
    machine->name = name;
}

/* Makes forms of a set missing; the extensions that they are of. */
static uint32_t take_forms(struct machine *machine, uint32_t set)
{
    unsigned decoders = machine->core.decoders;
    uint32_t found = 0;
    for (size_t i = 0; set && i < machine->forms.count; i++) {
        struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        uint32_t extension = form->is_missing ? 0 : extension_of_form(machine->isa, form->text) & set;
        if (!extension)
            continue;
        found |= extension;
        *form = (struct machine_form){
            .text = form->text,
            .latency = NAN,
            .latency_same = NAN,
            .throughput = NAN,
            .simple_decoders = (uint8_t)(decoders && decoders <= ANY_NUMBER ? decoders - 1 : ANY_NUMBER),
            .spread = NAN,
            .source = form->source,
            .is_missing = true};
    }
    return found;
}

static void note_without(struct machine *machine, uint32_t set)
{
    struct machine_core *core = &machine->core;
    if (!set)
        return;
    machine->without |= set;
    core->vector_bits = extensions_vector_bits(core->vector_bits, set);
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (set >> i & 1 && extensions[i].registers && extensions[i].registers < core->vector_registers)
            core->vector_registers = extensions[i].registers;
    if (set >> extension_AVX512 & 1)
        machine->has_masks = false;
    machine_name_variant(machine);
}

void machine_restrict(struct machine *machine, uint32_t without)
{
    note_without(machine, take_forms(machine, extensions_closure(without) & extensions_of_isa(machine->isa)));
}

void machine_restrict_as_stated(struct machine *machine)
{
    take_forms(machine, machine->lacks);
    if (machine->lacks >> extension_AVX512 & 1)
        machine->has_masks = false;
    uint32_t stated = machine->without & extensions_of_isa(machine->isa);
    machine->without = 0;
    note_without(machine, stated | take_forms(machine, extensions_closure(stated)));
}

char *machine_words(const struct machine *machine)
{
    char *titles = extensions_titles(machine->without);
    char *words = memory_format("%s%s%s%s", machine->base_name, *titles ? " without " : "", titles,
                                machine->guards_gathers ? " with guarded gathers" : "");
    free(titles);
    return words;
}

char *machine_compiler_options(const struct machine *machine)
{
    if (!machine->target)
        return NULL;
    bool is_arm = machine->isa == isa_AARCH64;
    char *options = memory_format("%s%s", is_arm ? "-mcpu=" : "-march=", machine->target);
    /* Compilers know that AVX-512 goes with AVX and AVX2, but they have fused multiply-adds of its own. */
    uint32_t named = extensions_named_of(machine->without & ~(1U << extension_FMA)) |
                     (machine->without >> extension_AVX & 1 ? 0 : machine->without & 1U << extension_FMA);
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (named >> i & 1) {
            char *longer = memory_format("%s%s%s", options, is_arm ? "" : " ", extensions[i].option);
            free(options);
            options = longer;
        }
    return options;
}
