/* A program with a compiler at run time: copies functions into memory, tells of them as just-in-time compilers do, and
   runs them.  jit dump FOLDER: a jitdump file with lines; flip FOLDER: the same, but memory is allowed to execute
   later; map: /tmp/perf-PID.map; none: nothing. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 65536 };

/* No data besides its arguments: it may lie anywhere. */
__attribute__((noinline, section("copied"))) uint64_t turn(uint64_t value, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}
extern const char __start_copied[], __stop_copied[];
typedef uint64_t function(uint64_t, uint64_t);

static void put(FILE *out, uint64_t number, unsigned size)
{
    fwrite(&number, 1, size, out);
}

static void put_record(FILE *out, unsigned kind, size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    put(out, kind, 4);
    put(out, 16 + size, 4);
    put(out, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, 8);
}

static void put_lines(FILE *out, uint64_t code, size_t size)
{
    static const char name[] = "/nowhere/script.lang", same[] = "\xff";
    put_record(out, 2, 16 + 16 + sizeof name + 16 + sizeof same);
    put(out, code, 8);
    put(out, 2, 8);
    put(out, code, 8);
    put(out, 7, 4);
    put(out, 0, 4);
    fwrite(name, 1, sizeof name, out);
    put(out, code + size / 2, 8);
    put(out, 9, 4);
    put(out, 0, 4);
    fwrite(same, 1, sizeof same, out);
}

static void put_code(FILE *out, const char *name, uint64_t code, size_t size, unsigned number)
{
    put_record(out, 0, 40 + strlen(name) + 1 + size);
    put(out, (uint64_t)getpid(), 4);
    put(out, (uint64_t)getpid(), 4);
    put(out, code, 8);
    put(out, code, 8);
    put(out, size, 8);
    put(out, number, 8);
    fwrite(name, 1, strlen(name) + 1, out);
    fwrite((const void *)code, 1, size, out);
}

static FILE *begin_dump(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/jit-%d.dump", folder, (int)getpid());
    FILE *out = fopen(path, "w+");
    if (!out)
        return NULL;
    put(out, 0x4a695444, 4);
    put(out, 1, 4);
    put(out, 40, 4);
#ifdef __x86_64__
    put(out, EM_X86_64, 4);
#else
    put(out, EM_AARCH64, 4);
#endif
    put(out, 0, 4);
    put(out, (uint64_t)getpid(), 4);
    put(out, 0, 8);
    put(out, 0, 8);
    fflush(out);
    if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) == MAP_FAILED)
        return NULL;
    return out;
}

int main(int argc, char **words)
{
    const char *how = argc > 1 ? words[1] : "none";
    uint64_t rounds = argc > 3 ? strtoull(words[3], NULL, 10) : 300000000;
    size_t size = (size_t)(__stop_copied - __start_copied);
    int is_flipped = !strcmp(how, "flip");
    FILE *dump = !strcmp(how, "dump") || is_flipped ? begin_dump(words[2]) : NULL;
    char *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | (is_flipped ? 0 : PROT_EXEC), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 2;
    memcpy(memory, __start_copied, size);
    memcpy(memory + 8192, __start_copied, size);
    if (is_flipped)
        mprotect(memory, PAGE, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(memory, memory + PAGE);
    uint64_t first = (uint64_t)memory, second = first + 8192;
    if (dump) {
        put_lines(dump, first, size);
        put_code(dump, "Script.turn", first, size, 1);
        put_code(dump, "Script.seldom", second, size, 2);
        fclose(dump);
    }
    if (!strcmp(how, "map")) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
        FILE *out = fopen(path, "w");
        if (!out)
            return 2;
        fprintf(out, "%llx %zx Script.turn\n%llx %zx Script seldom\n", (unsigned long long)first, size,
                (unsigned long long)second, size);
        fclose(out);
    }
    uint64_t value = ((function *)first)(88172645463325252u, rounds);
    value = ((function *)second)(value, rounds / 20);
    printf("%d %llu\n", (int)getpid(), (unsigned long long)value);
    return 0;
}
