/* What the rules about compiler options have in common.

   Options are what the compiler wrote down of itself, so these rules speak only where it did; where it did
   not, the rules about the code name the same options among their remedies.  An option is reported only where
   the loop's own code shows that it would matter for this loop. */
#ifndef QUALITY_RULES_FLAGS_H
#define QUALITY_RULES_FLAGS_H
#include "quality/rules/rule.h"

/* Whether the options of C, C++ or Fortran code are known. */
bool flags_are_known(const struct subject *subject);
/* And the loop is one to talk about: it has cycles, and does a good part of its source loop's work. */
bool flags_matter(const struct subject *subject);
/* Cycles with the vectors that the present options allow: those of the baseline without a target, and no more
   than compilers use by themselves with one.  NaN where it cannot be told, or is nothing to gain. */
double flags_vector_cycles(const struct subject *subject);
/* Speed-up with the machine's whole vectors; 0 where it cannot be told. */
double flags_vector_speedup(const struct subject *subject);
/* Whether the code was made for more than the baseline of its instruction set, whatever the options say:
   functions can ask for a target of their own. */
bool flags_is_beyond_baseline(const struct subject *subject);
/* Whether some data is worked on with vectors. */
bool flags_has_vectors(const struct subject *subject);
/* For unknown options: whether the code looks unoptimised, because only memory carries values from one
 * iteration to the next. */
bool flags_look_unoptimised(const struct subject *subject);
/* Whether a word is among the options, such as "-fsanitize": whole, or in front of a =. */
bool flags_name(const struct subject *subject, const char *option);
#endif
