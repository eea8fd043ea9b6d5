/* The pager is the user's own choice, so a shell runs it, as other programs do: it may have options. Ctrl-C
   is the pager's business while it runs. Its end of the pipe closes when the reader quits; writing to it then
   fails with EPIPE, and nothing is lost that anybody wants. Where the shell does not find the pager, the text
   goes to the terminal. */
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* exit codes of a shell */

static const char *pager(void)
{
    const char *own = getenv("ASSAY_PAGER"), *usual = getenv("PAGER");
    return own ? own : usual ? usual : "less";
}

bool pager_is_wanted(void)
{
    const char *terminal = getenv("TERM"), *command = pager();
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") && *command &&
           strcmp(command, "cat");
}

/* Lines on a screen of so many columns. */
static size_t count_lines(const char *text, size_t size, size_t columns)
{
    size_t lines = 0;
    for (const char *end = text + size; text < end; lines++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        lines += columns && length > columns ? (length - 1) / columns : 0;
        text += length + 1;
    }
    return lines;
}

static bool fits(const char *text, size_t size)
{
    struct winsize screen;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) || !screen.ws_row)
        return true;
    return count_lines(text, size, screen.ws_col) < screen.ws_row; /* the last line is the prompt's */
}

static bool print(const char *text, size_t size, struct error *error)
{
    fwrite(text, 1, size, stdout);
    return !fflush(stdout) || error_set_errno(error, NULL, "cannot write to standard output");
}

/* Starts the pager with the end of a pipe as its standard input; 0 if that fails. */
static pid_t start(int input, int other_end)
{
    const char *const words[] = {"sh", "-c", pager(), NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    pid_t child = 0;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, other_end);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (posix_spawn(&child, "/bin/sh", &actions, &attributes, (char *const *)(uintptr_t)words, environ))
        child = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return child;
}

static void write_all(int pipe, const char *text, size_t size)
{
    while (size) {
        ssize_t done = write(pipe, text, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        text += done;
        size -= (size_t)done;
    }
}

/* Whether a pager showed it. */
static bool page(const char *text, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends))
        return false;
    pid_t child = start(ends[0], ends[1]);
    close(ends[0]);
    if (child)
        write_all(ends[1], text, size);
    close(ends[1]);
    while (child && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child && !(WIFEXITED(status) &&
                      (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == NOT_EXECUTABLE));
}

bool pager_show(const char *text, size_t size, struct error *error)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE};
    struct sigaction before[sizeof ignored / sizeof *ignored], ignore = {.sa_handler = SIG_IGN};
    if (fits(text, size))
        return print(text, size, error);
    sigemptyset(&ignore.sa_mask);
    setenv("LESS", "FRX", 0); /* stop if it fits; show colours; leave the text on the screen */
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &ignore, &before[i]);
    bool is_shown = page(text, size);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &before[i], NULL);
    return is_shown || print(text, size, error);
}
