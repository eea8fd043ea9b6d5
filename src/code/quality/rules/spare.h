/* Registers that a path leaves free at its worst point, which could hold values instead of memory. */
#ifndef CODE_QUALITY_RULES_SPARE_H
#define CODE_QUALITY_RULES_SPARE_H
#include "code/quality/rules/rule.h"

/* 0 if none are free, or if unknown. In a loop with calls, on whatever path, only registers that calls
   preserve count. */
unsigned spare_registers(const struct subject *subject, enum register_kind kind);
/* Adds their number to a remark: "3 of 30 general registers are unused". */
void spare_say(const struct subject *subject, enum register_kind kind, struct remark *remark);
#endif
