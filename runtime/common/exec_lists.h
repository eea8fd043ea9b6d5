/* Calls of exec that are made of others: whoever includes this has wrapped execve and execvpe before. */
#ifndef RUNTIME_COMMON_EXEC_LISTS_H
#define RUNTIME_COMMON_EXEC_LISTS_H
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#define EXEC_EXPORT __attribute__((visibility("default")))

EXEC_EXPORT int execvp(const char *name, char *const words[])
{
    return execvpe(name, words, environ);
}

static size_t count_words(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

/* Words of a call such as execl, on the caller's stack as the child of vfork must not allocate. */
#define COLLECT(first)                                                                                       \
    va_list list;                                                                                            \
    va_start(list, first);                                                                                   \
    size_t count = count_words(list);                                                                        \
    va_end(list);                                                                                            \
    char *words[count + 1];                                                                                  \
    va_start(list, first);                                                                                   \
    words[0] = (char *)first;                                                                                \
    for (size_t i = 1; i <= count; i++)                                                                      \
    words[i] = va_arg(list, char *)

EXEC_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execve(path, words, environ);
}

EXEC_EXPORT int execlp(const char *name, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execvpe(name, words, environ);
}

EXEC_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}
#endif
