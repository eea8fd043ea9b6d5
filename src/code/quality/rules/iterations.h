/* Whether a loop goes round often enough for advice that moves work out of it. */
#ifndef CODE_QUALITY_RULES_ITERATIONS_H
#define CODE_QUALITY_RULES_ITERATIONS_H
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"

/* Where the code does not show that: the level is at most potential, the gain is worded "up to". */
void iterations_limit(const struct subject *subject, struct remark *remark);
/* The same, and the text says so. */
void iterations_caution(const struct subject *subject, struct remark *remark);
/* " It makes 12 iterations each time", or what they were in a run, and the rest of the sentence. */
void iterations_say(const struct subject *subject, const char *rest, struct remark *remark);
/* The constant that an item adds, negative if it subtracts one; 0 for none. */
int64_t iterations_step(const struct subject *subject, uint32_t item);
/* Whether an exit compares the result of an item with a constant that a few steps pass, as in buffers of
   bits: while (bits > 7) bits -= 8. The item may also be the comparison itself. */
bool iterations_pass_limit(const struct values *values, uint32_t item, int64_t step);
#endif
