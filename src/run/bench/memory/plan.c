#include "run/bench/memory/grid.h"
#include "run/bench/memory/unit.h"
#include "code/machine/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_LARGEST = 1 << 30, /* for computers whose caches are unknown, and the most for all */
    CHASED = 64,             /* loads of the body */
    LINE = 64,
    PAGE = 4096,
    APART = 512, /* modulo a page: so that loads do not look as if they met stores of the iterations before
                    them */
    LIGHT = 4,   /* additions for each line */
    HEAVY = 16
};

static const struct memory_code *code_of(enum isa isa)
{
    return isa == isa_AARCH64 ? &memory_code_aarch64 : &memory_code_x86;
}

static struct bench_planned *add_test(struct array *planned, const char *name)
{
    struct bench_planned *test = array_push(planned);
    *test = (struct bench_planned){.kind = bench_EXPERIMENT,
                                   .code = ARRAY_OF(uint8_t),
                                   .values = ARRAY_OF(struct bench_value),
                                   .instances = 1,
                                   .vector = 0x3ff0000000000000, /* 1.0 */
                                   .copies = {1, 1}};
    snprintf(test->name, sizeof test->name, "%s", name);
    return test;
}

static void drop_broken(struct array *planned, const struct memory_unit *unit)
{
    if (!unit->is_broken)
        return;
    bench_planned_free(unit->planned);
    planned->count--;
}

static void plan_latency(struct array *planned, enum isa isa, uint64_t bytes)
{
    char name[BENCH_NAME];
    struct bench_planned *test = add_test(planned, memory_name(name, "latency", 0, bytes, 0));
    struct memory_unit unit = {.planned = test};
    test->layout = bench_CHASE;
    test->bytes = bytes;
    test->pass = bytes / LINE;
    test->copies[1] = CHASED;
    bench_put_value(test, domain_GENERAL, BENCH_WALKING, bench_WALKER, 0);
    code_of(isa)->chase(&unit);
    drop_broken(planned, &unit);
}

/* Where a walk through arrays of one size goes; the first is what is written. */
static void lay_out(struct memory_unit *unit, uint64_t bytes)
{
    struct bench_planned *test = unit->planned;
    uint64_t part = bytes / unit->arrays / unit->step * unit->step;
    uint64_t place = (part + PAGE - 1) / PAGE * PAGE;
    unit->end = unit->period = part;
    for (unsigned i = 0; i < 2; i++)
        unit->distances[i] = (i + 1) * (place + APART);
    test->layout = bench_STREAM;
    test->bytes = bytes;
    test->pass = part / unit->step;
    test->copies[1] = 4;
    bench_put_value(test, domain_GENERAL, BENCH_WALKING, bench_WALKER, 0);
}

static void put_stream(const struct memory_code *code, struct memory_unit *unit, enum bench_stream kind)
{
    unsigned turn = 0;
    for (unsigned at = 0; at < unit->step; at += unit->width) {
        unsigned number = at / unit->width % 3 * 2;
        if (kind == stream_COPY || kind == stream_TRIAD)
            code->load(unit, number, 1, at);
        else if (kind != stream_STORE)
            code->load(unit, number, 0, at);
        if (kind == stream_LOADS) {
            code->load(unit, number + 1, 1, at);
            code->load(unit, number + 1, 2, at);
        }
        if (kind == stream_TRIAD) {
            code->load(unit, number + 1, 2, at);
            code->add(unit, number, number + 1);
        }
        if (kind == stream_UPDATE)
            code->add(unit, number, 6);
        if (kind == stream_STORE || kind == stream_COPY || kind == stream_UPDATE || kind == stream_TRIAD)
            code->store(unit, number, 0, at);
        unsigned until = kind == stream_LIGHT   ? LIGHT * (at + unit->width) / LINE
                         : kind == stream_HEAVY ? HEAVY * (at + unit->width) / LINE
                                                : 0;
        while (turn < until)
            code->work(unit, number, turn++);
    }
}

static void plan_stream(struct array *planned, enum isa isa, enum bench_stream kind, unsigned width,
                        uint64_t bytes, unsigned threads)
{
    const struct memory_code *code = code_of(isa);
    char name[BENCH_NAME];
    struct memory_unit unit = {
        .planned = add_test(planned, memory_name(name, bench_stream_words[kind], width, bytes, threads)),
        .width = width,
        .step = bench_stream_step(isa),
        .arrays = bench_stream_arrays(kind)};
    unit.planned->threads = threads;
    lay_out(&unit, bytes);
    code->begin(&unit);
    put_stream(code, &unit, kind);
    code->end(&unit);
    drop_broken(planned, &unit);
}

/* Each pass takes the lines after those of the pass before, so that all of the region is used. */
static void plan_stride(struct array *planned, enum isa isa, unsigned stride, uint64_t bytes)
{
    const struct memory_code *code = code_of(isa);
    char name[BENCH_NAME];
    struct memory_unit unit = {.planned = add_test(planned, memory_name(name, "stride", stride, bytes, 0)),
                               .width = 16,
                               .step = MEMORY_STRIDED * stride,
                               .arrays = 1};
    lay_out(&unit, bytes);
    if (stride > LINE)
        unit.period -= LINE;
    unit.planned->pass *= stride / LINE;
    code->begin(&unit);
    for (unsigned i = 0; i < MEMORY_STRIDED; i++)
        code->load_number(&unit, i, i * stride);
    code->end(&unit);
    drop_broken(planned, &unit);
}

/* One processor, by size: what lies in memory stays for the next test. */
static void plan_alone(struct array *planned, const struct bench_memory_plan *plan)
{
    uint64_t sizes[MEMORY_MOST_SIZES];
    unsigned count = memory_sizes(MEMORY_SMALLEST, plan->largest, 4, sizes);
    for (unsigned i = 0; i < count; i++)
        plan_latency(planned, plan->isa, sizes[i]);
    count = memory_sizes(MEMORY_SMALLEST, plan->largest, 2, sizes);
    for (unsigned i = 0; i < count; i++) {
        bool is_whole = !(sizes[i] & (sizes[i] - 1));
        for (unsigned w = 0; w < memory_width_count; w++)
            for (unsigned kind = 0; kind < stream_COUNT; kind++)
                if ((plan->widths & memory_widths[w]) && (is_whole || kind == stream_LOAD))
                    plan_stream(planned, plan->isa, (enum bench_stream)kind, memory_widths[w], sizes[i], 0);
        for (unsigned s = 0; s < memory_stride_count && is_whole && sizes[i] >= MEMORY_STRIDE_SMALLEST; s++)
            plan_stride(planned, plan->isa, memory_strides[s], sizes[i]);
    }
}

static void plan_crowd(struct array *planned, const struct bench_memory_plan *plan, unsigned threads)
{
    uint64_t sizes[MEMORY_MOST_SIZES];
    unsigned count = memory_crowd_sizes(plan->largest, threads, sizes);
    for (unsigned i = 0; i < count; i++)
        for (unsigned w = 0; w < memory_width_count; w++)
            for (unsigned kind = 0; kind < stream_COUNT; kind++)
                if ((plan->widths & memory_widths[w]) && memory_has_crowd((enum bench_stream)kind))
                    plan_stream(planned, plan->isa, (enum bench_stream)kind, memory_widths[w], sizes[i],
                                threads);
}

static void plan_question(struct array *planned, const char *name)
{
    struct bench_planned *test = add_test(planned, name);
    const char *what = strchr(name, '|') + 1;
    test->layout = bench_SYSTEM;
    memcpy(array_push_many(&test->code, strlen(what)), what, strlen(what));
}

static void plan_questions(struct array *planned)
{
    char name[BENCH_NAME];
    plan_question(planned, "system|processors");
    for (unsigned index = 0; index < MEMORY_INDICES; index++)
        for (unsigned i = 0; i < memory_question_count; i++)
            plan_question(planned, memory_question_name(name, index, memory_questions[i]));
}

void bench_plan_levels(struct array *planned, const struct bench_memory_plan *plan)
{
    plan_questions(planned);
    plan_alone(planned, plan);
    unsigned most = plan->processors ? plan->processors : MEMORY_MOST_THREADS;
    for (unsigned threads = 2; threads < most; threads *= 2)
        plan_crowd(planned, plan, threads);
    if (most > 1)
        plan_crowd(planned, plan, BENCH_ALL);
}

bool bench_memory_size(const char *text, uint64_t *bytes)
{
    char *end;
    double number = strtod(text, &end);
    double unit = *end == 'K' ? 0x1p10 : *end == 'M' ? 0x1p20 : *end == 'G' ? 0x1p30 : 1;
    if (end == text || end[unit > 1] || !(number * unit >= MEMORY_SMALLEST) || number * unit > 0x1p36)
        return false;
    *bytes = (uint64_t)(number * unit);
    return true;
}

struct bench_memory_plan bench_memory_plan_anywhere(enum isa isa)
{
    return (struct bench_memory_plan){
        .isa = isa, .largest = USUAL_LARGEST, .widths = isa == isa_AARCH64 ? 16 : 32 | 64};
}

struct bench_memory_plan bench_memory_plan_here(enum isa isa)
{
    struct bench_memory_plan plan = bench_memory_plan_anywhere(isa);
    struct machine_cache caches[MOST_CACHES];
    unsigned count = host_caches(caches, MOST_CACHES);
    cpu_set_t set;
    if (count && 4 * caches[count - 1].bytes < plan.largest)
        plan.largest = 4 * caches[count - 1].bytes;
    if (!sched_getaffinity(0, sizeof set, &set))
        plan.processors = (unsigned)CPU_COUNT(&set);
    uint32_t has = machine_host().extensions;
    if (isa == isa_X86_64)
        plan.widths = !(has & 1U << extension_AVX) ? 16 : !(has & 1U << extension_AVX512) ? 32 : 32 | 64;
    return plan;
}
