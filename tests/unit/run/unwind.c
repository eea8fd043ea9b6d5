/* Callers of a sample (src/run/places/unwind.c).

   Programs in assembly whose frames are written down by hand, for x86 with both word sizes and for AArch64:
   the stack is laid out here as they would have it, and their own symbols say which addresses must come out.
   The stack of this very process too, against the names that addr2line finds.  Then damage: call frame
   information with bytes changed must lead to fewer or wrong callers, and to nothing worse. */
#include "elf_files.h"

#include "run/places/unwind.h"

#include <link.h>
#include <ucontext.h>

/* inner: the stack pointer alone.  middle: a saved register and room.  outer: a frame pointer.  bare: a frame
   pointer and nothing written down about it.  start: nobody called it. */
static const char assembly_64[] = "        .text\n"
                                  "inner:  .cfi_startproc\n"
                                  "        nop\n"
                                  "in_inner: ret\n"
                                  "        .cfi_endproc\n"
                                  "middle: .cfi_startproc\n"
                                  "        pushq %rbx\n"
                                  "        .cfi_def_cfa_offset 16\n"
                                  "        .cfi_offset %rbx, -16\n"
                                  "        subq $32, %rsp\n"
                                  "        .cfi_def_cfa_offset 48\n"
                                  "        call inner\n"
                                  "in_middle: addq $32, %rsp\n"
                                  "        .cfi_def_cfa_offset 16\n"
                                  "        popq %rbx\n"
                                  "        .cfi_def_cfa_offset 8\n"
                                  "        ret\n"
                                  "        .cfi_endproc\n"
                                  "bare:   pushq %rbp\n"
                                  "        movq %rsp, %rbp\n"
                                  "        call middle\n"
                                  "in_bare: popq %rbp\n"
                                  "        ret\n"
                                  "        .skip 64, 0x90\n"
                                  "outer:  .cfi_startproc\n"
                                  "        pushq %rbp\n"
                                  "        .cfi_def_cfa_offset 16\n"
                                  "        .cfi_offset %rbp, -16\n"
                                  "        movq %rsp, %rbp\n"
                                  "        .cfi_def_cfa_register %rbp\n"
                                  "        subq $64, %rsp\n"
                                  "        call bare\n"
                                  "in_outer: leave\n"
                                  "        .cfi_def_cfa %rsp, 8\n"
                                  "        ret\n"
                                  "        .cfi_endproc\n"
                                  "start:  .cfi_startproc\n"
                                  "        .cfi_undefined %rip\n"
                                  "        call outer\n"
                                  "in_start: hlt\n"
                                  "        .cfi_endproc\n";

static const char assembly_32[] = "        .text\n"
                                  "inner:  .cfi_startproc\n"
                                  "        nop\n"
                                  "in_inner: ret\n"
                                  "        .cfi_endproc\n"
                                  "middle: .cfi_startproc\n"
                                  "        pushl %ebx\n"
                                  "        .cfi_def_cfa_offset 8\n"
                                  "        .cfi_offset %ebx, -8\n"
                                  "        subl $16, %esp\n"
                                  "        .cfi_def_cfa_offset 24\n"
                                  "        call inner\n"
                                  "in_middle: addl $16, %esp\n"
                                  "        .cfi_def_cfa_offset 8\n"
                                  "        popl %ebx\n"
                                  "        .cfi_def_cfa_offset 4\n"
                                  "        ret\n"
                                  "        .cfi_endproc\n"
                                  "bare:   pushl %ebp\n"
                                  "        movl %esp, %ebp\n"
                                  "        call middle\n"
                                  "in_bare: popl %ebp\n"
                                  "        ret\n"
                                  "        .skip 64, 0x90\n"
                                  "outer:  .cfi_startproc\n"
                                  "        pushl %ebp\n"
                                  "        .cfi_def_cfa_offset 8\n"
                                  "        .cfi_offset %ebp, -8\n"
                                  "        movl %esp, %ebp\n"
                                  "        .cfi_def_cfa_register %ebp\n"
                                  "        subl $32, %esp\n"
                                  "        call bare\n"
                                  "in_outer: leave\n"
                                  "        .cfi_def_cfa %esp, 4\n"
                                  "        ret\n"
                                  "        .cfi_endproc\n"
                                  "start:  .cfi_startproc\n"
                                  "        .cfi_undefined %eip\n"
                                  "        call outer\n"
                                  "in_start: hlt\n"
                                  "        .cfi_endproc\n";

enum { FRAMES = 5, WORDS = 64 };
static const char *const places[FRAMES] = {"in_inner", "in_middle", "in_bare", "in_outer", "in_start"};

struct sample {
    struct places_registers registers;
    uint64_t stack_address;
    uint8_t stack[WORDS * 8];
    size_t stack_size;
    uint64_t expected[FRAMES];
    struct array modules;
};

static uint64_t symbol_of(const char *file, const char *name)
{
    char *text = output("nm %s | grep ' %s$'", file, name);
    uint64_t value = strtoull(text, NULL, 16);
    free(text);
    assert_true(value);
    return value;
}

static void put_word(struct sample *sample, unsigned index, uint64_t value)
{
    unsigned bytes = sample->registers.isa == isa_I386 ? 4 : 8;
    for (unsigned i = 0; i < bytes; i++)
        sample->stack[index * bytes + i] = (uint8_t)(value >> 8 * i);
}

/* The stack as the assembly makes it; words from the innermost on. */
static void lay_out(struct sample *sample, const char *file, bool is_64)
{
    unsigned word = is_64 ? 8 : 4, room = is_64 ? 8 : 8, frame = 6 + room + 1;
    uint64_t bias = is_64 ? 0x7f0012340000 : 0xf7000000;
    *sample = (struct sample){.registers = {.isa = is_64 ? isa_X86_64 : isa_I386},
                              .stack_address = is_64 ? 0x7ffc00001000 : 0xffee1000,
                              .stack_size = (size_t)WORDS * word,
                              .modules = ARRAY_OF(struct places_loaded)};
    for (unsigned i = 0; i < FRAMES; i++)
        sample->expected[i] = symbol_of(file, places[i]) + bias;
    uint64_t at = sample->stack_address;
    put_word(sample, 0, sample->expected[1]);               /* inner returns into middle */
    put_word(sample, 5, 0xb0);                              /* four words of room; rbx of bare */
    put_word(sample, 6, sample->expected[2]);               /* middle returns into bare */
    put_word(sample, 7, at + (uint64_t)(frame + 2) * word); /* rbp of outer */
    put_word(sample, 8, sample->expected[3]);               /* bare returns into outer */
    put_word(sample, frame + 2, 0);                         /* after outer's room: rbp of start */
    put_word(sample, frame + 3, sample->expected[4]);       /* outer returns into start */
    sample->registers.values[is_64 ? 7 : 4] = at;
    sample->registers.values[is_64 ? 6 : 5] = at + 7 * (uint64_t)word; /* bare's frame */
    sample->registers.values[is_64 ? 16 : 8] = sample->expected[0];
    struct places_loaded *module = array_add(&sample->modules);
    module->path = strdup(path_of(file));
    module->start = bias + 0x1000;
    module->end = bias + 0x10000;
    module->bias = bias;
}

static size_t unwind(struct sample *sample, uint64_t *addresses, size_t most)
{
    struct places_unwinder *unwinder = places_unwinder_make(&sample->modules);
    size_t count = places_unwind(unwinder, &sample->registers, sample->stack_address, sample->stack,
                                 sample->stack_size, addresses, most);
    places_unwinder_free(unwinder);
    return count;
}

static void check_word_size(bool is_64)
{
    struct sample sample;
    uint64_t addresses[16];
    const char *file = is_64 ? "frames64.so" : "frames32.so";
    write_text(is_64 ? "frames64.s" : "frames32.s", is_64 ? assembly_64 : assembly_32);
    run("%s -nostdlib -shared -o %s %s", is_64 ? X86 : I386, file, is_64 ? "frames64.s" : "frames32.s");
    lay_out(&sample, file, is_64);
    size_t count = unwind(&sample, addresses, 16);
    assert_int_equal(count, FRAMES);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(addresses[i], sample.expected[i]);

    assert_int_equal(unwind(&sample, addresses, 3), 3);
    sample.stack_size = 6 * (is_64 ? 8 : 4); /* the copy ends in the frame of middle */
    assert_int_equal(unwind(&sample, addresses, 16), 2);
    sample.stack_size = 0;
    assert_int_equal(unwind(&sample, addresses, 16), 1);

    places_free_loaded(&sample.modules);
    lay_out(&sample, file, is_64);
    struct places_loaded *module = ARRAY_AT(struct places_loaded, &sample.modules, 0);
    strcpy(module->build_id, "0123456789abcdef"); /* the file has been replaced */
    assert_int_equal(unwind(&sample, addresses, 16), 3);
    module->build_id[0] = 0;
    sample.registers.isa = is_64 ? isa_I386 : isa_X86_64; /* frames of another kind of code */
    assert_in_range(unwind(&sample, addresses, 16), 1, 2);
    places_free_loaded(&sample.modules);
}

static void test_64_bits(void **state)
{
    (void)state;
    check_word_size(true);
}

static void test_32_bits(void **state)
{
    (void)state;
    check_word_size(false);
}

/* Like those of x86; kernel: keeps its return address in its register, and nothing is written down. */
static const char assembly_arm[] = "        .text\n"
                                   "inner:  .cfi_startproc\n"
                                   "        nop\n"
                                   "in_inner: nop\n"
                                   "at_end: ret\n"
                                   "        .cfi_endproc\n"
                                   "middle: .cfi_startproc\n"
                                   "        stp x19, x30, [sp, #-48]!\n"
                                   "        .cfi_def_cfa_offset 48\n"
                                   "        .cfi_offset 19, -48\n"
                                   "        .cfi_offset 30, -40\n"
                                   "        bl inner\n"
                                   "in_middle: bl outside\n"
                                   "after_stub: ldp x19, x30, [sp], #48\n"
                                   "        .cfi_def_cfa_offset 0\n"
                                   "        .cfi_restore 19\n"
                                   "        .cfi_restore 30\n"
                                   "        ret\n"
                                   "        .cfi_endproc\n"
                                   "bare:   stp x29, x30, [sp, #-16]!\n"
                                   "        mov x29, sp\n"
                                   "        bl middle\n"
                                   "in_bare: ldp x29, x30, [sp], #16\n"
                                   "        ret\n"
                                   "        .skip 64\n"
                                   "outer:  .cfi_startproc\n"
                                   "        hint #25\n" /* paciasp */
                                   "        .cfi_negate_ra_state\n"
                                   "        sub sp, sp, #80\n"
                                   "        .cfi_def_cfa_offset 80\n"
                                   "        stp x29, x30, [sp, #16]\n"
                                   "        .cfi_offset 29, -64\n"
                                   "        .cfi_offset 30, -56\n"
                                   "        add x29, sp, #16\n"
                                   "        bl bare\n"
                                   "in_outer: bl kernel\n"
                                   "after_kernel: nop\n"
                                   "        .cfi_endproc\n"
                                   "start:  .cfi_startproc\n"
                                   "        .cfi_undefined 30\n"
                                   "        bl outer\n"
                                   "in_start: nop\n"
                                   "        .cfi_endproc\n"
                                   "kernel: sub sp, sp, #64\n"
                                   "in_kernel: nop\n"
                                   "        .skip 64\n";

static void lay_out_arm(struct sample *sample, const char *file)
{
    uint64_t bias = 0x7f0012340000, at = 0x7ffc00001000, signature = UINT64_C(0x55) << 48;
    *sample = (struct sample){.registers = {.isa = isa_AARCH64},
                              .stack_address = at,
                              .stack_size = WORDS * 8,
                              .modules = ARRAY_OF(struct places_loaded)};
    for (unsigned i = 0; i < FRAMES; i++)
        sample->expected[i] = bias + symbol_of(file, places[i]);
    put_word(sample, 1, sample->expected[2]);              /* middle returns into bare */
    put_word(sample, 6, at + 80);                          /* after middle's 48 bytes: x29 of outer */
    put_word(sample, 7, sample->expected[3] | signature);  /* bare returns into outer */
    put_word(sample, 10, 0);                               /* x29 of start */
    put_word(sample, 11, sample->expected[4] | signature); /* outer returns into start */
    sample->registers.values[29] = at + 48;
    sample->registers.values[30] = sample->expected[1];
    sample->registers.values[31] = at;
    sample->registers.values[32] = sample->expected[0];
    struct places_loaded *module = array_add(&sample->modules);
    module->path = strdup(path_of(file));
    module->start = bias;
    module->end = bias + 0x100000;
    module->bias = bias;
}

static void check_callers(struct sample *sample, const uint64_t *expected, size_t count)
{
    uint64_t addresses[16];
    assert_int_equal(unwind(sample, addresses, 16), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(addresses[i], expected[i]);
}

static void test_aarch64(void **state)
{
    (void)state;
    struct sample sample;
    write_text("arm.s", assembly_arm);
    run(ARM " -nostdlib -shared -o arm.so arm.s");
    lay_out_arm(&sample, "arm.so");
    uint64_t bias = ARRAY_AT(struct places_loaded, &sample.modules, 0)->bias,
             *values = sample.registers.values;
    check_callers(&sample, sample.expected, FRAMES);

    sample.expected[0] = values[32] = bias + symbol_of("arm.so", "at_end");
    check_callers(&sample, sample.expected, FRAMES);

    /* The stub of a function of another library: nothing is written down there, nothing is saved. */
    char *text = output("objdump -d arm.so | grep '<outside@plt>:'");
    sample.expected[0] = values[32] = bias + strtoull(text, NULL, 16) + 4;
    sample.expected[1] = values[30] = bias + symbol_of("arm.so", "after_stub");
    free(text);
    check_callers(&sample, sample.expected, FRAMES);

    /* Below outer, with room of its own on the stack. */
    uint64_t in_kernel[] = {bias + symbol_of("arm.so", "in_kernel"),
                            bias + symbol_of("arm.so", "after_kernel"), sample.expected[4]};
    values[32] = in_kernel[0];
    values[30] = in_kernel[1];
    values[29] = sample.stack_address + 80;
    check_callers(&sample, in_kernel, 3);
    values[30] = bias + symbol_of("arm.so", "in_middle"); /* a call of something else is before it */
    in_kernel[1] = sample.expected[4];
    check_callers(&sample, in_kernel, 2);
    places_free_loaded(&sample.modules);
}

/* A replaced file is not asked: only the chain of frame pointers is left, which misses who has none. */
static void test_another_build(void **state)
{
    (void)state;
    struct sample sample;
    uint64_t addresses[16];
    write_text("frames64.s", assembly_64);
    run(X86 " -nostdlib -shared -Wl,--build-id=0x1122334455667788 -o built.so frames64.s");
    lay_out(&sample, "built.so", true);
    struct places_loaded *module = ARRAY_AT(struct places_loaded, &sample.modules, 0);
    strcpy(module->build_id, "1122334455667788");
    assert_int_equal(unwind(&sample, addresses, 16), FRAMES);
    strcpy(module->build_id, "1122334455667789");
    assert_int_equal(unwind(&sample, addresses, 16), 3);
    assert_int_equal(addresses[1], sample.expected[3]);
    places_free_loaded(&sample.modules);
}

static uint32_t random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void test_damage(void **state)
{
    (void)state;
    size_t size;
    uint64_t random = 7, addresses[64];
    struct sample sample;
    static const char *const files[] = {"frames32.so", "frames64.so", "arm.so"};
    for (unsigned mode = 0; mode < 3; mode++) {
        const char *file = files[mode];
        uint8_t *bytes = read_bytes(file, &size), *changed = malloc(size);
        char *text = output("readelf -SW %s | grep ' .eh_frame ' | sed 's/.*PROGBITS//'", file);
        unsigned long address, offset, length;
        assert_int_equal(sscanf(text, "%lx %lx %lx", &address, &offset, &length), 3);
        free(text);
        if (mode == 2)
            lay_out_arm(&sample, file);
        else
            lay_out(&sample, file, mode);
        struct places_loaded *module = ARRAY_AT(struct places_loaded, &sample.modules, 0);
        free(module->path);
        module->path = strdup(path_of("damaged.so"));
        for (unsigned i = 0; i < 400; i++) {
            memcpy(changed, bytes, size);
            for (unsigned j = 1 + random_number(&random) % 6; j > 0; j--)
                changed[offset + random_number(&random) % length] = (uint8_t)random_number(&random);
            if (i % 8 == 0) /* the headers too */
                changed[random_number(&random) % 0x200] = (uint8_t)random_number(&random);
            for (unsigned j = 0; j < 4; j++)
                sample.stack[random_number(&random) % sizeof sample.stack] = (uint8_t)random_number(&random);
            write_bytes("damaged.so", changed, size);
            assert_in_range(unwind(&sample, addresses, 64), 1, 64);
        }
        places_free_loaded(&sample.modules);
        free(changed);
        free(bytes);
    }
}

/* Registers of this process as a signal handler or getcontext has them. */
__attribute__((noinline)) static void note_registers(struct places_registers *registers,
                                                     const ucontext_t *context)
{
#ifdef __x86_64__
    static const int numbers[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    registers->isa = isa_X86_64;
    for (unsigned i = 0; i < 16; i++)
        registers->values[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
    registers->values[16] = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
    registers->isa = isa_AARCH64;
    for (unsigned i = 0; i < 31; i++)
        registers->values[i] = context->uc_mcontext.regs[i];
    registers->values[31] = context->uc_mcontext.sp;
    registers->values[32] = context->uc_mcontext.pc;
#endif
}

static uint64_t stack_pointer(const struct places_registers *registers)
{
    return registers->values[registers->isa == isa_AARCH64 ? 31 : 7];
}

__attribute__((no_sanitize_address)) static void copy_stack(uint8_t *to, uint64_t from, size_t size)
{
    const volatile uint8_t *bytes = (const uint8_t *)from;
    for (size_t i = 0; i < size; i++)
        to[i] = bytes[i];
}

static struct sample live;
/* More than the frames below have, less than there is above any main. */
static uint8_t live_stack[2048];

__attribute__((noinline, noclone)) static void take_live_sample(void)
{
    static ucontext_t context; /* on AArch64 it is larger than the copy */
    getcontext(&context);
    note_registers(&live.registers, &context);
    live.stack_address = stack_pointer(&live.registers);
    copy_stack(live_stack, live.stack_address, sizeof live_stack);
}

__attribute__((noinline, noclone)) static void live_second(volatile int *count)
{
    volatile int room[40] = {0};
    room[*count] = 1;
    take_live_sample();
    *count += room[0];
}

__attribute__((noinline, noclone)) static void live_first(volatile int *count)
{
    live_second(count);
    ++*count;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct places_loaded module = {.start = UINT64_MAX, .bias = info->dlpi_addr};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        module.start = start < module.start ? start : module.start;
        module.end = start + header->p_memsz > module.end ? start + header->p_memsz : module.end;
    }
    module.path = *info->dlpi_name ? strdup(info->dlpi_name) : realpath("/proc/self/exe", NULL);
    *(struct places_loaded *)array_push(context) = module;
    return 0;
}

static int by_start(const void *left, const void *right)
{
    const struct places_loaded *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static void test_this_process(void **state)
{
    (void)state;
    static const char *const names[] = {"take_live_sample", "live_second", "live_first", "test_this_process"};
    volatile int count = 3;
    uint64_t addresses[32];
    live = (struct sample){.modules = ARRAY_OF(struct places_loaded)};
    dl_iterate_phdr(note_module, &live.modules);
    char *program = realpath("/proc/self/exe", NULL);
    uint64_t bias = 0;
    for (size_t i = 0; i < live.modules.count; i++)
        if (!strcmp(ARRAY_AT(struct places_loaded, &live.modules, i)->path, program))
            bias = ARRAY_AT(struct places_loaded, &live.modules, i)->bias;
    qsort(live.modules.data, live.modules.count, live.modules.width, by_start);
    live_first(&count);
    struct places_unwinder *unwinder = places_unwinder_make(&live.modules);
    size_t found = places_unwind(unwinder, &live.registers, live.stack_address, live_stack, sizeof live_stack,
                                 addresses, 32);
    places_unwinder_free(unwinder);
    assert_in_range(found, 4, 32);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text =
            output("addr2line -f -e %s %#llx", program, (unsigned long long)(addresses[i] - bias - (i > 0)));
        assert_int_equal(strncmp(text, names[i], strlen(names[i])), 0);
        free(text);
    }
    free(program);
    places_free_loaded(&live.modules);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_64_bits), cmocka_unit_test(test_32_bits),
        cmocka_unit_test(test_aarch64), cmocka_unit_test(test_another_build),
        cmocka_unit_test(test_damage),  cmocka_unit_test(test_this_process),

    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
