/* What a piece of code as a text (text_code.h) may contain. */
#ifndef CODE_READ_LISTING_TEXT_RULES_H
#define CODE_READ_LISTING_TEXT_RULES_H
#include "code/read/listing/assembled.h"
#include "code/read/listing/text_code.h"

/* Looks at every statement but instructions, of a text that was split without marks.  Those that do nothing
   for code are blanked in copy, which has the same size as the text; those that are not allowed become
   refusals.  NULL for copy or refusals: not wanted.  Returns whether all are allowed. */
bool text_rules_apply(const struct assembled_text *statements, const char *text, size_t size, char *copy,
                      struct array *refusals);
/* Adds a refusal with words of the assembler in ours. */
void text_rules_refuse(struct array *refusals, uint32_t line, const char *said);
#endif
