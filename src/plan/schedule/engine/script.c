/* The script of a job.  What it may rely on is POSIX sh, mkdir, mv, rm and date.

   A full disk must not cost the result of a long computation, so the script gets room for its last file
   before it runs the command, and gives the tag back if there is none; at the end it writes over that room.
   The file ends with a line `done`: without it, it is damaged and counts as not there. */
#include "plan/schedule/engine/script.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_TAG = 100, LONGEST_RESULT = 4096 };

bool script_is_tag(const char *tag)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = strlen(tag);
    return length > 0 && length <= LONGEST_TAG && strspn(tag, good) == length && *tag != '-' && *tag != '.';
}

/* As one word of a shell, whatever it holds. */
static void quote(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    putc('\'', out);
}

/* Its text, to be freed. */
static char *script_text(const char *spool, const struct engine_job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("#!/bin/sh\n# A task of assay schedule.\nname=", out);
    quote(out, job->name);
    fputs("\nspool=", out);
    quote(out, spool);
    fprintf(out, "\ntag=%s\nfolder=", job->tag);
    quote(out, job->folder);
    fputs("\ncommand=", out);
    quote(out, job->command);
    fputs("\n"
          "# Only one job can make this folder: a second one with this tag ends here.\n"
          "mkdir \"$spool/$tag\" || exit 75\n"
          "cd \"$spool/$tag\" || exit 75\n"
          "started=$(date +%s.%N)\n"
          "if ! { printf '%1000s\\n' '' >end.new && echo \"$started $$ $(uname -n)\" >begin && : >output; }; "
          "then\n"
          "    rm -f end.new begin output\n"
          "    cd / && rmdir \"$spool/$tag\"\n"
          "    exit 75\n"
          "fi\n"
          "(cd \"$folder\" && exec /bin/sh -c \"$command\") </dev/null >output 2>&1\n"
          "status=$?\n"
          "ended=$(date +%s.%N)\n"
          "# A signal that ended it may be on its way to this shell, too: then a node went down, and there "
          "is no result.\n"
          "[ $status -le 128 ] || sleep 1\n"
          "{ echo \"status $status\"; echo \"started $started\"; echo \"ended $ended\"; times; echo done; } "
          "1<>end.new\n"
          "mv -f end.new end\n"
          "exit $status\n",
          out);
    fclose(out);
    return text;
}

char *script_write(const char *spool, const struct engine_job *job, struct error *error)
{
    if (!script_is_tag(job->tag)) {
        error_set(error, NULL, "\"%.40s\" cannot be the tag of a job", job->tag);
        return NULL;
    }
    char *path = memory_format("%s/%s.sh", spool, job->tag), *text = script_text(spool, job);
    struct output *output = output_open(path, error);
    bool is_fine = output && (fputs(text, output_stream(output)), output_finish(output, error));
    free(text);
    if (is_fine)
        return path;
    free(path);
    return NULL;
}

/* A small file of the spool, zero-terminated; its length, or -1. */
static ssize_t read_small(const char *spool, const char *tag, const char *name, char text[LONGEST_RESULT])
{
    char *path = memory_format("%s/%s/%s", spool, tag, name);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(path);
    if (file < 0)
        return -1;
    ssize_t length = 0, got;
    while (length < LONGEST_RESULT - 1 &&
           (got = read(file, text + length, (size_t)(LONGEST_RESULT - 1 - length))) > 0)
        length += got;
    close(file);
    text[length] = 0;
    return length;
}

/* The number after a word at the beginning of a line; moves on to the next line. */
static bool take_line(const char **text, const char *word, double *value)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) || (*text)[length] != ' ')
        return false;
    char *end;
    *value = strtod(*text + length + 1, &end);
    if (end == *text + length + 1 || *end != '\n' || !isfinite(*value))
        return false;
    *text = end + 1;
    return true;
}

/* "1m2.5s 0m0.25s", as the shell's `times` prints. */
static bool take_times(const char **text, double *seconds)
{
    *seconds = 0;
    for (int i = 0; i < 2; i++) {
        char *end;
        double minutes = strtod(*text, &end);
        if (*end != 'm')
            return false;
        double rest = strtod(end + 1, &end);
        if (end[0] != 's' || end[1] != (i ? '\n' : ' ') || !(minutes >= 0) || !(rest >= 0))
            return false;
        *seconds += minutes * 60 + rest;
        *text = end + 2;
    }
    return true;
}

static bool read_end(const char *text, struct engine_status *status)
{
    double exit_status, started, ended, own, children;
    if (!take_line(&text, "status", &exit_status) || !take_line(&text, "started", &started) ||
        !take_line(&text, "ended", &ended) || exit_status < 0 || exit_status > 255)
        return false;
    if (!take_times(&text, &own) || !take_times(&text, &children))
        return false;
    if (strncmp(text, "done\n", 5))
        return false;
    status->exit_status = (int)exit_status;
    status->started = started;
    status->ended = ended;
    status->cpu_seconds = children;
    return true;
}

static bool read_begin(const char *text, struct script_begin *begin)
{
    char *end;
    double time = strtod(text, &end);
    if (end == text || *end != ' ' || !isfinite(time))
        return false;
    text = end + 1;
    long long process = strtoll(text, &end, 10);
    size_t length = *end == ' ' ? strcspn(end + 1, "\n") : 0;
    if (end == text || process <= 0 || !length || length >= sizeof begin->host)
        return false;
    *begin = (struct script_begin){.time = time, .process = process};
    memcpy(begin->host, end + 1, length);
    return true;
}

static bool exists(const char *spool, const char *tag, const char *name)
{
    char *path = memory_format("%s/%s/%s", spool, tag, name);
    struct stat facts;
    bool is_there = !lstat(path, &facts);
    free(path);
    return is_there;
}

enum script_state script_look(const char *spool, const char *tag, struct engine_status *status,
                              struct script_begin *begin)
{
    char text[LONGEST_RESULT];
    struct script_begin own = {.time = NAN};
    struct stat facts;
    status->started = status->ended = status->cpu_seconds = NAN;
    if (stat(spool, &facts))
        return script_UNREADABLE;
    char *path = memory_format("%s/%s", spool, tag);
    bool is_there = !lstat(path, &facts);
    int number = errno;
    free(path);
    if (!is_there)
        return number == ENOENT ? script_UNCLAIMED : script_UNREADABLE;
    if (read_small(spool, tag, "begin", text) >= 0 && read_begin(text, &own))
        status->started = own.time;
    if (begin)
        *begin = own;
    if (read_small(spool, tag, "end", text) >= 0 && read_end(text, status))
        return script_ENDED;
    return exists(spool, tag, "revoked") ? script_REVOKED : script_CLAIMED;
}

bool script_revoke(const char *spool, const char *tag, bool *has_begun)
{
    *has_begun = false;
    char *path = memory_format("%s/%s", spool, tag);
    bool is_ours = !mkdir(path, 0777);
    if (!is_ours && errno == EEXIST) {
        is_ours = exists(spool, tag, "revoked");
        *has_begun = !is_ours;
    } else if (is_ours) {
        char *mark = memory_format("%s/revoked", path);
        int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (file >= 0)
            close(file);
        free(mark);
    }
    free(path);
    return is_ours;
}
