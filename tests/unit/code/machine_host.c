/* This computer, and others, from what they say of themselves; forms and their extensions; and machines
   without some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "code/machine/host.h"
#include "code/machine/machine.h"
#include "own_folder.h"

static const char *const folders[] = {MACHINES};

enum {
    SVE = 1 << 22, /* of AT_HWCAP */
    FMA = 1 << 12,
    OSXSAVE = 1 << 27,
    AVX = 1 << 28, /* of CPUID 1 ecx */
    AVX2 = 1 << 5,
    ALL_OF_LEAF_1 = FMA | OSXSAVE | AVX /* of CPUID 7 ebx */
};
static const uint32_t avx512 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;
enum { NEOVERSE_V1 = 0x411fd401, NEOVERSE_N1 = 0x413fd0c1, NEOVERSE_N2 = 0x410fd490 };
enum {
    SKYLAKE = 0x506e3,
    SKYLAKE_X = 0x50654,
    CASCADE_LAKE = 0x50657,
    ALDER_LAKE = 0x906a3,
    ZEN4 = 0xa10f11
};

/* The machine that a computer with these facts is taken for. */
static void taken_for(struct host_facts facts, enum isa isa, const char *name, bool is_host)
{
    struct machine_identity host = host_identify(&facts);
    struct error error = {0};
    bool is_taken;
    struct machine *machine = machine_load_usual(isa, &host, folders, 1, &is_taken, &error);
    assert_non_null(machine);
    assert_string_equal(machine->name, name);
    assert_int_equal(is_taken, is_host);
    machine_free(machine);
}

static void arm_computers(void **state)
{
    (void)state;
    static const struct {
        uint64_t midr, hwcap;
        const char *name;
    } cases[] = {{NEOVERSE_V1, SVE, "neoverse-v1"},
                 {NEOVERSE_V1, 0, "neoverse-v1+nosve"},
                 {NEOVERSE_V1, ~(uint64_t)SVE, "neoverse-v1+nosve"},
                 {NEOVERSE_N1, 0, "neoverse-n1"},
                 {NEOVERSE_N2, 0xffffff, "neoverse-n2"},
                 {NEOVERSE_N2, 0, "neoverse-n2+nosve"}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        taken_for((struct host_facts){.isa = isa_AARCH64, .midr = cases[i].midr, .hwcap = cases[i].hwcap},
                  isa_AARCH64, cases[i].name, true);
    /* Code of others, and a processor without a file: the usual machine, which has everything. */
    struct host_facts arm = {.isa = isa_AARCH64, .midr = NEOVERSE_V1};
    taken_for(arm, isa_X86_64, "skylake", false);
    arm.midr = 0x610f0000;
    taken_for(arm, isa_AARCH64, "neoverse-v1", false);
    taken_for((struct host_facts){0}, isa_AARCH64, "neoverse-v1", false);
}

static void x86_computers(void **state)
{
    (void)state;
    static const struct {
        uint32_t signature, leaf1, leaf7;
        uint64_t xcr0;
        const char *name;
    } cases[] = {
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2 | avx512, 0xe7, "skylake-x"},
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2 | avx512, 0x7, "skylake-x+noavx512"}, /* the kernel keeps no zmm */
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2 | avx512, 0x27, "skylake-x+noavx512"},
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2, 0xe7, "skylake-x+noavx512"},
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2 | (avx512 & ~(1U << 31)), 0xe7, "skylake-x+noavx512"}, /* no VL */
        {SKYLAKE_X, AVX | OSXSAVE, AVX2 | avx512, 0xe7, "skylake-x+nofma"},
        {SKYLAKE_X, ALL_OF_LEAF_1, avx512, 0xe7, "skylake-x+noavx2"},
        {SKYLAKE_X, AVX | OSXSAVE, 0, 0xe7, "skylake-x+noavx2+nofma"},
        {SKYLAKE_X, ALL_OF_LEAF_1, AVX2 | avx512, 0x3, "skylake-x+noavx"}, /* the kernel keeps no ymm */
        {SKYLAKE_X, AVX | FMA, AVX2 | avx512, 0, "skylake-x+noavx"},
        {CASCADE_LAKE, ALL_OF_LEAF_1, AVX2 | avx512, 0xe7, "cascade-lake"},
        {ALDER_LAKE, ALL_OF_LEAF_1, AVX2, 0x7, "alder-lake-p+noavx512"}, /* as clients are sold */
        {SKYLAKE, ALL_OF_LEAF_1, AVX2, 0x7, "skylake"},                  /* has none to be without */
        {SKYLAKE, 0, 0, 0, "skylake+noavx"},
        {ZEN4, ALL_OF_LEAF_1, AVX2 | avx512, 0xe7, "zen4"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host_facts facts = {.isa = isa_X86_64,
                                   .leaf1_eax = cases[i].signature,
                                   .leaf1_ecx = cases[i].leaf1,
                                   .leaf7_ebx = cases[i].leaf7,
                                   .xcr0 = cases[i].xcr0};
        taken_for(facts, isa_X86_64, cases[i].name, true);
        taken_for(facts, isa_I386, cases[i].name, true);
        taken_for(facts, isa_AARCH64, "neoverse-v1", false);
    }
}

enum { HAS_SSE = 1 << 9 | 1 << 20, CLFLUSHOPT = 1 << 23, VBMI2 = 1 << 6, VNNI = 1 << 11, AVX_VNNI = 1 << 4 };
static const uint32_t FP16 = 1U << 23, AMX = 1U << 24, AMX_FP16 = 1U << 21;

static struct host_facts recent(uint32_t signature)
{
    return (struct host_facts){.isa = isa_X86_64,
                               .leaf1_eax = signature,
                               .leaf1_ecx = ALL_OF_LEAF_1 | HAS_SSE,
                               .leaf7_ebx = AVX2 | avx512 | CLFLUSHOPT,
                               .leaf7_ecx = VBMI2 | VNNI,
                               .xcr0 = 0xe7};
}

static struct host_judgement judged(const struct host_facts *facts, const char *name)
{
    struct machine_identity host = host_identify(facts);
    struct error error = {0};
    bool is_taken;
    struct machine *machine = machine_load_usual(isa_X86_64, &host, folders, 1, &is_taken, &error);
    assert_non_null(machine);
    assert_string_equal(machine->name, name);
    struct host_judgement judgement = machine->host;
    assert_true(!judgement.numbered || !strcmp(judgement.numbered, "rocket-lake"));
    assert_int_equal(is_taken, judgement.fit != host_fit_NONE);
    machine_free(machine);
    return judgement;
}

/* A hypervisor may tell any number; what the processor has, it has. */
static void numbers_that_cannot_be(void **state)
{
    (void)state;
    enum { ROCKET_LAKE = 0xa0671 };
    struct host_facts facts = recent(ROCKET_LAKE);
    assert_int_equal(judged(&facts, "rocket-lake").fit, host_fit_NUMBER);
    facts.leaf7_ecx = 0; /* less is always possible */
    assert_int_equal(judged(&facts, "rocket-lake").fit, host_fit_NUMBER);
    facts = recent(ROCKET_LAKE);
    facts.leaf7_1_eax = AVX_VNNI;
    facts.leaf7_edx = FP16;
    struct host_judgement judgement = judged(&facts, "alder-lake-p");
    assert_int_equal(judgement.fit, host_fit_FEATURES);
    assert_int_equal(judgement.beyond, 1U << feature_AVXVNNI | 1U << feature_AVX512FP16);
    assert_int_equal(judgement.model, 0xa7);
    facts.leaf7_edx |= AMX;
    judgement = judged(&facts, "sapphire-rapids");
    assert_int_equal(generation_newest(judgement.beyond), feature_AMX_TILE);
    facts.leaf7_1_eax |= AMX_FP16;
    assert_int_equal(judged(&facts, "granite-rapids").fit, host_fit_FEATURES);
}

static void numbers_that_nobody_has(void **state)
{
    (void)state;
    enum { ZEN5 = 0xb40f40, NEW_INTEL = 0xd06d0, NEW_ATOM = 0xb06e0, OLD_AMD = 0x600f20 };
    struct host_facts facts = recent(ZEN5);
    facts.leaf7_1_eax = AVX_VNNI;
    assert_int_equal(judged(&facts, "zen4").fit, host_fit_NEAREST);
    facts = recent(NEW_INTEL);
    facts.leaf7_1_eax = AVX_VNNI;
    facts.leaf7_edx = FP16 | AMX;
    assert_int_equal(judged(&facts, "sapphire-rapids").fit, host_fit_NEAREST);
    facts = recent(NEW_ATOM); /* without AVX-512 it may be a small core: no guess */
    facts.leaf7_ebx = AVX2 | CLFLUSHOPT;
    assert_int_equal(judged(&facts, "skylake").fit, host_fit_NONE);
    facts = recent(OLD_AMD);
    facts.leaf7_ebx = 0;
    assert_int_equal(judged(&facts, "skylake").fit, host_fit_NONE);
}

static void push(struct array *candidates, const char *name, uint32_t features, bool has_number,
                 bool is_same_make)
{
    *(struct host_candidate *)array_push(candidates) =
        (struct host_candidate){name, features, has_number, is_same_make};
}

/* Files that a user measured stand first; those of earlier versions have no features. */
static void files_without_features(void **state)
{
    (void)state;
    enum { OLD = 1 << feature_AVX, NEW = OLD | 1 << feature_AVX2 };
    struct array candidates = ARRAY_OF(struct host_candidate);
    struct host_judgement judgement = {0};
    assert_int_equal(generation_judge(&candidates, NEW, &judgement), SIZE_MAX);
    push(&candidates, "other", NEW, false, false);
    assert_int_equal(generation_judge(&candidates, NEW, &judgement), SIZE_MAX);
    push(&candidates, "old", OLD, true, true);
    push(&candidates, "new", NEW, false, true);
    assert_int_equal(generation_judge(&candidates, NEW, &judgement), 2);
    assert_int_equal(judgement.fit, host_fit_FEATURES);
    assert_string_equal(judgement.numbered, "old");
    push(&candidates, "measured", 0, true, true);
    assert_int_equal(generation_judge(&candidates, NEW, &judgement), 3);
    assert_int_equal(judgement.fit, host_fit_NUMBER);
    assert_null(judgement.numbered);
    array_free(&candidates);
}

/* Whatever it is, it is recognised without harm, and what it runs it has. */
static void this_computer(void **state)
{
    (void)state;
    struct host_facts facts = host_read_facts();
    struct machine_identity host = host_identify(&facts);
#if defined(__aarch64__)
    assert_true(host.isa == isa_AARCH64 || host.isa == isa_NONE);
#elif defined(__x86_64__)
    assert_int_equal(host.isa, isa_X86_64);
    __builtin_cpu_init();
    assert_int_equal(host.extensions >> extension_AVX & 1, __builtin_cpu_supports("avx") != 0);
    assert_int_equal(host.extensions >> extension_AVX2 & 1, __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(host.extensions >> extension_FMA & 1, __builtin_cpu_supports("fma") != 0);
    assert_true(!(host.extensions >> extension_AVX512 & 1) || __builtin_cpu_supports("avx512f"));
#endif
    assert_int_equal(host.extensions & ~extensions_of_isa(host.isa), 0);
}

static void write_index(unsigned index, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "index%u", index);
    mkdir(place(path), 0700);
    snprintf(path, sizeof path, "index%u/%s", index, name);
    write_file(path, text);
}

/* Levels in any order, instructions beside data, files that are missing or make no sense. */
static void caches_of_a_folder(void **state)
{
    (void)state;
    struct machine_cache caches[MOST_CACHES];
    assert_int_equal(host_caches_in(place("nothing"), caches, MOST_CACHES), 0);
    write_index(0, "level", "2\n");
    write_index(0, "type", "Unified\n");
    write_index(0, "size", "1024K\n");
    write_index(0, "ways_of_associativity", "8\n");
    write_index(0, "coherency_line_size", "64\n");
    write_index(0, "shared_cpu_list", "0\n");
    write_index(1, "level", "1\n");
    write_index(1, "type", "Instruction\n");
    write_index(1, "size", "64K\n");
    write_index(2, "level", "1\n");
    write_index(2, "type", "Data\n");
    write_index(2, "size", "48K\n");
    write_index(3, "level", "3\n");
    write_index(3, "size", "32M\n");
    write_index(3, "shared_cpu_list", "0-3\n");
    write_index(4, "level", "4\n");
    write_index(4, "size", "-1\n");
    write_index(5, "level", "3\n");
    write_index(5, "size", "many\n");
    assert_int_equal(host_caches_in(folder, caches, MOST_CACHES), 3);
    assert_true(caches[0].level == 1 && caches[0].bytes == 48 << 10 && !caches[0].ways && !caches[0].line);
    assert_true(caches[1].level == 2 && caches[1].bytes == 1 << 20 && caches[1].ways == 8);
    assert_true(caches[1].line == 64 && !caches[1].is_shared);
    assert_true(caches[2].level == 3 && caches[2].bytes == 32 << 20 && caches[2].is_shared);
    assert_int_equal(host_caches_in(folder, caches, 1), 1);
    unsigned count = host_caches(caches, MOST_CACHES);
    for (unsigned i = 0; i < count; i++)
        assert_true(caches[i].bytes && (!i || caches[i].level > caches[i - 1].level));
}

static void extensions_of_forms(void **state)
{
    (void)state;
    enum { NONE = extension_COUNT };
    static const struct {
        enum isa isa;
        const char *form;
        unsigned extension;
    } cases[] = {
        {isa_AARCH64, "fmla z.d,p/m,z.d,z.d", extension_SVE},
        {isa_AARCH64, "ld1d {z.d},p/z,[x,x,lsl]", extension_SVE},
        {isa_AARCH64, "prfd p,[x]", extension_SVE},
        {isa_AARCH64, "ldr z,[x]", extension_SVE},
        {isa_AARCH64, "whilelo p.d,x,x", extension_SVE},
        {isa_AARCH64, "incd x", extension_SVE},
        {isa_AARCH64, "cntd x", extension_SVE},
        {isa_AARCH64, "rdvl x,i", extension_SVE},
        {isa_AARCH64, "ld1rd {z.d},p/z,[x]", extension_SVE},
        {isa_AARCH64, "fmla 2d,2d,2d", NONE},
        {isa_AARCH64, "cnt 16b,16b", NONE},
        {isa_AARCH64, "add x,x,x", NONE},
        {isa_AARCH64, "prfm [x]", NONE},
        {isa_AARCH64, "ldp x,x,[x]", NONE},
        {isa_X86_64, "vaddpd zmm,zmm,zmm", extension_AVX512},
        {isa_X86_64, "vaddpd ymm,k,ymm,ymm", extension_AVX512},
        {isa_X86_64, "vaddpd ymm,kz,ymm,ymm", extension_AVX512},
        {isa_X86_64, "vaddpd ymm,ymm,m64b4", extension_AVX512},
        {isa_X86_64, "vpternlogd ymm,ymm,ymm,i8", extension_AVX512},
        {isa_X86_64, "vaddph xmm,xmm,xmm", extension_AVX512},
        {isa_X86_64, "kandw k,k,k", extension_AVX512},
        {isa_X86_64, "vcvtsd2usi r64,m64", extension_AVX512},
        {isa_X86_64, "vpermpd ymm,ymm,ymm", extension_AVX512},
        {isa_X86_64, "vpslld ymm,m256,i8", extension_AVX512},
        {isa_X86_64, "vpbroadcastd ymm,r32", extension_AVX512},
        {isa_X86_64, "vgatherdps zmm,k,vz", extension_AVX512},
        {isa_X86_64, "vfmadd231pd ymm,ymm,ymm", extension_FMA},
        {isa_X86_64, "vfnmsub132ss xmm,xmm,m32", extension_FMA},
        {isa_X86_64, "vfmadd231pd zmm,zmm,zmm", extension_AVX512},
        {isa_X86_64, "vpaddd ymm,ymm,ymm", extension_AVX2},
        {isa_X86_64, "vpermpd ymm,ymm,i8", extension_AVX2},
        {isa_X86_64, "vpbroadcastd xmm,m32", extension_AVX2},
        {isa_X86_64, "vbroadcastsd ymm,xmm", extension_AVX2},
        {isa_X86_64, "vgatherdpd ymm,vx,ymm", extension_AVX2},
        {isa_X86_64, "vpaddd xmm,xmm,xmm", extension_AVX},
        {isa_X86_64, "vbroadcastsd ymm,m64", extension_AVX},
        {isa_X86_64, "vpermilps ymm,ymm,i8", extension_AVX},
        {isa_X86_64, "vcvtps2ph m128,ymm,i8", extension_AVX},
        {isa_X86_64, "vcvttsd2si r64,m64", extension_AVX},
        {isa_X86_64, "vzeroupper", extension_AVX},
        {isa_X86_64, "addpd xmm,xmm", NONE},
        {isa_X86_64, "verr m16", NONE},
        {isa_X86_64, "add r64,r64", NONE},
        {isa_IA64, "ldfpd z,p", NONE},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t wanted = cases[i].extension == NONE ? 0 : 1U << cases[i].extension;
        uint32_t found = extension_of_form(cases[i].isa, cases[i].form);
        if (found != wanted)
            print_error("%s\n", cases[i].form);
        assert_int_equal(found, wanted);
    }
}

static struct machine *load(const char *name)
{
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 1, &error);
    if (!machine)
        print_error("%s\n", error.text);
    assert_non_null(machine);
    return machine;
}

static void restricted_machines(void **state)
{
    (void)state;
    static const struct {
        const char *name, *called, *words, *options;
        unsigned bits, registers;
        const char *lacks, *keeps;
    } cases[] = {
        {"neoverse-v1", "neoverse-v1", "neoverse-v1", "-mcpu=neoverse-v1", 256, 0, "vaddpd zmm,zmm,zmm",
         "fmla z.d,p/m,z.d,z.d"},
        {"neoverse-v1+nosve", "neoverse-v1+nosve", "neoverse-v1 without SVE", "-mcpu=neoverse-v1+nosve", 128,
         0, "fmla z.d,p/m,z.d,z.d", "fmla 2d,2d,2d"},
        {"graviton3+nosve", "neoverse-v1+nosve", "neoverse-v1 without SVE", "-mcpu=neoverse-v1+nosve", 128, 0,
         "incd x", "add x,x,x"},
        {"skylake-x+noavx512", "skylake-x+noavx512", "skylake-x without AVX-512",
         "-march=skylake-avx512 -mno-avx512f", 256, 16, "vaddpd ymm,k,ymm,ymm", "vfmadd231pd ymm,ymm,ymm"},
        {"skylake-x+noavx2", "skylake-x+noavx2", "skylake-x without AVX2 and AVX-512",
         "-march=skylake-avx512 -mno-avx2", 256, 16, "vpaddd ymm,ymm,ymm", "vaddpd ymm,ymm,ymm"},
        {"skylake-x+noavx512+nofma", "skylake-x+nofma", "skylake-x without FMA and AVX-512",
         "-march=skylake-avx512 -mno-fma -mno-avx512f", 256, 16, "vfmadd231pd ymm,ymm,ymm",
         "vpaddd ymm,ymm,ymm"},
        {"haswell+noavx", "haswell+noavx", "haswell without AVX, AVX2 and FMA", "-march=haswell -mno-avx",
         128, 16, "vaddpd xmm,xmm,xmm", "addpd xmm,xmm"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine *machine = load(cases[i].name);
        char *words = machine_words(machine), *options = machine_compiler_options(machine);
        assert_string_equal(machine->name, cases[i].called);
        assert_string_equal(words, cases[i].words);
        assert_string_equal(options, cases[i].options);
        assert_int_equal(machine->core.vector_bits, cases[i].bits);
        assert_int_equal(machine->core.vector_registers, cases[i].registers);
        assert_null(machine_form(machine, cases[i].lacks));
        assert_non_null(machine_form(machine, cases[i].keeps));
        free(words);
        free(options);
        machine_free(machine);
    }
}

static void guarded_gathers(void **state)
{
    static const char *const names[] = {"cascade-lake+guarded-gathers",
                                        "tiger-lake+noavx512+guarded-gathers"};
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        autofree char *plain_name = memory_copy_text(names[i], strlen(names[i]) - strlen("+guarded-gathers"));
        struct machine *plain = load(plain_name), *guarded = load(names[i]);
        static const char gather[] = "vgatherdpd ymm,vx,ymm", load_form[] = "vmovupd ymm,m256";
        const struct machine_form *before = machine_form(plain, gather),
                                  *after = machine_form(guarded, gather);
        const struct gather_guard *guard = &guarded->gather_guard;
        assert_string_equal(guarded->name, names[i]);
        assert_true(guarded->guards_gathers && !plain->guards_gathers);
        assert_true(after->throughput >= guard->between && !(before->throughput >= guard->between));
        for (unsigned slot = 1; slot <= 3; slot++) {
            double was = form_latency(plain, before, slot, 1), is = form_latency(guarded, after, slot, 1);
            assert_true((isnan(was) && isnan(is)) || fabs(is - was - guard->later) < 1e-4);
        }
        assert_true(form_latency(guarded, after, slot_INDEX, 1) >
                    form_latency(plain, before, slot_INDEX, 1) + guard->later - 1e-4);
        assert_true(form_latency(guarded, machine_form(guarded, load_form), slot_ADDRESS, 1) ==
                    form_latency(plain, machine_form(plain, load_form), slot_ADDRESS, 1));
        machine_free(plain);
        machine_free(guarded);
    }
}

static void refuse(const char *name, const char *words)
{
    struct error error = {0};
    assert_null(machine_load(name, folders, 1, &error));
    if (!strstr(error.text, words))
        print_error("%s\nwanted: %s\n", error.text, words);
    assert_non_null(strstr(error.text, words));
}

static void restrictions_that_make_no_sense(void **state)
{
    (void)state;
    refuse("skylake+nosve",
           "skylake cannot be taken with '+nosve'; possible: skylake+noavx, skylake+noavx2, skylake+nofma");
    refuse("neoverse-v1+nofoo", "possible: neoverse-v1+nosve");
    refuse("neoverse-v1+sve", "cannot be taken with '+sve'; possible: neoverse-v1+nosve");
    refuse("neoverse-v1+nosve+", "cannot be taken with '+'; possible: neoverse-v1+nosve");
    refuse("neoverse-n1+nosve", "it has no extension that it could be without");
    refuse("skylake+noavx512", "possible: skylake+noavx");
    refuse("neoverse+nosve", "no machine is called 'neoverse'");
    refuse("zen4+guarded-gathers", "has no figures of guarded gathers");
    refuse("+nosve", "no machine is called ''");
}

static void as_perf_writes_it(void **state)
{
    struct machine_identity identity;
    (void)state;
    assert_true(host_identity_of("GenuineIntel,6,85,4", &identity));
    assert_int_equal(identity.isa, isa_X86_64);
    assert_int_equal(identity.family, 6);
    assert_int_equal(identity.model, 85);
    assert_int_equal(identity.stepping, 4);
    assert_true(host_identity_of("0x00000000411fd401", &identity));
    assert_int_equal(identity.isa, isa_AARCH64);
    assert_int_equal(identity.family, 0x41);
    assert_int_equal(identity.model, 0xd40);
    assert_false(host_identity_of("POWER9", &identity));
    assert_false(host_identity_of("", &identity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_computers),
        cmocka_unit_test(x86_computers),
        cmocka_unit_test(numbers_that_cannot_be),
        cmocka_unit_test(numbers_that_nobody_has),
        cmocka_unit_test(files_without_features),
        cmocka_unit_test(this_computer),
        cmocka_unit_test(caches_of_a_folder),
        cmocka_unit_test(extensions_of_forms),
        cmocka_unit_test(restricted_machines),
        cmocka_unit_test(guarded_gathers),
        cmocka_unit_test(restrictions_that_make_no_sense),
        cmocka_unit_test(as_perf_writes_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
