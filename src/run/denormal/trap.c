/* Whether denormal operands can be trapped here.

   The registers can be written on any x86, yet emulators compute without looking at them. So a process of our
   own unmasks the exception and multiplies a denormal: if that does not kill it, nothing traps. */
#include "run/denormal/denormal.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __x86_64__ || (defined __i386__ && defined __SSE__)
#include <xmmintrin.h>

/* In a process that is to end by SIGFPE, without a core file. */
static void provoke(void)
{
    enum { ALL_MASKED = 0x1f80, DENORMAL_MASK = 0x100 };
    struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGFPE, SIG_DFL);
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGFPE);
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
    _mm_setcsr(ALL_MASKED & ~DENORMAL_MASK);
    volatile float denormal = 0x1p-130f, one = 1;
    volatile float product = denormal * one;
    (void)product;
}

bool denormal_can_trap(const char **why)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, before; /* who ignores it cannot wait */
    sigaction(SIGCHLD, &usual, &before);
    pid_t child = fork();
    if (child == 0) {
        provoke();
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            child = -1;
            break;
        }
    sigaction(SIGCHLD, &before, NULL);
    *why = "a test exception did not arrive (perhaps this is an emulator)";
    return child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE;
}
#else
bool denormal_can_trap(const char **why)
{
#ifdef __aarch64__
    *why = "Arm processors have no trap for denormal operands that programs can use";
#else
    *why = "the profiler works on x86 only";
#endif
    return false;
}
#endif
