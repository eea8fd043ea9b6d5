/* The rest of a loop, beside the current path. */
#ifndef CODE_QUALITY_RULES_AROUND_H
#define CODE_QUALITY_RULES_AROUND_H
#include "code/quality/subject.h"

/* Whether the loop has no other path, so that findings apply to every iteration. */
bool around_is_straight(const struct subject *subject);
/* Whether every path that comes back to the start of the loop goes through an instruction. */
bool around_is_always_done(const struct subject *subject, uint32_t instruction);
/* Whether any path of the loop calls a function. */
bool around_calls(const struct subject *subject);
/* Whether a path of the loop calls a function and hands it the address of what this item accesses, or of the
   structure around it; places at fixed addresses any function may know. */
bool around_passes(const struct subject *subject, unsigned item);
/* Whether the function calls one that may return twice (setjmp): variables that change after it must be in
   memory. */
bool around_returns_twice(const struct subject *subject);
/* Whether other threads or the system may change memory while the loop runs, as system calls, locks and
   fences suggest. */
bool around_is_shared(const struct subject *subject);
/* Whether an access of the loop, on whatever path, has the base of this item's access, or one derived from
   it, and an index that this access lacks. Then both are elements of an array, and neither can be kept in a
   register. */
bool around_is_array(const struct subject *subject, unsigned item);
/* Whether an instruction comes from a header of the C++ library, which is nobody's to change. */
bool around_is_of_library(const struct model *model, uint32_t instruction);
#endif
