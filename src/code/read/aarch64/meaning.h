/* Fills an encoding from the mnemonic's rule and the operands. */
#ifndef CODE_READ_AARCH64_MEANING_H
#define CODE_READ_AARCH64_MEANING_H
#include "code/read/aarch64/parse.h"

/* Fills encoding, operands and uses; name is the mnemonic. */
void aarch64_derive_meaning(const char *name, struct aarch64_parsed *parsed, struct description *description);
#endif
