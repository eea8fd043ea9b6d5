/* Stacks of samples (src/watch/sample/collector.c): sequences of forks, execs, maps and samples, as a kernel
   would report them, with the stacks and counts that must come out; and sequences that no kernel reports. */
#include "elf_files.h"

#include "watch/sample/collector.h"

#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
