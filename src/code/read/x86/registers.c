/* The registers of x86 in two lists, one for each mode, generated from x86/registers.def.  Our numbers start
   at 1, without gaps; a table translates the numbers of Zydis. */
#include "code/read/x86/x86.h"

enum number_64 {
    number_64_NONE,
#define REGISTER(symbol, name, kind, bits, offset, full, full_32) number_64_##symbol,
#define LONG(symbol, name, kind, bits, offset, full) number_64_##symbol,
#define NATIVE(symbol, name, kind) number_64_##symbol,
#define FLAG_BIT(symbol, name, bits, offset) number_64_##symbol,
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

enum number_32 {
    number_32_NONE,
#define REGISTER(symbol, name, kind, bits, offset, full, full_32) number_32_##symbol,
#define LONG(symbol, name, kind, bits, offset, full)
#define NATIVE(symbol, name, kind) number_32_##symbol,
#define FLAG_BIT(symbol, name, bits, offset) number_32_##symbol,
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

const struct register_fact x86_facts_64[X86_COUNT_64] = {
    {0},
#define REGISTER(symbol, name, kind, bits, offset, full, full_32)                                            \
    {name, register_kind_##kind, bits, offset, number_64_##full},
#define LONG(symbol, name, kind, bits, offset, full)                                                         \
    {name, register_kind_##kind, bits, offset, number_64_##full},
#define NATIVE(symbol, name, kind) {name, register_kind_##kind, 64, 0, number_64_##symbol},
#define FLAG_BIT(symbol, name, bits, offset) {name, register_kind_FLAGS, bits, offset, number_64_RFLAGS},
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

const struct register_fact x86_facts_32[X86_COUNT_32] = {
    {0},
#define REGISTER(symbol, name, kind, bits, offset, full, full_32)                                            \
    {name, register_kind_##kind, bits, offset, number_32_##full_32},
#define LONG(symbol, name, kind, bits, offset, full)
#define NATIVE(symbol, name, kind) {name, register_kind_##kind, 32, 0, number_32_##symbol},
#define FLAG_BIT(symbol, name, bits, offset) {name, register_kind_FLAGS, bits, offset, number_32_EFLAGS},
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

static const uint16_t of_zydis_64[ZYDIS_REGISTER_MAX_VALUE + 1] = {
#define REGISTER(symbol, name, kind, bits, offset, full, full_32)                                            \
    [ZYDIS_REGISTER_##symbol] = number_64_##symbol,
#define LONG(symbol, name, kind, bits, offset, full) [ZYDIS_REGISTER_##symbol] = number_64_##symbol,
#define NATIVE(symbol, name, kind) [ZYDIS_REGISTER_##symbol] = number_64_##symbol,
#define FLAG_BIT(symbol, name, bits, offset)
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

static const uint16_t of_zydis_32[ZYDIS_REGISTER_MAX_VALUE + 1] = {
#define REGISTER(symbol, name, kind, bits, offset, full, full_32)                                            \
    [ZYDIS_REGISTER_##symbol] = number_32_##symbol,
#define LONG(symbol, name, kind, bits, offset, full)
#define NATIVE(symbol, name, kind) [ZYDIS_REGISTER_##symbol] = number_32_##symbol,
#define FLAG_BIT(symbol, name, bits, offset)
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};

#define REGISTER(symbol, name, kind, bits, offset, full, full_32)
#define LONG(symbol, name, kind, bits, offset, full)
#define NATIVE(symbol, name, kind)
#define FLAG_BIT(symbol, name, bits, offset) [offset] = number_64_##symbol,
static const uint16_t of_flag_64[X86_FLAG_BITS] = {
#include "code/read/x86/registers.def"
};
#undef FLAG_BIT
#define FLAG_BIT(symbol, name, bits, offset) [offset] = number_32_##symbol,
static const uint16_t of_flag_32[X86_FLAG_BITS] = {
#include "code/read/x86/registers.def"
};

const struct x86_registers x86_registers_64 = {x86_facts_64, of_zydis_64, of_flag_64};
const struct x86_registers x86_registers_32 = {x86_facts_32, of_zydis_32, of_flag_32};
