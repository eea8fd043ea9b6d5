/* Registers of a sample, as the kernel of its computer writes them (arch/…/uapi/asm/perf_regs.h), in DWARF's order. */
#ifndef RUN_SAMPLE_PERF_DATA_REGISTERS_H
#define RUN_SAMPLE_PERF_DATA_REGISTERS_H
#include "run/places/unwind.h"

/* x86_64, aarch64, i686, … as uname -m says it; isa_NONE: one whose registers are not known here.  NULL: this
   computer's. */
enum isa perf_data_registers_isa(const char *architecture);
/* From the registers of the mask, each in eight bytes.  abi: as in a sample, 1 for 32 bits.  false: some are missing. */
bool perf_data_registers_read(enum isa isa, uint64_t abi, uint64_t mask, const uint8_t *values,
                              struct places_registers *registers, uint64_t *stack_pointer);
#endif
