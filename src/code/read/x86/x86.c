/* The readers of x86 code, 64-bit and 32-bit, and of Knights Corner's dialect (k1om), through Zydis.

   step decodes with Zydis' minimal mode, which finds length, mnemonic and the places of fields and nothing
   else.  The key is the bytes with the PC-relative field (the immediate of a branch, or the displacement that
   is added to rip) zeroed; no instruction has both.  The target is the end of the instruction plus that
   field, cut to 32 bits in 32-bit mode and where the address-size prefix cuts it, and to 16 bits where a
   16-bit operand size makes a branch of 32-bit code do so.  In 64-bit mode near branches ignore the
   operand-size prefix, as Intel's processors do.

   In 64-bit mode, most instructions need no decoding for that: x86/lengths.c caches their openings.

   describe decodes the key in full, corrects Zydis' mistakes (x86/corrections.c) and fills the description
   part by part: x86/meaning.c    class, flow, element, vectors, memory    x86/mnemonics.def    what each
   mnemonic is for x86/operands.c   the operands of the text                 x86/registers.def    the
   registers x86/uses.c       registers read and written, flags        x86/text.c           name and text
     x86/form.c       the form that machine files have a line for

   x86/assemble.c is the way back for Knights Corner's instructions, which no assembler here knows.

   Knights Corner shares its vector registers' names with AVX-512 and its code bytes with AVX and AVX-512, but
   no instruction of MMX, SSE or AVX: each dialect's reader accepts its own and rejects the other's. fwait is
   a separate instruction here; assemblers and objdump join it with the next x87 instruction (fstcw means
   fwait and fnstcw). */
#include <elf.h>
#include <pthread.h>
#include <string.h>
#include "code/read/x86/x86.h"

struct decoders {
    ZydisDecoder step, full;
    bool is_knights_corner;
};

static struct decoders decoders_64, decoders_32, decoders_k1om;
static pthread_once_t decoders_once = PTHREAD_ONCE_INIT;

static void prepare(struct decoders *decoders, ZydisMachineMode mode, ZydisStackWidth stack)
{
    ZydisDecoderInit(&decoders->full, mode, stack);
    decoders->step = decoders->full;
    ZydisDecoderEnableMode(&decoders->step, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
}

static void prepare_decoders(void)
{
    prepare(&decoders_64, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    prepare(&decoders_32, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    prepare(&decoders_k1om, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    decoders_k1om.is_knights_corner = true;
    ZydisDecoderEnableMode(&decoders_k1om.step, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
    ZydisDecoderEnableMode(&decoders_k1om.full, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
}

/* Knights Corner encodes vector instructions in its own way, and masks and a few scalars in VEX. */
static bool is_of_knights_corner(const ZydisDecodedInstruction *decoded)
{
    if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX)
        return true;
    if (decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX)
        return false;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_POPCNT:
    case ZYDIS_MNEMONIC_TZCNT:
    case ZYDIS_MNEMONIC_LZCNT:
        return true;
    default:
        return x86_mnemonic(decoded->mnemonic)->is_of_knights_corner;
    }
}

/* MMX and SSE, which Knights Corner lacks: everything packed, floats other than x87, and moves to and from
   their registers. */
static bool is_older_vector(const ZydisDecodedInstruction *decoded)
{
    const struct x86_mnemonic *mnemonic = x86_mnemonic(decoded->mnemonic);
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_CVTSD2SI:
    case ZYDIS_MNEMONIC_CVTSS2SI:
    case ZYDIS_MNEMONIC_CVTTSD2SI:
    case ZYDIS_MNEMONIC_CVTTSS2SI:
    case ZYDIS_MNEMONIC_EMMS:
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_PEXTRB:
    case ZYDIS_MNEMONIC_PEXTRD:
    case ZYDIS_MNEMONIC_PEXTRQ:
    case ZYDIS_MNEMONIC_PEXTRW:
    case ZYDIS_MNEMONIC_PINSRB:
    case ZYDIS_MNEMONIC_PINSRD:
    case ZYDIS_MNEMONIC_PINSRQ:
    case ZYDIS_MNEMONIC_PINSRW:
        return true;
    default:
        break;
    }
    return mnemonic->is_packed || (mnemonic->element >= element_FP16 && mnemonic->element <= element_FP64);
}

static bool is_taken(const struct decoders *decoders, const ZydisDecodedInstruction *decoded)
{
    if (!decoders->is_knights_corner)
        return !is_of_knights_corner(decoded);
    return decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? !is_older_vector(decoded)
                                                                  : is_of_knights_corner(decoded);
}

static bool is_relative_memory(const ZydisDecodedInstruction *decoded)
{
    return (decoded->attributes & ZYDIS_ATTRIB_HAS_MODRM) && decoded->raw.modrm.mod == 0 &&
           decoded->raw.modrm.rm == 5;
}

static uint64_t cut(const ZydisDecodedInstruction *decoded, uint64_t target, bool is_branch)
{
    if (decoded->machine_mode != ZYDIS_MACHINE_MODE_LONG_64)
        return is_branch && decoded->operand_width == 16 ? target & UINT16_MAX : target & UINT32_MAX;
    return !is_branch && decoded->address_width == 32 ? target & UINT32_MAX : target;
}

static bool step(const struct decoders *decoders, const uint8_t *bytes, size_t left, uint64_t address,
                 struct step *step)
{
    ZydisDecodedInstruction decoded;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoders->step, NULL, bytes, left, &decoded)) ||
        !is_taken(decoders, &decoded))
        return false;
    step->key = (struct key){.size = decoded.length};
    step->target = NO_ADDRESS;
    memcpy(step->key.bytes, bytes, decoded.length);
    if (decoders == &decoders_64)
        x86_learn_length(bytes, &decoded);
    if (!(decoded.attributes & ZYDIS_ATTRIB_IS_RELATIVE))
        return true;
    uint64_t end = address + decoded.length;
    if (decoded.raw.imm[0].is_relative) {
        memset(step->key.bytes + decoded.raw.imm[0].offset, 0, decoded.raw.imm[0].size / 8);
        step->target = cut(&decoded, end + decoded.raw.imm[0].value.u, true);
    } else if (is_relative_memory(&decoded)) {
        memset(step->key.bytes + decoded.raw.disp.offset, 0, decoded.raw.disp.size / 8);
        step->target = cut(&decoded, end + (uint64_t)decoded.raw.disp.value, false);
    }
    return true;
}

static bool step_64(const uint8_t *bytes, size_t left, uint64_t address, struct step *result)
{
    unsigned length = x86_known_length(bytes, left);
    if (length) {
        result->key = (struct key){.size = (uint8_t)length};
        memcpy(result->key.bytes, bytes, length);
        result->target = NO_ADDRESS;
        return true;
    }
    pthread_once(&decoders_once, prepare_decoders);
    return step(&decoders_64, bytes, left, address, result);
}

static bool step_32(const uint8_t *bytes, size_t left, uint64_t address, struct step *result)
{
    pthread_once(&decoders_once, prepare_decoders);
    return step(&decoders_32, bytes, left, address, result);
}

static bool step_k1om(const uint8_t *bytes, size_t left, uint64_t address, struct step *result)
{
    pthread_once(&decoders_once, prepare_decoders);
    return step(&decoders_k1om, bytes, left, address, result);
}

bool x86_decode_knights_corner(const uint8_t *bytes, size_t size, ZydisDecodedInstruction *decoded)
{
    pthread_once(&decoders_once, prepare_decoders);
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoders_k1om.step, NULL, bytes, size, decoded));
}

/* Operands and uses are cleared as they are filled: most of them never are. */
static void clear(struct description *description)
{
    memset(&description->encoding, 0, sizeof description->encoding);
    memset(description->name, 0, sizeof description->name);
    description->text[0] = description->completers[0] = description->form[0] = '\0';
    description->operand_count = description->use_count = 0;
    description->long_text = NULL;
    description->is_undefined = false;
}

static void describe(const struct decoders *decoders, const struct x86_registers *registers,
                     const struct key *key, bool has_text, struct description *description)
{
    struct x86_instruction instruction;
    instruction.registers = registers;
    clear(description);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoders->full, key->bytes, key->size, &instruction.decoded,
                                             instruction.operands)) ||
        !is_taken(decoders, &instruction.decoded)) {
        description->is_undefined = true;
        return;
    }
    instruction.visible = instruction.decoded.operand_count_visible;
    /* The second operand of a long nop is an artefact of its encoding. */
    if (instruction.decoded.mnemonic == ZYDIS_MNEMONIC_NOP && instruction.visible > 1)
        instruction.visible = 1;
    if (is_of_knights_corner(&instruction.decoded))
        x86_correct_knights_corner(&instruction);
    else
        x86_correct(&instruction);
    x86_describe_meaning(&instruction, &description->encoding);
    x86_describe_operands(&instruction, description);
    x86_describe_uses(&instruction, description);
    x86_describe_name(&instruction, description);
    if (has_text)
        x86_describe_text(&instruction, description);
    x86_describe_form(&instruction, description);
}

static void describe_64(const struct isa_reader *reader, const struct key *key,
                        struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_64, &x86_registers_64, key, true, description);
}

static void describe_64_briefly(const struct isa_reader *reader, const struct key *key,
                                struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_64, &x86_registers_64, key, false, description);
}

static void describe_32(const struct isa_reader *reader, const struct key *key,
                        struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_32, &x86_registers_32, key, true, description);
}

static void describe_32_briefly(const struct isa_reader *reader, const struct key *key,
                                struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_32, &x86_registers_32, key, false, description);
}

static void describe_k1om(const struct isa_reader *reader, const struct key *key,
                          struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_k1om, &x86_registers_64, key, true, description);
}

static void describe_k1om_briefly(const struct isa_reader *reader, const struct key *key,
                                  struct description *description)
{
    (void)reader;
    pthread_once(&decoders_once, prepare_decoders);
    describe(&decoders_k1om, &x86_registers_64, key, false, description);
}

/* The linker writes value + addend - place into the field; the processor adds the end of the instruction.  A
   relocation against a slot of the global offset table names the slot, not the symbol. */
static bool relocated_by(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    if (relocation->value == NO_ADDRESS)
        return false;
    *target = relocation->value + (uint64_t)relocation->addend + (end - relocation->address);
    return true;
}

static bool relocated_64(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    switch (relocation->type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_PC16:
    case R_X86_64_PC8:
    case R_X86_64_PC64:
        return relocated_by(relocation, end, target);
    default:
        return false;
    }
}

static bool relocated_32(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    switch (relocation->type) {
    case R_386_PC32:
    case R_386_PLT32:
    case R_386_PC16:
    case R_386_PC8:
        if (!relocated_by(relocation, end, target))
            return false;
        *target &= UINT32_MAX;
        return true;
    default:
        return false;
    }
}

static const struct isa_values values_64 = {
    .stack_pointer = "rsp",
    .frame_pointer = "rbp",
    .call_result = "rax",
    .call_room = CALL_ROOM_FOR_IMPORTS, /* so that the stack is aligned; functions of a file may do without */
    .relative_relocations = {2, 24},    /* PC32, PC64 */
};
static const struct isa_values values_k1om = {
    .stack_pointer = "rsp",
    .frame_pointer = "rbp",
    .call_result = "rax",
    .relative_relocations = {2, 24},
};
static const struct isa_values values_32 = {
    .stack_pointer = "esp",
    .frame_pointer = "ebp",
    .call_result = "eax",
    .relative_relocations = {2},   /* PC32 */
    .offset_table_relocation = 10, /* GOTPC */
};

const struct isa_reader x86_64_reader = {
    .isa = isa_X86_64,
    .alignment = 1,
    .values = &values_64,
    .step = step_64,
    .describe = describe_64,
    .describe_briefly = describe_64_briefly,
    .relocated = relocated_64,
    .find_transfers = x86_find_transfers,
    .registers = x86_facts_64,
    .register_count = X86_COUNT_64,
};

const struct isa_reader i386_reader = {
    .isa = isa_I386,
    .alignment = 1,
    .values = &values_32,
    .step = step_32,
    .describe = describe_32,
    .describe_briefly = describe_32_briefly,
    .relocated = relocated_32,
    .find_transfers = x86_find_transfers,
    .registers = x86_facts_32,
    .register_count = X86_COUNT_32,
};

const struct isa_reader k1om_reader = {
    .isa = isa_K1OM,
    .alignment = 1,
    .values = &values_k1om,
    .step = step_k1om,
    .describe = describe_k1om,
    .describe_briefly = describe_k1om_briefly,
    .relocated = relocated_64,
    .assemble = x86_assemble_knights_corner,
    .registers = x86_facts_64,
    .register_count = X86_COUNT_64,
};
