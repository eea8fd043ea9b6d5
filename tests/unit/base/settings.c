/* Files of settings: what is read is what was meant, and mistakes are named with their place. */
#include "base/settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "own_folder.h"

static const struct settings_key keys[] = {
    {NULL, "name", true, "a word"},           {NULL, "command", false, "what is run"},
    {NULL, "inputs", false, "names"},         {NULL, "features", false, "figures"},
    {NULL, "hosts", false, "where"},          {"task", "after", false, "tasks before it"},
    {"task", "command", true, "what is run"}, {"task", "deadline", false, "a time"},
    {"share", "weight", false, "a number"},   {NULL, NULL, false, NULL},
};

static struct settings read;

static void accept(const char *text)
{
    struct error error = {0};
    if (!settings_parse(&read, "f", text, strlen(text), keys, &error))
        fail_msg("%s: %s", text, error.text);
}

static void refuse_bytes(const char *text, size_t size, const char *expected)
{
    struct error error = {0};
    assert_false(settings_parse(&read, "f", text, size, keys, &error));
    assert_string_equal(error.text, expected);
    settings_free(&read);
}

static void refuse(const char *text, const char *expected)
{
    refuse_bytes(text, strlen(text), expected);
}

static const struct settings_section *section(size_t number)
{
    assert_true(number < read.sections.count);
    return ARRAY_AT(struct settings_section, &read.sections, number);
}

static void has(size_t number, const char *key, const char *value)
{
    const char *found = settings_value(&read, section(number), key);
    if (!value) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_string_equal(found, value);
    }
}

static void lines_hold_settings(void **unused)
{
    (void)unused;
    accept("name = register\ncommand=a  b {x}=c\n");
    has(0, "name", "register");
    has(0, "command", "a  b {x}=c");
    has(0, "hosts", NULL);
    const struct setting *command = settings_find(&read, section(0), "command");
    assert_int_equal(command->line, 2);
    assert_int_equal(command->column, 9);
    settings_free(&read);
    accept("\xef\xbb\xbfname = \xc3\xa9t\xc3\xa9\r\n\r\nhosts =\tany\r\n");
    has(0, "name", "\xc3\xa9t\xc3\xa9");
    has(0, "hosts", "any");
    settings_free(&read);
    accept("name = x == y\nhosts = a := b");
    has(0, "name", "x == y");
    has(0, "hosts", "a := b");
    settings_free(&read);
}

static void a_line_may_hold_several(void **unused)
{
    (void)unused;
    accept("name = register            command = reg {source} {target} -warp {out}      inputs = source, "
           "target\n"
           "features = bytes(source), voxels = info -size {source}    hosts = any\n");
    has(0, "name", "register");
    has(0, "command", "reg {source} {target} -warp {out}");
    has(0, "inputs", "source, target");
    has(0, "features", "bytes(source), voxels = info -size {source}");
    has(0, "hosts", "any");
    const struct setting *inputs = settings_find(&read, section(0), "inputs");
    assert_int_equal(inputs->line, 1);
    assert_int_equal(inputs->column, 77 + strlen("inputs = "));
    settings_free(&read);
    accept("name = a name = b\thosts = c\n");
    has(0, "name", "a name = b");
    has(0, "hosts", "c");
    settings_free(&read);
    accept("name = a\ncommand = dd   if=x   of=y\n");
    has(0, "command", "dd   if=x   of=y");
    settings_free(&read);
}

static void indented_lines_go_on(void **unused)
{
    (void)unused;
    accept("name = a\ncommand =\n  long\n # a comment\n\tcommand line   hosts = h\nfeatures = bytes(x),\n   "
           "v = info\n");
    has(0, "command", "long command line");
    has(0, "hosts", "h");
    has(0, "features", "bytes(x), v = info");
    struct error error = {0};
    const struct setting *command = settings_find(&read, section(0), "command");
    settings_complain_at(&read, command, strlen("long comm"), &error, "here");
    assert_string_equal(error.text, "f:5:6: here");
    error = (struct error){0};
    settings_complain_at(&read, command, 1, &error, "here");
    assert_string_equal(error.text, "f:3:4: here");
    error = (struct error){0};
    settings_complain(&read, command, &error, "there");
    assert_string_equal(error.text, "f:3:3: there");
    settings_free(&read);
    accept("name = a\n  hosts = b\n\n   command = c\n");
    has(0, "hosts", "b");
    has(0, "command", "c");
    settings_free(&read);
}

static void comments_begin_words(void **unused)
{
    (void)unused;
    accept("# head\nname = a#b # c\n  # between\n command = x\\#y\n#command = z\n");
    has(0, "name", "a#b");
    has(0, "command", "x\\#y");
    settings_free(&read);
}

static void sections_have_kinds_and_names(void **unused)
{
    (void)unused;
    accept("name = a\n[task align to b]\nafter = scan,\n        mask\ncommand = c\n"
           "  [ task second ] # here\n  command = d   after = e\n[share]\nweight = 2\n[share me]\n");
    assert_int_equal(read.sections.count, 5);
    assert_null(section(0)->kind);
    assert_string_equal(section(1)->kind, "task");
    assert_string_equal(section(1)->name, "align to b");
    assert_int_equal(section(1)->line, 2);
    has(1, "after", "scan, mask");
    assert_string_equal(section(2)->name, "second");
    has(2, "command", "d");
    has(2, "after", "e");
    assert_null(section(3)->name);
    has(3, "weight", "2");
    has(0, "command", NULL);
    settings_free(&read);
    accept("name = a\ncommand = if\n  [ -f x ]\n  [task that is not a head] then\n");
    has(0, "command", "if [ -f x ] [task that is not a head] then");
    settings_free(&read);
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    refuse("comand = x\n", "f:1:1: there is no setting `comand`: did you mean `command`?");
    refuse("name = a\nzebra = x\n",
           "f:2:1: there is no setting `zebra`: known are name, command, inputs, features, hosts");
    refuse("name = a   comand = x\n", "f:1:12: there is no setting `comand`: did you mean `command`?");
    refuse("name = a\n  comand = x\n", "f:2:3: there is no setting `comand`: did you mean `command`?");
    refuse("name = a\n  zebra = x\n",
           "f:2:3: there is no setting `zebra`: known are name, command, inputs, features, hosts");
    refuse("name = a\ndeadline = 3\n", "f:2:1: `deadline` belongs into a section [task …]");
    refuse("name = a\n[task b]\nname = c\n", "f:3:1: `name` belongs before the first section");
    refuse("name register\n", "f:1:5: expected `=` after `name`");
    refuse("= register\n", "f:1:1: expected `key = value`");
    refuse("\n  stray\n",
           "f:2:3: a line that begins with a blank goes on with the value above: there is none");
    refuse("name = a\n\n  stray\n",
           "f:3:3: a line that begins with a blank goes on with the value above: there is none");
    refuse("name =\n", "f:1:1: `name` has no value: a word");
    refuse("name =   command = x\n", "f:1:1: `name` has no value: a word");
    refuse("hosts = a # and\nname = # nothing\n", "f:2:1: `name` has no value: a word");
    refuse("name = a\nhosts = b   name = c\n", "f:2:13: `name` is there already, in line 1");
    refuse("hosts = a\n", "f: the setting `name` is missing: a word");
    refuse("", "f: the setting `name` is missing: a word");
    refuse("name = a\n[task b]\nafter = c\n", "f:2:1: [task b] has no setting `command`: what is run");
    refuse("name = a\n[tusk b]\n", "f:2:2: there is no kind of section `tusk`: did you mean `task`?");
    refuse("name = a\n[x/y]\n", "f:2:2: there is no kind of section `x`: known is, for example, `[share …]`");
    refuse("name = a\n[task b\n", "f:2:8: expected `]` at the end of a section's head");
    refuse("name = a\n[\n", "f:2:2: expected `]` at the end of a section's head");
    refuse("name = a\n[]\n", "f:2:2: there is no kind of section ``: known is, for example, `[share …]`");
    refuse("name = a\n[share b]\n[share b]\n", "f:3:1: the section [share b] is there already, in line 2");
}

static void bytes_that_are_not_text_are_refused(void **unused)
{
    (void)unused;
    refuse_bytes("name = a\nho\0ts = b\n", 18, "f:2:3: a byte 0, which is not text: is this the right file?");
    refuse("name = \x1b[1m\n", "f:1:8: a byte 27, which is not text: is this the right file?");
    refuse("name = a\rhosts = b\n", "f:1:9: a byte 13, which is not text: is this the right file?");
}

static void sizes_have_limits(void **unused)
{
    (void)unused;
    size_t size = (16 << 20) + 1;
    char *text = memory_get(size + 1);
    memset(text, '#', size);
    refuse_bytes(text, size, "f: has more than the 16777216 bytes that such a file can have");
    memset(text, 'a', 70000);
    memcpy(text, "name = ", 7);
    text[70000] = 0;
    refuse(text, "f:1:8: the value of `name` is longer than 65536 bytes");
    free(text);
}

static const struct setting *valued(const char *text)
{
    char *whole = memory_format("name = %s\n", text);
    accept(whole);
    free(whole);
    return ARRAY_AT(struct setting, &read.settings, 0);
}

static void numbers_have_ranges(void **unused)
{
    (void)unused;
    double value;
    struct error error = {0};
    assert_true(settings_number(&read, valued("-2.5e1"), -30, 3, &value, &error));
    assert_true(value == -25);
    settings_free(&read);
    const char *const bad[] = {"x", "3 x", "0x10", "nan", "inf", "1e999", "--3", ".", "4", "-31"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct error){0};
        assert_false(settings_number(&read, valued(bad[i]), -30, 3, &value, &error));
        assert_non_null(strstr(error.text, "f:1:8: `name` takes a number"));
        settings_free(&read);
    }
}

static void times_and_sizes_have_units(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double value;
    } times[] = {{"90", 90},     {"90s", 90},       {"15m", 900},      {"2h", 7200},      {"1d", 86400},
                 {"0.5", 0.5},   {"1.5 h", 5400},   {"250ms", 0.25},   {"1:30:00", 5400}, {"0:00:07.5", 7.5},
                 {"0", 0},       {"-1", NAN},       {"1:30", NAN},     {"1:60:00", NAN},  {"1:00:60", NAN},
                 {"s", NAN},     {"3 parsec", NAN}, {"0x10", NAN},     {"", NAN},         {"1e400", NAN},
                 {"inf", NAN},   {"1h30m", 5400},   {"5m 40s", 340},   {"1d2h", 93600},   {"1h30", NAN},
                 {"30m1h", NAN}, {"1h1h", NAN},     {"3 months", NAN}, {"1:2:", NAN}},
      sizes[] = {
          {"4096", 4096}, {"64M", 64 << 20},       {"2G", 2147483648.0}, {"1.5k", 1536}, {"3KiB", 3072},
          {"5 B", 5},     {"1T", 1099511627776.0}, {"-1", NAN},          {"2X", NAN},    {"G", NAN},
          {"2iB", NAN},   {"2 GiBs", NAN}};
    double value;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        bool is_fine = settings_parse_seconds(times[i].text, &value);
        if (is_fine != !isnan(times[i].value) || (is_fine && value != times[i].value))
            fail_msg("%s", times[i].text);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool is_fine = settings_parse_bytes(sizes[i].text, &value);
        if (is_fine != !isnan(sizes[i].value) || (is_fine && value != sizes[i].value))
            fail_msg("%s", sizes[i].text);
    }
    struct error error = {0};
    assert_false(settings_seconds(&read, valued("soon"), &value, &error));
    assert_string_equal(error.text,
                        "f:1:8: `name` takes a time such as 90, 90s, 15m, 1h30m, 1d or 1:30:00, not 'soon'");
    settings_free(&read);
    error = (struct error){0};
    assert_false(settings_bytes(&read, valued("much"), &value, &error));
    assert_string_equal(error.text, "f:1:8: `name` takes a size such as 4096, 64M or 2G, not 'much'");
    settings_free(&read);
}

static void ranges_have_two_ends(void **unused)
{
    (void)unused;
    unsigned least, most;
    struct error error = {0};
    assert_true(settings_range(&read, valued("4"), &least, &most, &error));
    assert_true(least == 4 && most == 4);
    settings_free(&read);
    assert_true(settings_range(&read, valued("1 .. 16"), &least, &most, &error));
    assert_true(least == 1 && most == 16);
    settings_free(&read);
    const char *const bad[] = {"0",   "1..0", "3..2",       "1...4",  "-1",
                               "1..", "..4",  "4294967297", "1..4 x", "1-4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct error){0};
        assert_false(settings_range(&read, valued(bad[i]), &least, &most, &error));
        assert_non_null(strstr(error.text, "f:1:8: `name` takes"));
        settings_free(&read);
    }
}

static void lists_have_items(void **unused)
{
    (void)unused;
    struct array items;
    struct error error = {0};
    assert_true(settings_list(&read, valued("a , b c,d"), &items, &error));
    assert_int_equal(items.count, 3);
    assert_string_equal(*ARRAY_AT(char *, &items, 1), "b c");
    assert_string_equal(*ARRAY_AT(char *, &items, 2), "d");
    array_free(&items);
    settings_free(&read);
    assert_false(settings_list(&read, valued("a,, b"), &items, &error));
    assert_string_equal(error.text, "f:1:10: `name` has an empty item");
    settings_free(&read);
    error = (struct error){0};
    assert_false(settings_list(&read, valued("a,"), &items, &error));
    settings_free(&read);
}

static void files_are_read(void **unused)
{
    (void)unused;
    struct error error = {0};
    write_file("good", "name = a\n");
    assert_true(settings_read(&read, place("good"), keys, &error));
    has(0, "name", "a");
    settings_free(&read);
    assert_false(settings_read(&read, place("missing"), keys, &error));
    assert_non_null(strstr(error.text, "missing"));
    settings_free(&read);
    error = (struct error){0};
    assert_false(settings_read(&read, folder, keys, &error));
    assert_true(error.set);
    settings_free(&read);
}

/* Whatever the bytes are, there is an answer: settings whose texts come from the text, or an error with the
   file's name. */
static void any_bytes_have_an_answer(void **unused)
{
    (void)unused;
    static const char *const parts[] = {"name",   " = ",    "=",     "  ",         "\n",    "\t",  "command",
                                        "[task ", "]",      "[",     "#",          ",",     "\r",  "x",
                                        "zebr",   "comand", "after", "\\",         "hosts", "\n ", "é",
                                        "\x01",   "..",     ":=",    "\n[share]\n"};
    uint64_t random = 20;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 20000; round++) {
        char text[400] = "name = n\n";
        size_t size = round % 2 ? strlen(text) : 0;
        for (unsigned i = 0; i < 2 + round % 23; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            unsigned choice = (unsigned)(random >> 40);
            if (choice % 50 == 0) {
                text[size++] = (char)(random >> 33);
                continue;
            }
            const char *part = parts[choice % (sizeof parts / sizeof *parts)];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
        struct error error = {0};
        if (!settings_parse(&read, "f", text, size, keys, &error)) {
            assert_true(error.set && !strncmp(error.text, "f:", 2));
            assert_null(read.settings.data);
            continue;
        }
        accepted++;
        for (size_t i = 0; i < read.settings.count; i++) {
            const struct setting *setting = ARRAY_AT(struct setting, &read.settings, i);
            assert_true(*setting->value && setting->line && setting->column && setting->piece_count);
            assert_true(!strpbrk(setting->value, "\n\r") && !strchr(" \t", *setting->value));
        }
        settings_free(&read);
    }
    assert_true(accepted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_hold_settings),
        cmocka_unit_test(a_line_may_hold_several),
        cmocka_unit_test(indented_lines_go_on),
        cmocka_unit_test(comments_begin_words),
        cmocka_unit_test(sections_have_kinds_and_names),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(numbers_have_ranges),
        cmocka_unit_test(times_and_sizes_have_units),
        cmocka_unit_test(ranges_have_two_ends),
        cmocka_unit_test(lists_have_items),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(any_bytes_have_an_answer),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
