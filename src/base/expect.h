/* What is true here whatever the input is: if it is not, that is a mistake of Assay's, never of a user.

   expect(condition) is active in the builds of developers and CI (make EXPECT=true; WERROR=true implies it),
   with the sanitizers, and in fuzzers: there it ends the process with the place. In a release it is nothing,
   and its condition is not evaluated. So a reader that finds damage in a file says so and goes on without it;
   expect is for what the rooms promise each other. */
#ifndef BASE_EXPECT_H
#define BASE_EXPECT_H

#ifdef ASSAY_EXPECT
enum { EXPECTATIONS = 1 };
_Noreturn void expect_failed(const char *condition, const char *file, int line, const char *function);
#define expect(condition) ((condition) ? (void)0 : expect_failed(#condition, __FILE__, __LINE__, __func__))
#else
enum { EXPECTATIONS = 0 };
#define expect(condition) ((void)(0 && (condition)))
#endif
#endif
