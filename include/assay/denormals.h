/* assay/denormals.h: marks in a program that is watched for denormal numbers (assay denormals).

       #include <assay/denormals.h>
       for (step = 0; step < steps; step++) {
           ASSAY_DENORMAL_PHASE("step");
           …
       }

   A mark begins a new phase, under both the profiler and the tracer; without them it costs a few
   instructions.  The header needs no library and nothing else from Assay; copy it into any project.

   Both runtimes define the function assay_denormal_phase in the process that they watch.  The header refers
   to it weakly, so that a program links and runs without them.  If a program cannot see that function (it is
   linked statically, or compiled without -fPIC and -fPIE), the header calls the tracer directly: with a
   sequence of instructions that does nothing on a processor, but that Valgrind recognises.

   Fortran programs, and others that cannot include this header, call the function itself.  They need a
   definition for runs without a tool.  One C file provides it; it calls the profiler by a second name that
   only the profiler defines:

       #define ASSAY_DENORMAL_DEFINE
       #include <assay/denormals.h>

       interface
           subroutine assay_denormal_phase(name) bind(c)
               use iso_c_binding
               character(kind=c_char), intent(in) :: name(*)
           end subroutine
       end interface
       call assay_denormal_phase('step' // c_null_char) */
#ifndef ASSAY_DENORMALS_H
#define ASSAY_DENORMALS_H

#ifdef __cplusplus
extern "C" {
#endif
void assay_denormal_phase(const char *name) __attribute__((weak));

/* The tracer's request: two letters for the tool, and a number. */
#define ASSAY_DENORMAL_REQUEST (('A' << 24) | ('S' << 16) | 1)

static inline void assay_denormal_request(const char *name)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
    volatile __UINTPTR_TYPE__ words[6] = {ASSAY_DENORMAL_REQUEST, (__UINTPTR_TYPE__)name, 0, 0, 0, 0};
    __UINTPTR_TYPE__ result = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(result)
                     : "a"(words)
                     : "cc", "memory");
#elif defined(__i386__)
    __asm__ volatile("roll $3, %%edi\n\troll $13, %%edi\n\troll $29, %%edi\n\troll $19, %%edi\n\t"
                     "xchgl %%ebx, %%ebx"
                     : "+d"(result)
                     : "a"(words)
                     : "cc", "memory");
#else
    __asm__ volatile("mov x3, %0\n\tmov x4, %1\n\t"
                     "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10\n\tmov %0, x3"
                     : "+r"(result)
                     : "r"(words)
                     : "x3", "x4", "cc", "memory");
#endif
    (void)result;
#else
    (void)name;
#endif
}

static inline void assay_denormal_mark(const char *name)
{
    if (assay_denormal_phase)
        assay_denormal_phase(name);
    else
        assay_denormal_request(name);
}

#ifdef ASSAY_DENORMAL_DEFINE
void assay_denormal_profiler_phase(const char *name) __attribute__((weak));
__attribute__((weak, visibility("default"))) void assay_denormal_phase(const char *name)
{
    if (assay_denormal_profiler_phase)
        assay_denormal_profiler_phase(name);
    else
        assay_denormal_request(name);
}
#endif
#ifdef __cplusplus
}
#endif

#define ASSAY_DENORMAL_PHASE(name) assay_denormal_mark(name)
#endif
