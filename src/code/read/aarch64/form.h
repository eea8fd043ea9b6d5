/* The form of an AArch64 instruction: what its cost depends on, and no more. */
#ifndef CODE_READ_AARCH64_FORM_H
#define CODE_READ_AARCH64_FORM_H
#include <stddef.h>

/* text is the whole instruction from aarch64_write_text.  The form is cut if there is no room. */
void aarch64_write_form(const char *text, char *form, size_t size);
#endif
