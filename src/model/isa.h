/* What differs between instruction sets beyond the meaning of their instructions. */
#ifndef MODEL_ISA_H
#define MODEL_ISA_H
#include "model/model.h"

struct isa_facts {
    uint8_t address_bytes; /* of a pointer */
    bool is_x86;
    bool steps_bases; /* an access may move the register that it is addressed by */
    enum isa machine; /* that of the machines that run it: i386 code runs on x86-64 */
};
/* Zeros for isa_NONE. */
const struct isa_facts *isa_facts(enum isa isa);
/* IA-64: branches that rotate registers. */
bool isa_operation_rotates(enum operation operation);
#endif
