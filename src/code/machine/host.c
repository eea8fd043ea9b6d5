/* Recognising the computer that Assay runs on.

   The processor reports its model: family and model by CPUID, or implementer and part by MIDR.  Which
   extensions can be used, only the kernel knows: it may have SVE switched off, or a
   hypervisor may hide AVX-512.  On AArch64 that is AT_HWCAP.  On x86 an extension is there if CPUID says so
   and XGETBV says that the kernel keeps its registers.  AVX-512 means what compilers mean by it (x86-64-v4):
   F, BW, CD, DQ and VL together.

   Reading the facts and judging them are two functions, so that the second can be asked about other
   computers. */
#include "code/machine/host.h"

#include "code/machine/generation.h"
#include "code/machine/guards.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__) || defined(__i386__)
struct host_facts host_read_facts(void)
{
    struct host_facts facts = {.isa = isa_X86_64};
    unsigned ignored_b = 0, ignored_c = 0, ignored_d = 0;
    enum { OSXSAVE = 1 << 27 };
    if (!__get_cpuid(1, &facts.leaf1_eax, &ignored_b, &facts.leaf1_ecx, &ignored_d))
        return (struct host_facts){0};
    unsigned leaf7_eax = 0;
    if (!__get_cpuid_count(7, 0, &leaf7_eax, &facts.leaf7_ebx, &facts.leaf7_ecx, &facts.leaf7_edx))
        facts.leaf7_ebx = facts.leaf7_ecx = facts.leaf7_edx = 0;
    else if (leaf7_eax >= 1)
        __get_cpuid_count(7, 1, &facts.leaf7_1_eax, &ignored_b, &ignored_c, &ignored_d);
    if (facts.leaf1_ecx & OSXSAVE) {
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        facts.xcr0 = (uint64_t)high << 32 | low;
    }
    return facts;
}
#elif defined(__aarch64__)
/* Where the kernel does not show the register itself: its parts. */
static uint64_t midr_of_cpuinfo(void)
{
    unsigned implementer = 0, part = 0;
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file) && !(implementer && part)) {
        sscanf(line, "CPU implementer : %x", &implementer);
        sscanf(line, "CPU part : %x", &part);
    }
    if (file)
        fclose(file);
    return implementer && part ? (uint64_t)implementer << 24 | part << 4 : 0;
}

struct host_facts host_read_facts(void)
{
    struct host_facts facts = {.isa = isa_AARCH64, .hwcap = getauxval(AT_HWCAP)};
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
    unsigned long long midr = 0;
    int got = file ? fscanf(file, "%llx", &midr) : 0;
    if (file)
        fclose(file);
    facts.midr = got == 1 ? midr : midr_of_cpuinfo();
    return facts.midr ? facts : (struct host_facts){0};
}
#else
struct host_facts host_read_facts(void)
{
    return (struct host_facts){0};
}
#endif

static bool has_all(uint64_t set, uint64_t wanted)
{
    return (set & wanted) == wanted;
}

static uint32_t extensions_of_x86(const struct host_facts *facts)
{
    enum {
        FMA = 1 << 12,
        OSXSAVE = 1 << 27,
        AVX = 1 << 28, /* of leaf 1 */
        AVX2 = 1 << 5  /* of leaf 7, as those of AVX-512 */
    };
    static const uint32_t avx512 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31; /* F DQ CD BW VL */
    static const uint64_t ymm_kept = 6, zmm_kept = 0xe6;
    uint32_t set = 0;
    if (!has_all(facts->leaf1_ecx, OSXSAVE | AVX) || !has_all(facts->xcr0, ymm_kept))
        return 0;
    set |= 1U << extension_AVX;
    if (facts->leaf1_ecx & FMA)
        set |= 1U << extension_FMA;
    if (facts->leaf7_ebx & AVX2)
        set |= 1U << extension_AVX2;
    if (has_all(set, 1U << extension_FMA | 1U << extension_AVX2) && has_all(facts->leaf7_ebx, avx512) &&
        has_all(facts->xcr0, zmm_kept))
        set |= 1U << extension_AVX512;
    return set;
}

static uint32_t features_of_x86(const struct host_facts *facts)
{
    uint32_t set = 0;
#define FEATURE(symbol, word, leaf, bit) set |= (facts->leaf >> (bit)&1) << feature_##symbol;
#include "code/machine/features.def"
    return set;
}

struct machine_identity host_identify(const struct host_facts *facts)
{
    static const uint64_t hwcap_sve = 1U << 22;
    struct machine_identity identity = {.isa = facts->isa};
    if (facts->isa == isa_AARCH64) {
        identity.family = facts->midr >> 24 & 0xff;
        identity.model = facts->midr >> 4 & 0xfff;
        identity.extensions = facts->hwcap & hwcap_sve ? 1U << extension_SVE : 0;
    } else if (facts->isa == isa_X86_64) {
        uint32_t eax = facts->leaf1_eax;
        identity.family = eax >> 8 & 15;
        identity.model = eax >> 4 & 15;
        identity.stepping = eax & 15;
        if (identity.family == 6 || identity.family == 15)
            identity.model |= (eax >> 16 & 15) << 4;
        if (identity.family == 15)
            identity.family += eax >> 20 & 255;
        identity.extensions = extensions_of_x86(facts);
        identity.features = features_of_x86(facts);
    }
    return identity;
}

struct machine_identity machine_host(void)
{
    struct host_facts facts = host_read_facts();
    struct machine_identity identity = host_identify(&facts);
    identity.guards_gathers = host_guards_gathers();
    return identity;
}

const char *host_lack_words(enum isa isa)
{
    return isa == isa_AARCH64 ? "its kernel reports no" : "it reports no";
}

bool host_identity_of(const char *text, struct machine_identity *identity)
{
    unsigned long long midr;
    *identity = (struct machine_identity){.extensions = UINT32_MAX};
    if (sscanf(text, "%*[^,],%u,%u,%u", &identity->family, &identity->model, &identity->stepping) == 3)
        identity->isa = isa_X86_64;
    else if (!strncmp(text, "0x", 2) && sscanf(text, "%llx", &midr) == 1) {
        identity->isa = isa_AARCH64;
        identity->family = midr >> 24 & 0xff;
        identity->model = midr >> 4 & 0xfff;
    }
    return identity->isa != isa_NONE;
}
