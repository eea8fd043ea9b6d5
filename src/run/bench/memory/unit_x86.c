/* rcx walks, rdx and rbx are in the other arrays, at the distances rsi and rdi; r8 is the end, r9 the period.
   Zydis' encoder makes the instructions; vectors of 16 bytes have those of SSE. */
#include "run/bench/memory/unit.h"

#include <Zydis/Zydis.h>

enum { WALK = BENCH_WALKING, TEMPORARY = 0, END = 8, PERIOD = 9, DISTANCE = 6, NUMBERS = 10, ONE = 7 };

static ZydisEncoderOperand general(unsigned number)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
    operand.reg.value = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR64, (ZyanU8)number);
    return operand;
}

static ZydisEncoderOperand vector(const struct memory_unit *unit, unsigned number)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
    ZydisRegisterClass class = unit->width == 64   ? ZYDIS_REGCLASS_ZMM
                               : unit->width == 32 ? ZYDIS_REGCLASS_YMM
                                                   : ZYDIS_REGCLASS_XMM;
    operand.reg.value = ZydisRegisterEncode(class, (ZyanU8)number);
    return operand;
}

static ZydisEncoderOperand memory(unsigned base, unsigned index, unsigned offset, unsigned size)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_MEMORY};
    operand.mem.base = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR64, (ZyanU8)base);
    if (index) {
        operand.mem.index = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR64, (ZyanU8)index);
        operand.mem.scale = 1;
    }
    operand.mem.displacement = offset;
    operand.mem.size = (ZyanU16)size;
    return operand;
}

static ZydisEncoderOperand number(int64_t value)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_IMMEDIATE};
    operand.imm.s = value;
    return operand;
}

static void put(struct memory_unit *unit, ZydisMnemonic mnemonic, unsigned count,
                const ZydisEncoderOperand *operands)
{
    ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = mnemonic, .operand_count = (ZyanU8)count};
    ZyanU8 bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZyanUSize size = sizeof bytes;
    for (unsigned i = 0; i < count; i++)
        request.operands[i] = operands[i];
    if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(&request, bytes, &size))) {
        unit->is_broken = true;
        return;
    }
    for (ZyanUSize i = 0; i < size; i++)
        *(uint8_t *)array_push(&unit->planned->code) = bytes[i];
    unit->planned->instruction_count++;
}

static void put_two(struct memory_unit *unit, ZydisMnemonic mnemonic, ZydisEncoderOperand to,
                    ZydisEncoderOperand from)
{
    put(unit, mnemonic, 2, (const ZydisEncoderOperand[]){to, from});
}

/* Vectors; those of 64 bytes have a mask after the result, all of it. */
static void put_vectors(struct memory_unit *unit, ZydisMnemonic mnemonic, unsigned count,
                        const ZydisEncoderOperand *operands)
{
    ZydisEncoderOperand masked[ZYDIS_ENCODER_MAX_OPERANDS] = {operands[0],
                                                              {.type = ZYDIS_OPERAND_TYPE_REGISTER}};
    masked[1].reg.value = ZYDIS_REGISTER_K0;
    for (unsigned i = 1; i < count; i++)
        masked[i + 1] = operands[i];
    if (unit->width == 64)
        put(unit, mnemonic, count + 1, masked);
    else
        put(unit, mnemonic, count, operands);
}

static ZydisMnemonic move(const struct memory_unit *unit)
{
    return unit->width > 16 ? ZYDIS_MNEMONIC_VMOVUPS : ZYDIS_MNEMONIC_MOVUPS;
}

/* The register of an array: rcx, rdx, rbx. */
static unsigned place(unsigned array)
{
    return WALK + array;
}

static void begin(struct memory_unit *unit)
{
    unit->planned->vector_bytes = unit->width;
    bench_put_value(unit->planned, domain_GENERAL, END, bench_WALKER, unit->end);
    bench_put_value(unit->planned, domain_GENERAL, PERIOD, bench_NUMBER, unit->period);
    for (unsigned i = 1; i < unit->arrays; i++) {
        bench_put_value(unit->planned, domain_GENERAL, DISTANCE + i - 1, bench_NUMBER,
                        unit->distances[i - 1]);
        put_two(unit, ZYDIS_MNEMONIC_LEA, general(place(i)), memory(WALK, DISTANCE + i - 1, 0, 8));
    }
}

static void end(struct memory_unit *unit)
{
    put_two(unit, ZYDIS_MNEMONIC_ADD, general(WALK), number(unit->step));
    put_two(unit, ZYDIS_MNEMONIC_MOV, general(TEMPORARY), number(0));
    put_two(unit, ZYDIS_MNEMONIC_CMP, general(WALK), general(END));
    put_two(unit, ZYDIS_MNEMONIC_CMOVNB, general(TEMPORARY), general(PERIOD));
    put_two(unit, ZYDIS_MNEMONIC_SUB, general(WALK), general(TEMPORARY));
}

static void load(struct memory_unit *unit, unsigned to, unsigned array, unsigned offset)
{
    put_vectors(
        unit, move(unit), 2,
        (const ZydisEncoderOperand[]){vector(unit, to), memory(place(array), 0, offset, unit->width)});
}

static void store(struct memory_unit *unit, unsigned from, unsigned array, unsigned offset)
{
    put_vectors(
        unit, move(unit), 2,
        (const ZydisEncoderOperand[]){memory(place(array), 0, offset, unit->width), vector(unit, from)});
}

static void sum(struct memory_unit *unit, unsigned to, unsigned one, unsigned other)
{
    if (unit->width > 16)
        put_vectors(unit, ZYDIS_MNEMONIC_VADDPD, 3,
                    (const ZydisEncoderOperand[]){vector(unit, to), vector(unit, one), vector(unit, other)});
    else
        put_two(unit, ZYDIS_MNEMONIC_ADDPD, vector(unit, to), vector(unit, other));
}

static void add(struct memory_unit *unit, unsigned to, unsigned from)
{
    sum(unit, to, to, from);
}

static void work(struct memory_unit *unit, unsigned from, unsigned turn)
{
    sum(unit, 8 + turn % 8, from, ONE);
}

static void load_number(struct memory_unit *unit, unsigned turn, unsigned offset)
{
    put_two(unit, ZYDIS_MNEMONIC_MOV, general(NUMBERS + turn % 4), memory(WALK, 0, offset, 8));
}

static void chase(struct memory_unit *unit)
{
    put_two(unit, ZYDIS_MNEMONIC_MOV, general(WALK), memory(WALK, 0, 0, 8));
}

const struct memory_code memory_code_x86 = {begin, end, load, store, add, work, load_number, chase};
