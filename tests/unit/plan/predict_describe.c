/* Descriptions for assay predict: the example of the design is read as it stands, and mistakes are named with
   their place. */
#include "plan/predict/describe.h"
#include "plan/predict/figures.h"
#include "plan/predict/template.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct predict_description *accept(const char *text)
{
    struct error error = {0};
    struct predict_description *made = predict_describe_text("/nowhere/f", text, strlen(text), &error);
    if (!made)
        fail_msg("%s", error.text);
    return made;
}

static void refuse(const char *text, const char *expected)
{
    struct error error = {0};
    assert_null(predict_describe_text("/nowhere/f", text, strlen(text), &error));
    const char *prefix = "/nowhere/f:";
    assert_memory_equal(error.text, prefix, strlen(prefix));
    if (!strstr(error.text, expected))
        fail_msg("%s\n   instead of: %s", error.text, expected);
}

static void the_example_is_read(void **unused)
{
    (void)unused;
    struct predict_description *it =
        accept("name = register            command = mrregister {source} {target} -nl_warp {out}      inputs "
               "= source, target\n"
               "shrink = mrgrid {in} regrid -scale {1/k} {out}       probes = 6, 5, 4      identity = source "
               ":= target\n"
               "features = bytes(source), voxels = mrinfo -size {source}    hosts = any\n");
    assert_string_equal(predict_name(it), "register");
    assert_int_equal(it->inputs.count, 2);
    assert_int_equal(it->factors.count, 3);
    assert_true(*ARRAY_AT(double, &it->factors, 0) == 6 && !it->chooses_factors);
    const struct predict_pair *pair = it->pairs.data;
    assert_int_equal(it->pairs.count, 1);
    assert_true(pair->replaced == 0 && pair->by == 1);
    const struct predict_feature *features = it->features.data;
    assert_int_equal(it->features.count, 2);
    assert_true(features[0].kind == feature_BYTES && features[0].input == 0);
    assert_string_equal(features[0].name, "bytes(source)");
    assert_string_equal(features[1].name, "voxels");
    assert_string_equal(features[1].definition, "mrinfo -size {source}");
    assert_int_equal(it->hosts.count, 0);
    assert_true(it->least == 1 && it->most == 1);
    predict_description_free(it);
}

static const char base[] = "name = n\ncommand = run {a} {b}\ninputs = a, b\n";

static void refuse_more(const char *line, const char *expected)
{
    char *text = memory_format("%s%s", base, line);
    refuse(text, expected);
    free(text);
}

static void what_a_description_may_say(void **unused)
{
    (void)unused;
    struct predict_description *it =
        accept("name = s\ninputs = film\noutputs = out.264, log.txt\nprocessors = 1..8\n"
               "command = x264 --threads {processors} --frames {round(frames/k)} -o {out} {film} 2> {log}\n"
               "features = frames = probe -show a,b=c {film}, bytes(film)   size = bytes(film)\n"
               "success = 0, 10, 20    scaling = amdahl 0.05   hosts = zen4, neoverse-v1\n");
    assert_int_equal(it->features.count, 2);
    assert_string_equal(ARRAY_AT(struct predict_feature, &it->features, 0)->definition,
                        "probe -show a,b=c {film}");
    assert_int_equal(it->size, 1);
    assert_true(it->factors.count == 0 && it->chooses_factors);
    assert_int_equal(it->success.count, 3);
    assert_int_equal(it->hosts.count, 2);
    assert_string_equal(ARRAY_AT(struct predict_output, &it->outputs, 0)->suffix, ".264");
    assert_true(it->has_scaling && it->most == 8);
    predict_description_free(it);
    it = accept(base);
    assert_true(it->factors.count == 0 && !it->chooses_factors);
    assert_int_equal(ARRAY_AT(struct predict_feature, &it->features, 0)->kind, feature_ALL_BYTES);
    predict_description_free(it);
}

static void what_decides_about_times_is_in_the_digest(void **unused)
{
    (void)unused;
    char text[300];
    struct predict_description *plain = accept(base);
    snprintf(text, sizeof text, "%sfeatures = lines(a)\nhosts = x\n", base);
    struct predict_description *more = accept(text);
    snprintf(text, sizeof text, "%sshrink = cut {in} {k} {out}\n", base);
    struct predict_description *other = accept(text);
    assert_string_equal(plain->digest, more->digest);
    assert_string_not_equal(plain->digest, other->digest);
    predict_description_free(plain);
    predict_description_free(more);
    predict_description_free(other);
}

static void mistakes_have_places(void **unused)
{
    (void)unused;
    refuse("name = n\ninputs = a\ncommand = run {b}\n", "f:3:16: there is no {b} here: ");
    refuse("name = n\ninputs = target\ncommand = run\n  {tagret}\n",
           "f:4:4: there is no {tagret} here: did you mean {target}?");
    refuse("name = n\ninputs = a, c\ncommand = run {a}\n", "f:3:11: the command does not use the input {c}");
    refuse("name = n\ninputs = a, a\ncommand = run {a}\n", "`a` is there twice");
    refuse("name = n\ninputs = k\ncommand = run {k}\n", "`k` cannot be the name of an input: it means");
    refuse("name = n\ninputs = a b\ncommand = run {a}\n", "`a b` cannot be the name of an input");
    refuse("name = n\ninputs = a\ncommand = run {a\n", "f:3:15: expected `}`");
    refuse("name = n\ninputs = a\ncommand = run a}\n", "f:3:16: this brace closes nothing");
    refuse("name = n\ninputs = a\ncommand = run '{a}\n", "a quote (') is not closed");
    refuse("name = n\ninputs = a\ncommand = ./run {a}\n", "f:3:11: commands run in a private folder");
    refuse("name = n\ninputs = a\ncommand = run {a/2}\n", "f:3:16: {a} is not a number");
    refuse_more("shrink = cut {in} {out}\n", "f:4:10: `shrink` has no {k}");
    refuse_more("shrink = cut {k} {out}\n", "`shrink` has no {in}");
    refuse_more("shrink = cut {a} {k} {out}\n", "f:4:15: there is no {a} here");
    refuse_more("probes = 6\n", "nothing makes a run smaller");
    refuse_more("shrink = c {in} {k} {out}   probes = 6, 1\n", "numbers above 1, not '1'");
    refuse_more("shrink = c {in} {k} {out}   probes = 6, 6\n", "different numbers");
    refuse_more("identity = a := c\n", "`c` is not one of the inputs (a, b)");
    refuse_more("identity = a\n", "takes `source := target`");
    refuse_more("identity = a := a\n", "replaces itself");
    refuse_more("identity = a := b, b := a\n", "is replaced and replaces at once");
    refuse_more("features = bytes(c)\n", "f:4:18: `bytes(c)` is not of one of the inputs");
    refuse_more("features = bytes(a\n", "expected `)`");
    refuse_more("features = 12\n", "f:4:12: expected bytes(INPUT), lines(INPUT) or NAME = COMMAND");
    refuse_more("features = v = count {z}\n", "f:4:23: there is no {z} here");
    refuse_more("features = a = count {a}\n", "the name of something else already");
    refuse_more("size = voxels\n", "`voxels` is not one of the features");
    refuse_more("success = 0, x\n", "exit statuses from 0 to 255, not 'x'");
    refuse_more("processors = 1..4\n", "the command has no {processors}");
    refuse_more("scaling = wild\n", "f:4:11: ");
    refuse_more("whole = z\n", "`z` is not one of the inputs");
    refuse_more("outputs = a\n", "`a` cannot be the name of an output");
    refuse_more("fetures = bytes(a)\n", "f:4:1: there is no setting `fetures`: did you mean `features`?");
}

static void filled(const char *text, const char *expected)
{
    struct template_name names[] = {{"path", "/a b/it's", 0, false},
                                    {"plain", "/x/y.z", 0, false},
                                    {"k", NULL, 4, false},
                                    {"frames", NULL, 301, false}};
    struct template_fault fault;
    char *made = template_fill(text, names, 4, &fault);
    if (!expected) {
        assert_null(made);
        assert_true(*fault.problem && fault.offset <= strlen(text));
    } else {
        if (!made)
            fail_msg("%s: %s", text, fault.problem);
        assert_string_equal(made, expected);
    }
    free(made);
}

static void holes_are_filled(void **unused)
{
    (void)unused;
    filled("run {path} { plain }", "run '/a b/it'\\''s' /x/y.z");
    filled("run '{path}'", "run '/a b/it'\\''s'");
    filled("run \"{path}\"", "run \"/a b/it's\"");
    filled("{k} {1/k} {k^3} {2*k+1} {10-k/2} {(1+k)*2} {round(frames/k)}", "4 0.25 64 9 8 10 75");
    filled("awk '{{print $1}}' ${HOME} \\x", "awk '{print $1}' ${HOME} \\x");
    filled("{k/0}", NULL);
    filled("{1/}", NULL);
    filled("{}", NULL);
    filled("{k k}", NULL);
    filled("{(k}", NULL);
    filled("{1.2.3}", NULL);
    filled("{((((((((((((((((((((((1))))))))))))))))))))))}", NULL);
    filled("{x", NULL);
}

static void commands_print_numbers(void **unused)
{
    (void)unused;
    double value;
    assert_true(predict_product("64 64 32\n", &value) && value == 131072);
    assert_true(predict_product("1.5e3", &value) && value == 1500);
    assert_true(predict_product("640,480", &value) && value == 307200);
    const char *const bad[] = {"", "\n", "none", "64 x 64", "nan", "1e308 1e308", "12s"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(predict_product(bad[i], &value));
}

/* Pieces of descriptions in any order: an answer, and nothing else. */
static void any_text_has_an_answer(void **unused)
{
    (void)unused;
    static const char *const parts[] = {"{a}",
                                        "{",
                                        "}",
                                        "'",
                                        "\"",
                                        "k",
                                        "{k}",
                                        " := ",
                                        ", ",
                                        "\nshrink = x {in} {k} {out}",
                                        "\nfeatures = ",
                                        "bytes(a)",
                                        "v = ",
                                        "\nidentity = ",
                                        "\nprobes = 3",
                                        "\nprocessors = 1..4",
                                        "{processors}",
                                        "\nscaling = ",
                                        "2: 1.5",
                                        "\\",
                                        "{1/k}",
                                        "{round(",
                                        ")",
                                        "a",
                                        "\noutputs = o.x",
                                        "\nsuccess = 3",
                                        "\nsize = v",
                                        "é"};
    uint64_t random = 7;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 5000; round++) {
        char text[700] = "name = n\ninputs = a\ncommand = run {a}";
        size_t size = strlen(text);
        for (unsigned i = 0; i < 1 + round % 12; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const char *part = parts[(random >> 40) % (sizeof parts / sizeof *parts)];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
        struct error error = {0};
        struct predict_description *made = predict_describe_text("/nowhere/f", text, size, &error);
        assert_true(made || error.set);
        accepted += made != NULL;
        predict_description_free(made);
    }
    assert_true(accepted > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read),
        cmocka_unit_test(what_a_description_may_say),
        cmocka_unit_test(what_decides_about_times_is_in_the_digest),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(holes_are_filled),
        cmocka_unit_test(commands_print_numbers),
        cmocka_unit_test(any_text_has_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
