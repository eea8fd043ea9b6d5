/* Callers of samples (src/run/places/unwind.c) against backtrace(), in programs that sample themselves
   (tests/programs/unwind): of both instruction sets where qemu runs the other one, by two compilers. */
/* last build only: the programs take the time */
#include "able.h"
#include "elf_files.h"

#include "tests/programs/unwind/ticks.h"
#include "run/places/unwind.h"

static int by_start(const void *left, const void *right)
{
    const struct places_loaded *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* A file of the program, which qemu looks for in the folder of its libraries first. */
static char *real_path(const char *path, const char *sysroot)
{
    char *found;
    bool is_own =
        !strncmp(path, folder, strlen(folder)) || path[0] != '/' || !strncmp(path, sysroot, strlen(sysroot));
    assert_true(asprintf(&found, "%s%s", is_own ? "" : sysroot, path) > 0);
    if (!is_own && access(found, R_OK))
        strcpy(found, path);
    return found;
}

/* sysroot: where the libraries of the program lie. */
static void take_modules(struct array *modules, const struct tick_module *from, size_t count,
                         const char *sysroot)
{
    for (size_t i = 0; i < count; i++) {
        struct places_loaded *module = array_add(modules);
        module->path = real_path(from[i].path, sysroot);
        module->start = from[i].start;
        module->end = from[i].end;
        module->bias = from[i].bias;
    }
    qsort(modules->data, modules->count, modules->width, by_start);
}

/* How many frames agree, from the sample on; all must.  backtrace() follows the whole stack, and stops in
   stubs that no rules describe. */
static size_t compare(struct places_unwinder *unwinder, uint8_t isa, const struct tick *tick,
                      bool is_interrupted)
{
    struct places_registers registers = {.isa = isa};
    uint64_t addresses[TICK_FRAMES];
    memcpy(registers.values, tick->values, sizeof registers.values);
    size_t count = places_unwind(unwinder, &registers, tick->stack_address, tick->stack, tick->stack_size,
                                 addresses, TICK_FRAMES);
    size_t first = 0, same = 1, expected = tick->expected_count;
    assert_in_range(count, is_interrupted ? 1 : 2, TICK_FRAMES);
    while (first < expected && tick->expected[first] != addresses[!is_interrupted])
        first++;
    assert_true(first < expected);
    first -= !is_interrupted;
    for (; same < count && first + same < expected; same++)
        assert_int_equal(addresses[same], tick->expected[first + same]);
    return same;
}

static void check_mode(const char *mode, uint8_t isa, const char *runner, const char *sysroot)
{
    size_t size, same = 0;
    run("%s %s %s ticks.out", runner, path_of("ticks"), mode);
    uint8_t *bytes = read_bytes("ticks.out", &size);
    const struct ticks_head *head = (const void *)bytes;
    const struct tick_module *from = (const void *)(head + 1);
    const struct tick *ticks = (const void *)(from + head->module_count);
    assert_int_equal(size,
                     sizeof *head + head->module_count * sizeof *from + head->tick_count * sizeof *ticks);
    struct array modules = ARRAY_OF(struct places_loaded);
    take_modules(&modules, from, head->module_count, sysroot);
    struct places_unwinder *unwinder = places_unwinder_make(&modules);
    for (size_t i = 0; i < head->tick_count; i++)
        same += compare(unwinder, isa, &ticks[i], !strcmp(mode, "work"));
    assert_true(same > head->tick_count * 5);
    places_unwinder_free(unwinder);
    places_free_loaded(&modules);
    free(bytes);
}

static const char *const options[] = {"-O0", "-O2 -fomit-frame-pointer", "-O3 -fno-omit-frame-pointer"};
static const char source[] = PROJECT "/tests/programs/unwind";

static void build(const char *compiler, const char *linker, const char *option)
{
    run("%s %s -c %s/work.c -o work.o", compiler, option, source);
    run("%s -O1 %s/ticks.c work.o -o ticks", linker, source);
}

static void test_x86_64(void **state)
{
    (void)state;
    bool is_native = !system("test $(uname -m) = x86_64");
    if (!is_native && system("which qemu-x86_64 > /dev/null"))
        lacking("qemu-x86_64 is not installed");
    const char *runner = is_native ? "" : "qemu-x86_64 -L /usr/x86_64-linux-gnu";
    const char *sysroot = is_native ? "" : "/usr/x86_64-linux-gnu";
    for (unsigned i = 0; i < 2 * sizeof options / sizeof *options; i++) {
        /* qemu does not align the stack of handlers. */
        build(i % 2 ? "clang --target=x86_64-linux-gnu" : X86, X86 " -mstackrealign", options[i / 2]);
        check_mode("work", isa_X86_64, runner, sysroot);
        check_mode("handler", isa_X86_64, runner, sysroot);
        check_mode("called", isa_X86_64, runner, sysroot);
    }
}

static void test_aarch64(void **state)
{
    (void)state;
    bool is_native = !system("test $(uname -m) = aarch64");
    if (!is_native && system("which qemu-aarch64 > /dev/null"))
        lacking("qemu-aarch64 is not installed");
    const char *runner = is_native ? "" : "qemu-aarch64 -L /usr/aarch64-linux-gnu";
    const char *sysroot = is_native ? "" : "/usr/aarch64-linux-gnu";
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        build(ARM " -mbranch-protection=standard", ARM, options[i]); /* return addresses are signed */
        check_mode("work", isa_AARCH64, runner, sysroot);
        if (is_native) /* qemu has pages of its own for the return from handlers */
            check_mode("handler", isa_AARCH64, runner, sysroot);
        build("clang --target=aarch64-linux-gnu", ARM, options[i]);
        check_mode("called", isa_AARCH64, runner, sysroot); /* clang describes no prologues */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x86_64),
        cmocka_unit_test(test_aarch64),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
