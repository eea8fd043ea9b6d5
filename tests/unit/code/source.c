/* Loops of C, C++ and Fortran sources: what one iteration does, counted by hand for each. */
#include "code/source/parts.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_folder.h"

/* Rows of a model as lines: first-last parent floating memory branches, i for innermost. */
static void check_rows(const struct model *model, const char *expected)
{
    char text[4000] = "";
    for (uint32_t i = 1; i < model->source_loops.count; i++) {
        const struct source_loop *loop = model_source_loop(model, i);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%u-%u ^%u %u %u %u%s\n", loop->first_line, loop->last_line,
                 loop->parent, loop->floating, loop->memory, loop->branches, loop->is_innermost ? " i" : "");
    }
    assert_string_equal(text, expected);
}

static void check_options(const char *name, const struct source_options *options, const char *expected)
{
    struct model model;
    struct error error = {0};
    struct trust trust;
    struct source_options own = *options;
    model_init(&model);
    trust_begin(&trust, false);
    trust_add_file(&trust, place(name));
    own.trust = &trust;
    if (!source_read(&model, place(name), &own, &error))
        fail_msg("%s", error.text);
    check_rows(&model, expected);
    model_free(&model);
    trust_free(&trust);
}

static void check(const char *name, const char *text, const char *expected)
{
    write_file(name, text);
    check_options(name, &(struct source_options){0}, expected);
}

/* The problems that reading notes. */
static void check_problem(const char *name, const char *text, const char *part)
{
    write_file(name, text);
    struct model model;
    struct error error = {0};
    model_init(&model);
    assert_true(source_read(&model, place(name), &(struct source_options){0}, &error));
    bool is_found = false;
    for (uint32_t i = 1; i < model.problems.count; i++) {
        const struct problem *problem = model_problem(&model, i);
        is_found |= problem->kind == problem_kind_SOURCE && strstr(model_text(&model, problem->text), part);
    }
    if (!is_found && part)
        fail_msg("no problem says: %s", part);
    if (!part)
        assert_int_equal(model.problems.count, 1);
    model_free(&model);
}

static void check_error(const char *path, const struct source_options *options, const char *part)
{
    struct model model;
    struct error error = {0};
    model_init(&model);
    assert_false(source_read(&model, path, options, &error));
    if (!strstr(error.text, part))
        fail_msg("not in the error: %s: %s", part, error.text);
    model_free(&model);
}

static void test_daxpy_in_c(void **state)
{
    (void)state;
    check("daxpy.c",
          "void daxpy(int n, double a, const double *restrict x, double *restrict y)\n"
          "{\n"
          "    for (int i = 0; i < n; i++)\n"
          "        y[i] += a * x[i];\n"
          "    for (int i = 0; i < n; i++)\n"
          "        y[i] = y[i] + a * x[i];\n"
          "}\n",
          "3-4 ^0 2 3 1 i\n5-6 ^0 2 3 1 i\n");
}

static void test_nest_and_stencil(void **state)
{
    (void)state;
    check("stencil.c",
          "void stencil(int n, double a[n][n], double **b)\n"
          "{\n"
          "    for (int i = 1; i < n - 1; i++) {\n"
          "        double s = a[i][0] * 2.0;\n"
          "        for (int j = 1; j < n - 1; j++)\n"
          "            b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);\n"
          "        b[i][0] = s;\n"
          "    }\n"
          "}\n",
          "3-8 ^0 1 2 1\n5-6 ^1 4 5 1 i\n");
}

static void test_branches(void **state)
{
    (void)state;
    check("branches.c",
          "struct node { double v; struct node *next; float w[4]; struct { int k; } in; };\n"
          "double list(struct node *p, int n)\n"
          "{\n"
          "    double t = 0;\n"
          "    while (p) {\n"
          "        if (p->v > 3.0 && n)\n"
          "            break;\n"
          "        t += p->v + p->w[1];\n"
          "        n += p->in.k;\n"
          "        p = p->next;\n"
          "    }\n"
          "    do {\n"
          "        t = t > 1 ? t / 2 : -t;\n"
          "        switch (n) { case 1: goto out; default: continue; }\n"
          "    } while (t != 1.0);\n"
          "out:\n"
          "    for (t = n * 0.5;; t++)\n"
          "        ;\n"
          "    return t;\n"
          "}\n",
          "5-11 ^0 3 5 3 i\n12-15 ^0 3 0 4 i\n17-18 ^0 1 0 1 i\n");
}

static void test_pointers(void **state)
{
    (void)state;
    check("pointers.c",
          "void pointers(int n, double *p, float *q, double (*f)(double), int *index)\n"
          "{\n"
          "    while (n--) {\n"
          "        *p++ = -*q;\n"
          "        (*p)++;\n"
          "        double *z = &p[3];\n"
          "        *z = (*f)(p[index[n]]);\n"
          "        n += sizeof p[n];\n"
          "    }\n"
          "}\n",
          "3-9 ^0 1 7 1 i\n");
}

static void test_types(void **state)
{
    (void)state;
    check("types.c",
          "#include <stddef.h>\n"
          "typedef float four __attribute__((vector_size(16)));\n"
          "typedef double real;\n"
          "void types(size_t n, _Complex double *z, long double *l, four *v, int *k, real *r, const _Float16 "
          "*h)\n"
          "{\n"
          "    for (size_t i = 0; i < n; i++) {\n"
          "        z[i] *= z[i];\n"
          "        l[i] = l[i] + 1;\n"
          "        v[i] = v[i] * v[0];\n"
          "        k[i] = k[i] * 3 + (int)i;\n"
          "        r[i] = __builtin_fma(r[i], 2.0, r[0]) + __builtin_fmaxf(r[1], 1) + __builtin_sqrt(r[2]);\n"
          "        k[0] *= 1.5;\n"
          "        k[1] = h[i] < h[0];\n"
          "    }\n"
          "}\n",
          "6-14 ^0 11 20 1 i\n");
}

static void test_classes(void **state)
{
    (void)state;
    check("classes.cpp",
          "struct table {\n"
          "    double *d;\n"
          "    double &operator()(int i) { return d[i]; }\n"
          "    const double &at(int i) const { return d[i]; }\n"
          "    double first(int i) const { return d[i]; }\n"
          "};\n"
          "void classes(int n, table &a, const table &b)\n"
          "{\n"
          "    for (int i = 0; i < n; i++)\n"
          "        a(i) += b.at(i) * b.first(i);\n"
          "}\n",
          "9-10 ^0 2 3 1 i\n");
}

static void test_macros(void **state)
{
    (void)state;
    check("macros.c",
          "#define SQUARE(x) ((x) * (x))\n"
          "#define LOOP(i, n) for (int i = 0; i < (n); i++)\n"
          "#define SET(a, b) a = b\n"
          "#define TWO(a, n) LOOP(i, n) a[i] = 0; LOOP(i, n) a[i] *= 2\n"
          "double macros(int n, double *p, float *q)\n"
          "{\n"
          "    double t = 0;\n"
          "    LOOP(k, n) {\n"
          "        t += SQUARE(p[k]);\n"
          "        SET(q[k], p[k]);\n"
          "    }\n"
          "    TWO(p, n);\n"
          "    return t;\n"
          "}\n",
          "8-11 ^0 2 4 1 i\n12-12 ^0 0 1 1 i\n12-12 ^0 1 2 1 i\n");
}

static void test_missing_header(void **state)
{
    (void)state;
    static const char text[] = "#include \"is-not-there.h\"\n"
                               "void scale(int n, double *x)\n"
                               "{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        x[i] = 2 * x[i];\n"
                               "}\n";
    check("missing.c", text, "4-5 ^0 1 2 1 i\n");
    check_problem("missing.c", text, NULL);
    check_problem("unknown.c",
                  "#include \"is-not-there.h\"\n"
                  "void scale(int n, double *x)\n"
                  "{\n"
                  "    for (int i = 0; i < n; i++)\n"
                  "        x[i] = FACTOR * x[i];\n"
                  "}\n",
                  "is-not-there.h");
}

static void test_cplusplus(void **state)
{
    (void)state;
    check("containers.cpp",
          "#include <algorithm>\n"
          "#include <complex>\n"
          "#include <vector>\n"
          "double use(std::vector<double> &v, std::vector<std::vector<float>> &m, double *p, int n,\n"
          "           std::complex<double> *z)\n"
          "{\n"
          "    double t = 0;\n"
          "    for (double &x : v)\n"
          "        x *= 2;\n"
          "    for (auto x : v)\n"
          "        t = std::max(t, x);\n"
          "    for (int i = 0; i < n; i++) {\n"
          "        v[i] = -v[i] + p[i];\n"
          "        m[i][0] += 1;\n"
          "        z[i] = z[i] * z[0];\n"
          "        auto twice = [&](double q) {\n"
          "            for (int k = 0; k < 3; k++)\n"
          "                q += p[k];\n"
          "            return q * 2;\n"
          "        };\n"
          "        const double &alias = p[i];\n"
          "        t += twice(alias);\n"
          "    }\n"
          "    return t;\n"
          "}\n",
          "8-9 ^0 1 2 1 i\n10-11 ^0 1 1 1 i\n12-23 ^0 4 9 1 i\n17-18 ^0 1 1 1 i\n");
}

static void test_templates(void **state)
{
    (void)state;
    static const char text[] = "template <class T> void axpy(int n, T a, const T *x, T *y)\n"
                               "{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        y[i] += a * x[i];\n"
                               "}\n"
                               "template <class T> struct Field {\n"
                               "    T *data;\n"
                               "    int n;\n"
                               "    void scale(T f)\n"
                               "    {\n"
                               "        for (int i = 0; i < n; i++)\n"
                               "            for (int k = 0; k < 3; k++)\n"
                               "                data[i] = this->data[i] * f;\n"
                               "    }\n"
                               "};\n";
    char used[2000];
    snprintf(used, sizeof used,
             "%svoid use(int n, int *k, double *p, Field<float> &f)\n{\n    axpy(n, 2, k, k);\n"
             "    axpy(n, 2.0, p, p);\n    f.scale(2);\n}\n",
             text);
    check("used.cpp", used, "3-4 ^0 2 3 1 i\n11-13 ^0 0 0 1\n12-13 ^2 1 2 1 i\n");
    check_problem("used.cpp", used, NULL);
    check("unused.cpp", text, "3-4 ^0 0 3 1 i\n11-13 ^0 0 0 1\n12-13 ^2 0 2 1 i\n");
    check_problem("unused.cpp", text, "templates");
}

static void test_header_of_unit(void **state)
{
    (void)state;
    write_file("kernel.h", "template <class T> inline T total(const T *x, int n)\n"
                           "{\n"
                           "    T t = 0;\n"
                           "    for (int i = 0; i < n; i++)\n"
                           "        t += x[i];\n"
                           "    return t;\n"
                           "}\n");
    write_file("unit.cc", "#include \"kernel.h\"\n"
                          "double f(const double *x) { for (;;) ; return total(x, 3); }\n");
    char unit[300];
    snprintf(unit, sizeof unit, "%s", place("unit.cc"));
    check_options("kernel.h", &(struct source_options){.unit = unit}, "4-5 ^0 1 1 1 i\n");
}

static void test_flags(void **state)
{
    (void)state;
    mkdir(place("headers"), 0700);
    write_file("headers/factor.h", "#define FACTOR 2.0 * 3.0 *\n");
    static const char text[] = "#include \"factor.h\"\n"
                               "#ifdef WIDE\n"
                               "void f(int n, double *x)\n"
                               "{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        x[i] = FACTOR x[i];\n"
                               "}\n"
                               "#endif\n";
    static const char rows[] = "5-6 ^0 2 2 1 i\n";
    write_file("flags.c", text);
    char flags[600];
    snprintf(
        flags, sizeof flags,
        "GNU C17 12.2.0 -mtune=generic -march=no-such-machine -O2 -g -fno-such-option --param=x=1 -DWIDE=1 "
        "-I '%s/headers'",
        folder);
    check_options("flags.c", &(struct source_options){.flags = flags}, rows);
    check_options("flags.c", &(struct source_options){.flags = "-DWIDE -Iheaders", .directory = folder},
                  rows);
    check_options("flags.c", &(struct source_options){0}, "");
}

static void check_kept(bool is_fortran, const char *flags, const char *expected)
{
    struct trust trust;
    trust_begin(&trust, false);
    trust_add_file(&trust, place("flags.c"));
    struct source_compilation compilation = {.directory = folder, .is_recorded = true, .trust = &trust};
    struct source_words kept = {0};
    source_words_split(&compilation.words, flags, strlen(flags));
    if (is_fortran)
        source_keep_fortran_options(&compilation, &kept);
    else
        source_keep_clang_options(&compilation, kept_MACHINE, &kept);
    char text[2000] = "";
    for (size_t i = 0; i < kept.words.count - (is_fortran ? 2 : 0); i++) {
        const char *word = source_word(&kept, i);
        size_t used = strlen(text), length = strlen(folder);
        bool is_ours = !strncmp(word, folder, length);
        snprintf(text + used, sizeof text - used, "%s%s%s", used ? " " : "", is_ours ? "HERE" : "",
                 is_ours ? word + length : word);
    }
    assert_string_equal(text, expected);
    source_words_free(&kept);
    source_words_free(&compilation.words);
    trust_free(&trust);
}

/* What strangers write into compile_commands.json and debug information. */
static void test_kept_options(void **state)
{
    (void)state;
    write_file("flags.c", "");
    write_file("first.h", "");
    mkdir(place("a"), 0700);
    mkdir(place("c"), 0700);
    mkdir(place("mods"), 0700);
    mkdir(place("@d"), 0700);
    check_kept(false, "cc -DWIDE=1 -D NARROW -UX -Ia -I b/../c -isystem /usr/include -O2 -c flags.c",
               "-DWIDE=1 -DNARROW -UX -I HERE/a -I HERE/c -isystem /usr/include");
    check_kept(false, "-std=c11 -funsigned-char -march=armv8-a+sve -mno-sse -m32 --sysroot=/usr",
               "-std=c11 -funsigned-char -march=armv8-a+sve -mno-sse -m32 --sysroot /usr");
    check_kept(false, "-include first.h -imacros /etc/passwd", "-Xclang -include -Xclang HERE/first.h");
    check_kept(false, "-I/etc -I /root -isystem /var --sysroot=/ -isysroot /etc -I../.. -Ia", "-I HERE/a");
    static const char *const hostile[] = {"@opts",
                                          "-D@opts",
                                          "-D @opts",
                                          "-D -wrapper",
                                          "-U@opts",
                                          "-D=x",
                                          "-D1=@opts",
                                          "-Xclang -load -Xclang x.so",
                                          "-Xclang -DX",
                                          "-fplugin=x.so",
                                          "-fpass-plugin=x.so",
                                          "-specs=x",
                                          "--specs x",
                                          "-B. -B .",
                                          "--config x",
                                          "--config=x",
                                          "-wrapper sh,-c,x",
                                          "-mllvm -load=x.so",
                                          "-mllvm=-load=x.so",
                                          "-std=c11,@x",
                                          "-march=@x",
                                          "-include-pch x.pch",
                                          "-include /etc/passwd",
                                          "-o out",
                                          "-MF out",
                                          "-T x.ld",
                                          "-fdump-tree-all",
                                          "-working-directory /",
                                          "-ivfsoverlay x",
                                          "-fmodule-file=x",
                                          "-fmodule-map-file=x",
                                          "-save-temps",
                                          "-fprofile-use=x",
                                          "-dumpbase x",
                                          "-Wp,-MD,out",
                                          "-Wa,@x",
                                          "-iprefix x",
                                          "-fuse-ld=./x",
                                          "-ld-path=x",
                                          ""};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        check_kept(false, hostile[i], "");
        check_kept(true, hostile[i], "");
    }
    check_kept(true, "-J mods -I@d -ffree-line-length-none -std=f2008 -DX=@y",
               "-I HERE/mods -I HERE/@d "
               "-ffree-line-length-none "
               "-std=f2008 -DX=@y");
}

static void test_compile_commands(void **state)
{
    (void)state;
    mkdir(place("project"), 0700);
    mkdir(place("project/src"), 0700);
    mkdir(place("project/include"), 0700);
    write_file("project/include/step.h", "#define STEP * 2.0\n");
    static const char text[] = "#include <step.h>\n"
                               "#ifdef NAME\n"
                               "void f(double *x)\n"
                               "{\n"
                               "    for (int i = 0; i < 9; i++)\n"
                               "        x[i] = NAME[0] STEP;\n"
                               "}\n"
                               "#endif\n";
    write_file("project/src/one.c", text);
    write_file("project/src/two.c", text);
    char database[3000];
    snprintf(database, sizeof database,
             "[\n {\"file\": \"other.c\", \"nested\": {\"a\": [1, {\"b\": null}], \"c\": \"\\u00e4]}\"}},\n"
             " {\"directory\": \"%s/project/src\", \"command\": \"gcc -I../include \\\"-DNAME=\\\\\\\"ab "
             "c\\\\\\\"\\\" "
             "-O2 -o one.o -c one.c\", \"file\": \"one.c\"},\n"
             " {\"directory\": \"%s/project\", \"arguments\": [\"cc\", \"-I\", \"include\", \"-D\", "
             "\"NAME=\\\"x\\u0041\\\"\", \"-c\", \"src/two.c\"], \"file\": \"./src/../src/two.c\"}\n]\n",
             folder, folder);
    write_file("project/compile_commands.json", database);
    static const char rows[] = "5-6 ^0 1 2 1 i\n";
    check_options("project/src/one.c", &(struct source_options){0}, rows);
    check_options("project/src/two.c", &(struct source_options){0}, rows);
    char named[300];
    snprintf(named, sizeof named, "%s/project", folder);
    check_options("project/src/two.c", &(struct source_options){.compile_commands = named}, rows);
    check_error(place("project/src/one.c"), &(struct source_options){.compile_commands = "/nowhere"},
                "/nowhere");
    /* In the usual folders of builds, too. */
    unlink(place("project/compile_commands.json"));
    write_file("project/Makefile", "all:\n");
    check_options("project/src/one.c", &(struct source_options){0}, "");
    for (const char *const *build = source_build_folders + 1; *build; build++) {
        char name[200];
        snprintf(name, sizeof name, "project/%s", *build);
        mkdir(place(name), 0700);
        snprintf(name, sizeof name, "project/%scompile_commands.json", *build);
        write_file(name, database);
        check_options("project/src/one.c", &(struct source_options){0}, rows);
        unlink(place(name));
    }
}

static void test_hostile_databases(void **state)
{
    (void)state;
    write_file("plain.c", "void f(int n) { for (;n;) n--; }\n");
    static const char *const bad[] = {"{}",
                                      "[",
                                      "[{",
                                      "[{\"file\"",
                                      "[{\"file\":",
                                      "[{\"file\":\"",
                                      "[{\"file\":\"\\",
                                      "[{\"a\":[[[[",
                                      "[{\"a\":]}]",
                                      "[{\"file\":\"x\"} {}]",
                                      "[{\"a\" 1}]",
                                      "[{\"file\":\"x\",}]",
                                      "\"",
                                      "[1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("bad.json", bad[i]);
        check_error(place("plain.c"), &(struct source_options){.compile_commands = place("bad.json")},
                    "line 1");
    }
    static const char *const good[] = {"[]", " [ {} , {\"file\":3} ] ",
                                       "[{\"file\":\"\\ud83d\\u0041\\uzzzz\"}]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        write_file("good.json", good[i]);
        check_options("plain.c", &(struct source_options){.compile_commands = place("good.json")},
                      "1-1 ^0 0 0 1 i\n");
    }
}

static void test_deep_source(void **state)
{
    (void)state;
    char *text = malloc(200000);
    strcpy(text, "void f(double *x) { for (;;) x[0] = 1.0");
    size_t used = strlen(text);
    for (int i = 0; i < 3000; i++)
        used += (size_t)sprintf(text + used, "+x[%d]", i);
    strcpy(text + used, "; }\n");
    check("deep.c", text, "1-1 ^0 3000 3001 1 i\n");
    free(text);
}

static void test_files_that_are_none(void **state)
{
    (void)state;
    const struct source_options none = {0};
    mkdir(place("folder.c"), 0700);
    check_error(place("folder.c"), &none, "directory");
    assert_int_equal(mkfifo(place("pipe.c"), 0600), 0);
    check_error(place("pipe.c"), &none, "pipe");
    check_error(place("nothing.c"), &none, "No such file");
    check_error(place("nothing.py"), &none, "only");
    write_file("huge.c", "");
    assert_int_equal(truncate(place("huge.c"), (off_t)65 << 20), 0);
    check_error(place("huge.c"), &none, "64 MB");
}

static void test_rows_of_several_files(void **state)
{
    (void)state;
    static const char text[] = "void f(int n) { for (;n;)\nfor (;n;) n--; }\n";
    write_file("first.c", text);
    write_file("second.c", text);
    struct model model;
    struct error error = {0};
    const struct source_options none = {0};
    model_init(&model);
    uint32_t first = model_file_id(&model, place("first.c")),
             second = model_file_id(&model, place("second.c"));
    assert_true(source_read(&model, place("second.c"), &none, &error));
    assert_true(source_read(&model, place("first.c"), &none, &error));
    assert_true(source_read(&model, place("second.c"), &none, &error));
    check_rows(&model, "1-2 ^0 0 0 1\n2-2 ^1 0 0 1 i\n1-2 ^0 0 0 1\n2-2 ^3 0 0 1 i\n");
    assert_int_equal(model_source_loop(&model, 1)->file, first);
    assert_int_equal(model_source_loop(&model, 4)->file, second);
    model_free(&model);
}

static void test_fortran(void **state)
{
    (void)state;
    check("daxpy.f90",
          "subroutine daxpy(n, a, x, y)\n"
          "  integer :: n, i\n"
          "  real(8) :: a, x(n), y(n)\n"
          "  do i = 1, n\n"
          "    y(i) = y(i) + a * x(i)\n"
          "  end do\n"
          "  do i = 1, &\n"
          "     ! a comment within\n"
          "     & n\n"
          "    y(i) = y(i) - a * &\n"
          "       x(i)  ! do = 1\n"
          "  enddo\n"
          "end subroutine\n",
          "4-6 ^0 2 3 1 i\n7-12 ^0 2 3 1 i\n");
    check("arrays.f90",
          "module arrays\n"
          "  type point\n"
          "    real(8) :: x\n"
          "    real, allocatable :: w(:)\n"
          "  end type\n"
          "contains\n"
          "  subroutine work(a, b, c, p, z, s, k)\n"
          "    real, intent(inout) :: a(:), b(:,:), c\n"
          "    type(point) :: p(:)\n"
          "    complex(8) :: z(:)\n"
          "    character(len=8) :: s\n"
          "    integer :: i, k(:)\n"
          "    a(:) = b(:,1) * c + min(a, 3.0) ** 2\n"
          "    where (a > 0.0) a = sqrt(a)\n"
          "    do concurrent (i = 1:size(a))\n"
          "      a(i) = p(i)%x + p(i)%w(3)\n"
          "      z(k(i)) = z(i) * (1.0, 2.0)\n"
          "    end do\n"
          "    outer: do while (c < 10.0)\n"
          "      c = c + sum(a * b(1,:))\n"
          "      if (c == 5.0) exit outer\n"
          "      s(1:2) = 'do'\n"
          "      select case (i)\n"
          "      case (1)\n"
          "        c = -c\n"
          "      end select\n"
          "    end do outer\n"
          "    forall (i = 1:10) a(i) = i\n"
          "    call other(a(3), k(k(1)))\n"
          "  end subroutine\n"
          "end module\n",
          "13-13 ^0 4 3 1 i\n14-14 ^0 2 3 2 i\n15-18 ^0 2 6 1 i\n19-27 ^0 3 0 4\n20-20 ^4 2 2 1 i\n"
          "28-28 ^0 0 1 1 i\n");
}

static void test_fixed_form(void **state)
{
    (void)state;
    write_file("defs.inc", "#define FOO 1\n");
    check("old.F",
          "#include \"defs.inc\"\n"
          "C     comment do 10\n"
          "      SUBROUTINE DAXPY(N,DA,DX,DY)\n"
          "      INTEGER I,J,N,M\n"
          "      DOUBLE PRECISION DA\n"
          "      DOUBLE PRECISION DX(*),DY(*)\n"
          "      M = MOD(N,4)\n"
          "      DO 30 I = 1,M\n"
          "         DY(I) = DY(I) + DA*\n"
          "     $           DX(I)\n"
          "   30 CONTINUE\n"
          "#ifdef FOO\n"
          "      DO40I=M+1,N,4\n"
          "\tDY(I) = DY(I) + DA*DX(I)\n"
          "\tDY(I+1) = DY(I+1) + DA*DX(I+1)\n"
          "   40 CONTINUE\n"
          "#endif\n"
          "      DO 50 J=1,N\n"
          "      DO 50 I=1,N\n"
          "   50 IF (DX(I).GT.0D0) DY(I)=DX(I)\n"
          "      DO I=1,N\n"
          "        PRINT *,'it''s ! no = comment',\n"
          "     &  DX(I)\n"
          "      ENDDO\n"
          "      END\n",
          "8-11 ^0 2 3 1 i\n13-16 ^0 4 6 1 i\n18-20 ^0 0 0 1\n19-20 ^3 1 3 2 i\n21-24 ^0 0 1 1 i\n");
}

static void test_fortran_modules(void **state)
{
    (void)state;
    write_file("kinds.f90", "module kinds\n  integer, parameter :: dp = 8\nend module kinds\n");
    write_file("constants.f90",
               "module constants\n  use kinds\n  real(dp), parameter :: two = 2\nend module\n");
    check("user.f90",
          "module user\n"
          "  use constants\n"
          "contains\n"
          "  subroutine twice(x)\n"
          "    real(dp) :: x(:)\n"
          "    do i = 1, size(x)\n"
          "      x(i) = x(i) * two\n"
          "    end do\n"
          "  end subroutine\n"
          "end module\n",
          "6-8 ^0 1 2 1 i\n");
    write_file("nobody.f90", "subroutine s\n  use nobody_has_this\nend\n");
    check_error(place("nobody.f90"), &(struct source_options){0}, "nobody_has_this");
    check_problem("wrong.f90", "subroutine s(a)\n  real a(3)\n  a = 1 +* 2\n  a = 2\nend\n", "Syntax error");
}

static void test_nothing_is_left(void **state)
{
    (void)state;
    mkdir(place("private"), 0700);
    setenv("TMPDIR", place("private"), 1);
    check("module.f90",
          "module left\ncontains\nsubroutine s(x)\nreal x(2)\nx = 1\nend subroutine\nend module\n",
          "5-5 ^0 0 1 1 i\n");
    unsetenv("TMPDIR");
    assert_int_equal(rmdir(place("private")), 0);
    assert_int_not_equal(access(place("left.mod"), F_OK), 0);
    assert_int_not_equal(access("left.mod", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_daxpy_in_c),
        cmocka_unit_test(test_nest_and_stencil),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_macros),
        cmocka_unit_test(test_missing_header),
        cmocka_unit_test(test_cplusplus),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_header_of_unit),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_kept_options),
        cmocka_unit_test(test_compile_commands),
        cmocka_unit_test(test_hostile_databases),
        cmocka_unit_test(test_deep_source),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_rows_of_several_files),
        cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_fixed_form),
        cmocka_unit_test(test_fortran_modules),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
