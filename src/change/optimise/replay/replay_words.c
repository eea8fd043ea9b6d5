/* Sentences about replays: why a call did not come back, and what differs where. They name what the debug
   information or the symbol tables know, and are made here because they travel as data (struct
   replay_result). */
#include "change/optimise/replay/replaying.h"

#include "base/path.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct call_name {
    long number;
    const char *name, *means;
};

/* Those that people meet. */
static const struct call_name call_names[] = {
    {SYS_read, "read", "it reads a file"},
    {SYS_write, "write", "it writes a file"},
    {SYS_writev, "writev", "it writes a file"},
    {SYS_openat, "openat", "it opens a file"},
    {SYS_close, "close", "it closes a file"},
    {SYS_lseek, "lseek", "it works on a file"},
#ifdef SYS_fstat
    {SYS_fstat, "fstat", "it works on a file"},
#endif
    {SYS_newfstatat, "newfstatat", "it works on a file"},
    {SYS_ioctl, "ioctl", "it talks to a device"},
    {SYS_futex, "futex", "it waits for other threads or wakes them; with OMP_NUM_THREADS=1 it may not"},
    {SYS_clone, "clone", "it starts a thread or a process; with OMP_NUM_THREADS=1 it may not"},
    {SYS_clone3, "clone3", "it starts a thread or a process; with OMP_NUM_THREADS=1 it may not"},
    {SYS_sched_yield, "sched_yield", "it waits for other threads; with OMP_NUM_THREADS=1 it may not"},
    {SYS_brk, "brk", "it asks the kernel for memory"},
    {SYS_mmap, "mmap", "it asks the kernel for memory"},
    {SYS_munmap, "munmap", "it gives memory back to the kernel"},
    {SYS_mremap, "mremap", "it asks the kernel for memory"},
    {SYS_madvise, "madvise", "it gives memory back to the kernel"},
    {SYS_mprotect, "mprotect", "it asks the kernel for memory"},
    {SYS_clock_gettime, "clock_gettime", "it reads the time"},
    {SYS_nanosleep, "nanosleep", "it sleeps"},
    {SYS_clock_nanosleep, "clock_nanosleep", "it sleeps"},
    {SYS_getrandom, "getrandom", "it asks for random numbers"},
    {SYS_tgkill, "tgkill", "it ends the program (abort, or an uncaught exception)"},
    {SYS_rt_sigprocmask, "rt_sigprocmask", "it changes how signals are handled, or ends the program (abort)"},
    {SYS_exit_group, "exit_group", "it ends the program"},
};

/* "solve+0x14 (prog)" */
static char *place_words(const struct codelet *codelet, uint64_t address)
{
    const struct codelet_header *header = codelet->header;
    if (address >= header->room && address < header->room + header->room_size)
        return memory_format("the variant's code");
    const struct codelet_symbol *symbol = codelet_symbol_at(codelet, address);
    return symbol ? memory_format("%s", codelet_text(codelet, symbol->name))
                  : memory_format("0x%" PRIx64, address);
}

static char *system_words(const struct codelet *codelet, const struct replay_answer *answer)
{
    char *place = place_words(codelet, answer->instruction), *words = NULL;
    for (size_t i = 0; !words && i < sizeof call_names / sizeof *call_names; i++)
        if (call_names[i].number == answer->detail)
            words =
                memory_format("%s (system call %s in %s)", call_names[i].means, call_names[i].name, place);
    if (!words)
        words = memory_format("it makes system call %" PRId64 " in %s", answer->detail, place);
    free(place);
    return words;
}

static const struct codelet_region *region_at(const struct codelet *codelet, uint64_t address)
{
    for (uint64_t i = 0; i < codelet->header->regions.count; i++)
        if (address >= codelet->regions[i].start && address < codelet->regions[i].end)
            return &codelet->regions[i];
    return NULL;
}

static char *unsaved_words(const struct codelet *codelet, const struct replay_answer *answer)
{
    const struct codelet_region *region = region_at(codelet, answer->address);
    const char *name = region ? codelet_text(codelet, region->name) : "";
    if (!strncmp(name, "[vvar", 5))
        return memory_format("it reads the time");
    if (region && region->kind == codelet_UNREADABLE)
        return memory_format("it uses memory of a device (%s)", *name ? name : "without a name");
    return memory_format("it uses memory at 0x%" PRIx64
                         " that the original does not use, so the codelet does not have it",
                         answer->address);
}

/* What a variant needs and the process does not have. */
static const char *missing_at(const struct replay_image *image, uint64_t address)
{
    uint64_t index = (address - image->first_missing) / MISSING_DISTANCE;
    bool is_missing = address >= image->first_missing && index < image->missing.count;
    return is_missing ? *ARRAY_AT(char *, &image->missing, index) : NULL;
}

static char *signal_words(const struct codelet *codelet, const struct replay_image *image,
                          const struct replay_answer *answer)
{
    const char *missing = answer->detail == SIGSEGV ? missing_at(image, answer->address) : NULL;
    if (missing)
        return memory_format("it %s %s, which the captured program does not have; measure the whole program",
                             answer->instruction == answer->address ? "calls" : "uses", missing);
    char *place = place_words(codelet, answer->instruction), *words;
    if (answer->detail == SIGILL)
        words = memory_format("in %s it uses an instruction that this processor does not have", place);
    else if (answer->detail == SIGSEGV || answer->detail == SIGBUS)
        words = memory_format("in %s it uses memory at 0x%" PRIx64 " that is not there (%s)", place,
                              answer->address, strsignal((int)answer->detail));
    else
        words = memory_format("in %s it was ended by signal %d (%s)", place, (int)answer->detail,
                              strsignal((int)answer->detail));
    free(place);
    return words;
}

static char *number_words(uint64_t bits, unsigned kind)
{
    double wide;
    float narrow[2];
    memcpy(&wide, &bits, 8);
    memcpy(narrow, &bits, 8);
    if (kind == codelet_DOUBLE)
        return memory_format("%.17g", wide);
    if (kind == codelet_FLOAT)
        return memory_format("%.9g", (double)narrow[0]);
    return memory_format("0x%" PRIx64, bits);
}

static const struct codelet_object *object_at(const struct codelet *codelet, uint64_t address)
{
    const struct codelet_object *best = NULL;
    for (uint64_t i = 0; i < codelet->header->objects.count && codelet->objects[i].address <= address; i++) {
        const struct codelet_object *object = &codelet->objects[i];
        bool is_in = object->size ? address - object->address < object->size
                                  : region_at(codelet, object->address) == region_at(codelet, address);
        best = is_in ? object : best;
    }
    return best;
}

/* Of two floats in a word, which one differs. */
static uint64_t place_in_word(const struct replay_answer *answer, uint64_t bytes)
{
    uint64_t difference = answer->expected ^ answer->found;
    unsigned at = 0;
    while (at < 7 && !(difference >> 8 * at & 0xff))
        at++;
    return bytes && bytes < 8 ? at / bytes * bytes : 0;
}

static char *memory_words(const struct codelet *codelet, const struct replay_answer *answer, uint64_t *shift)
{
    const struct codelet_object *object = object_at(codelet, answer->first_address);
    const struct codelet_symbol *symbol = codelet_symbol_at(codelet, answer->first_address);
    *shift = place_in_word(answer, object ? object->bytes : answer->first_kind == codelet_FLOAT ? 4 : 8);
    uint64_t address = answer->first_address + *shift;
    if (object && object->bytes && !object->argument)
        return object->size > object->bytes
                   ? memory_format("element %" PRIu64 " of the variable %s",
                                   (address - object->address) / object->bytes,
                                   codelet_text(codelet, object->name))
                   : memory_format("the variable %s", codelet_text(codelet, object->name));
    if (symbol && symbol->kind == codelet_DATA && (!object || symbol->address > object->address))
        return memory_format("the variable %s, %" PRIu64 " bytes from its start",
                             codelet_text(codelet, symbol->name), address - symbol->address);
    if (object && object->argument) {
        const char *name = codelet_text(codelet, object->name);
        uint64_t bytes = object->bytes ? object->bytes : 1;
        return memory_format("element %" PRIu64 " of what argument %u (%s) points to%s",
                             (address - object->address) / bytes, object->argument,
                             *name ? name : "without a name", object->bytes ? "" : ", in bytes");
    }
    const struct codelet_region *region = region_at(codelet, address);
    const char *name = region ? codelet_text(codelet, region->name) : "";
    return memory_format("memory at 0x%" PRIx64 "%s%s%s", address, *name ? " (" : "", name, *name ? ")" : "");
}

char *replaying_difference_words(const struct codelet *codelet, const struct replay_answer *answer)
{
    if (!answer->differing)
        return NULL;
    uint64_t shift = 0;
    char *place = answer->has_result_difference ? memory_format("the value that it returns")
                                                : memory_words(codelet, answer, &shift);
    char *expected = number_words(answer->expected >> 8 * shift, answer->first_kind);
    char *found = number_words(answer->found >> 8 * shift, answer->first_kind);
    char *words = memory_format("%s is %s, and %s with the original code", place, found, expected);
    free(place);
    free(expected);
    free(found);
    return words;
}

char *replaying_end_words(const struct codelet *codelet, const struct replay_image *image,
                          const struct replay_answer *answer)
{
    switch (answer->end) {
    case replay_end_SIGNAL:
        return signal_words(codelet, image, answer);
    case replay_end_SYSTEM:
        return system_words(codelet, answer);
    case replay_end_UNSAVED:
        return unsaved_words(codelet, answer);
    case replay_end_UNSTEADY:
        return memory_format(
            "it does not compute the same when it is called again on the same data (it may use the "
            "time or random numbers)");
    case replay_end_SLOW:
        return answer->is_variant
                   ? memory_format("it was ended: it takes more than 20 times as long as the original")
                   : memory_format("the call takes too long");
    default:
        return memory_format("it ended in an unknown way");
    }
}
