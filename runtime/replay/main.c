/* The steps of a replay, and its answer. */
#include "runtime/replay/replay.h"

#include <errno.h>

enum { STACK_BYTES = 1 << 18, SLOW_FACTOR = 20 };

struct replay replay;
struct replay_context replay_context __attribute__((aligned(64)));
uint8_t replay_stack[STACK_BYTES] __attribute__((aligned(64)));
__asm__(".globl replay_stack_top\n.set replay_stack_top, replay_stack + 262144");

static union {
    struct codelet_aarch64 aarch64;
    struct codelet_x86 x86;
} registers __attribute__((aligned(64)));

static void write_all(const void *data, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        long part = system_call(SYS_write, STDOUT_FILENO, (long)((const char *)data + done), (long)(size - done), 0, 0, 0);
        if (part <= 0)
            break;
        done += (uint64_t)part;
    }
}

/* Ranges of touched pages that are alike: counted, or written. */
static uint64_t tell_touched(bool is_written_out)
{
    uint64_t count = 0;
    struct replay_touched range;
    range.bytes = 0;
    for (uint64_t i = 0; i < replay.region_count; i++) {
        const struct codelet_region *region = &replay.regions[i];
        if (region->start == replay_reserve_start())
            continue; /* the codelet does not have it */
        const uint8_t *states = replay.states + replay.table[i].first_page;
        for (uint64_t page = region->start; page < region->end; page += replay.page_size, states++) {
            if (!(*states & page_TOUCHED))
                continue;
            uint64_t is_written = !!(*states & page_WRITTEN);
            if (range.bytes && range.address + range.bytes == page && range.is_written == is_written) {
                range.bytes += replay.page_size;
                continue;
            }
            if (range.bytes && is_written_out)
                write_all(&range, sizeof range);
            count++;
            range.address = page;
            range.bytes = replay.page_size;
            range.is_written = is_written;
        }
    }
    if (range.bytes && is_written_out)
        write_all(&range, sizeof range);
    return count;
}

void replay_finish(enum replay_end end, int64_t detail)
{
    struct replay_answer *answer = &replay.answer;
    answer->magic = REPLAY_ANSWER_MAGIC;
    answer->end = end;
    answer->is_variant = replay.is_variant;
    answer->detail = detail;
    bool has_touched = end == replay_end_DONE && replay.plan && replay.plan->wants_touched;
    answer->touched_count = has_touched ? tell_touched(false) : 0;
    write_all(answer, sizeof *answer);
    if (has_touched)
        tell_touched(true);
    for (;;)
        system_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

void replay_fail(enum replay_step step, long result)
{
    replay.answer.step = step;
    replay_finish(replay_end_SETUP, -result);
}

double replay_processor_seconds(void)
{
    struct timespec now;
    system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void replay_call(bool is_variant)
{
    replay.is_variant = is_variant;
    replay_reset_reserve();
    replay_context.target = is_variant ? replay.plan->variant : replay.header->entry;
    replay_enter();
}

static void read_whole(int file, void *into, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        long got = system_read(file, (char *)into + done, size - done);
        if (got <= 0)
            replay_fail(replay_step_FILES, got ? got : -EIO);
        done += (uint64_t)got;
    }
}

static void map_file(int file, uint64_t bytes)
{
    void *place = replay_memory(bytes);
    if (!system_map(place, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0))
        replay_fail(replay_step_FILES, -ENOMEM);
    replay.file = place;
    const struct codelet_header *header = place;
    replay.header = header;
    replay.regions = (const void *)(replay.file + header->regions.offset);
    replay.stretches = (const void *)(replay.file + header->stretches.offset);
    replay.objects = (const void *)(replay.file + header->objects.offset);
    replay.page_size = header->page_size;
}

#ifdef __aarch64__
static void take_registers(void)
{
    bytes_copy(&registers, replay.file + replay.header->registers.offset, sizeof registers.aarch64);
    replay_context.registers = &registers;
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(replay.header->thread_pointer));
}
#else
static uint64_t components(void)
{
    uint32_t a = 1, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c >> 27 & 1))
        return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a & 0xe7;
}

static void take_registers(void)
{
    enum { SET_GS = 0x1001, SET_FS = 0x1002, SMALLEST = 576, HEADER = 512 };
    struct codelet_x86 *own = &registers.x86;
    bytes_copy(own, replay.file + replay.header->registers.offset, sizeof *own);
    replay_context.registers = own;
    replay_context.extended = own->extended_size >= SMALLEST ? components() : 0;
    uint64_t *bits = (uint64_t *)(own->extended + HEADER);
    bits[0] &= replay_context.extended;
    for (unsigned i = 1; i < 8; i++)
        bits[i] = 0;
    system_call(SYS_arch_prctl, SET_FS, (long)own->fs, 0, 0, 0, 0);
    system_call(SYS_arch_prctl, SET_GS, (long)own->gs, 0, 0, 0, 0);
}
#endif

static void prepare(const char *codelet, const char *plan)
{
    static struct replay_plan head;
    int codelet_file = system_open(codelet, O_RDONLY, 0), plan_file = system_open(plan, O_RDONLY, 0);
    struct codelet_header header;
    if (codelet_file < 0 || plan_file < 0)
        replay_fail(replay_step_FILES, codelet_file < 0 ? codelet_file : plan_file);
    read_whole(plan_file, &head, sizeof head);
    read_whole(codelet_file, &header, sizeof header);
    if (head.magic != REPLAY_PLAN_MAGIC || head.copy_count > REPLAY_MOST_COPIES)
        replay_fail(replay_step_FILES, -EINVAL);
    replay.plan = &head;
    replay_leave_memory();
    struct replay_plan *whole = replay_memory(sizeof head + head.copy_count * sizeof *head.copies);
    bytes_copy(whole, &head, sizeof head);
    read_whole(plan_file, whole->copies, head.copy_count * sizeof *head.copies);
    replay.plan = whole;
    map_file(codelet_file, header.file_size);
    replay_map();
    replay_map_contents(codelet_file);
    system_call(SYS_close_range, STDERR_FILENO + 1, ~0u, 0, 0, 0, 0);
    system_close(STDIN_FILENO);
    take_registers();
    replay_take_signals();
    if (!replay.plan->is_unguarded)
        replay_forbid_system_calls();
}

/* Its results, twice, and the pages that it uses. */
static void run_original(void)
{
    replay_watch_pages();
    double before = replay_processor_seconds();
    replay_limit_time(replay.plan->patience);
    replay_call(false);
    replay_limit_time(0);
    replay.first_call = replay_processor_seconds() - before;
    replay_unwatch_pages();
    replay_collect_written();
    replay_keep_results();
    replay_restore();
    before = replay_processor_seconds();
    replay_call(false);
    replay.second_call = replay_processor_seconds() - before;
    if (!replay_is_same_again())
        replay_finish(replay_end_UNSTEADY, 0);
    replay_restore();
}

/* Whether a short call may be made many times in a row: then it is timed better.  On data that it changed it may
   do anything, so it is watched like a variant. */
static void try_again_on_results(void)
{
    uint64_t written = replay.written_count;
    replay_call(false);
    replay_watch_pages();
    replay_limit_time(1);
    replay.is_trial = true;
    replay_call(false);
    replay.is_trial = false;
    replay_limit_time(0);
    replay_unwatch_pages();
    replay_collect_written();
    replay.is_repeatable = !replay.has_trial_failed && replay.written_count == written && replay_is_same_again();
    replay.answer.address = 0;
    replay_restore();
}

static void run_variant(void)
{
    replay_copy_in();
    replay_watch_pages();
    replay_limit_time(1 + SLOW_FACTOR * replay.first_call);
    replay_call(true);
    replay_limit_time(0);
    replay_unwatch_pages();
    replay_copy_out();
    replay_collect_written();
    replay_compare();
    replay_restore();
}

_Noreturn void replay_main(const uint64_t *stack);
void replay_main(const uint64_t *stack)
{
    const char *const *words = (const char *const *)(stack + 1);
    if (stack[0] != 3)
        replay_fail(replay_step_FILES, -EINVAL);
    prepare(words[1], words[2]);
    run_original();
    if (replay.plan->variant)
        run_variant();
    if (replay.plan->budget > 0) {
        /* What is wrong is timed, too, but never on what it left itself. */
        if (replay.second_call < REPLAY_SHORT_CALL && !replay.answer.far)
            try_again_on_results();
        replay_measure();
    }
    replay_finish(replay_end_DONE, 0);
}
