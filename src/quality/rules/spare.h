/* Registers that a path leaves free at its worst point, which could hold values instead of memory. */
#ifndef QUALITY_RULES_SPARE_H
#define QUALITY_RULES_SPARE_H
#include "quality/subject.h"

/* 0 if none are free, or if unknown. */
unsigned spare_registers(const struct subject *subject, enum register_kind kind);
/* Registers of that kind that code of this instruction set can use for values. */
unsigned all_registers(const struct subject *subject, enum register_kind kind);
#endif
