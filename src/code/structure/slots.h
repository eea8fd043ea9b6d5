/* Calls and jumps through a register that was just loaded from a fixed place, such as a slot of the global
   offset table: `mov rax, [slot]; test rax, rax; je …; call rax`, `adrp x1, page; ldr x1, [x1, #offset]; br
   x1`. */
#ifndef CODE_STRUCTURE_SLOTS_H
#define CODE_STRUCTURE_SLOTS_H
#include "code/structure/switches.h"

/* The address of the place, if the few instructions before the entry, on the only path to it, show it. */
bool slot_find(const struct switch_context *context, uint32_t entry, uint64_t *slot);
#endif
