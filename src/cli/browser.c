/* $BROWSER is a list of commands, separated by colons; %s in one stands for the address, which is else its
   last word.  No shell reads it. */
#include "cli/browser.h"

#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

/* The browser goes on when we end, and does not write to our terminal.  A second process between us has no
   child to wait for. */
static void start(char *program, char **words)
{
    pid_t between = fork();
    if (between) {
        if (between > 0)
            waitpid(between, NULL, 0);
        return;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (fork())
        _exit(0);
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nothing >= 0; i++)
        dup2(nothing, i);
    close_range(3, ~0U, 0);
    execv(program, words);
    _exit(127);
}

/* Whether the command was found. */
static bool try_command(char *command, const char *address)
{
    char *words[MOST_WORDS + 2], *rest = command, *filled[MOST_WORDS] = {NULL};
    unsigned count = 0;
    bool has_address = false;
    for (char *word; count < MOST_WORDS && (word = strsep(&rest, " "));) {
        char *place = strstr(word, "%s");
        if (!*word)
            continue;
        if (place) {
            *place = 0;
            word = filled[count] = memory_format("%s%s%s", word, address, place + 2);
            has_address = true;
        }
        words[count++] = word;
    }
    if (!has_address)
        words[count++] = (char *)(uintptr_t)address;
    words[count] = NULL;
    autofree char *program = count > 1 && *words[0] == '/' ? memory_copy_text(words[0], strlen(words[0]))
                             : count > 1                   ? child_find_program(words[0])
                                                           : NULL;
    bool is_found = program && !access(program, X_OK);
    if (is_found)
        start(program, words);
    for (unsigned i = 0; i < MOST_WORDS; i++)
        free(filled[i]);
    return is_found;
}

bool browser_open(const char *address)
{
    const char *wanted = getenv("BROWSER");
    wanted = wanted && *wanted ? wanted : "xdg-open";
    if (!has_display())
        return false;
    char *commands = memory_copy_text(wanted, strlen(wanted)), *rest = commands;
    bool is_open = false;
    for (char *command; !is_open && (command = strsep(&rest, ":"));)
        is_open = try_command(command, address);
    free(commands);
    return is_open;
}
