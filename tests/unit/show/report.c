/* Rows as tables, csv and json; text that is safe to show; names of C++ and Rust. */
#include "model/demangle.h"
#include "show/report/common/demangle.h"
#include "show/report/common/html.h"
#include "show/report/common/places.h"
#include "show/report/common/rows.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a query prints; to be freed. */
static char *printed(const char *query, struct report_style style, int bars)
{
    sqlite3 *connection;
    sqlite3_stmt *statement;
    char *text;
    size_t size;
    uint64_t count;
    struct error error = {0};
    assert_int_equal(sqlite3_open(":memory:", &connection), SQLITE_OK);
    assert_true(demangle_register(connection, &error));
    assert_true(places_register(connection, &error));
    assert_int_equal(sqlite3_prepare_v2(connection, query, -1, &statement, NULL), SQLITE_OK);
    FILE *out = open_memstream(&text, &size);
    assert_true(report_rows(statement, &style, bars, out, &count, &error));
    fclose(out);
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return text;
}

static void expect(const char *query, struct report_style style, int bars, const char *wanted)
{
    char *text = printed(query, style, bars);
    assert_string_equal(text, wanted);
    free(text);
}

static void tables(void **state)
{
    (void)state;
    struct report_style plain = {.format = report_TABLE};
    expect("select 'ab' as name, 7 as n union all select 'c', 1234", plain, -1,
           "name     n\nab       7\nc     1234\n");
    expect("select null as empty, 'x' as t", plain, -1, "empty  t\n       x\n");
    expect("select x'00ff' as bytes, '0x1f' as address, 'y' as z", plain, -1,
           "bytes  address  z\n00ff      0x1f  y\n");
    expect("select 1 as a where 0", plain, -1, "a\n");
    expect("select 'a' || char(27) || '[2J' || char(10) as t", plain, -1, "t\na\\x1b[2J\\n\n");
}

static void digits_in_groups(void **state)
{
    (void)state;
    struct report_style grouped = {.format = report_TABLE, .groups_digits = true};
    expect("select 17908672 as n, 12345 as line, 999 as m, 'x' as t union all select -1234, 7, 1000, 'y'",
           grouped, -1,
           "         n   line      m  t\n17,908,672  12345    999  x\n    -1,234      7  1,000  y\n");
    expect("select -9223372036854775807 - 1 as least, 1.5 as r", grouped, -1,
           "                     least    r\n-9,223,372,036,854,775,808  1.5\n");
}

static void cut_to_the_terminal(void **state)
{
    (void)state;
    struct report_style narrow = {.format = report_TABLE, .width = 20, .unicode = true};
    expect("select 'abcdefghijklmnopqrstuvwxyz' as name, 12345 as n", narrow, -1,
           "name               n\nabcdefghijkl…  12345\n");
    narrow.width = 24;
    expect("select '/usr/src/deep/heat.c' as file, 1234567 as n", narrow, -1,
           "file                   n\n…rc/deep/heat.c  1234567\n");
    expect("select 'abcdefghijklmnop' as name, null as hollow, 12345 as n", narrow, -1,
           "name                  n\nabcdefghijklmnop  12345\n");
    narrow.width = 30;
    expect("select 'abcdefghijklmnop' as name, 7 as partner_listing_line", narrow, -1,
           "name              partner_lis…\nabcdefghijklmnop             7\n");
}

static void brief_tables(void **state)
{
    (void)state;
    struct report_style brief = {.format = report_TABLE, .is_brief = true};
    expect("select 'f' as function, 4660 as address, 7 as block_id, null as line", brief, -1,
           "function  address\nf          0x1234\n");
    expect("select 1 as address, 2 as entry_address where 0", brief, -1, "");
    brief.is_brief = false;
    expect("select 4660 as address", brief, -1, "address\n   4660\n");
}

static void long_tables(void **state)
{
    (void)state;
    struct report_style plain = {.format = report_TABLE};
    char *text = printed(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select i from n",
        plain, -1);
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 2501);
    assert_non_null(strstr(text, "\n1000\n1001\n1002\n"));
    free(text);
}

static void bars(void **state)
{
    (void)state;
    struct report_style plain = {.format = report_TABLE}, unicode = {.format = report_TABLE, .unicode = true};
    char *text = printed("select 'a' as k, 4 as n union all select 'b', 1 union all select 'c', 0", plain, 1);
    assert_string_equal(text, "k  n\n"
                              "a  4  ########################################\n"
                              "b  1  ##########\n"
                              "c  0\n");
    free(text);
    text = printed("select 16 as n union all select 1", unicode, 0);
    assert_non_null(strstr(text, " 1  ██▌\n"));
    free(text);
}

static void csv(void **state)
{
    (void)state;
    struct report_style style = {.format = report_CSV};
    expect("select 1 as a, 'x,\"y\"' as \"b,c\", null as d, x'0a' as e, 1.5 as f", style, -1,
           "a,\"b,c\",d,e,f\r\n1,\"x,\"\"y\"\"\",,0a,1.5\r\n");
    expect("select 'two' || char(10) || 'lines' as t", style, -1, "t\r\n\"two\nlines\"\r\n");
    expect("select 1 as a where 0", style, -1, "a\r\n");
}

static void json(void **state)
{
    (void)state;
    struct report_style style = {.format = report_JSON};
    expect("select 1 as a, 'q\"\\' || char(7) as b, null as c, x'ab' as d, 0.5 as e, 2 as a", style, -1,
           "[\n {\"a\":1,\"b\":\"q\\\"\\\\\\u0007\",\"c\":null,\"d\":\"ab\",\"e\":0.5,\"a_2\":2}\n]\n");
    expect("select 1 as a where 0", style, -1, "[]\n");
    expect("select cast(x'61ff62' as text) as t, 9e999 as inf", style, -1,
           "[\n {\"t\":\"a\\ufffdb\",\"inf\":null}\n]\n");
}

static void texts(void **state)
{
    (void)state;
    uint32_t code_point;
    assert_int_equal(text_decode("\xc3\xa9", 2, &code_point), 2);
    assert_int_equal(code_point, 0xe9);
    assert_int_equal(text_decode("\xc3", 1, &code_point), 0);
    assert_int_equal(text_decode("\xc0\x80", 2, &code_point), 0);         /* overlong */
    assert_int_equal(text_decode("\xed\xa0\x80", 3, &code_point), 0);     /* surrogate */
    assert_int_equal(text_decode("\xf4\x90\x80\x80", 4, &code_point), 0); /* beyond Unicode */
    char *safe = text_safe("a\xff\x1b\xc2\x85", 5);
    assert_string_equal(safe, "a\\xff\\x1b\\xc2\\x85");
    free(safe);
    assert_int_equal(text_width("héllo"), 5);
    char *cut = text_cut("héllo", 4, false, true);
    assert_string_equal(cut, "hél…");
    free(cut);
    cut = text_cut("/long/path/file.c", 7, true, false);
    assert_string_equal(cut, "~file.c");
    free(cut);
}

static void names(void **state)
{
    (void)state;
    struct report_style style = {.format = report_TABLE};
    expect("select demangle('_ZN5space4funcEid') as n", style, -1, "n\nspace::func(int, double)\n");
    expect("select demangle('main') as n, demangle(null) as m, demangle('_Zbad') as b", style, -1,
           "n     m  b\nmain     _Zbad\n");
    expect("select demangle('__bugs_MOD_total') as n, demangle('__m_2_MOD__x_MOD_y') as m, "
           "demangle('solve_') as s",
           style, -1, "n            m              s\nbugs::total  m_2::_x_MOD_y  solve_\n");
    expect("select demangle('___MOD_a') as n, demangle('__a_MOD_') as m, demangle('__A_MOD_a') as o", style,
           -1, "n         m         o\n___MOD_a  __a_MOD_  __A_MOD_a\n");
    expect("select demangle('_RNvC5crate4main') as n", style, -1, "n\ncrate::main\n");
    expect("select place('/a/b.c', 3, 9) as p, place('/a/b.c', 3, 3) as q, place(null, 1, 2) as r", style, -1,
           "p           q         r\n/a/b.c:3-9  /a/b.c:3\n");
}

/* f(A<B, B>, A<A<B, B>, A<B, B> >, …): every parameter is twice as long as the one before. */
static char *doubling_name(int levels)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char *name = memory_format("_Z1f1AI1BS0_E");
    for (int i = 1; i <= levels; i++) {
        char *longer = memory_format("%sS_IS%c_S%c_E", name, digits[i], digits[i]);
        free(name);
        name = longer;
    }
    return name;
}

/* A short name that stands for a text of 2^35 characters is given up, not written out. */
static void exploding_name(void **state)
{
    (void)state;
    char *name = doubling_name(2), *plain = demangle_name(name);
    assert_non_null(plain);
    assert_non_null(strstr(plain, "A<A<B, B>, A<B, B> >"));
    free(name);
    free(plain);
    name = doubling_name(34);
    assert_null(demangle_name(name));
    free(name);
}

/* 100 is said of all and 0 of none. */
static void shares(void **state)
{
    (void)state;
    static const struct {
        double share;
        const char *words;
    } cases[] = {{0, "0"},         {1e-9, "under 0.1"}, {0.00099, "under 0.1"}, {0.001, "0.1"},
                 {0.0099, "0.9"},  {0.01, "1"},         {0.374, "37"},          {0.989, "99"},
                 {0.9949, "99.4"}, {0.9996, "99.9"},    {0.9999999, "99.9"},    {1, "100"},
                 {1.04, "104"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(share_words(cases[i].share).text, cases[i].words);
    for (unsigned all = 1; all < 3000; all += 7)
        for (unsigned part = 0; part <= all; part += all > 100 && part > 2 && part + 3 < all ? 13 : 1) {
            struct share_words words = share_words((double)part / all);
            assert_int_equal(!strcmp(words.text, "100"), part == all);
            assert_int_equal(!strcmp(words.text, "0"), part == 0);
        }
}

static void short_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t columns;
        const char *wanted;
    } cases[] = {
        {"short(int)", 40, "short(int)"},
        {"a::b::c(int, long)", 12, "a::b::c"},
        {"a::b::c(int) const [clone .cold]", 12, "a::b::c"},
        {"void a::f<int, std::vector<long> >(int) const", 40, "void a::f<int, std::vector<long> >"},
        {"void a::f<int, std::vector<long> >(int) const", 30, "a::f<int, std::vector<long> >"},
        {"void a::f<int, std::vector<long> >(int) const", 20, "a::f<~>"},
        {"std::map<int, long>::find(int const&)", 20, "std::map<~>::find"},
        {"std::map<int, long>::find(int const&)", 12, "~::map<~>::find"},
        {"one::two::three::four(int)", 20, "~::two::three::four"},
        {"one::two::three::four(int)", 18, "~::three::four"},
        {"(anonymous namespace)::f(int)", 24, "(anonymous namespace)::f"},
        {"void (anonymous namespace)::f<int>(int)", 30, "(anonymous namespace)::f<int>"},
        {"bool operator< <int>(A<int> const&, A<int> const&)", 19, "operator< <int>"},
        {"A<int>::operator()(int) const", 18, "A<int>::operator()"},
        {"A<int>::operator()(int) const", 16, "A<~>::operator()"},
        {"A<int>::operator->(int) const", 16, "A<~>::operator->"},
        {"A<int>::operator<<(int) const", 16, "A<~>::operator<<"},
        {"f(int)::{lambda(int)#1}::operator()(int) const", 36, "f::{lambda(int)#1}::operator()"},
        {"f<(E)1, (1>2)>(int)", 5, "f<~>"},
        {"<T as a::Trait>::f", 10, "<T as a::Trait>::f"},
        {"<a::B<T> as c::D>::f::{{closure}}", 20, "~::f::{{closure}}"},
        {"core::f::<u8, u16>", 12, "core::f::<~>"},
        {"vtable for a::b<int>", 12, "vtable for a::b<~>"},
        {"_ZN4long7mangledEv", 5, "_ZN4long7mangledEv"},
        {"unbalanced<(int", 5, "unbalanced<(int"},
        {"unbalanced)>", 5, "unbalanced)>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = name_shorten(cases[i].name, cases[i].columns, false);
        assert_string_equal(text, cases[i].wanted);
        free(text);
        text = name_fit(cases[i].name, cases[i].columns, true);
        assert_true(text_width(text) <= cases[i].columns);
        free(text);
    }
}

/* Nothing but the row of a long cell is wide; names are shortened where that was asked for. */
static void long_cells(void **state)
{
    (void)state;
    struct report_style pipe = {.format = report_TABLE};
    char *text =
        printed("select printf('%.*c', 5000, 'x') as name, 1 as n union all select 'a', 2", pipe, -1);
    assert_int_equal(strlen(text), 73 + 3 + 5000 + 4 + 73 + 3);
    free(text);
    pipe.short_names = true;
    expect("select 'a::f(' || printf('%.*c', 5000, 'x') || ')' as name, 'y(' || printf('%.*c', 80, 'x') || "
           "')' as t",
           pipe, -1,
           "name  t\na::f  "
           "y(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)\n");
}

/* Texts of strangers end no element and no attribute; numbers and per cents stay as they are. */
static void markup(void **state)
{
    (void)state;
    const char *volatile nothing = NULL; /* so that no compiler warns of it */
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    html_format(out, "<a title=\"%s\">%s</a>%s 100%% %u %d %zu %lld %llu %.0f %.2f", "\"><script>", "R&D's",
                nothing, 4000000000U, -1, (size_t)7, -5000000000LL, 18446744073709551615ULL, 2.6, 0.125);
    fclose(out);
    assert_string_equal(text, "<a title=\"&quot;&gt;&lt;script&gt;\">R&amp;D&#39;s</a> 100% 4000000000 -1 7 "
                              "-5000000000 18446744073709551615 3 0.12");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(digits_in_groups),
        cmocka_unit_test(cut_to_the_terminal),
        cmocka_unit_test(brief_tables),
        cmocka_unit_test(long_tables),
        cmocka_unit_test(bars),
        cmocka_unit_test(csv),
        cmocka_unit_test(json),
        cmocka_unit_test(texts),
        cmocka_unit_test(names),
        cmocka_unit_test(exploding_name),
        cmocka_unit_test(shares),
        cmocka_unit_test(short_names),
        cmocka_unit_test(long_cells),
        cmocka_unit_test(markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
