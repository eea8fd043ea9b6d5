/* Runs the cases of a trial as they are and patched, and compares everything (trial.h). */
#include "tests/programs/trial/trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { TRAP = 0xcc, EVENTS = 1 << 20, BYTES = 4096, TRAP_FLAG = 0x100, FLAGS = 0xcd5 };

struct registers {
    uint64_t general[16], flags;
    uint8_t vector[16][16];
};
struct registers trial_in, trial_out;
void *trial_function;
void trial_invoke(void);
void trial_full(void);
void trial_tally(void);

struct test_case {
    const char *name;
    void *function;
};
extern const struct test_case trial_cases[];
extern uint8_t trial_data[BYTES];

__thread char *position __attribute__((tls_model("initial-exec")));
__thread uint64_t *counters __attribute__((tls_model("initial-exec")));

static uint8_t buffer[4 * PROBE_BUFFER_BYTES] __attribute__((aligned(2 * PROBE_BUFFER_BYTES)));
static uint8_t arrays[2][BYTES], first_arrays[2][BYTES], first_data[BYTES];
static struct probe_event *log_of[2];
static bool *is_clock;
static size_t log_count[2];
static uint64_t counters_of[2][TRIAL_COUNTERS];
static unsigned run; /* 0: step by step; 1: patched */

static struct trial_header header;
static struct trial_point *points;
static struct probe_plan_patch *patches;
static struct probe_plan_fix *fixes;
static uint8_t *code, *trampolines;
static const char *case_name = "";

static void stop(const char *why)
{
    printf("%s: %s\n", case_name, why);
    exit(1);
}

/* Step by step */

static uint64_t last_address, skips_entry_of;

static void note(struct probe_event event, bool has_time)
{
    if (log_count[run] == EVENTS)
        stop("too many events");
    if (!run)
        is_clock[log_count[0]] = has_time;
    log_of[run][log_count[run]++] = event;
}

static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static uint64_t address_of(const struct probe_source *source, const greg_t *registers)
{
    uint64_t sum = (uint64_t)source->displacement, base;
    if (source->base != PROBE_NO_REGISTER)
        sum += (uint64_t)registers[order[source->base]];
    if (source->scale)
        sum += (uint64_t)registers[order[source->index]] * source->scale;
    if (source->is_32_bit)
        sum = (uint32_t)sum;
    __asm__("mov %%fs:0, %0" : "=r"(base));
    return source->segment == 'f' ? sum + base : sum;
}

static uint64_t value_at(const struct probe_source *source, uint64_t address)
{
    int64_t value = 0;
    memcpy(&value, (void *)address, source->bytes);
    unsigned rest = 64 - 8u * source->bytes;
    return source->is_signed ? (uint64_t)((int64_t)((uint64_t)value << rest) >> rest) : (uint64_t)value;
}

static uint64_t value_of(const struct probe_source *source, const ucontext_t *context)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    uint64_t value;
    switch (source->kind) {
    case PROBE_FROM_GENERAL:
        return (uint64_t)registers[order[source->base]];
    case PROBE_FROM_VECTOR:
        memcpy(&value, &context->uc_mcontext.fpregs->_xmm[source->base], sizeof value);
        return value;
    case PROBE_FROM_ADDRESS:
        return address_of(source, registers);
    case PROBE_FROM_MEMORY:
        if (source->may_be_null && !registers[order[source->base]])
            return 0;
        return value_at(source, address_of(source, registers));
    case PROBE_FROM_PLACE_MEMORY:
        return value_at(source, (uint64_t)source->displacement);
    case PROBE_FROM_COUNTER:
        return counters[source->counter] + (uint64_t)source->displacement;
    case PROBE_FROM_PLACE:
        return (uint64_t)source->displacement;
    default:
        return 0;
    }
}

static void note_tally(uint64_t number, uint64_t iterations)
{
    note((struct probe_event){.stack = (uint32_t)number, .value = iterations}, false);
}

static void act(const struct probe_action *action, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    bool is_over = action->limit && counters[action->limit - 1] >> action->limit_bits & 1;
    if (action->limit && !is_over)
        counters[action->limit - 1]++;
    if (action->limit && is_over == (action->kind == PROBE_DO_EVENT))
        return;
    switch (action->kind) {
    case PROBE_DO_EVENT:
        note((struct probe_event){action->identity,
                                  (uint32_t)((uint64_t)registers[REG_RSP] >> PROBE_STACK_SHIFT),
                                  value_of(&action->source, context)},
             action->source.kind == PROBE_FROM_CLOCK);
        break;
    case PROBE_DO_COUNT:
        counters[action->counter]++;
        break;
    case PROBE_DO_INCREMENT:
        registers[order[action->register_]]++;
        break;
    case PROBE_DO_CLEAR:
        registers[order[action->register_]] = 0;
        break;
    case PROBE_DO_KEEP:
        counters[action->counter] = value_of(&action->source, context);
        break;
    case PROBE_DO_TALLY: {
        uint64_t product = (value_of(&action->source, context) - counters[action->counter]) * action->inverse;
        uint64_t n = (uint64_t)((int64_t)product >> action->shift) + (uint64_t)action->bias;
        uint64_t *behind = &counters[action->counter + 1 + PROBE_TALLY_WORDS];
        bool is_small = n < PROBE_TALLY_WORDS;
        uint8_t enough = is_small ? action->enough_bits : action->enough_sum_bits;
        if (is_small)
            counters[action->counter + 1 + n]++;
        else if (action->is_summed) {
            behind[0]++;
            behind[1] += n;
        } else
            note_tally(action->tally, n);
        if (action->is_summed && enough &&
            (is_small ? counters[action->counter + 1 + n] : behind[1]) >> enough & 1)
            note_tally(action->tally, n);
        break;
    }
    }
}

/* The first point of an address. */
static const struct trial_point *find(uint64_t address)
{
    size_t low = 0, high = header.points;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (points[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return &points[low];
}

static void act_at(uint64_t address, unsigned where, ucontext_t *context)
{
    for (const struct trial_point *point = find(address);
         point < points + header.points && point->address == address; point++) {
        if (point->where != where)
            continue;
        if (point->is_past_entry)
            skips_entry_of = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
        else if (!(point->is_entry && skips_entry_of == address))
            act(&point->action, context);
    }
}

static void step(ucontext_t *context)
{
    uint64_t here = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    const struct trial_point *before = find(last_address);
    bool had_points = before < points + header.points && before->address == last_address;
    if (had_points && before->is_repeated && here == last_address)
        return;
    bool is_taken =
        had_points && (before->is_jump || here != before->next); /* a table may lead to the next */
    if (had_points)
        act_at(last_address, is_taken ? PROBE_TAKEN : PROBE_AFTER, context);
    act_at(here, PROBE_BEFORE, context);
    skips_entry_of = 0;
    last_address = here;
}

/* Patched */

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct probe_plan_patch *)a)->address,
             y = ((const struct probe_plan_patch *)b)->address;
    return x < y ? -1 : x > y;
}

static void go_to_trampoline(ucontext_t *context)
{
    struct probe_plan_patch wanted = {.address = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1};
    const struct probe_plan_patch *found =
        bsearch(&wanted, patches, header.patches, sizeof wanted, by_address);
    if (!found)
        stop("a trap that is not ours");
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(trampolines + found->trampoline);
}

static void on_trap(int number, siginfo_t *information, void *context)
{
    (void)number;
    (void)information;
    if (run)
        go_to_trampoline(context);
    else
        step(context);
}

static void on_crash(int number, siginfo_t *information, void *given)
{
    ucontext_t *context = given;
    (void)information;
    printf("%s: signal %d at %#llx, trampolines are at %p\n", case_name, number,
           (long long)context->uc_mcontext.gregs[REG_RIP], (void *)trampolines);
    exit(1);
}

/* Some places are taken, as if by handlers; not the last one. */
static void empty_buffer(void)
{
    struct probe_event *events = (struct probe_event *)buffer;
    memset(buffer, 0, PROBE_BUFFER_BYTES);
    for (uint32_t i = 0; i < PROBE_BUFFER_EVENTS - 1; i++)
        if (i * 2654435761u >> 28 < 2)
            events[i].identity = PROBE_UNWRITTEN;
    position = (char *)buffer;
}

/* Called by the entry for full buffers, and at the end. */
void trial_drain(void);
void trial_drain(void)
{
    struct probe_event *events = (struct probe_event *)buffer, *end = (struct probe_event *)position;
    if (end > events + PROBE_BUFFER_EVENTS)
        stop("the buffer overflows");
    for (; events < end; events++)
        if (events->identity != PROBE_UNWRITTEN)
            note(*events, false);
    empty_buffer();
}

/* Tallies and events are noted in order. */
void trial_note_tally(uint64_t number, uint64_t iterations);
void trial_note_tally(uint64_t number, uint64_t iterations)
{
    trial_drain();
    note_tally(number, iterations);
}

static void apply_fix(const struct probe_plan_fix *fix)
{
    char *local[] = {[PROBE_POSITION] = (char *)&position, [PROBE_COUNTERS] = (char *)&counters}, *base;
    uint64_t entries[] = {(uint64_t)trial_full, (uint64_t)trial_tally}, value64;
    uint8_t *place = trampolines + fix->at;
    uint32_t value32;
    __asm__("mov %%fs:0, %0" : "=r"(base));
    switch (fix->kind) {
    case PROBE_FIX_ADDRESS64:
    case PROBE_FIX_RUNTIME64:
        value64 = fix->kind == PROBE_FIX_ADDRESS64 ? fix->target : entries[fix->target];
        memcpy(place, &value64, sizeof value64);
        break;
    case PROBE_FIX_RELATIVE32:
        value32 = (uint32_t)(fix->target - ((uint64_t)place + 4 + (uint64_t)fix->addend));
        memcpy(place, &value32, sizeof value32);
        break;
    case PROBE_FIX_LOCAL32:
        value32 = (uint32_t)(local[fix->target] - base);
        memcpy(place, &value32, sizeof value32);
        break;
    default:
        stop("an unknown fix");
    }
}

static void write_jump(uint8_t *place, uint8_t size, uint32_t trampoline)
{
    enum { JUMP = 0xe9 };
    uint32_t distance = (uint32_t)(trampolines + trampoline - (place + 5));
    memset(place, TRAP, size);
    *place = JUMP;
    memcpy(place + 1, &distance, sizeof distance);
}

static void patch_one(const struct probe_plan_patch *patch)
{
    enum { SHORT_JUMP = 0xeb };
    uint8_t *place = (uint8_t *)patch->address;
    mprotect((void *)(((uint64_t)place - 128) & ~UINT64_C(4095)), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (patch->way == PROBE_BY_TRAP) {
        *place = TRAP;
    } else if (patch->hop) {
        memset(place, TRAP, patch->size);
        place[0] = SHORT_JUMP;
        place[1] = (uint8_t)patch->hop;
        write_jump(place + 2 + patch->hop, 5, patch->trampoline);
    } else {
        write_jump(place, patch->size, patch->trampoline);
    }
}

static void patch_all(void)
{
    enum { NEAR = 0x10000000 };
    trampolines = mmap((void *)NEAR, header.code_bytes + 1, PROT_READ | PROT_WRITE | PROT_EXEC,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (trampolines == MAP_FAILED)
        stop("no memory");
    memcpy(trampolines, code, header.code_bytes);
    for (size_t i = 0; i < header.fixes; i++)
        apply_fix(&fixes[i]);
    for (size_t i = 0; i < header.patches; i++)
        if (!patches[i].hop)
            patch_one(&patches[i]);
    for (size_t i = 0; i < header.patches; i++)
        if (patches[i].hop)
            patch_one(&patches[i]);
}

/* Runs and comparisons */

static uint64_t state = 88172645463325252u;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void make_input(struct registers *in)
{
    for (unsigned i = 0; i < 16; i++)
        in->general[i] = random64() >> (random64() & 63);
    for (unsigned i = 0; i < sizeof in->vector; i++)
        ((uint8_t *)in->vector)[i] = (uint8_t)random64();
    in->flags = (random64() & FLAGS & ~UINT64_C(0x400)) | 2;
    in->general[7] = (uint64_t)arrays[0];
    in->general[6] = (uint64_t)arrays[1];
    in->general[2] = random64() % 16 + 1;
    in->general[15] = random64() % 100;
    in->general[TRIAL_POINTER] = random64() & 1 ? TRIAL_MEMORY : 0;
}

static void run_case(const struct test_case *one, const struct registers *in, struct registers *out)
{
    case_name = one->name;
    memcpy(arrays, first_arrays, sizeof arrays);
    memcpy(trial_data, first_data, sizeof first_data);
    trial_in = *in;
    trial_in.flags |= run ? 0 : TRAP_FLAG;
    trial_function = one->function;
    last_address = skips_entry_of = 0;
    trial_invoke();
    trial_drain();
    *out = trial_out;
    out->flags &= FLAGS;
}

enum { ROUNDS = 6, MOST_CASES = 64 };
struct result {
    struct registers out;
    uint8_t arrays[2][BYTES], data[BYTES];
    size_t events;
};
static struct result results[2][MOST_CASES][ROUNDS];

static void run_all(void)
{
    state = 88172645463325252u;
    counters = counters_of[run];
    empty_buffer();
    for (unsigned i = 0; trial_cases[i].function; i++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct registers in;
            struct result *result = &results[run][i][round];
            make_input(&in);
            run_case(&trial_cases[i], &in, &result->out);
            memcpy(result->arrays, arrays, sizeof arrays);
            memcpy(result->data, trial_data, sizeof trial_data);
            result->events = log_count[run];
        }
}

static void compare_registers(const struct registers *a, const struct registers *b)
{
    for (unsigned i = 0; i < 16; i++) {
        bool is_free = !header.compares_flags && (i == 10 || i == 11);
        if (a->general[i] != b->general[i] && !is_free) {
            printf("%s: register %u is %#llx, not %#llx\n", case_name, i, (long long)b->general[i],
                   (long long)a->general[i]);
            exit(1);
        }
    }
    if (header.compares_flags && a->flags != b->flags) {
        printf("%s: flags are %#llx, not %#llx\n", case_name, (long long)b->flags, (long long)a->flags);
        exit(1);
    }
    if (memcmp(a->vector, b->vector, sizeof a->vector))
        stop("vector registers differ");
}

static void compare_events(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct probe_event a = log_of[0][i], b = log_of[1][i];
        if (a.identity == b.identity && a.stack == b.stack && (is_clock[i] || a.value == b.value))
            continue;
        printf("%s: event %zu is %#x %#x %#llx, not %#x %#x %#llx\n", case_name, i - first, b.identity,
               b.stack, (long long)b.value, a.identity, a.stack, (long long)a.value);
        exit(1);
    }
}

static void compare_all(void)
{
    size_t events = 0;
    for (unsigned i = 0; trial_cases[i].function; i++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            const struct result *a = &results[0][i][round], *b = &results[1][i][round];
            case_name = trial_cases[i].name;
            compare_events(events, a->events < b->events ? a->events : b->events);
            if (a->events != b->events)
                stop("another number of events");
            compare_registers(&a->out, &b->out);
            if (memcmp(a->arrays, b->arrays, sizeof a->arrays) || memcmp(a->data, b->data, sizeof a->data))
                stop("memory differs");
            events = a->events;
        }
    for (unsigned i = 0; i < TRIAL_COUNTERS; i++)
        if (counters_of[0][i] != counters_of[1][i]) {
            printf("counter %u is %llu, not %llu\n", i, (long long)counters_of[1][i],
                   (long long)counters_of[0][i]);
            exit(1);
        }
    uint64_t time = 0;
    for (size_t i = 0; i < events; i++) {
        if (is_clock[i] && log_of[1][i].value < time)
            stop("time goes backward");
        time = is_clock[i] ? log_of[1][i].value : time;
    }
    printf("%zu events agree\n", events);
}

static void *read_part(FILE *file, uint64_t count, size_t width)
{
    void *part = malloc(count * width + 1);
    if (!part || fread(part, width, count, file) != count)
        stop("the plan is too short");
    return part;
}

int main(int count, char **words)
{
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!file || fread(&header, sizeof header, 1, file) != 1)
        stop("no plan");
    points = read_part(file, header.points, sizeof *points);
    patches = read_part(file, header.patches, sizeof *patches);
    fixes = read_part(file, header.fixes, sizeof *fixes);
    code = read_part(file, header.code_bytes, 1);
    fclose(file);
    log_of[0] = malloc(EVENTS * sizeof(struct probe_event));
    log_of[1] = malloc(EVENTS * sizeof(struct probe_event));
    is_clock = malloc(EVENTS * sizeof *is_clock);
    for (unsigned i = 0; i < sizeof first_arrays; i++)
        ((uint8_t *)first_arrays)[i] = (uint8_t)random64();
    memcpy(first_data, trial_data, sizeof first_data);
    uint8_t *memory = mmap((void *)TRIAL_MEMORY, TRIAL_MEMORY_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory == MAP_FAILED)
        stop("no memory");
    for (unsigned i = 0; i < TRIAL_MEMORY_BYTES; i++)
        memory[i] = (uint8_t)random64();
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO},
                     crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &trap, NULL);
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGILL, &crash, NULL);
    sigaction(SIGFPE, &crash, NULL);
    run_all();
    run = 1;
    patch_all();
    run_all();
    compare_all();
    return 0;
}
