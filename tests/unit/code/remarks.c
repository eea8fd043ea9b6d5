/* Records of compilers: which words become a loop's reason, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/remarks/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct remarks remarks;
static struct error error;

static bool read_text(const char *text, size_t size)
{
    remarks_free(&remarks);
    error = (struct error){0};
    return remarks_read_bytes(&remarks, "record", (struct span){(const uint8_t *)text, size}, &error);
}

static const struct remark_entry *entry(size_t index)
{
    assert_true(index < remarks.entries.count);
    return ARRAY_AT(struct remark_entry, &remarks.entries, index);
}

static const char *text_of(string_id id)
{
    return id ? strings_text(&remarks.strings, id) : "";
}

static void expect_entry(size_t index, enum remark_verdict verdict, enum remark_reason reason,
                         const char *text, unsigned line, unsigned reason_line)
{
    const struct remark_entry *it = entry(index);
    assert_int_equal(it->verdict, verdict);
    assert_int_equal(it->reason, reason);
    assert_string_equal(text_of(it->text), text);
    assert_int_equal(it->line, line);
    assert_int_equal(it->reason_line, reason_line);
}

/* Remarks of GCC as its record has them: members in this order, children before the message. */
#define HEAD "[{\"format\": \"1\", \"generator\": {\"version\": \"12.2.0\", \"name\": \"GNU C17\"}}, [], ["
#define PLACE(line)                                                                                          \
    "\"location\": {\"line\": " #line ", \"file\": \"a.c\", \"column\": 7}, \"pass\": \"0x1\", "
#define SAYS(kind, line, text)                                                                                        \
    "{\"kind\": \"" kind "\", " PLACE(                                                                                \
        line) "\"message\": [\"" text                                                                                 \
              "\"], \"impl_location\": {\"line\": 1, \"file\": \"x.cc\", \"function\": \"g\"}, \"function\": \"f\", " \
              "\"inlining_chain\": [{\"fndecl\": \"f\"}]}"
#define NOTHING(line) "{\"kind\": \"failure\", " PLACE(line) "\"message\": [], \"function\": \"f\"}"
#define NEST(children)                                                                                       \
    "{\"kind\": \"scope\", \"children\": [" children                                                         \
    "], " PLACE(5) "\"message\": [\"=== analyze_loop_nest ===\\n\"], \"function\": \"f\"}"
#define ANALYSING SAYS("note", 5, "\\nAnalyzing loop at a.c:5\\n")
#define FAILED(mode) SAYS("note", 5, "***** Analysis  failed with vector mode " mode "\\n")
#define VERDICT SAYS("failure", 5, "couldn't vectorize loop\\n")
#define END "]]\n"
#define READ(text) read_text(text, strlen(text))

/* Sizes fail for different reasons: the first one's counts, with what is wrong exactly, and its statement. */
static void test_first_size(void **state)
{
    (void)state;
    assert_true(READ(HEAD ANALYSING "," NEST(
        SAYS("failure", 5, "Unknown misalignment, naturally aligned\\n") "," SAYS("failure", 5, "function is not vectorizable.\\n") "," NOTHING(6) "," SAYS("failure", 5, "bad operation or unsupported loop bound.\\n") "," FAILED(
            "V2DF") "," SAYS("failure", 5,
                             "not vectorized: no vectype for stmt: _4 = *_3;\\n") "," NOTHING(9) "," SAYS("failure",
                                                                                                          5,
                                                                                                          "bad data references.\\n") "," FAILED("V4QI")) "," SAYS("failure",
                                                                                                                                                                  6,
                                                                                                                                                                  "not vectorized: no vectype for stmt: _4 = *_3;\\n") "," VERDICT
                         END));
    assert_int_equal(remarks.entries.count, 1);
    expect_entry(0, remark_verdict_MISSED, remark_reason_CALL, "function is not vectorizable", 5, 6);
    assert_string_equal(text_of(entry(0)->compiler), "GCC 12.2.0");
    assert_string_equal(text_of(entry(0)->function), "f");
    assert_string_equal(text_of(entry(0)->file), "a.c");
    assert_string_equal(text_of(entry(0)->record), "record");
    assert_int_equal(entry(0)->column, 7);
}

/* What is wrong has no words in the record: what it means has, and the place of the statement. */
static void test_no_words(void **state)
{
    (void)state;
    assert_true(READ(HEAD ANALYSING "," NEST(
        SAYS("failure", 5, "step unknown.\\n") "," NOTHING(6) "," SAYS("failure", 5, "bad data dependence.\\n") "," FAILED(
            "V4SI") "," SAYS("failure", 5,
                             "bad data references.\\n") "," FAILED("V4QI")) "," SAYS("failure", 7,
                                                                                     "not vectorized: no vectype for stmt: x\\n") "," VERDICT
                         END));
    expect_entry(0, remark_verdict_MISSED, remark_reason_DEPENDENCE, "bad data dependence", 5, 6);
}

/* All sizes fail alike: GCC's last word is exact. */
static void test_same_reason(void **state)
{
    (void)state;
    assert_true(READ(HEAD ANALYSING "," SAYS(
        "failure", 5, "not vectorized, possible dependence between *_6 and *_3\\n") "," VERDICT END));
    expect_entry(0, remark_verdict_MISSED, remark_reason_DEPENDENCE,
                 "possible dependence between *_6 and *_3", 5, 0);
    assert_true(READ(HEAD ANALYSING "," NEST(
        SAYS("failure", 5, "bad data dependence.\\n") "," FAILED("V4SI") "," SAYS("failure", 5, "bad data dependence.\\n") "," FAILED(
            "V4QI")) "," SAYS("failure", 6,
                              "possible alias involving gather/scatter between *_1 and *_2\\n") "," VERDICT
                         END));
    expect_entry(0, remark_verdict_MISSED, remark_reason_ALIASING,
                 "possible alias involving gather/scatter between *_1 and *_2", 5, 6);
    assert_true(READ(HEAD ANALYSING "," NEST(NOTHING(5) "," SAYS("failure", 5, "bad loop form.\\n")) "," SAYS(
        "failure", 5, "not vectorized: control flow in loop.\\n") "," VERDICT END));
    expect_entry(0, remark_verdict_MISSED, remark_reason_CONTROL_FLOW, "control flow in loop", 5, 0);
}

/* A verdict ends what was said about a loop; another pass and another function say nothing about it. */
static void test_one_after_the_other(void **state)
{
    (void)state;
    assert_true(READ(
        HEAD SAYS("failure", 4, "statement clobbers memory: x\\n") "," ANALYSING "," VERDICT "," SAYS("success", 9, "loop vectorized using 16 byte vectors\\n") "," SAYS(
            "failure", 9,
            "bad data access.\\n") "," SAYS("success", 11,
                                            "basic block part vectorized using 32 byte vectors\\n") "," VERDICT
                                                                                                    "," SAYS(
                                                                                                        "failure",
                                                                                                        5,
                                                                                                        "couldn't vectorize loop\\n\\nAnalyzing loop at a.c:8\\n")
                                                                                                        END));
    assert_int_equal(remarks.entries.count, 5);
    expect_entry(0, remark_verdict_MISSED, remark_reason_OTHER, "", 5, 0);
    expect_entry(1, remark_verdict_VECTORISED, remark_reason_NONE, "loop vectorized using 16 byte vectors", 9,
                 0);
    expect_entry(2, remark_verdict_STATEMENTS, remark_reason_NONE,
                 "basic block part vectorized using 32 byte vectors", 11, 0);
    expect_entry(3, remark_verdict_MISSED, remark_reason_ACCESS, "bad data access", 5, 9);
    expect_entry(4, remark_verdict_MISSED, remark_reason_OTHER, "", 5, 0);
}

/* Texts of statements are objects in the message; escapes; members that nobody knows. */
static void test_message(void **state)
{
    (void)state;
    assert_true(
        READ(HEAD "{\"new\": {\"kind\": \"success\", \"message\": [\"x\"]}, \"kind\": \"failure\", " PLACE(
            6) "\"message\": [\"statement clobbers memory: \", {\"location\": {\"line\": 60, \"file\": \"b.c\"}, \"stmt\": "
               "\"_5 = \\u0067 (\\u20ac\\ud800);\\n\"}, \"\\n\"], \"function\": \"f\"}," VERDICT END));
    expect_entry(0, remark_verdict_MISSED, remark_reason_CALL,
                 "statement clobbers memory: _5 = g (\xe2\x82\xac\xef\xbf\xbd)", 5, 6);
}

static void expect_refused(const char *text, size_t size, const char *why)
{
    assert_false(read_text(text, size));
    assert_int_equal(remarks.entries.count, 0);
    if (!strstr(error.text, why) || strncmp(error.text, "record: ", 8) != 0)
        fail_msg("'%s' does not say '%s'", error.text, why);
}
#define REFUSED(text, why) expect_refused(text, strlen(text), why)

static void test_refused(void **state)
{
    (void)state;
    REFUSED("", "empty");
    REFUSED("\n \n", "empty");
    REFUSED("BC\xc0\xde", "no record of optimisations");
    REFUSED("{}", "no record of optimisations");
    REFUSED(HEAD VERDICT "]", "line 1: the record ends too early: it is cut off");
    REFUSED(HEAD "{\"kind", "ends inside a text");
    REFUSED(HEAD VERDICT "]]\n x", "line 2: this is not JSON: something follows its end");
    REFUSED("[{\"a\" 1}]", "a colon is missing");
    REFUSED("[1 2]", "a comma is missing");
    REFUSED("[1}", "a bracket");
    REFUSED("[1,]", "a value is missing");
    REFUSED("[,]", "a value is missing");
    REFUSED("[{\"a\": }]", "a bracket");
    REFUSED("[{1: 2}]", "a member has no name");
    REFUSED("[\"\\q\"]", "this is not JSON");
    REFUSED("[\"\\u12g4\"]", "four hexadecimal digits");
    REFUSED("[&]", "a value is missing");
    char deep[1000];
    memset(deep, '[', sizeof deep);
    expect_refused(deep, sizeof deep, "nested deeper");
}

/* A remark inside a remark inside … */
static void test_nested_scopes(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(HEAD, out);
    for (int i = 0; i < 100; i++)
        fputs("{\"kind\": \"scope\", \"children\": [", out);
    for (int i = 0; i < 100; i++)
        fputs("]}", out);
    fputs(END, out);
    fclose(out);
    expect_refused(text, size, "remarks are nested deeper");
    free(text);
}

static void test_long_text(void **state)
{
    (void)state;
    enum { LONG = 1 << 20 };
    char *text = memory_get(LONG + 2000);
    size_t size = (size_t)sprintf(
        text, "%s", HEAD "{\"kind\": \"failure\", " PLACE(6) "\"message\": [\"bad data access ");
    memset(text + size, 'x', LONG);
    size += LONG;
    size += (size_t)sprintf(text + size, "%s", "\"], \"function\": \"f\"}," VERDICT END);
    assert_true(read_text(text, size));
    assert_int_equal(entry(0)->reason, remark_reason_ACCESS);
    assert_true(strlen(text_of(entry(0)->text)) < 5000);
    free(text);
}

static size_t pack(const char *text, uint8_t *to, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (uint8_t *)(uintptr_t)text;
    stream.avail_in = (uInt)strlen(text);
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static void test_packed(void **state)
{
    (void)state;
    uint8_t packed[4000];
    size_t size = pack(HEAD VERDICT END, packed, sizeof packed);
    assert_true(read_text((char *)packed, size));
    assert_int_equal(remarks.entries.count, 1);
    for (size_t cut = 3; cut < size; cut += 7)
        expect_refused((char *)packed, cut, "cut off");
    packed[size / 2] ^= 0x55;
    assert_false(read_text((char *)packed, size));
    assert_int_equal(remarks.entries.count, 0);
}

#define DOCUMENT(kind, name, line, text)                                                                     \
    "--- !" kind "\nPass:            loop-vectorize\nName:            " name                                 \
    "\nDebugLoc:        { File: a.c, Line: " #line ", Column: 5 }\nFunction:        sum\nArgs:\n"            \
    "  - String:          '" text "'\n...\n"

static void test_llvm(void **state)
{
    (void)state;
    assert_true(READ(
        DOCUMENT("AnalysisFPCommute", "CantReorderFPOps", 12,
                 "loop not vectorized: cannot prove it is safe to reorder floating-point operations")
            DOCUMENT("Analysis", "CantVectorizeInstruction", 11,
                     "loop not vectorized: instruction cannot be vectorized")
                DOCUMENT("Missed", "MissedDetails", 11, "loop not vectorized") DOCUMENT(
                    "Missed", "VectorizationNotBeneficial", 20,
                    "the cost-model indicates that vectorization is not beneficial")
                    DOCUMENT("Missed", "InterleavingNotBeneficial", 30, "the cost-model indicates …") DOCUMENT(
                        "Missed", "MissedDetails", 40,
                        "loop not vectorized") "--- !Passed\nPass: inline\nName: Inlined\nDebugLoc: { File: a.c, Line: 1, Column: 1 }\nFunction: sum\n...\n"));
    assert_int_equal(remarks.entries.count, 3);
    expect_entry(0, remark_verdict_MISSED, remark_reason_ORDER,
                 "cannot prove it is safe to reorder floating-point operations", 11, 12);
    assert_string_equal(text_of(entry(0)->name), "CantReorderFPOps");
    assert_string_equal(text_of(entry(0)->compiler), "LLVM");
    expect_entry(1, remark_verdict_MISSED, remark_reason_COST,
                 "the cost-model indicates that vectorization is not beneficial", 20, 0);
    expect_entry(2, remark_verdict_MISSED, remark_reason_OTHER, "", 40, 0);
}

/* Quotes, escapes, values in pieces, blocks, and places that go on on the next line. */
static void test_llvm_forms(void **state)
{
    (void)state;
    assert_true(READ(
        "--- !Passed\nPass: loop-vectorize\nName: Vectorized\nDebugLoc:        { File: '/usr/it''s, here.h', \n"
        "                   Line: 141, Column: 39 }\nFunction:        \"a\\x62\\\"\\\\\"\nHotness: 3\nArgs:\n"
        "  - String:          'vectorized loop (vectorization width: '\n  - VectorizationFactor: '4'\n"
        "    DebugLoc:        { File: b.c, Line: 1, Column: 0 }\n  - String:          ')'\n...\n"
        "--- !Missed\r\nPass: loop-vectorize\r\nName: X\r\nDebugLoc: { File: \"b.c\", Line: 7, Column: 1 }\r\nFunction: g\r\nArgs:\r\n"
        "  - String: |\r\n      control flow\r\n      and more\r\n  - String: x\r\n...\r\n"));
    assert_int_equal(remarks.entries.count, 2);
    expect_entry(0, remark_verdict_VECTORISED, remark_reason_NONE, "vectorized loop (vectorization width: 4)",
                 141, 0);
    assert_string_equal(text_of(entry(0)->file), "/usr/it's, here.h");
    assert_string_equal(text_of(entry(0)->function), "ab\"\\");
    expect_entry(1, remark_verdict_MISSED, remark_reason_CONTROL_FLOW, "control flow", 7, 0);
    assert_string_equal(text_of(entry(1)->function), "g");
    REFUSED("--- !Missed\nPass: loop-vectorize", "line 2: the record ends inside a remark");
    REFUSED("--- !Missed\nPass\n...\n", "a key with a colon is missing");
    REFUSED("---\n...\nPass: x\n", "it must begin with ---");
}

/* Words of several versions of both compilers. */
static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        enum remark_reason reason;
        const char *text;
    } known[] = {
        {remark_reason_ALIASING,
         "versioning for alias required: can't determine dependence between *_3 and *_7"},
        {remark_reason_ALIASING, "cannot identify array bounds"},
        {remark_reason_DEPENDENCE, "possible dependence between data-refs"},
        {remark_reason_DEPENDENCE, "unsafe dependent memory operations in loop"},
        {remark_reason_DEPENDENCE,
         "value that could not be identified as reduction is used outside the loop"},
        {remark_reason_ORDER, "cannot prove it is safe to reorder floating-point operations"},
        {remark_reason_CONTROL_FLOW, "not vectorized: control flow in loop."},
        {remark_reason_CONTROL_FLOW, "loop control flow is not understood by vectorizer"},
        {remark_reason_ITERATIONS, "not vectorized: number of iterations cannot be computed."},
        {remark_reason_ITERATIONS, "could not determine number of loop iterations"},
        {remark_reason_CALL, "statement clobbers memory: _5 = g (_4);"},
        {remark_reason_CALL, "call instruction cannot be vectorized"},
        {remark_reason_ACCESS, "not vectorized: complicated access pattern."},
        {remark_reason_OPERATION, "not vectorized: unsupported data-type"},
        {remark_reason_COST, "not vectorized: vectorization not profitable."},
        {remark_reason_COST, "the cost-model indicates that vectorization is not beneficial"},
        {remark_reason_COST, "some scalar iterations would need to be peeled"},
        {remark_reason_OTHER, "something new"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (reason_of(known[i].text) != known[i].reason)
            fail_msg("'%s' is taken for %s", known[i].text, remark_reason_word(reason_of(known[i].text)));
}

int main(void)
{
    remarks_begin(&remarks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_size),    cmocka_unit_test(test_no_words),
        cmocka_unit_test(test_same_reason),   cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_message),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nested_scopes), cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_packed),        cmocka_unit_test(test_llvm),
        cmocka_unit_test(test_llvm_forms),    cmocka_unit_test(test_reasons),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remarks_free(&remarks);
    return failed;
}
