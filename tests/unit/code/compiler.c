/* Compilers and options in force, from texts that real compilers wrote. */
#include "code/quality/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct compiler parse(const char *producer, enum language language)
{
    struct compiler compiler;
    compiler_parse(&compiler, producer, NULL, language);
    return compiler;
}

/* GCC 12 with these options for C. */
static struct compiler gcc(const char *flags)
{
    struct compiler compiler;
    compiler_parse(&compiler, "GNU C17 12.2.0", flags, language_C);
    return compiler;
}

static struct compiler clang(const char *flags)
{
    struct compiler compiler;
    compiler_parse(&compiler, "Debian clang version 14.0.6", flags, language_C);
    return compiler;
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *producer;
        enum language language;
        enum compiler_family family;
        enum language expected;
        unsigned major;
        bool has_flags;
    } names[] = {
        {"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables", language_C,
         compiler_GCC, language_C, 12, true},
        {"GNU C++20 12.2.0 -mtune=generic -march=x86-64 -g -O1 -std=c++20", language_CPLUSPLUS, compiler_GCC,
         language_CPLUSPLUS, 12, true},
        {"GNU C++14 9.4.0 -mtune=generic -march=x86-64 -g -O3", language_UNKNOWN, compiler_GCC,
         language_CPLUSPLUS, 9, true},
        {"GNU Fortran2008 12.2.0 -march=znver3 -g -Ofast -fintrinsic-modules-path "
         "/usr/lib/gcc/x86_64-linux-gnu/12/finclude",
         language_FORTRAN, compiler_GCC, language_FORTRAN, 12, true},
        {"GNU Fortran 4.4.7 20120313 (Red Hat 4.4.7-23)", language_FORTRAN, compiler_GCC, language_FORTRAN, 4,
         false},
        {"GNU F77 3.4.6 20060404 (Red Hat 3.4.6-4)", language_UNKNOWN, compiler_GCC, language_FORTRAN, 3,
         false},
        {"GNU C 4.8.5 20150623 (Red Hat 4.8.5-44) -mtune=generic -march=x86-64 -g -O2", language_C,
         compiler_GCC, language_C, 4, true},
        {"GNU Ada 12.2.0 -O2 -gnatp -g", language_ADA, compiler_GCC, language_OTHER, 12, true},
        {"GNU GIMPLE 12.2.0 -march=x86-64-v3 -g -g -Ofast -fno-openmp -fPIC -fltrans", language_UNKNOWN,
         compiler_GCC, language_UNKNOWN, 12, true},
        {"GNU AS 2.40.0", language_ASSEMBLY, compiler_UNKNOWN, language_ASSEMBLY, 2, false},
        {"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0", language_UNKNOWN, compiler_GCC, language_UNKNOWN, 12,
         false},
        {"GCC: (GNU) 8.5.0 20210514 (Red Hat 8.5.0-18)", language_UNKNOWN, compiler_GCC, language_UNKNOWN, 8,
         false},
        {"GCC: (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", language_UNKNOWN, compiler_GCC, language_UNKNOWN, 11,
         false},
        {"Debian clang version 14.0.6", language_C, compiler_CLANG, language_C, 14, false},
        {"Ubuntu clang version 15.0.7", language_CPLUSPLUS, compiler_CLANG, language_CPLUSPLUS, 15, false},
        {"clang version 17.0.0 (https://github.com/llvm/llvm-project.git 4a2757744471)", language_C,
         compiler_CLANG, language_C, 17, false},
        {"Apple clang version 14.0.3 (clang-1403.0.22.14.1)", language_C, compiler_CLANG, language_C, 14,
         false},
        {"AMD clang version 14.0.6 (CLANG: AOCC_4.0.0-Build#434 2022_10_28)", language_C, compiler_CLANG,
         language_C, 14, false},
        {"Arm C/C++/Fortran Compiler version 22.1 (build number 1630) (based on LLVM 13.0.1)",
         language_FORTRAN, compiler_CLANG, language_FORTRAN, 22, false},
        {"Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang -O2 -grecord-command-line -march=haswell -g "
         "-c "
         "a.c -o a.o",
         language_C, compiler_CLANG, language_C, 14, true},
        {"flang-new version 18.1.8", language_FORTRAN, compiler_CLANG, language_FORTRAN, 18, false},
        {" F90 Flang - 1.5 2017-05-01", language_UNKNOWN, compiler_CLANG, language_FORTRAN, 1, false},
        {"clang LLVM (rustc version 1.63.0)", language_RUST, compiler_UNKNOWN, language_OTHER, 0, false},
        {"Intel(R) Fortran Intel(R) 64 Compiler for applications running on Intel(R) 64, Version 19.1.0.166 "
         "Build 20191121",
         language_FORTRAN, compiler_INTEL, language_FORTRAN, 19, false},
        {"Intel(R) Fortran 23.0-1769", language_UNKNOWN, compiler_INTEL, language_FORTRAN, 23, false},
        {"Intel(R) oneAPI DPC++/C++ Compiler 2023.1.0 (2023.1.0.20230320)", language_CPLUSPLUS,
         compiler_INTEL, language_CPLUSPLUS, 2023, false},
        {"Intel(R) C Intel(R) 64 Compiler for applications running on Intel(R) 64, Version 18.0.0.128 Build "
         "20170811 : kernel.c : -sox -O3 -xCORE-AVX2 -c",
         language_UNKNOWN, compiler_INTEL, language_UNKNOWN, 18, true},
        {"Go cmd/compile go1.19.8; regabi", language_GO, compiler_UNKNOWN, language_OTHER, 0, false},
        {NULL, language_UNKNOWN, compiler_UNKNOWN, language_UNKNOWN, 0, false},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct compiler compiler = parse(names[i].producer, names[i].language);
        print_message("%s\n", names[i].producer ? names[i].producer : "nothing");
        assert_int_equal(compiler.family, names[i].family);
        assert_int_equal(compiler.language, names[i].expected);
        assert_int_equal(compiler.major, names[i].major);
        assert_int_equal(compiler.flags != NULL, names[i].has_flags);
    }
}

static void test_levels(void **state)
{
    (void)state;
    static const struct {
        const char *flags;
        int level;
        bool is_size, is_debugging, is_fast, vectorises;
    } levels[] = {{"-g", 0, false, false, false, false},
                  {"-g -O2 -O0", 0, false, false, false, false},
                  {"-g -O", 1, false, false, false, false},
                  {"-O1", 1, false, false, false, false},
                  {"-Og -g", 1, false, true, false, false},
                  {"-g -g -Os -fPIC", 2, true, false, false, false},
                  {"-Oz", 2, true, false, false, false},
                  {"-O0 -O2", 2, false, false, false, true},
                  {"-O2 -fno-tree-vectorize", 2, false, false, false, false},
                  {"-fno-tree-vectorize -O3", 3, false, false, false, false},
                  {"-O1 -ftree-vectorize", 1, false, false, false, true},
                  {"-O3 -g", 3, false, false, false, true},
                  {"-O4", 3, false, false, false, true},
                  {"-Ofast -O2", 2, false, false, false, true},
                  {"-O2 -Ofast", 3, false, false, true, true},
                  {"-Ofast -fno-fast-math", 3, false, false, false, true},
                  {"-fno-fast-math -Ofast", 3, false, false, false, true}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct compiler compiler = gcc(levels[i].flags);
        print_message("%s\n", levels[i].flags);
        assert_int_equal(compiler.optimisation, levels[i].level);
        assert_int_equal(compiler.optimises_size, levels[i].is_size);
        assert_int_equal(compiler.optimises_debugging, levels[i].is_debugging);
        assert_int_equal(compiler.has_fast_math, levels[i].is_fast);
        assert_int_equal(compiler.vectorises, levels[i].vectorises);
    }
    struct compiler old = parse("GNU C17 10.2.1 20210110 -mtune=generic -march=x86-64 -g -O2", language_C);
    assert_false(old.vectorises);
    assert_true(clang("-O2").vectorises);
    assert_true(clang("-Os").vectorises);
    assert_false(clang("-O1").vectorises);
    assert_true(clang("-fno-fast-math -Ofast").has_fast_math);
    assert_false(clang("-Ofast -fno-fast-math").has_fast_math);
    struct compiler compiler = gcc("-Os");
    assert_false(compiler_has(&compiler, "-O2"));
    compiler = gcc("-O2");
    assert_true(compiler_has(&compiler, "-O1"));
    assert_true(compiler_has(&compiler, "-O2"));
    assert_false(compiler_has(&compiler, "-O3"));
    compiler = gcc("-Ofast");
    assert_true(compiler_has(&compiler, "-O3"));
    assert_true(compiler_has(&compiler, "-Ofast"));
    /* Intel's compilers optimise unless told not to. */
    compiler_parse(&compiler, "Intel(R) oneAPI DPC++/C++ Compiler 2023.1.0", "-c", language_CPLUSPLUS);
    assert_int_equal(compiler.optimisation, 2);
    compiler_parse(&compiler, "Intel(R) oneAPI DPC++/C++ Compiler 2023.1.0", "-g -c", language_CPLUSPLUS);
    assert_int_equal(compiler.optimisation, 0);
}

static void test_fast_math(void **state)
{
    (void)state;
    struct compiler compiler = gcc("-O2 -ffast-math");
    assert_true(compiler_has(&compiler, "-ffast-math"));
    assert_true(compiler_has(&compiler, "-fassociative-math -fno-signed-zeros -fno-trapping-math"));
    assert_true(compiler_has(&compiler, "-ffinite-math-only"));
    assert_true(compiler_has(&compiler, "-freciprocal-math"));
    assert_true(compiler_has(&compiler, "-fno-math-errno"));
    assert_true(compiler_has(&compiler, "-fcx-limited-range"));
    compiler = gcc("-O2");
    assert_false(compiler_has(&compiler, "-ffast-math"));
    assert_false(compiler_has(&compiler, "-fno-math-errno"));
    assert_true(compiler_has(&compiler, "-fmath-errno"));
    assert_false(compiler_has(&compiler, "-fcx-limited-range"));
    /* Reordering needs all three. */
    compiler = gcc("-O2 -fassociative-math -fno-signed-zeros");
    assert_false(compiler.has_associative_math);
    assert_true(compiler.has_no_signed_zeros);
    compiler = gcc("-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math");
    assert_true(compiler.has_associative_math);
    assert_false(compiler.has_fast_math);
    assert_true(clang("-O2 -fassociative-math -fno-signed-zeros").has_associative_math);
    compiler = gcc("-O2 -funsafe-math-optimizations");
    assert_true(compiler.has_associative_math && compiler.has_reciprocal_math);
    assert_false(compiler.has_finite_math || compiler.has_no_math_errno || compiler.has_fast_math);
    compiler = gcc("-O2 -ffast-math -fno-finite-math-only");
    assert_true(compiler.has_associative_math);
    assert_false(compiler.has_finite_math || compiler.has_fast_math);
    compiler = gcc("-O2 -fno-finite-math-only -ffast-math");
    assert_true(compiler.has_fast_math);
    compiler = gcc("-O3 -ffast-math -fmath-errno");
    assert_false(compiler.has_no_math_errno);
}

static void test_fortran(void **state)
{
    (void)state;
    struct compiler compiler =
        parse("GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64 -g -O2", language_FORTRAN);
    assert_true(compiler.has_no_math_errno);
    assert_false(compiler.has_limited_range);
    assert_false(compiler.has_associative_math);
    compiler = parse("GNU Fortran2008 12.2.0 -O2 -fno-signed-zeros -fno-trapping-math", language_FORTRAN);
    assert_true(compiler.has_associative_math);
    compiler = parse("GNU Fortran2008 12.2.0 -O2 -fno-fast-math", language_FORTRAN);
    assert_true(compiler.has_no_math_errno);
}

/* What the options keep a compiler from using, as GCC writes them down on computers that lack it. */
static void test_extensions(void **state)
{
    (void)state;
    static const struct {
        const char *flags;
        uint32_t without;
    } cases[] = {
        {"-mcpu=neoverse-v1 -O3", 0},
        {"-mcpu=neoverse-v1+nosve -O3", 1U << extension_SVE},
        {"-mcpu=zeus+crypto+sha3+sm4+nodotprod+nosve+noprofile+nossbs+nopauth -O3", 1U << extension_SVE},
        {"-mcpu=neoverse-n1 -O3", 1U << extension_SVE},
        {"-mcpu=neoverse-n1+sve -O3", 0},
        {"-march=armv8.2-a -O3", 1U << extension_SVE},
        {"-march=armv8.2-a+sve2 -O3", 0},
        {"-march=armv9-a -O3", 0},
        {"-mcpu=native -O3", 0},
        {"-mlittle-endian -O3", 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct compiler compiler = gcc(cases[i].flags);
        assert_int_equal(compiler.without, cases[i].without);
    }
    uint32_t x86 = extensions_of_isa(isa_X86_64), avx512 = 1U << extension_AVX512;
    assert_int_equal(gcc("-march=skylake-avx512 -O3").without & x86, 0);
    assert_int_equal(gcc("-march=skylake-avx512 -mno-avx512f -O3").without & x86, avx512);
    assert_int_equal(gcc("-march=alderlake -mavx2 -mfma -mno-avx512f -mno-avx512vl -O3").without & x86,
                     avx512);
    assert_int_equal(gcc("-march=haswell -mno-avx -O3").without & x86, x86);
    assert_int_equal(gcc("-mno-avx2 -march=haswell -O3").without & x86, avx512 | 1U << extension_AVX2);
}

static void test_targets(void **state)
{
    (void)state;
    struct compiler compiler = gcc("-mtune=generic -march=x86-64 -g -O2");
    assert_string_equal(compiler.target, "");
    assert_false(compiler_has(&compiler, "-march"));
    compiler = gcc("-march=x86-64-v3 -g -O2");
    assert_string_equal(compiler.target, "x86-64-v3");
    assert_true(compiler_has(&compiler, "-march"));
    compiler = gcc("-mavx2 -mtune=generic -march=x86-64 -g -O2");
    assert_string_equal(compiler.target, "");
    assert_true(compiler_has(&compiler, "-march"));
    compiler = gcc("-mcpu=neoverse-v1 -mlittle-endian -mabi=lp64 -g -O3");
    assert_string_equal(compiler.target, "neoverse-v1");
    assert_true(compiler_has(&compiler, "-mcpu"));
    compiler = gcc("-mlittle-endian -mabi=lp64 -g -O2");
    assert_false(compiler_has(&compiler, "-mcpu"));
    compiler = gcc("-march=armv8-a -mlittle-endian -mabi=lp64 -g -O2");
    assert_false(compiler_has(&compiler, "-mcpu"));
    compiler = gcc("-march=armv8.2-a+sve -mlittle-endian -mabi=lp64 -g -O2");
    assert_true(compiler_has(&compiler, "-march"));
    /* As GCC writes down -march=native on a Xeon, shortened. */
    compiler = gcc("-march=cooperlake -mavx -mavx2 -mno-sse4a -mfma -mavx512f --param=l1-cache-size=48 "
                   "--param=l1-cache-line-size=64 --param=l2-cache-size=307200 -mtune=generic -g -O3");
    assert_string_equal(compiler.target, "cooperlake");
    assert_true(compiler.is_native);
    assert_false(compiler.forbids_fma);
    compiler = clang("-O2 -march=native");
    assert_true(compiler.is_native);
    assert_true(compiler_has(&compiler, "-march=native"));
    compiler = parse("Intel(R) C Intel(R) 64 Compiler for applications running on Intel(R) 64, Version "
                     "18.0.0.128 Build 20170811 : kernel.c : -sox -O3 -xCORE-AVX2 -fp-model precise -c",
                     language_UNKNOWN);
    assert_string_equal(compiler.target, "CORE-AVX2");
    assert_false(compiler.has_associative_math);
    assert_true(compiler.has_no_math_errno);
    compiler_parse(&compiler, "Intel(R) Fortran 23.0-1769", "-O3 -xHost", language_UNKNOWN);
    assert_true(compiler.is_native && compiler.has_fast_math);
    compiler = gcc("-march=a-name-much-longer-than-any-processor-has-had-until-now");
    assert_int_equal(strlen(compiler.target), sizeof compiler.target - 1);
}

static void test_others(void **state)
{
    (void)state;
    struct compiler compiler = gcc(
        "-mno-fma -mprefer-vector-width=128 -mtune=generic -march=x86-64 -g -O2 -fprofile-generate -fopenmp "
        "-ffp-contract=off -fno-tree-vectorize -funroll-loops -fprofile-update=prefer-atomic");
    assert_true(compiler.forbids_fma && compiler.forbids_contraction && compiler.forbids_vectorising);
    assert_true(compiler.has_profile && compiler.has_openmp && compiler.has_unroll);
    assert_int_equal(compiler.preferred_vector, 128);
    assert_false(compiler_has(&compiler, "-ftree-vectorize"));
    assert_false(compiler_has(&compiler, "-ffp-contract=fast"));
    assert_true(compiler_has(&compiler, "-fopenmp"));
    compiler = gcc("-O2");
    assert_true(compiler_has(&compiler, "-ffp-contract=fast"));
    assert_false(compiler.has_unroll || compiler.has_lto || compiler.has_profile || compiler.has_sanitizer);
    assert_true(clang("-O2").has_unroll);
    assert_false(clang("-O2 -fno-unroll-loops").has_unroll);
    assert_true(gcc("-O2 -fprofile-use=data").has_unroll);
    assert_true(gcc("-g -O2 -fsanitize=address").has_sanitizer);
    assert_true(gcc("-g -O2 -fsanitize=undefined,leak").has_sanitizer);
    assert_false(gcc("-g -O2 -fsanitize=leak").has_sanitizer);
    assert_false(gcc("-g -O2 -fsanitize=address -fno-sanitize=all").has_sanitizer);
    assert_true(gcc("-g -O2 -flto=auto -ffat-lto-objects").has_lto);
    assert_false(gcc("-g -O2 -flto -fno-lto").has_lto);
    /* ISO C forbids contraction to GCC, but not to C++ nor with -ffast-math. */
    assert_true(gcc("-O2 -std=c11").forbids_contraction);
    assert_true(gcc("-O2 -std=c11").is_strict_iso);
    assert_false(gcc("-O2 -std=gnu11").forbids_contraction);
    assert_false(gcc("-O2 -std=c11 -ffast-math").forbids_contraction);
    assert_false(gcc("-O2 -std=c11 -ffp-contract=fast").forbids_contraction);
    assert_false(parse("GNU C++20 12.2.0 -O2 -std=c++20", language_CPLUSPLUS).forbids_contraction);
    assert_false(clang("-O2 -std=c11").forbids_contraction);
    assert_true(clang("-O2 -ffp-contract=off").forbids_contraction);
    assert_false(clang("-O2 -ffp-contract=on").forbids_contraction);
    /* Any other option, as it is spelled. */
    compiler = gcc("-O2 -fstack-arrays -mrecip=all");
    assert_true(compiler_has(&compiler, "-fstack-arrays"));
    assert_true(compiler_has(&compiler, "-mrecip=all"));
    assert_false(compiler_has(&compiler, "-mrecip"));
    assert_false(compiler_has(&compiler, "-fstack-array"));
    /* A blank within a word of Clang. */
    compiler = clang("-DTEXT=a\\ -O3 -O1");
    assert_int_equal(compiler.optimisation, 1);
    /* Nothing is known, so nothing is in force. */
    compiler = parse("Debian clang version 14.0.6", language_C);
    assert_false(compiler_has(&compiler, "-O2"));
    assert_false(compiler_has(&compiler, "-g"));
    compiler.has_debug = true;
    assert_true(compiler_has(&compiler, "-g"));
}

/* A program without debug information: what .comment and recorded command lines tell. */
static struct compiler of_program(struct model *model, const char *texts)
{
    struct compiler compiler;
    model_init(model);
    ((struct program *)model_add(&model->programs))->compiler = model_string(model, texts);
    ((struct function *)model_add(&model->functions))->program = 1;
    compiler_find(&compiler, model, 1);
    return compiler;
}

static void test_programs(void **state)
{
    (void)state;
    struct model model;
    struct compiler compiler = of_program(&model, "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0");
    assert_int_equal(compiler.family, compiler_GCC);
    assert_int_equal(compiler.major, 12);
    assert_null(compiler.flags);
    assert_false(compiler.has_debug);
    model_free(&model);
    compiler = of_program(&model, "Debian clang version 14.0.6; GCC: (Debian 12.2.0-14+deb12u1) 12.2.0");
    assert_int_equal(compiler.family, compiler_CLANG);
    assert_int_equal(compiler.major, 14);
    model_free(&model);
    compiler =
        of_program(&model, "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0; Debian clang version 14.0.6; "
                           "/usr/lib/llvm-14/bin/clang -O2 -mavx2 -frecord-command-line -c a.c -o a.o");
    assert_int_equal(compiler.family, compiler_CLANG);
    assert_int_equal(compiler.major, 14);
    assert_int_equal(compiler.optimisation, 2);
    assert_true(compiler_has(&compiler, "-march"));
    model_free(&model);
    compiler = of_program(&model, "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0; GCC: (GNU) 10.2.1");
    assert_int_equal(compiler.family, compiler_GCC);
    assert_int_equal(compiler.major, 0);
    model_free(&model);
    compiler =
        of_program(&model, "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0; GNU C17 12.2.0 -O2; GNU C17 12.2.0 -O3");
    assert_null(compiler.flags);
    model_free(&model);
    compiler = of_program(&model, "GNU C17 12.2.0 -O2 -std=c11; GCC: (Debian 12.2.0-14+deb12u1) 12.2.0");
    assert_true(compiler.forbids_contraction);
    assert_int_equal(compiler.optimisation, 2);
    model_free(&model);
    compiler = of_program(&model, NULL);
    assert_int_equal(compiler.family, compiler_UNKNOWN);
    assert_null(compiler.name);
    model_free(&model);
}

/* Code made at link time has the options of its source file. */
static void test_link_time(void **state)
{
    (void)state;
    struct model model;
    struct compiler compiler;
    model_init(&model);
    model_add(&model.programs);
    uint32_t file = model_file_id(&model, "/home/user/kernel.c");
    struct unit *unit = model_add(&model.units);
    unit->program = 1;
    unit->name = model_string(&model, "<artificial>");
    unit->producer = model_string(&model, "GNU GIMPLE 12.2.0 -g -O2 -fno-openmp -fltrans");
    unit->compiler = model_string(&model, "GNU GIMPLE 12.2.0");
    unit->flags = model_string(&model, "-g -O2 -fno-openmp -fltrans");
    unit = model_add(&model.units);
    unit->program = 1;
    unit->name = model_string(&model, "kernel.c");
    unit->directory = model_string(&model, "/home/user");
    unit->producer = model_string(&model, "GNU C17 12.2.0 -g -O2 -ffast-math -flto");
    unit->compiler = model_string(&model, "GNU C17 12.2.0");
    unit->flags = model_string(&model, "-g -O2 -ffast-math -flto");
    unit->language = language_C;
    struct function *function = model_add(&model.functions);
    function->program = function->unit = 1;
    function->file = file;
    compiler_find(&compiler, &model, 1);
    assert_true(compiler.has_fast_math && compiler.has_lto && compiler.has_debug);
    assert_int_equal(compiler.language, language_C);
    model_function(&model, 1)->file = model_file_id(&model, "/home/other/kernel.c");
    compiler_find(&compiler, &model, 1);
    assert_false(compiler.has_fast_math);
    assert_true(compiler.has_lto);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),   cmocka_unit_test(test_levels),   cmocka_unit_test(test_fast_math),
        cmocka_unit_test(test_fortran), cmocka_unit_test(test_targets),  cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_others),  cmocka_unit_test(test_programs), cmocka_unit_test(test_link_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
