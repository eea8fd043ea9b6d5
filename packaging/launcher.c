/* bin/assay of the bundle: starts the real program with libraries from the bundle, on any distribution.

   The real program lies in libexec/ under the same name, its libraries in lib/, those of C in lib/libc/, those of other languages
   in lib/languages/.  It is started by a dynamic linker that is told where the libraries are.  So LD_LIBRARY_PATH is neither asked
   (a cluster's modules put much into it) nor set: programs that Assay starts see the environment as it was.

   Which dynamic linker?  The computer's own if its glibc is at least as new as the one the bundle was made with: then libraries
   of the computer can be loaded as well (libclang, a model's own code).  Otherwise the bundle's, with the bundle's libc.
   This program is static, and knows its place by /proc/self/exe. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
#define LINKER "ld-linux-aarch64.so.1"
#define LINKER_OF_COMPUTER "/lib/" LINKER
#elif defined(__x86_64__)
#define LINKER "ld-linux-x86-64.so.2"
#define LINKER_OF_COMPUTER "/lib64/" LINKER
#endif

#define STRING(text) #text
#define AS_STRING(text) STRING(text)

static _Noreturn void complain(const char *what, const char *about)
{
    fprintf(stderr, "assay: %s: %s%s%s\n", about, what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(2);
}

static char *join(const char *folder, const char *rest, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s%s", folder, rest, name) < 0)
        complain("no memory", "cannot start");
    return path;
}

/* The folder of the bundle: that above this program which has the real one; `path` is cut. */
static char *find_bundle(char *path, const char *name)
{
    for (char *slash; (slash = strrchr(path, '/'));) {
        *slash = 0;
        char *program = join(path, "libexec/", name);
        if (!access(program, X_OK)) {
            free(program);
            return path;
        }
        free(program);
    }
    errno = 0;
    complain("is not in its bundle: unpack the whole archive again, and link to bin/assay instead of copying it", name);
}

/* The minor version of a glibc, by its dynamic linker: 36 for 2.36; 0 if it does not say, as those before 2.33 do not. */
static int glibc_of(const char *linker)
{
    static const char words[] = "stable release version 2.";
    struct stat facts;
    int file = open(linker, O_RDONLY | O_CLOEXEC), version = 0;
    if (file < 0 || fstat(file, &facts) || facts.st_size <= 0)
        return 0;
    size_t size = (size_t)facts.st_size;
    const char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (text == MAP_FAILED)
        return 0;
    const char *found = memmem(text, size, words, sizeof words - 1);
    for (const char *at = found ? found + sizeof words - 1 : text + size; at < text + size && *at >= '0' && *at <= '9'; at++)
        version = version < 1000 ? version * 10 + (*at - '0') : version;
    munmap((void *)(uintptr_t)text, size);
    return version;
}

int main(int count, char **words)
{
    char place[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", place, sizeof place - 1);
    if (length <= 0)
        complain("cannot be read, and assay finds its files by it", "/proc/self/exe");
    place[length] = 0;
    const char *name = strdup(strrchr(place, '/') + 1);
    const char *bundle = find_bundle(place, name);
    if (strchr(bundle, ':') || strchr(bundle, ';')) {
        errno = 0;
        complain("the dynamic linker takes : and ; for the end of a name; unpack the bundle in another folder", bundle);
    }
    char *own_linker = join(bundle, "libexec/", LINKER), *program = join(bundle, "libexec/", name);
    bool has_languages = strcmp(name, "assay") != 0;
    bool is_old = glibc_of(LINKER_OF_COMPUTER) < glibc_of(own_linker);
    char *libraries;
    if (asprintf(&libraries, "%s%s%s/lib%s%s%s", is_old ? bundle : "", is_old ? "/lib/libc:" : "", bundle, has_languages ? ":" : "",
                 has_languages ? bundle : "", has_languages ? "/lib/languages" : "") < 0)
        complain("no memory", "cannot start");
    char **all = calloc((size_t)count + 7, sizeof *all);
    if (!all)
        complain("no memory", "cannot start");
    const char *linker = is_old ? own_linker : LINKER_OF_COMPUTER;
    const char *first[] = {linker, "--argv0", count ? words[0] : name, "--library-path", libraries, program};
    memcpy(all, first, sizeof first);
    for (int i = 1; i < count; i++)
        all[5 + i] = words[i];
    execv(linker, all);
    complain("cannot be started", linker);
}
