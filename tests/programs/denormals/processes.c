/* processes HOW: 10 events, then a child by fork, vfork, posix_spawn, system or exec with 20 or 30 of its
 * own. */
#include "counted.h"
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void meet(int events)
{
    while (events-- > 0)
        operand_event();
}

static int wait_for(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    char *again[] = {words[0], "child", NULL};
    if (strcmp(how, "child") == 0) {
        meet(30);
        return 3;
    }
    meet(10);
    pid_t child = 0;
    if (strcmp(how, "fork") == 0) {
        child = fork();
        if (child == 0) {
            meet(20);
            _exit(3);
        }
    } else if (strcmp(how, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            execv(words[0], again);
            _exit(98);
        }
    } else if (strcmp(how, "spawn") == 0) {
        if (posix_spawn(&child, words[0], NULL, NULL, again, environ) != 0)
            return 97;
    } else if (strcmp(how, "exec") == 0) {
        execl("/nowhere/at/all", "all", (char *)NULL);
        meet(1);
        execl(words[0], words[0], "child", (char *)NULL);
        return 96;
    }
    meet(10);
    return wait_for(child) == 3 ? 0 : 95;
}
