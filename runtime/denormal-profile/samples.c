/* Samples: which operand, its value, its address, the registers and the top of the stack.

   They are taken for the first events of each site and then ever more rarely, so system calls are affordable:
   memory is read through the kernel, which returns an error for unmapped addresses. */
#include "profile.h"

#include "decode.h"

#include <cpuid.h>

enum { ALWAYS_SAMPLED = 4 };

bool sample_is_due(uint64_t earlier_events)
{
    return earlier_events < ALWAYS_SAMPLED || !(earlier_events & (earlier_events - 1));
}

static bool read_operand(void *data, uint64_t address, void *into, size_t size)
{
    (void)data;
    return memory_read((uintptr_t)address, into, size) == size;
}

/* Where the parts of the vector registers lie in the saved area; found once. */
static struct parts {
    uint32_t upper_halves, masks, upper_256, upper_16;
} parts;

__attribute__((constructor)) static void find_parts(void)
{
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    uint32_t *const places[] = {
        [2] = &parts.upper_halves, [5] = &parts.masks, [6] = &parts.upper_256, [7] = &parts.upper_16};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] && __get_cpuid_count(0xd, i, &a, &b, &c, &d) && a)
            *places[i] = b;
}

/* The kernel says in bytes the image itself leaves free how large the whole area is. */
static size_t area_size(const uint8_t *image)
{
    enum { SOFTWARE_BYTES = 464, MAGIC = 0x46505853 };
    uint32_t magic, size;
    memcpy(&magic, image + SOFTWARE_BYTES, sizeof magic);
    memcpy(&size, image + SOFTWARE_BYTES + 16, sizeof size); /* xstate_size */
    return magic == MAGIC && size >= IMAGE_BYTES ? size : IMAGE_BYTES;
}

static void fill_state(struct profile_state *state, const ucontext_t *context, uintptr_t address)
{
    const greg_t *from = context->uc_mcontext.gregs;
    memset(state, 0, sizeof *state);
#ifdef __x86_64__
    static const uint8_t order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    state->is_64 = true;
    state->has_fs = true;
    __asm__("mov %%fs:0, %0" : "=r"(state->fs));
    for (unsigned i = 0; i < sizeof order; i++)
        state->general[i] = (uint64_t)from[order[i]];
#else
    static const uint8_t order[] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_UESP, REG_EBP, REG_ESI, REG_EDI};
    uint32_t base;
    state->has_gs = true;
    __asm__("mov %%gs:0, %0" : "=r"(base));
    state->gs = base;
    for (unsigned i = 0; i < sizeof order; i++)
        state->general[i] = (uint32_t)from[order[i]];
#endif
    state->instruction = address;
    state->area = context_image(context);
    state->area_size = area_size(state->area);
    state->upper_halves = parts.upper_halves;
    state->masks = parts.masks;
    state->upper_256 = parts.upper_256;
    state->upper_16 = parts.upper_16;
    state->read = read_operand;
}

static void fill_registers(struct profile_sample *sample, const ucontext_t *context)
{
    const greg_t *from = context->uc_mcontext.gregs;
#ifdef __x86_64__
    static const uint8_t order[PROFILE_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                 REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < PROFILE_REGISTERS; i++)
        sample->registers[i] = (uint64_t)from[order[i]];
#else
    static const uint8_t order[] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_UESP,
                                    REG_EBP, REG_ESI, REG_EDI, REG_EIP};
    for (unsigned i = 0; i < sizeof order; i++)
        sample->registers[i] = (uint32_t)from[order[i]];
#endif
}

static void put_value(struct profile_sample *sample, const struct profile_instruction *instruction,
                      const struct profile_value *value)
{
    sample->operand_number = value->operand;
    sample->lane = value->lane;
    sample->is_memory = value->has_address;
    sample->data_address = value->has_address ? value->address : 0;
    memcpy(sample->value, value->bytes, sizeof value->bytes);
    profile_name_operand(instruction, value, sample->operand);
    sample->operand_bits = value->bits;
}

void sample_operand(const ucontext_t *context, uintptr_t address, unsigned unit, unsigned event)
{
    struct profile_section *section = &profile_mapping.header->samples;
    uint64_t place = __atomic_fetch_add(&section->used, 1, __ATOMIC_RELAXED);
    if (place >= section->capacity) {
        __atomic_fetch_add(&section->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    struct profile_sample *sample = &profile_mapping.samples[place];
    sample->phase = phase_now();
    sample->address = address;
    sample->time = time_now();
    sample->thread = profile_thread.number;
    sample->event = (uint8_t)event;
    sample->unit = (uint8_t)unit;
    fill_registers(sample, context);
    sample->stack_address = context_sp(context);
    sample->stack_bytes = (uint32_t)memory_read(context_sp(context), sample->stack, sizeof sample->stack);
    sample->instruction_bytes = (uint8_t)memory_read(address, sample->instruction, PROFILE_MOST_LENGTH);
    struct profile_instruction instruction;
    struct profile_state state;
    fill_state(&state, context, address);
    if (profile_decode(sample->instruction, sample->instruction_bytes, state.is_64, &instruction)) {
        sample->instruction_bytes = instruction.length;
        uint64_t data = context_x87_data(context);
        bool has_address =
            unit == PROFILE_UNIT_X87 ? instruction.has_memory : profile_address(&instruction, &state, &data);
        struct profile_value value;
        if (event == PROFILE_UNDERFLOW_EVENT) {
            profile_thread.sample = sample; /* ready after the step, which makes the value */
            profile_thread.sample_address = has_address ? (uintptr_t)data : 0;
            return;
        }
        if (profile_find_denormals(&instruction, &state, has_address ? &data : NULL, &value, 1, NULL) > 0)
            put_value(sample, &instruction, &value);
    }
    __atomic_store_n(&sample->ready, 1, __ATOMIC_RELEASE);
}

void sample_result(const ucontext_t *context)
{
    struct profile_sample *sample = profile_thread.sample;
    uint64_t data = profile_thread.sample_address;
    profile_thread.sample = NULL;
    struct profile_instruction instruction;
    struct profile_state state;
    fill_state(&state, context, (uintptr_t)sample->address);
    if (profile_decode(sample->instruction, sample->instruction_bytes, state.is_64, &instruction)) {
        struct profile_results results;
        profile_find_results(&instruction, &state, data ? &data : NULL, &results);
        if (results.has_value)
            put_value(sample, &instruction, &results.value);
    }
    __atomic_store_n(&sample->ready, 1, __ATOMIC_RELEASE);
}
