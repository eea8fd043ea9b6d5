/* What calls of a path take and give: the registers of arguments and results, by the calling conventions of
   Linux on x86-64 and AArch64. */
#ifndef CODE_QUALITY_RULES_CALL_VALUES_H
#define CODE_QUALITY_RULES_CALL_VALUES_H
#include "code/quality/values.h"

enum { MOST_ARGUMENTS = 4 };

struct call_registers {
    uint32_t result, float_result; /* rows of full registers; 0: another instruction set */
    uint32_t arguments[MOST_ARGUMENTS];
};

void call_registers_find(const struct subject *subject, struct call_registers *registers);

/* The item that reads the result of a call first, along the path and not beyond its end; VALUE_OUTSIDE for
   none. Copies between registers are followed. */
uint32_t call_result_reader(const struct subject *subject, unsigned call, uint32_t result);
/* The last item before the call that writes one of its arguments; VALUE_OUTSIDE: none of the path. */
uint32_t call_argument_writer(const struct subject *subject, unsigned call, uint32_t argument);
/* Whether an item reads a register, as a whole or in part. */
bool call_reads(const struct subject *subject, unsigned item, uint32_t full);
#endif
