/* IA-64 listings with errors: each is reported with file, line, column and word, and the rest is read. */
#include "code/read/listing/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void read_bytes(struct model *model, const char *text, size_t size)
{
    model_init(model);
    struct listing_source source = {"bad.s", {(const uint8_t *)text, size}, model_file_id(model, "bad.s")};
    struct error error = {0};
    assert_true(ia64_listing_read(model, &source, 1, &error));
}

struct fault {
    const char *text, *problem;
    size_t instructions; /* that are read all the same */
};

static const struct fault faults[] = {
    {"\tadd r1=r200,r3\n", "bad.s:1:9: ", 1},
    {"\tnop.m 0\n\tfrobnicate r1=r2\n", "bad.s:2:2: ", 2},
    {"{ .mix\n\tnop.m 0\n}\n", "bad.s:1:3: no such template: '.mix'", 1},
    {"{ .mii\n nop.m 0\n nop.i 0\n nop.i 0\n", "bad.s:1:1: a bundle that is never closed: '{'", 3},
    {"{ .mii\n nop.m 0\n nop.i 0\n{ .mii\n nop.m 0\n}\n", "bad.s:1:1: a bundle that is never closed: '{'", 3},
    {"\tnop.m 0\n}\n", "bad.s:2:1: a bundle that was never opened: '}'", 1},
    {"{ .mii\n nop.m 0\n nop.i 0\n nop.i 0\n nop.i 1\n}\n",
     "bad.s:5:2: more than three instructions in a bundle: 'nop.i 1'", 4},
    {"{ .bbb\n add r1=r2,r3\n}\n", "bad.s:2:2: this does not fit the rest of a bundle bbb: 'add r1=r2,r3'",
     1},
    {"{ .mfb\n nop.m 0\n nop.i 0\n}\n", "bad.s:3:2: this does not fit the rest of a bundle mfb: 'nop.i 0'",
     2},
    {"{ .mib\n nop.m 0 ;;\n nop.i 0\n nop.b 0\n}\n",
     "bad.s:3:2: a bundle mib has no stop before this: 'nop.i 0'", 3},
    {"{ .mii\n nop.m 0 ;;\n nop.i 0 ;;\n nop.i 0\n}\n",
     "bad.s:4:2: this does not fit the rest of a bundle mii: 'nop.i 0'", 3},
    {"\tnop.m 0 ;; ;;\n", "bad.s:1:13: a second stop at the same place: ';;'", 1},
    {"{ .mmi\n nop.m 0\n ;;\n ;;\n nop.m 0\n nop.i 0\n}\n",
     "bad.s:4:2: a second stop at the same place: ';;'", 3},
    {"{ nop.m 0 ; nop.m 1 ; movl r1=5 }\n", "bad.s:1:23: no room for a long instruction: 'movl r1=5'", 3},
    {"{ nop.m 0 ; .mmi ; nop.m 1 }\n", "bad.s:1:13: a template must be the first thing in its bundle: '.mmi'",
     2},
    {"\tbr.cond.sptk .nowhere\n", "bad.s:1:2: no such label: '.nowhere'", 1},
    {"\tbr.cond.sptk 1f\n", "bad.s:1:2: no such label: '1'", 1},
    {"x:\tnop.m 0\nx:\tnop.m 0\n", "bad.s:2:1: a second definition of the label 'x'", 2},
    {"\t.rotr a[90], b[90]\n", "bad.s:1:15: no such rotating registers: 'b[90]'", 0},
    {"\t.rotr a[0]\n", "bad.s:1:8: no such rotating registers: 'a[0]'", 0},
    {"\tnop.m 0\n/* and so on\n\tnop.m 1\n", "bad.s:2:1: a comment that is never closed", 1},
    {"\t=%$ what\n\tnop.m 0\n", "bad.s:1:2: not a statement: '=%$'", 1},
    {"\t.macro m\n\tnop.m 0\n", "bad.s:3:1: a macro that never ends: '.endm' is missing", 0},
    {"\t.macro m\n\tm\n\t.endm\n\tm\n\tnop.m 0\n",
     "bad.s:4:2: macros that are nested too deep or make too much text", 1},
    {"\t.rept x\n\tnop.m 0\n\t.endr\n", "bad.s:1:8: not a number of repetitions: 'x'", 0},
};

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct model model;
        read_bytes(&model, faults[i].text, strlen(faults[i].text));
        const char *found =
            model.problems.count > 1 ? model_text(&model, model_problem(&model, 1)->text) : "none";
        if (strncmp(found, faults[i].problem, strlen(faults[i].problem)) || model.problems.count != 2)
            fail_msg("%s: %zu problems, the first: %s", faults[i].text, model.problems.count - 1, found);
        if (model.listing_instructions.count != faults[i].instructions)
            fail_msg("%s: %zu instructions", faults[i].text, model.listing_instructions.count);
        model_free(&model);
    }
}

static void sound_things_are_no_faults(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{ .mib ; br.ret.sptk b0 ;; }\n",            /* the assembler adds no-ops */
        "{ .mii\n nop.m 0 ;;\n}\n",                  /* so this stop is at the end */
        "{ .mii\n nop.m 0\n;;\n mov r31=ar.lc\n}\n", /* and this one after a no-op */
        "{ .mlx ; movl r1=5 ;; }\n",
        "two == 2*one\none = 1\nA == a\na = r2\n\tadd A=two+1,a\n",
        "\t.rotp p#[2], p1#[4]\n\t.rotr r#[2], r1#[4]\n(p1#[1]) cmp.eq p[0]=r[1],r1#[1]\n",
        "{ }\n",
        ";;\n\tnop.m 0\n",
        "\tbr.call.sptk b0=elsewhere#\n",
        "[.LVL0:]\n[.LVL1:]\n\tnop.m 0\n",
        "\t.mii\n\tnop 0\n\tnop 0\n\tnop 0\n\t;;\n\t.bbb\n\tnop 0\n\tbr.ret.sptk b0\n\tnop 0\n",
        "1:\tnop.m 0\n1:\tbr.cond.sptk 1b\n",
        "#define X r32\n#define SIZE 8\n\tld8 r3=[X],(2 * SIZE)\n",
        "\tnop.m 0 /* one */ /* two */ // three\n",
        "\t.ident \"a;b{c}//d\"\n\tstringz \"\\\"//\"\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct model model;
        read_bytes(&model, texts[i], strlen(texts[i]));
        if (model.problems.count > 1)
            fail_msg("%s: %s", texts[i], model_text(&model, model_problem(&model, 1)->text));
        model_free(&model);
    }
}

/* Equal faults are counted; many different ones get one row for those after the first hundred. */
static void faults_are_counted(void **state)
{
    (void)state;
    struct model model;
    read_bytes(&model, "\tno r1\n\tno r1\n\tno r1\n", 21);
    assert_int_equal(model.problems.count, 2);
    assert_int_equal(model_problem(&model, 1)->count, 3);
    assert_int_equal(model_problem(&model, 1)->kind, problem_kind_UNKNOWN);
    model_free(&model);
    char text[40 * 1000];
    size_t size = 0;
    for (int i = 0; i < 1000; i++)
        size += (size_t)sprintf(text + size, "\tno%d r1\n", i);
    read_bytes(&model, text, size);
    assert_int_equal(model.problems.count, 102);
    assert_int_equal(model_problem(&model, 101)->count, 900);
    assert_int_equal(model.listing_instructions.count, 1000);
    model_free(&model);
}

static void fill(char *text, size_t size, const char *pattern)
{
    size_t length = strlen(pattern);
    for (size_t i = 0; i < size; i++)
        text[i] = pattern[i % length];
}

/* Lines of megabytes take no more than any other text. */
static void long_lines(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    static const char *const patterns[] = {
        "x",  "x ", "a:",  "(",  "[",   "\"", ";",        ";;",       "{",  "}{", "/*", "*/",
        "//", "#",  ".x ", "a=", "a=(", ",",  "nop.m 0;", ".rotr a[", "\\", "1:", "]"};
    char *text = malloc(SIZE);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct model model;
        fill(text, SIZE, patterns[i]);
        read_bytes(&model, text, SIZE);
        assert_true(model.problems.count <= 102);
        model_free(&model);
    }
    free(text);
}

static void junk(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    uint8_t *text = malloc(SIZE);
    uint32_t seed = 1;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < SIZE; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = round == 0 ? (uint8_t)(seed >> 24) : 0;
            if (round == 2)
                text[i] = (uint8_t) " \n\t.;{}()[]:=#/\"\\*abr1\n1bcd,,+-"[seed >> 24 & 31];
        }
        struct model model;
        read_bytes(&model, (const char *)text, SIZE);
        assert_true(model.problems.count <= 102);
        model_free(&model);
    }
    free(text);
    struct model model;
    read_bytes(&model, "", 0);
    assert_int_equal(model.problems.count, 1);
    assert_int_equal(model.listing_instructions.count, 0);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(sound_things_are_no_faults),
        cmocka_unit_test(faults_are_counted),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(junk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
