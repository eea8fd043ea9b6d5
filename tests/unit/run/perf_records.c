/* The kernel's rings and records (src/run/sample/perf_ring.c, perf_records.c), made by hand: order, going
   round the end, records that are cut short, unknown or nonsense.  A collector that only writes down what it
   gets stands in for the real one. */
#include "run/sample/perf_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

/* ---- the collector ---- */

struct seen {
    char what[16], text[64];
    uint32_t process, thread, parent;
    double seconds;
    struct collector_map map;
    struct collector_sample sample;
    struct places_registers registers;
    uint8_t stack_byte; /* the last of the copy */
    uint64_t last_caller;
};
static struct seen seen;
static size_t seen_count;
static double latest; /* seconds of the last sample */
static bool is_in_order;

static void note(const char *what, uint32_t process, uint32_t thread, double seconds)
{
    seen = (struct seen){.process = process, .thread = thread, .seconds = seconds};
    snprintf(seen.what, sizeof seen.what, "%s", what);
    seen_count++;
}

void collector_fork(struct collector *collector, uint32_t process, uint32_t thread, uint32_t parent,
                    double seconds)
{
    (void)collector;
    note("fork", process, thread, seconds);
    seen.parent = parent;
}

void collector_exec(struct collector *collector, uint32_t process, uint32_t thread, const char *name,
                    double seconds)
{
    (void)collector;
    note("exec", process, thread, seconds);
    snprintf(seen.text, sizeof seen.text, "%s", name);
}

void collector_name(struct collector *collector, uint32_t process, uint32_t thread, const char *name)
{
    (void)collector;
    note("name", process, thread, 0);
    snprintf(seen.text, sizeof seen.text, "%s", name);
}

void collector_map(struct collector *collector, uint32_t process, const struct collector_map *map)
{
    (void)collector;
    note("map", process, 0, 0);
    seen.map = *map;
    snprintf(seen.text, sizeof seen.text, "%s", map->path);
}

void collector_exit(struct collector *collector, uint32_t process, uint32_t thread, double seconds)
{
    (void)collector;
    note("exit", process, thread, seconds);
}

void collector_sample(struct collector *collector, const struct collector_sample *sample)
{
    (void)collector;
    note("sample", sample->process, sample->thread, sample->seconds);
    seen.sample = *sample;
    if (sample->registers)
        seen.registers = *sample->registers;
    if (sample->stack_size)
        seen.stack_byte = sample->stack[sample->stack_size - 1];
    if (sample->chain_count)
        seen.last_caller = sample->chain[sample->chain_count - 1];
    is_in_order &= sample->seconds >= latest;
    latest = sample->seconds;
}

/* ---- records ---- */

struct record {
    uint64_t words[1024];
    size_t count;
};

static struct perf_event_header *header_of(struct record *record)
{
    return (struct perf_event_header *)record->words;
}

static void begin(struct record *record, uint32_t type, uint16_t misc)
{
    *record = (struct record){.count = 1};
    *header_of(record) = (struct perf_event_header){.type = type, .misc = misc};
}

static void put(struct record *record, uint64_t word)
{
    record->words[record->count++] = word;
    header_of(record)->size = (uint16_t)(record->count * 8);
}

static void put_pair(struct record *record, uint32_t first, uint32_t second)
{
    put(record, first | (uint64_t)second << 32);
}

static void put_text(struct record *record, const char *text)
{
    for (size_t length = strlen(text) + 1, at = 0; at < length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, length - at < 8 ? length - at : 8);
        put(record, word);
    }
}

enum { START = 1000, ID = 77, OTHER_ID = 99, PROCESS = 40, THREAD = 41 };

static void put_trailer(struct record *record, uint64_t time)
{
    put_pair(record, PROCESS, THREAD);
    put(record, time);
    put(record, ID);
}

static struct perf_identity identities[] = {{ID, PROCESS, 0}, {OTHER_ID, PROCESS, 1}};
static const struct array all_identities = {identities, 2, 2, sizeof *identities};
static uint32_t own_threads[] = {PROCESS, 45};
static const struct array all_threads = {own_threads, 2, 2, sizeof *own_threads};
static const uint64_t whole = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                              PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                              PERF_SAMPLE_STACK_USER;

static struct perf_stream make_stream(void)
{
    struct perf_stream stream = {.layout = {whole, perf_registers_mask()},
                                 .identities = &all_identities,
                                 .threads = &all_threads,
                                 .start = START,
                                 .frequency = 1000,
                                 .samples = ARRAY_OF(uint64_t)};
    array_add_many(&stream.samples, 2);
    seen_count = 0;
    latest = 0;
    is_in_order = true;
    memset(&seen, 0, sizeof seen);
    return stream;
}

static void read_one(struct perf_stream *stream, struct record *record)
{
    struct perf_ring ring = {0};
    perf_record_read(stream, &ring, header_of(record));
}

static void put_sample(struct record *record, uint64_t id, uint32_t thread, uint64_t time,
                       unsigned stack_words)
{
    begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put(record, id);
    put(record, 0x4444);
    put_pair(record, PROCESS, thread);
    put(record, time);
    put(record, 1000000);
    put(record, 6);
    put(record, PERF_CONTEXT_KERNEL);
    put(record, 0xffff000012345678);
    put(record, PERF_CONTEXT_USER);
    put(record, 0x4444);
    put(record, 0x5555);
    put(record, 0x6666);
    put(record, PERF_SAMPLE_REGS_ABI_64);
    for (int i = 0; i < __builtin_popcountll(perf_registers_mask()); i++)
        put(record, 100 + (uint64_t)i);
    put(record, stack_words * 8);
    for (unsigned i = 0; i < stack_words; i++)
        put(record, 0x0101010101010101 * (i + 1));
    if (stack_words)
        put(record, stack_words * 8 - 8); /* the last word was not there */
}

static void samples_are_read(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    struct record record;
    put_sample(&record, ID, THREAD, START + 2500000000, 4);
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 0);
    assert_string_equal(seen.what, "sample");
    assert_int_equal(seen.process, PROCESS);
    assert_int_equal(seen.thread, THREAD);
    assert_true(seen.seconds == 2.5);
    assert_true(seen.sample.amount > 0.000999 && seen.sample.amount < 0.001001);
    assert_int_equal(seen.sample.address, 0x4444);
    assert_false(seen.sample.is_kernel);
    assert_int_equal(seen.sample.chain_count, 3);
    assert_int_equal(seen.last_caller, 0x6666);
    assert_int_equal(seen.sample.stack_size, 24);
    assert_int_equal(seen.stack_byte, 3);
#ifdef __x86_64__
    /* ax bx cx dx si di bp sp ip r8 … r15 → rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip */
    static const uint8_t wanted[] = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8};
    assert_int_equal(seen.registers.isa, isa_X86_64);
    for (size_t i = 0; i < sizeof wanted; i++)
        assert_int_equal(seen.registers.values[i], 100 + wanted[i]);
    assert_int_equal(seen.sample.stack_address, 107);
#else
    assert_int_equal(seen.registers.isa, isa_AARCH64);
    for (size_t i = 0; i < 33; i++)
        assert_int_equal(seen.registers.values[i], 100 + i);
    assert_int_equal(seen.sample.stack_address, 131);
#endif
    header_of(&record)->misc = PERF_RECORD_MISC_KERNEL;
    record.words[1] = OTHER_ID;
    read_one(&stream, &record);
    assert_true(seen.sample.is_kernel);
    assert_int_equal(seen.sample.event, 1);
    assert_true(seen.sample.amount == 1000000);
    assert_int_equal(*ARRAY_AT(uint64_t, &stream.samples, 0), 1);
    assert_int_equal(*ARRAY_AT(uint64_t, &stream.samples, 1), 1);
    array_free(&stream.samples);
}

/* Without registers (a thread of the kernel), without a copy. */
static void samples_without_callers(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    struct record record;
    begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
    put(&record, ID);
    put(&record, 1);
    put_pair(&record, PROCESS, THREAD);
    put(&record, START);
    put(&record, 1);
    put(&record, 0);
    put(&record, PERF_SAMPLE_REGS_ABI_NONE);
    put(&record, 0);
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 0);
    assert_null(seen.sample.registers);
    assert_null(seen.sample.chain);
    assert_null(seen.sample.stack);
    stream.layout = (struct perf_layout){
        whole & ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER), 0};
    header_of(&record)->size = 48;
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 0);
    assert_int_equal(seen_count, 2);
    array_free(&stream.samples);
}

/* A thread that has events of its own may have inherited others. */
static void inherited_events_do_not_count_twice(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    struct record record;
    put_sample(&record, ID, 45, START, 0);
    read_one(&stream, &record);
    assert_int_equal(seen_count, 0);
    put_sample(&record, ID, PROCESS, START, 0);
    read_one(&stream, &record);
    put_sample(&record, ID, 46, START, 0);
    read_one(&stream, &record);
    assert_int_equal(seen_count, 2);
    assert_int_equal(stream.lost, 0);
    array_free(&stream.samples);
}

static void facts_are_read(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    struct record record;
    begin(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    put_pair(&record, PROCESS, THREAD);
    put(&record, 0x10000);
    put(&record, 0x2000);
    put(&record, 0x1000);
    put_pair(&record, 8, 1);
    put(&record, 1234);
    put(&record, 0);
    put_pair(&record, 5, 2);
    put_text(&record, "/tmp/x.so (deleted)");
    put_trailer(&record, START + 1);
    read_one(&stream, &record);
    assert_string_equal(seen.what, "map");
    assert_string_equal(seen.text, "/tmp/x.so");
    assert_true(seen.map.is_deleted);
    assert_int_equal(seen.map.start, 0x10000);
    assert_int_equal(seen.map.size, 0x2000);
    assert_int_equal(seen.map.offset, 0x1000);
    assert_int_equal(seen.map.device, makedev(8, 1));
    assert_int_equal(seen.map.inode, 1234);
    for (unsigned is_exec = 0; is_exec < 2; is_exec++) {
        begin(&record, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
        put_pair(&record, PROCESS, THREAD);
        put_text(&record, "solver");
        put_trailer(&record, START + 1000000000);
        read_one(&stream, &record);
        assert_string_equal(seen.what, is_exec ? "exec" : "name");
        assert_string_equal(seen.text, "solver");
        assert_true(seen.seconds == is_exec);
    }
    begin(&record, PERF_RECORD_FORK, 0);
    put_pair(&record, 50, PROCESS);
    put_pair(&record, 51, THREAD);
    put(&record, START + 500000000);
    put_trailer(&record, START);
    read_one(&stream, &record);
    assert_string_equal(seen.what, "fork");
    assert_int_equal(seen.process, 50);
    assert_int_equal(seen.thread, 51);
    assert_int_equal(seen.parent, PROCESS);
    assert_true(seen.seconds == 0.5);
    header_of(&record)->type = PERF_RECORD_EXIT;
    read_one(&stream, &record);
    assert_string_equal(seen.what, "exit");
    assert_int_equal(stream.lost, 0);
    array_free(&stream.samples);
}

static void what_was_lost_is_counted(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    struct record record;
    struct perf_ring ring = {0};
    begin(&record, PERF_RECORD_LOST, 0);
    put(&record, ID);
    put(&record, 12);
    put_trailer(&record, START);
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 12);
    begin(&record, PERF_RECORD_LOST_SAMPLES, 0);
    put(&record, 5);
    put_trailer(&record, START);
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 17);
    for (unsigned i = 0; i < 2; i++) { /* 100 ms at 1000 samples a second */
        begin(&record, i ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0);
        put(&record, START);
        put(&record, ID);
        put(&record, ID);
        put_trailer(&record, START + i * 100000000);
        perf_record_read(&stream, &ring, header_of(&record));
    }
    assert_int_equal(stream.lost, 117);
    begin(&record, 12345, 0); /* of a newer kernel */
    put_trailer(&record, START);
    read_one(&stream, &record);
    assert_int_equal(stream.lost, 117);
    assert_int_equal(seen_count, 0);
    array_free(&stream.samples);
}

/* Every shorter record is lost, or has the same first part; in memory of its exact size, for the sanitizer.
 */
static void records_that_are_cut_short(void **state)
{
    (void)state;
    struct record record;
    struct perf_stream stream = make_stream();
    put_sample(&record, ID, THREAD, START, 4);
    for (size_t words = 1; words < record.count; words++) {
        uint64_t *copy = malloc(words * 8);
        memcpy(copy, record.words, words * 8);
        ((struct perf_event_header *)copy)->size = (uint16_t)(words * 8);
        struct perf_ring ring = {0};
        perf_record_time(&stream.layout, (struct perf_event_header *)copy);
        perf_record_read(&stream, &ring, (struct perf_event_header *)copy);
        assert_int_equal(stream.lost, words);
        free(copy);
    }
    assert_int_equal(seen_count, 0);
    array_free(&stream.samples);
}

static uint32_t random_number(void)
{
    static uint64_t value = 1;
    value = value * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(value >> 33);
}

static void nonsense(void **state)
{
    (void)state;
    struct perf_stream stream = make_stream();
    for (unsigned round = 0; round < 300000; round++) {
        size_t words = 1 + random_number() % 60;
        uint64_t *bytes = malloc(words * 8);
        for (size_t i = 0; i < words; i++) {
            uint64_t number = random_number();
            bytes[i] = random_number() % 3 ? number % 64 : number << (random_number() % 40);
        }
        if (words > 1 && random_number() % 2)
            bytes[1] = ID;
        *(struct perf_event_header *)bytes = (struct perf_event_header){
            1 + random_number() % 20, (uint16_t)random_number(), (uint16_t)(words * 8)};
        struct perf_ring ring = {0};
        perf_record_time(&stream.layout, (struct perf_event_header *)bytes);
        perf_record_read(&stream, &ring, (struct perf_event_header *)bytes);
        free(bytes);
    }
    assert_true(seen_count > 1000);
    assert_true(stream.lost > 1000);
    array_free(&stream.samples);
}

/* ---- rings ---- */

enum { RING = 4096, RINGS = 3 };
struct made_ring {
    struct perf_event_mmap_page page;
    uint64_t data[RING / 8];
};

/* As the kernel does it.  false: it is full. */
static bool write_record(struct made_ring *made, struct record *record)
{
    uint64_t head = made->page.data_head, size = header_of(record)->size;
    if (head + size - made->page.data_tail > RING)
        return false;
    for (size_t i = 0; i < record->count; i++)
        made->data[(head / 8 + i) % (RING / 8)] = record->words[i];
    made->page.data_head = head + size;
    return true;
}

static void rings_are_read_in_order_of_time(void **state)
{
    (void)state;
    static struct made_ring made[RINGS];
    struct perf_ring rings[RINGS];
    struct perf_stream stream = make_stream();
    uint64_t time = START, lost = 0;
    size_t written = 0;
    for (size_t i = 0; i < RINGS; i++)
        perf_ring_begin(&rings[i], &made[i].page, (uint8_t *)made[i].data, RING);
    for (unsigned round = 0; round < 4000; round++) {
        for (unsigned i = random_number() % 12; i-- > 0;) {
            struct record record;
            size_t ring = random_number() % RINGS;
            put_sample(&record, ID, THREAD, time += random_number() % 3, random_number() % 40);
            written += write_record(&made[ring], &record);
        }
        perf_rings_read(rings, RINGS, &stream.layout, time - 2, perf_record_read, &stream, &lost);
        assert_true(seen_count <= written);
        assert_true(latest <= (double)(time - START) * 1e-9);
    }
    perf_rings_read(rings, RINGS, &stream.layout, UINT64_MAX, perf_record_read, &stream, &lost);
    assert_int_equal(seen_count, written);
    assert_int_equal(lost + stream.lost, 0);
    assert_true(is_in_order);
    assert_true(written > 10000);
    for (size_t i = 0; i < RINGS; i++) {
        assert_int_equal(made[i].page.data_tail, made[i].page.data_head);
        assert_true(made[i].page.data_head > (uint64_t)10 * RING);
        perf_ring_unmap(&rings[i]);
    }
    array_free(&stream.samples);
}

/* What is wrong with a ring must not stop the others, nor itself for ever. */
static void rings_that_make_no_sense(void **state)
{
    (void)state;
    static const struct {
        uint16_t size; /* of its second record */
        uint64_t head; /* added to it */
    } cases[] = {{0, 0}, {7, 0}, {20, 0}, {4000, 0}, {32, RING}, {32, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made_ring *made = calloc(1, sizeof *made);
        struct perf_ring ring;
        struct perf_stream stream = make_stream();
        struct record record;
        uint64_t lost = 0;
        perf_ring_begin(&ring, &made->page, (uint8_t *)made->data, RING);
        put_sample(&record, ID, THREAD, START, 0);
        write_record(made, &record);
        uint64_t first_end = made->page.data_head;
        write_record(made, &record);
        struct perf_event_header header = *header_of(&record);
        header.size = cases[i].size;
        memcpy(&made->data[first_end / 8], &header, sizeof header);
        made->page.data_head += cases[i].head;
        perf_rings_read(&ring, 1, &stream.layout, UINT64_MAX, perf_record_read, &stream, &lost);
        assert_int_equal(made->page.data_tail, made->page.data_head);
        assert_true(lost >= 1 && lost <= 2);
        made->page.data_head = made->page.data_tail = ring.tail = ring.head = RING * 8;
        put_sample(&record, ID, THREAD, START + 5, 0);
        assert_true(write_record(made, &record));
        seen_count = 0;
        perf_rings_read(&ring, 1, &stream.layout, UINT64_MAX, perf_record_read, &stream, &lost);
        assert_int_equal(seen_count, 1);
        perf_ring_unmap(&ring);
        array_free(&stream.samples);
        free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read),
        cmocka_unit_test(samples_without_callers),
        cmocka_unit_test(inherited_events_do_not_count_twice),
        cmocka_unit_test(facts_are_read),
        cmocka_unit_test(what_was_lost_is_counted),
        cmocka_unit_test(records_that_are_cut_short),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(rings_are_read_in_order_of_time),
        cmocka_unit_test(rings_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
