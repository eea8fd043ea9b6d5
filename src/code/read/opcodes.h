/* Which instruction sets binutils' libopcodes writes as text here.  Assay's readers of AArch64 and IA-64
   programs need those texts; where the library was missing when Assay was built, opcodes_absent.c stands in
   for it.  Listings of IA-64 are read without it. */
#ifndef CODE_READ_OPCODES_H
#define CODE_READ_OPCODES_H
#include "model/model.h"

/* false: the error says what is missing.  True of instruction sets that have their own decoder. */
bool opcodes_know(enum isa isa, struct error *error);
#endif
