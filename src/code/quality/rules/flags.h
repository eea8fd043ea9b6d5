/* The common part of the rules about compiler options.

   The options come from the compiler's own record in the file, so these rules report only if there is one.
   Otherwise the rules about the code name the same options among their remedies. An option is reported only
   where the loop's own code shows that it would matter for this loop. */
#ifndef CODE_QUALITY_RULES_FLAGS_H
#define CODE_QUALITY_RULES_FLAGS_H
#include "code/quality/rules/rule.h"

/* Whether the options of C, C++ or Fortran code are known. */
bool flags_are_known(const struct subject *subject);
/* And the loop is worth reporting: it has cycles, and does a good part of its source loop's work. */
bool flags_matter(const struct subject *subject);
/* Speed-up with the machine's full vectors; 0 if unknown. */
double flags_vector_speedup(const struct subject *subject);
/* Whether the code was made for more than the baseline of its instruction set, whatever the options say:
   functions can ask for a target of their own. */
bool flags_is_beyond_baseline(const struct subject *subject);
/* Whether some instructions work on vectors of data. */
bool flags_has_vectors(const struct subject *subject);
/* For unknown options: whether the code looks unoptimised, because only memory carries values from one
 * iteration to the next. */
bool flags_look_unoptimised(const struct subject *subject);
/* Whether a word is among the options, such as "-fsanitize": alone, or before a =. */
bool flags_name(const struct subject *subject, const char *option);
#endif
