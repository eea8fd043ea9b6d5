/* Small tables by mnemonic; both spellings where an instruction has two. */
#include "structure/operations.h"

#include <string.h>

struct named_operation {
    const char *name;
    enum operation operation;
};

static const struct named_operation x86_operations[] = {
    {"mov", OPERATION_COPY},         {"movabs", OPERATION_COPY},       {"movzx", OPERATION_COPY},
    {"lea", OPERATION_COPY},         {"movsx", OPERATION_SIGN_EXTEND}, {"movsxd", OPERATION_SIGN_EXTEND},
    {"cdqe", OPERATION_SIGN_EXTEND}, {"cwde", OPERATION_SIGN_EXTEND},  {"add", OPERATION_ADD},
    {"sub", OPERATION_SUBTRACT},     {"shl", OPERATION_SHIFT_LEFT},    {"sal", OPERATION_SHIFT_LEFT},
    {"shr", OPERATION_SHIFT_RIGHT},  {"and", OPERATION_AND},           {"xor", OPERATION_CLEAR},
    {"cmp", OPERATION_COMPARE},      {"inc", OPERATION_INCREMENT},     {"dec", OPERATION_DECREMENT},
    {"pop", OPERATION_POP},
};

static const struct named_operation aarch64_operations[] = {
    {"mov", OPERATION_COPY},           {"movz", OPERATION_COPY},          {"adr", OPERATION_COPY},
    {"adrp", OPERATION_COPY},          {"ldr", OPERATION_COPY},           {"ldur", OPERATION_COPY},
    {"ldrb", OPERATION_COPY},          {"ldurb", OPERATION_COPY},         {"ldrh", OPERATION_COPY},
    {"ldurh", OPERATION_COPY},         {"str", OPERATION_COPY},           {"stur", OPERATION_COPY},
    {"ldp", OPERATION_COPY_PAIR},      {"stp", OPERATION_COPY_PAIR},      {"uxtb", OPERATION_COPY},
    {"uxth", OPERATION_COPY},          {"uxtw", OPERATION_COPY},          {"ldrsb", OPERATION_SIGN_EXTEND},
    {"ldrsh", OPERATION_SIGN_EXTEND},  {"ldrsw", OPERATION_SIGN_EXTEND},  {"ldursb", OPERATION_SIGN_EXTEND},
    {"ldursh", OPERATION_SIGN_EXTEND}, {"ldursw", OPERATION_SIGN_EXTEND}, {"sxtb", OPERATION_SIGN_EXTEND},
    {"sxth", OPERATION_SIGN_EXTEND},   {"sxtw", OPERATION_SIGN_EXTEND},   {"add", OPERATION_ADD},
    {"adds", OPERATION_ADD},           {"sub", OPERATION_SUBTRACT},       {"subs", OPERATION_SUBTRACT},
    {"lsl", OPERATION_SHIFT_LEFT},     {"ubfiz", OPERATION_SHIFT_LEFT},   {"sbfiz", OPERATION_SHIFT_LEFT},
    {"ubfx", OPERATION_EXTRACT},       {"lsr", OPERATION_SHIFT_RIGHT},    {"and", OPERATION_AND},
    {"ands", OPERATION_AND},           {"cmp", OPERATION_COMPARE},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum operation operation_of(enum isa isa, const char *name)
{
    bool is_arm = isa == isa_AARCH64;
    const struct named_operation *table = is_arm ? aarch64_operations : x86_operations;
    size_t count = is_arm ? COUNT_OF(aarch64_operations) : COUNT_OF(x86_operations);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].name, name))
            return table[i].operation;
    }
    return OPERATION_OTHER;
}

struct named_condition {
    const char *name;
    enum condition condition;
    bool is_signed;
};

static const struct named_condition x86_conditions[] = {
    {"ja", CONDITION_ABOVE, false},      {"jnbe", CONDITION_ABOVE, false},
    {"jae", CONDITION_NOT_BELOW, false}, {"jnb", CONDITION_NOT_BELOW, false},
    {"jnc", CONDITION_NOT_BELOW, false}, {"jb", CONDITION_BELOW, false},
    {"jnae", CONDITION_BELOW, false},    {"jc", CONDITION_BELOW, false},
    {"jbe", CONDITION_NOT_ABOVE, false}, {"jna", CONDITION_NOT_ABOVE, false},
    {"jg", CONDITION_ABOVE, true},       {"jnle", CONDITION_ABOVE, true},
    {"jge", CONDITION_NOT_BELOW, true},  {"jnl", CONDITION_NOT_BELOW, true},
    {"jl", CONDITION_BELOW, true},       {"jnge", CONDITION_BELOW, true},
    {"jle", CONDITION_NOT_ABOVE, true},  {"jng", CONDITION_NOT_ABOVE, true},
};

static const struct named_condition aarch64_conditions[] = {
    {"b.hi", CONDITION_ABOVE, false},     {"b.cs", CONDITION_NOT_BELOW, false},
    {"b.hs", CONDITION_NOT_BELOW, false}, {"b.cc", CONDITION_BELOW, false},
    {"b.lo", CONDITION_BELOW, false},     {"b.ls", CONDITION_NOT_ABOVE, false},
    {"b.gt", CONDITION_ABOVE, true},      {"b.ge", CONDITION_NOT_BELOW, true},
    {"b.lt", CONDITION_BELOW, true},      {"b.le", CONDITION_NOT_ABOVE, true},
};

enum condition condition_of(enum isa isa, const char *name, bool *is_signed)
{
    bool is_arm = isa == isa_AARCH64;
    const struct named_condition *table = is_arm ? aarch64_conditions : x86_conditions;
    size_t count = is_arm ? COUNT_OF(aarch64_conditions) : COUNT_OF(x86_conditions);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].name, name)) {
            *is_signed = table[i].is_signed;
            return table[i].condition;
        }
    }
    *is_signed = false;
    return CONDITION_OTHER;
}

bool is_result_of_calls(enum isa isa, const char *name)
{
    return !strcmp(name, isa == isa_AARCH64 ? "x0" : isa == isa_I386 ? "eax" : "rax");
}
