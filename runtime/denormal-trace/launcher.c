/* Starts the tool: what Valgrind's program `valgrind` does, so that tracing needs no Valgrind on the
   computer.

   The tool of the one platform that was built lies beside this program.  The core wants to know in
   VALGRIND_LAUNCHER what it has to start for children that are followed: this program again, with the same
   words.  Valgrind's own launcher would choose among platforms, and Debian's is a script that changes
   LD_LIBRARY_PATH of the traced program.  There is no libc: it runs everywhere. */
#include "runtime/probe/system.h"

enum { PATH_BYTES = 4096, VARIABLES = 1 << 16 };

static const char name[] = "VALGRIND_LAUNCHER=";
static char variable[sizeof name + PATH_BYTES], tool[PATH_BYTES + sizeof TRACE_TOOL];
static char *variables[VARIABLES];

__asm__(".globl _start\n"
        "_start:\n"
#ifdef __aarch64__
        "    mov x29, xzr\n"
        "    mov x0, sp\n"
        "    bl launcher_begin\n"
#else
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call launcher_begin\n"
#endif
);

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static bool is_launcher(const char *assignment)
{
    for (size_t i = 0; i < sizeof name - 1; i++)
        if (assignment[i] != name[i])
            return false;
    return true;
}

static void copy(char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
}

/* A line as the core writes them: watch.c looks for its beginning. */
static void __attribute__((noreturn)) complain(const char *what)
{
    static const char begin[] = "valgrind: ";
    system_call(SYS_write, 2, (long)begin, sizeof begin - 1, 0, 0, 0);
    system_call(SYS_write, 2, (long)what, (long)length_of(what), 0, 0, 0);
    system_call(SYS_write, 2, (long)"\n", 1, 0, 0, 0);
    for (;;)
        system_call(SYS_exit_group, 1, 0, 0, 0, 0, 0);
}

/* Called above with the stack as the kernel made it. */
void launcher_begin(uintptr_t *stack);
__attribute__((used)) void launcher_begin(uintptr_t *stack)
{
    char **words = (char **)(stack + 1), **old = words + stack[0] + 1, *path = variable + sizeof name - 1;
    copy(variable, name, sizeof name - 1);
    long length =
        system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, PATH_BYTES - 1, 0, 0);
    if (length <= 0)
        complain("/proc is not mounted, and the tracer needs it");
    path[length] = 0;
    while (length && path[length - 1] != '/')
        length--;
    copy(tool, path, (size_t)length);
    copy(tool + length, TRACE_TOOL, sizeof TRACE_TOOL - 1);
    size_t count = 0;
    for (; *old; old++)
        if (!is_launcher(*old)) {
            if (count == VARIABLES - 2)
                complain("too many variables in the environment");
            variables[count++] = *old;
        }
    variables[count] = variable;
    system_call(SYS_execve, (long)tool, (long)words, (long)variables, 0, 0, 0);
    complain("the tool beside the launcher (" TRACE_TOOL ") cannot be started");
}
