/* Stacks of samples (src/run/sample/collector.c): sequences of forks, execs, maps and samples, as a kernel
   would report them, with the stacks and counts that must come out; and sequences that no kernel reports. */
#include "elf_files.h"
#include "emulation.h"

#include "run/sample/collector.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

/* Above every process number of Linux: /proc knows none of them. */
enum { FIRST = 5000001, SECOND = 5000002, THIRD = 5000003, THREAD = 5000011 };

struct run {
    struct sample_recording recording;
    struct collector *collector;
};

static void start(struct run *it, size_t most_nodes)
{
    sample_recording_init(&it->recording);
    it->collector = collector_begin(&it->recording, most_nodes);
}

static void end(struct run *it)
{
    collector_end(it->collector, 9);
}

static void map(struct run *it, uint32_t process, uint64_t at, uint64_t size, uint64_t offset,
                const char *path)
{
    struct collector_map map = {.start = at, .size = size, .offset = offset, .path = path};
    collector_map(it->collector, process, &map);
}

static void sample_chain(struct run *it, uint32_t process, uint32_t thread, bool is_kernel, uint64_t address,
                         const uint64_t *chain, size_t count)
{
    struct collector_sample sample = {.process = process,
                                      .thread = thread,
                                      .seconds = 2,
                                      .amount = 0.5,
                                      .address = address,
                                      .is_kernel = is_kernel,
                                      .chain = chain,
                                      .chain_count = count};
    collector_sample(it->collector, &sample);
}

static void sample_at(struct run *it, uint32_t process, uint64_t address)
{
    sample_chain(it, process, process, false, address, &address, 1);
}

/* "12 name+0x10 < name+0x20 …": samples of thread 12 (place), the leaf first, in the order of counts. */
static char *text_of(const struct run *it)
{
    const struct sample_recording *recording = &it->recording;
    char *text = strdup("");
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        const struct sample_thread *thread =
            ARRAY_AT(struct sample_thread, &recording->threads, count->thread);
        char *longer;
        assert_true(
            asprintf(&longer, "%s%u:%u %llu", text,
                     ARRAY_AT(struct sample_process, &recording->processes, thread->process)->process %
                         1000000,
                     thread->thread % 1000000, (unsigned long long)count->samples) > 0);
        free(text);
        text = longer;
        for (uint32_t node = count->node; node;) {
            const struct sample_node *it_node = ARRAY_AT(struct sample_node, &recording->nodes, node);
            const struct sample_frame *frame =
                ARRAY_AT(struct sample_frame, &recording->frames, it_node->frame);
            const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, frame->file);
            static const char *const kinds[] = {"unknown", "code", "kernel", "vdso", "generated"};
            const char *name = file->path ? strrchr(file->path, '/') : NULL;
            assert_true(asprintf(&longer, "%s %s+%#llx%s", text, name ? name + 1 : kinds[file->kind],
                                 (unsigned long long)frame->address, it_node->is_cut ? " …" : "") > 0);
            free(text);
            text = longer;
            node = it_node->caller;
        }
        assert_true(asprintf(&longer, "%s\n", text) > 0);
        free(text);
        text = longer;
        assert_true(fabs(count->amount - 0.5 * (double)count->samples) < 1e-9);
    }
    return text;
}

static void expect(struct run *it, const char *expected)
{
    end(it);
    char *text = text_of(it);
    assert_string_equal(text, expected);
    free(text);
    sample_recording_free(&it->recording);
}

static void test_maps(void **state)
{
    (void)state;
    struct run it;
    start(&it, 0);
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x10000, 0x4000, 0, "/no/where/prog");
    sample_at(&it, FIRST, 0x10010);
    sample_at(&it, FIRST, 0x10010);
    sample_at(&it, FIRST, 0x20000);
    map(&it, FIRST, 0x11000, 0x1000, 0x5000, "/no/where/lib.so"); /* in the middle of it */
    sample_at(&it, FIRST, 0x10fff);
    sample_at(&it, FIRST, 0x11000);
    sample_at(&it, FIRST, 0x12000);
    collector_unmap(it.collector, FIRST, 0x11000, 0x1000);
    sample_at(&it, FIRST, 0x11000);
    map(&it, FIRST, 0x11000, 0x1000, 0, "//anon");
    sample_at(&it, FIRST, 0x11000);
    map(&it, FIRST, 0x8000, 0x10000, 0x1000, "/no/where/other.so"); /* over everything */
    sample_at(&it, FIRST, 0x11000);
    expect(&it, "1:1 2 prog+0x10\n1:1 1 unknown+0x20000\n1:1 1 prog+0xfff\n1:1 1 lib.so+0x5000\n"
                "1:1 1 prog+0x2000\n1:1 1 unknown+0x11000\n1:1 1 generated+0x11000\n1:1 1 other.so+0xa000\n");
}

static void test_processes(void **state)
{
    (void)state;
    struct run it;
    start(&it, 0);
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x10000, 0x4000, 0, "/no/where/prog");
    collector_fork(it.collector, FIRST, THREAD, FIRST, 0.5);
    collector_fork(it.collector, SECOND, SECOND, FIRST, 1);
    map(&it, FIRST, 0x20000, 0x1000, 0, "/no/where/late.so"); /* not the child's */
    uint64_t stack[] = {0x10020, 0x10031, 0x10041};
    sample_chain(&it, FIRST, THREAD, false, 0x10020, stack, 3);
    sample_chain(&it, SECOND, SECOND, true, UINT64_MAX - 100, stack, 3);
    sample_at(&it, SECOND, 0x20000);
    sample_at(&it, FIRST, 0x20000);
    collector_exec(it.collector, SECOND, SECOND, "second", 2);
    sample_at(&it, SECOND, 0x10020);
    map(&it, SECOND, 0x10000, 0x4000, 0x1000, "/no/where/next");
    sample_at(&it, SECOND, 0x10020);
    collector_exit(it.collector, FIRST, FIRST, 3); /* its thread goes on */
    sample_chain(&it, FIRST, THREAD, false, 0x10020, stack, 3);
    collector_exit(it.collector, SECOND, SECOND, 3);
    collector_fork(it.collector, SECOND, SECOND, FIRST, 4); /* the number again */
    sample_at(&it, SECOND, 0x10020);
    const struct sample_process *processes = it.recording.processes.data;
    assert_int_equal(it.recording.processes.count, 3);
    assert_string_equal(processes[0].command, "first");
    assert_string_equal(processes[1].command, "second");
    assert_true(processes[1].end == 3 && processes[2].start == 4 && isnan(processes[0].end));
    expect(&it, "1:11 2 prog+0x20 prog+0x30 prog+0x40\n2:2 1 kernel+0 prog+0x20 prog+0x30 prog+0x40\n"
                "2:2 1 unknown+0x20000\n1:1 1 late.so+0\n2:2 1 unknown+0x10020\n2:2 1 next+0x1020\n"
                "2:2 1 prog+0x20\n");
}

static void test_ranks(void **state)
{
    (void)state;
    static const char both[] = "HOME=/\0SLURM_PROCID=0\0PMIX_RANK=3\0X=1";
    static const char wrong[] = "PMI_RANK=\0PMIX_RANK=9x\0OMPI_COMM_WORLD_RANK=99999999999\0PMI_RANKS=5";
    assert_int_equal(sample_rank(both, sizeof both), 3);
    assert_int_equal(sample_rank(both, 22), 0);
    assert_int_equal(sample_rank(wrong, sizeof wrong), NO_NUMBER);
    assert_int_equal(sample_rank("", 0), NO_NUMBER);
    assert_int_equal(sample_rank("PMI_RANK=17", 10), 1); /* not ended */
}

static void test_limit(void **state)
{
    (void)state;
    struct run it;
    uint64_t samples = 0;
    start(&it, 20);
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x10000, 0x4000, 0, "/no/where/prog");
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t stack[] = {0x10000 + i % 3, 0x10101 + i % 7, 0x10201 + i};
        collector_fork(it.collector, FIRST, THREAD + (uint32_t)i % 50, FIRST, 1);
        sample_chain(&it, FIRST, THREAD + (uint32_t)i % 50, false, stack[0], stack, 3);
    }
    collector_end(it.collector, 9);
    for (size_t i = 0; i < it.recording.counts.count; i++)
        samples += ARRAY_AT(struct sample_count, &it.recording.counts, i)->samples;
    assert_int_equal(samples, 1000);
    assert_in_range(it.recording.nodes.count, 20, 41);
    assert_in_range(it.recording.frames.count, 20, 41);
    assert_in_range(it.recording.summarised, 900, 999);
    sample_recording_free(&it.recording);

    start(&it, 5); /* what was seen before the limit goes on with its callers */
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x10000, 0x4000, 0, "/no/where/prog");
    uint64_t first[] = {0x10000, 0x10101, 0x10201}, second[] = {0x10000, 0x10301, 0x10401, 0x10501};
    for (unsigned i = 0; i < 3; i++) {
        sample_chain(&it, FIRST, FIRST, false, first[0], first, 3);
        sample_chain(&it, FIRST, FIRST, false, second[0], second, 4);
    }
    expect(&it, "1:1 3 prog+0 prog+0x100 prog+0x200\n1:1 3 prog+0 …\n");
}

/* ---- files ---- */

static unsigned long long number_of(const char *format, const char *file)
{
    char *text = output(format, file);
    unsigned long long number = strtoull(text, NULL, 16);
    free(text);
    return number;
}

static const struct sample_file *only_file(const struct run *it)
{
    assert_int_equal(it->recording.files.count, 2);
    return ARRAY_AT(struct sample_file, &it->recording.files, 1);
}

static void test_segments(void **state)
{
    (void)state;
    struct run it;
    run("echo 'int f(void) { return 1; }' > f.c && gcc -shared -nostdlib -Wl,-z,separate-code "
        "-Wl,--section-start=.text=0x430000 -Wl,--build-id=0x1122334455667788 -o f.so f.c");
    unsigned long long address = number_of("readelf -lW %s | awk '/LOAD.*R E/ {print $3}'", "f.so");
    unsigned long long offset = number_of("readelf -lW %s | awk '/LOAD.*R E/ {print $2}'", "f.so");
    assert_true(address != offset);
    start(&it, 0);
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x7f0000000000, 0x1000, offset & ~0xfffull, path_of("f.so"));
    sample_at(&it, FIRST, 0x7f0000000000 + (offset & 0xfff) + 2);
    collector_end(it.collector, 1);
    assert_string_equal(only_file(&it)->build_id, "1122334455667788");
    assert_int_equal(only_file(&it)->kind, SAMPLE_FILE_CODE);
    assert_false(only_file(&it)->is_deleted || only_file(&it)->has_other_code);
    assert_int_equal(ARRAY_AT(struct sample_frame, &it.recording.frames, 1)->address, address + 2);
    sample_recording_free(&it.recording);
}

enum change { REBUILT, REMOVED, COPIED, NO_CODE };
static void check_change(enum change change, bool is_deleted, bool has_other_code)
{
    struct run it;
    run("gcc -shared -nostdlib -Wl,--build-id=0x1122334455667788 -o f.so f.c && cp f.so g.so");
    if (change == NO_CODE)
        run("rm f.so && echo text > f.so");
    start(&it, 0);
    collector_exec(it.collector, FIRST, FIRST, "first", 0);
    map(&it, FIRST, 0x7f0000000000, 0x1000, 0, path_of("f.so"));
    sample_at(&it, FIRST, 0x7f0000000010);
    if (change == REBUILT)
        run("rm f.so && gcc -shared -nostdlib -Wl,--build-id=0x5566778811223344 -o f.so f.c");
    if (change == REMOVED)
        run("rm f.so");
    if (change == COPIED)
        run("rm f.so && cp g.so f.so");
    collector_end(it.collector, 1);
    const struct sample_file *file = only_file(&it);
    assert_int_equal(file->kind, change == NO_CODE ? SAMPLE_FILE_GENERATED : SAMPLE_FILE_CODE);
    assert_string_equal(file->build_id, change == NO_CODE ? "" : "1122334455667788");
    assert_int_equal(file->is_deleted, is_deleted);
    assert_int_equal(file->has_other_code, has_other_code);
    sample_recording_free(&it.recording);
}

static void test_changes(void **state)
{
    (void)state;
    write_text("f.c", "int f(void) { return 1; }\n");
    check_change(REBUILT, true, true);
    check_change(REMOVED, true, false);
    check_change(COPIED, false, false);
    check_change(NO_CODE, false, false);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint8_t kind;
        bool is_deleted;
    } cases[] = {
        {"//anon", SAMPLE_FILE_GENERATED, false},
        {"[heap]", SAMPLE_FILE_GENERATED, false},
        {"[stack]", SAMPLE_FILE_GENERATED, false},
        {"", SAMPLE_FILE_GENERATED, false},
        {"/memfd:jit (deleted)", SAMPLE_FILE_GENERATED},
        {"/dev/zero (deleted)", SAMPLE_FILE_GENERATED},
        {"[vdso]", SAMPLE_FILE_VDSO, false},
        {"//toolong", SAMPLE_FILE_UNKNOWN, false},
        {"/no/lib.so (deleted)", SAMPLE_FILE_CODE, true},
        {"/no/lib.so", SAMPLE_FILE_CODE, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run it;
        start(&it, 0);
        collector_exec(it.collector, FIRST, FIRST, "first", 0);
        map(&it, FIRST, 0x10000, 0x1000, 0, cases[i].path);
        sample_at(&it, FIRST, 0x10010);
        collector_end(it.collector, 1);
        assert_int_equal(only_file(&it)->kind, cases[i].kind);
        assert_int_equal(only_file(&it)->is_deleted, cases[i].is_deleted);
        if (cases[i].kind == SAMPLE_FILE_CODE)
            assert_string_equal(only_file(&it)->path, "/no/lib.so");
        sample_recording_free(&it.recording);
    }
}

/* ---- processes that run ---- */

static void test_running(void **state)
{
    (void)state;
    if (is_emulated()) /* another process is the emulator to the kernel */
        skip();
    struct run it;
    pid_t child = fork();
    if (!child) {
        setenv("OMPI_COMM_WORLD_RANK", "3", 1);
        setenv("SLURM_PROCID", "0", 1);
        execlp("sleep", "sleep", "1000", NULL);
        _exit(1);
    }
    /* A new program has its name before its words. */
    static const char words[] = "sleep\0001000";
    char found[sizeof words] = "";
    for (unsigned i = 0; i < 1000 && memcmp(found, words, sizeof words) != 0; i++) {
        char path[50];
        usleep(10000);
        snprintf(path, sizeof path, "/proc/%d/cmdline", (int)child);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        (void)!fread(found, 1, sizeof found, file);
        fclose(file);
    }
    start(&it, 0);
    collector_adopt(it.collector, (uint32_t)child, 1);
    collector_adopt(it.collector, (uint32_t)getpid(), 1);
    uint64_t address = (uint64_t)(uintptr_t)test_running;
    struct collector_sample sample = {.process = (uint32_t)getpid(),
                                      .thread = (uint32_t)getpid(),
                                      .seconds = 2,
                                      .amount = 0.5,
                                      .address = address,
                                      .chain = &address,
                                      .chain_count = 1};
    collector_sample(it.collector, &sample);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    collector_end(it.collector, 3);
    const struct sample_process *processes = it.recording.processes.data;
    const struct sample_thread *threads = it.recording.threads.data;
    assert_int_equal(it.recording.processes.count, 2);
    assert_string_equal(processes[0].command, "sleep 1000");
    assert_int_equal(processes[0].rank, 3);
    assert_int_equal(processes[0].parent, getpid());
    assert_string_equal(threads[0].name, "sleep");
    assert_true(processes[0].start == 1 && processes[0].end == 3);
    char *program = realpath("/proc/self/exe", NULL);
    assert_string_equal(only_file(&it)->path, program);
    unsigned long long symbol = number_of("nm %s | grep ' test_running$'", program);
    assert_int_equal(ARRAY_AT(struct sample_frame, &it.recording.frames, 1)->address, symbol);
    free(program);
    sample_recording_free(&it.recording);
}

/* ---- callers ---- */

/* Frame pointers in a copy of the stack, which ends before the kernel's chain does. */
static void test_chains(void **state)
{
    (void)state;
    for (unsigned is_arm = 0; is_arm < 2; is_arm++) {
        struct run it;
        uint64_t words[8] = {0, 0x5020, 0x10101, 0, 0x5040, 0x10201};
        uint64_t chain[] = {0x10000, 0x10101, 0x10201, 0x10301, 0x10401};
        struct places_registers registers = {.isa = is_arm ? isa_AARCH64 : isa_X86_64};
        registers.values[is_arm ? 31 : 7] = 0x5000;
        registers.values[is_arm ? 29 : 6] = 0x5008;
        registers.values[is_arm ? 32 : 16] = 0x10000;
        if (is_arm) /* signed */
            words[2] |= UINT64_C(0x2a) << 48;
        struct collector_sample sample = {.process = FIRST,
                                          .thread = FIRST,
                                          .amount = 0.5,
                                          .address = 0x10000,
                                          .registers = &registers,
                                          .stack_address = 0x5000,
                                          .stack = (const uint8_t *)words,
                                          .stack_size = sizeof words};
        start(&it, 0);
        collector_exec(it.collector, FIRST, FIRST, "first", 0);
        map(&it, FIRST, 0x10000, 0x4000, 0, "/no/where/prog");
        collector_sample(it.collector, &sample);
        sample.chain = chain;
        sample.chain_count = 5;
        collector_sample(it.collector, &sample);
        chain[3] = 0x90001; /* no code */
        sample.chain_count = 4;
        collector_sample(it.collector, &sample);
        sample.stack_size = 0;
        sample.chain_count = 3;
        collector_sample(it.collector, &sample);
        chain[0] = 0x10001; /* another sample's */
        sample.chain_count = 1;
        collector_sample(it.collector, &sample);
        expect(&it, "1:1 1 prog+0 prog+0x100 prog+0x200 …\n"
                    "1:1 1 prog+0 prog+0x100 prog+0x200 prog+0x300 prog+0x400\n"
                    "1:1 1 prog+0 prog+0x100 prog+0x200 unknown+0x90000\n"
                    "1:1 1 prog+0 prog+0x100 prog+0x200\n"
                    "1:1 1 prog+0 …\n");
    }
}

/* ---- hostile sequences ---- */

static uint64_t random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static uint64_t random_address(uint64_t *state)
{
    uint64_t number = random_number(state);
    return number % 8 == 0   ? UINT64_MAX - number / 8 % 0x3000
           : number % 8 == 1 ? number / 8 % 64
                             : number % 0x6000;
}

static void random_sample(struct run *it, uint64_t *random)
{
    uint64_t words[64], chain[20];
    struct places_registers registers = {.isa = (uint8_t)(random_number(random) % 5)};
    for (unsigned i = 0; i < 33; i++)
        registers.values[i] = random_address(random);
    for (unsigned i = 0; i < 64; i++)
        words[i] = random_address(random);
    for (unsigned i = 0; i < 20; i++)
        chain[i] = random_address(random);
    struct collector_sample sample = {.process = FIRST + (uint32_t)random_number(random) % 5,
                                      .thread = FIRST + (uint32_t)random_number(random) % 20,
                                      .amount = 0.5,
                                      .event = (uint16_t)(random_number(random) % 2),
                                      .address = random_address(random),
                                      .is_kernel = random_number(random) % 4 == 0,
                                      .registers = random_number(random) % 3 ? &registers : NULL,
                                      .stack_address = random_address(random),
                                      .stack = (const uint8_t *)words,
                                      .stack_size = random_number(random) % sizeof words,
                                      .chain = random_number(random) % 2 ? chain : NULL};
    sample.chain_count = sample.chain ? random_number(random) % 20 : 0;
    if (random_number(random) % 20 == 0)
        sample.process = sample.thread = UINT32_MAX;
    collector_sample(it->collector, &sample);
}

static void random_event(struct run *it, uint64_t *random, const char *const *paths)
{
    uint32_t process = FIRST + (uint32_t)random_number(random) % 5;
    uint32_t thread = FIRST + (uint32_t)random_number(random) % 20;
    switch (random_number(random) % 8) {
    case 0:
        collector_fork(it->collector, process, thread, FIRST + (uint32_t)random_number(random) % 5, 1);
        break;
    case 1:
        collector_exec(it->collector, process, thread, "name", 2);
        break;
    case 2:
        collector_exit(it->collector, process, thread, 3);
        break;
    case 3:
        collector_name(it->collector, process, thread, "other");
        break;
    case 4:
        collector_unmap(it->collector, process, random_address(random), random_address(random));
        break;
    default:
        map(it, process, random_address(random), random_address(random), random_address(random),
            paths[random_number(random) % 5]);
    }
}

static void test_hostile(void **state)
{
    (void)state;
    char *library = strdup(path_of("f.so")), *program = realpath("/proc/self/exe", NULL);
    const char *const paths[] = {"/no/where", library, program, "//anon", "[vdso]"};
    uint64_t random = 11;
    run("gcc -shared -o f.so f.c");
    for (unsigned round = 0; round < 20; round++) {
        struct run it;
        uint64_t samples = 0, taken = 0;
        start(&it, round % 2 ? 0 : 50);
        for (unsigned i = 0; i < 1000; i++)
            if (random_number(&random) % 2) {
                random_sample(&it, &random);
                taken++;
            } else {
                random_event(&it, &random, paths);
            }
        collector_end(it.collector, 9);
        const struct sample_recording *recording = &it.recording;
        for (size_t i = 0; i < recording->counts.count; i++) {
            const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
            samples += count->samples;
            assert_true(count->thread < recording->threads.count && count->node < recording->nodes.count);
        }
        assert_int_equal(samples, taken);
        for (size_t i = 1; i < recording->nodes.count; i++) {
            const struct sample_node *node = ARRAY_AT(struct sample_node, &recording->nodes, i);
            assert_true(node->caller < i && node->frame < recording->frames.count);
        }
        for (size_t i = 1; i < recording->frames.count; i++)
            assert_true(ARRAY_AT(struct sample_frame, &recording->frames, i)->file < recording->files.count);
        for (size_t i = 0; i < recording->threads.count; i++)
            assert_true(ARRAY_AT(struct sample_thread, &recording->threads, i)->process <
                        recording->processes.count);
        sample_recording_free(&it.recording);
    }
    free(library);
    free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),    cmocka_unit_test(test_processes), cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_limit),   cmocka_unit_test(test_segments),  cmocka_unit_test(test_changes),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_running),   cmocka_unit_test(test_chains),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
