/* x87: exceptions come late, and the instruction is not done.

   An x87 instruction that meets a denormal operand while that exception is unmasked leaves everything as it
   was and marks the exception as pending; the next x87 instruction that waits for exceptions raises it.  In
   between the program goes on.  (Loads from memory are the exception: fld converts and pushes its value, and
   only then is the exception pending.)  So there is nothing to step over: the instruction that the processor
   remembers is done here, with all exceptions masked, on the saved registers.

   To do it, its opcode is executed: the saved image is loaded into the processor, one of a table of stubs
   runs, and the image is saved again.  There is a stub for each of the 8 opcodes with each of its 64 forms
   that name registers, and for its 8 forms with memory, whose address the stub expects in the accumulator.

   The results of underflow are not trapped: the processor would not do a store that underflows, and what the
   program reads in between with other instructions would be stale. */
#include "profile.h"

#include "decode.h"

__asm__(".pushsection .text\n"
        ".balign 16\n"
        "profile_x87_register_stubs:\n"
        ".set profile_opcode, 0xd8\n"
        ".rept 8\n"
        ".set profile_form, 0xc0\n"
        ".rept 64\n"
        ".byte profile_opcode, profile_form, 0xc3, 0x90\n"
        ".set profile_form, profile_form + 1\n"
        ".endr\n"
        ".set profile_opcode, profile_opcode + 1\n"
        ".endr\n"
        "profile_x87_memory_stubs:\n"
        ".set profile_opcode, 0xd8\n"
        ".rept 8\n"
        ".set profile_form, 0\n"
        ".rept 8\n"
        ".byte profile_opcode, profile_form, 0xc3, 0x90\n"
        ".set profile_form, profile_form + 8\n"
        ".endr\n"
        ".set profile_opcode, profile_opcode + 1\n"
        ".endr\n"
        ".popsection\n");
extern const uint8_t profile_x87_register_stubs[] __attribute__((visibility("hidden")));
extern const uint8_t profile_x87_memory_stubs[] __attribute__((visibility("hidden")));

enum { STUB_BYTES = 4, FIRST_OPCODE = 0xd8, REGISTER_FORMS = 0xc0, IMAGE_X87_BYTES = 160 };
enum { IMAGE_CONTROL = 0, IMAGE_STATUS = 2, IMAGE_TAGS = 4, IMAGE_STACK = 32, STACK_DISTANCE = 16 };

struct escape { /* an x87 instruction */
    uint8_t opcode, form;
};

static bool is_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
        return true;
    default:
        return sizeof(void *) == 8 && byte >= 0x40 && byte <= 0x4f;
    }
}

static bool find_escape(uintptr_t address, struct escape *escape)
{
    uint8_t bytes[PROFILE_MOST_LENGTH];
    size_t size = memory_read(address, bytes, sizeof bytes), at = 0;
    while (at + 1 < size && is_prefix(bytes[at]))
        at++;
    if (at + 1 >= size || (bytes[at] & 0xf8) != FIRST_OPCODE)
        return false;
    *escape = (struct escape){bytes[at], bytes[at + 1]};
    return true;
}

static unsigned memory_group(const struct escape *escape)
{
    return escape->form >> 3 & 7;
}

static bool is_memory(const struct escape *escape)
{
    return escape->form < REGISTER_FORMS;
}

static bool is_load(const struct escape *escape)
{
    return is_memory(escape) && (escape->opcode == 0xd9 || escape->opcode == 0xdd) &&
           memory_group(escape) == 0;
}

/* Arithmetic and comparison with float (D8), 32-bit integer (DA), double (DC), 16-bit integer (DE). */
static bool is_memory_arithmetic(const struct escape *escape)
{
    return is_memory(escape) && !(escape->opcode & 1);
}

static bool is_comparison(const struct escape *escape)
{
    if (is_memory(escape))
        return is_memory_arithmetic(escape) && (memory_group(escape) & ~1u) == 2;
    switch (escape->opcode) {
    case 0xd8:
    case 0xdc:
        return (memory_group(escape) & ~1u) == 2;
    case 0xd9:
        return escape->form == 0xe4; /* ftst */
    case 0xda:
        return escape->form == 0xe9; /* fucompp */
    case 0xdd:
        return memory_group(escape) == 4 || memory_group(escape) == 5; /* fucom, fucomp */
    case 0xde:
        return escape->form == 0xd9; /* fcompp */
    case 0xdb:
    case 0xdf:
        return memory_group(escape) == 5 || memory_group(escape) == 6; /* fucomi, fcomi */
    default:
        return false;
    }
}

/* Whether the operand is as the processor saw it: some operand must be denormal. */
static bool is_unchanged(const ucontext_t *context, const struct escape *escape)
{
    bool is_number = is_memory(escape) && (escape->opcode == 0xd8 || escape->opcode == 0xdc);
    if (!is_number || profile_is_denormal(context_stack_register(context, 0), 80))
        return true;
    unsigned bits = escape->opcode == 0xd8 ? 32 : 64;
    uint8_t value[8];
    return memory_read(context_x87_data(context), value, bits / 8) == bits / 8 &&
           profile_is_denormal(value, bits);
}

static void execute(uint8_t *image, const struct escape *escape, uintptr_t data)
{
    const uint8_t *stub =
        is_memory(escape)
            ? profile_x87_memory_stubs + ((escape->opcode - FIRST_OPCODE) * 8 + memory_group(escape)) * STUB_BYTES
            : profile_x87_register_stubs +
                  ((escape->opcode - FIRST_OPCODE) * 64 + (escape->form - REGISTER_FORMS)) * STUB_BYTES;
    __asm__ volatile("fxrstor (%[image])\n\t"
                     "call *%[stub]\n\t"
                     "fxsave (%[image])\n\t"
                     "fninit"
                     : "+a"(data)
                     : [image] "r"(image), [stub] "r"(stub)
                     : "memory", "cc", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#ifdef __x86_64__
                       ,
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#endif
    );
}

static void put_back(ucontext_t *context, const uint8_t *image)
{
#ifdef __x86_64__
    memcpy(context_stack_register(context, 0), image + IMAGE_STACK, 8 * STACK_DISTANCE);
    context->uc_mcontext.fpregs->ftw = image[IMAGE_TAGS];
#else
    unsigned long tags = 0;
    for (unsigned i = 0; i < 8; i++) {
        memcpy(context_stack_register(context, i), image + IMAGE_STACK + i * STACK_DISTANCE, 10);
        if (!(image[IMAGE_TAGS] >> i & 1))
            tags |= 3ul << 2 * i;
    }
    context->uc_mcontext.fpregs->tag = (context->uc_mcontext.fpregs->tag & ~0xfffful) | tags;
#endif
}

/* Does the instruction; status is the saved status word without the denormal flag, and the answer the one
   that the instruction leaves. */
static uint16_t repeat(ucontext_t *context, const struct escape *escape, uint16_t status)
{
    uint8_t image[IMAGE_BYTES] __attribute__((aligned(16))) = {0};
    memcpy(image, context_image(context), IMAGE_X87_BYTES);
    uint16_t control = context_control(context) | FLAGS_ALL, before = status & ~(FLAGS_ALL | X87_PENDING),
             after;
    uint32_t mxcsr = 0x1f80;
    memcpy(image + IMAGE_CONTROL, &control, sizeof control);
    memcpy(image + IMAGE_STATUS, &before, sizeof before);
    memcpy(image + IMAGE_MXCSR, &mxcsr, sizeof mxcsr);
    execute(image, escape, context_x87_data(context));
    put_back(context, image);
    memcpy(&after, image + IMAGE_STATUS, sizeof after);
    return (after & ~(X87_PENDING | FLAG_DENORMAL)) | (status & FLAGS_ALL);
}

bool x87_settle(struct profile_thread *thread, ucontext_t *context, uint64_t entered)
{
    uint16_t status = context_status(context), control = context_control(context);
    if (!thread->owns_x87 || !(status & ~control & FLAG_DENORMAL))
        return false;
    uintptr_t address = context_x87_instruction(context);
    trap_count(thread, context, address, PROFILE_UNIT_X87, PROFILE_OPERAND_EVENT, entered);
    status &= ~(X87_PENDING | FLAG_DENORMAL);
    struct escape escape;
    if (!find_escape(address, &escape) ||
        (is_memory(&escape) && !is_load(&escape) && !is_memory_arithmetic(&escape)))
        note(PROFILE_NOTE_X87_UNKNOWN, address);
    else if (!is_load(&escape)) {
        if (!is_unchanged(context, &escape))
            note(PROFILE_NOTE_X87_CHANGED, address);
        if (is_comparison(&escape))
            note(PROFILE_NOTE_X87_COMPARISON, address);
        status = repeat(context, &escape, status);
    }
    if (status & ~control & FLAGS_ALL)
        status |= X87_PENDING; /* the program enabled what the instruction now raised: that comes next */
    context_set_status(context, status);
    return true;
}
