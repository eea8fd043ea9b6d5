/* Name and text of an x86 instruction: Intel's syntax as Zydis writes it, in lower case, with two changes.  A
   PC-relative address is written @, because all instructions that differ only there share the text.  If
   Zydis' name differs from that of compilers and the GNU tools, theirs is used (jne, not jnz). */
#include <pthread.h>
#include <string.h>
#include "code/read/x86/x86.h"

static const char *const other_names[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    [ZYDIS_MNEMONIC_CMOVNB] = "cmovae",
    [ZYDIS_MNEMONIC_CMOVNBE] = "cmova",
    [ZYDIS_MNEMONIC_CMOVNL] = "cmovge",
    [ZYDIS_MNEMONIC_CMOVNLE] = "cmovg",
    [ZYDIS_MNEMONIC_CMOVNZ] = "cmovne",
    [ZYDIS_MNEMONIC_CMOVZ] = "cmove",
    [ZYDIS_MNEMONIC_JNB] = "jae",
    [ZYDIS_MNEMONIC_JNBE] = "ja",
    [ZYDIS_MNEMONIC_JNL] = "jge",
    [ZYDIS_MNEMONIC_JNLE] = "jg",
    [ZYDIS_MNEMONIC_JNZ] = "jne",
    [ZYDIS_MNEMONIC_JZ] = "je",
    [ZYDIS_MNEMONIC_SETNB] = "setae",
    [ZYDIS_MNEMONIC_SETNBE] = "seta",
    [ZYDIS_MNEMONIC_SETNL] = "setge",
    [ZYDIS_MNEMONIC_SETNLE] = "setg",
    [ZYDIS_MNEMONIC_SETNZ] = "setne",
    [ZYDIS_MNEMONIC_SETZ] = "sete",
    [ZYDIS_MNEMONIC_FENI8087_NOP] = "fneni",
    [ZYDIS_MNEMONIC_FDISI8087_NOP] = "fndisi",
    [ZYDIS_MNEMONIC_FSETPM287_NOP] = "fnsetpm",
    [ZYDIS_MNEMONIC_XCRYPT_CBC] = "xcrypt-cbc",
    [ZYDIS_MNEMONIC_XCRYPT_CFB] = "xcrypt-cfb",
    [ZYDIS_MNEMONIC_XCRYPT_CTR] = "xcrypt-ctr",
    [ZYDIS_MNEMONIC_XCRYPT_ECB] = "xcrypt-ecb",
    [ZYDIS_MNEMONIC_XCRYPT_OFB] = "xcrypt-ofb",
    [ZYDIS_MNEMONIC_XSTORE] = "xstore-rng",
};

static bool has_prefix(const ZydisDecodedInstruction *decoded, uint8_t prefix)
{
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++)
        if (decoded->raw.prefixes[i].value == prefix)
            return true;
    return false;
}

/* NULL: use Zydis' name. */
static const char *other_name(const ZydisDecodedInstruction *decoded)
{
    if (decoded->mnemonic == ZYDIS_MNEMONIC_RET && decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return "retf";
    if (decoded->mnemonic == ZYDIS_MNEMONIC_WBINVD && has_prefix(decoded, 0xf3))
        return "wbnoinvd";
    return other_names[decoded->mnemonic];
}

static ZydisFormatter formatter;
static ZydisFormatterFunc print_mnemonic, print_address, print_size;
static pthread_once_t formatter_once = PTHREAD_ONCE_INIT;

static ZyanStatus append(ZydisFormatterBuffer *buffer, ZydisTokenType type, const char *text)
{
    ZyanString *string;
    ZYAN_CHECK(ZydisFormatterBufferAppend(buffer, type));
    ZYAN_CHECK(ZydisFormatterBufferGetString(buffer, &string));
    ZyanStringView view;
    ZYAN_CHECK(ZyanStringViewInsideBuffer(&view, text));
    return ZyanStringAppend(string, &view);
}

static ZyanStatus write_mnemonic(const ZydisFormatter *with, ZydisFormatterBuffer *buffer,
                                 ZydisFormatterContext *context)
{
    const char *name = other_name(context->instruction);
    return name ? append(buffer, ZYDIS_TOKEN_MNEMONIC, name) : print_mnemonic(with, buffer, context);
}

static ZyanStatus write_address(const ZydisFormatter *with, ZydisFormatterBuffer *buffer,
                                ZydisFormatterContext *context)
{
    const ZydisDecodedOperand *operand = context->operand;
    bool is_relative =
        operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE
            ? operand->imm.is_relative
            : operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                  (operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP);
    return is_relative ? append(buffer, ZYDIS_TOKEN_ADDRESS_ABS, "@") : print_address(with, buffer, context);
}

/* An address that is not accessed has no size; Zydis 4.1 writes one. */
static ZyanStatus write_size(const ZydisFormatter *with, ZydisFormatterBuffer *buffer,
                             ZydisFormatterContext *context)
{
    const ZydisDecodedOperand *operand = context->operand;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
        return ZYAN_STATUS_SUCCESS;
    return print_size(with, buffer, context);
}

static void prepare_formatter(void)
{
    static const struct {
        ZydisFormatterProperty property;
        ZyanUPointer value;
    } settings[] = {
        {ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE},
        {ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
        {ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS, ZYDIS_SIGNEDNESS_AUTO},
    };
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ZydisFormatterSetProperty(&formatter, settings[i].property, settings[i].value);
    /* Zydis takes a hook by the address of a pointer and puts the replaced function there. */
    print_mnemonic = write_mnemonic;
    print_address = write_address;
    print_size = write_size;
    ZydisFormatterSetHook(&formatter, ZYDIS_FORMATTER_FUNC_PRINT_MNEMONIC, (const void **)&print_mnemonic);
    ZydisFormatterSetHook(&formatter, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS, (const void **)&print_address);
    ZydisFormatterSetHook(&formatter, ZYDIS_FORMATTER_FUNC_PRINT_TYPECAST, (const void **)&print_size);
}

void x86_describe_name(const struct x86_instruction *instruction, struct description *description)
{
    const char *name = other_name(&instruction->decoded);
    if (!name)
        name = ZydisMnemonicGetString(instruction->decoded.mnemonic);
    strncpy(description->name, name ? name : "", sizeof description->name - 1);
}

void x86_describe_text(const struct x86_instruction *instruction, struct description *description)
{
    pthread_once(&formatter_once, prepare_formatter);
    ZydisDecodedInstruction shown = instruction->decoded;
    shown.operand_count_visible = (ZyanU8)instruction->visible;
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &shown, instruction->operands,
                                                      shown.operand_count_visible, description->text,
                                                      sizeof description->text, 0, NULL)))
        memcpy(description->text, description->name, sizeof description->name);
}
