/* The recording: its place, and its notes.

   With ASSAY_DENORMALS_FILE=PREFIX it is the file PREFIX.PID, or PREFIX.PID.2 and so on if PREFIX.PID exists
   already because of an exec; else it is plain memory.  It is made once for each process, before the first
   event, and is never moved while other threads may count into it. */
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MODULE_CAPACITY = 1024,
    PHASE_CAPACITY = 4096, /* below 65536: sites.c keeps the phase in 16 bits of a key */
    SAMPLE_CAPACITY = 2048,
    PAGE = 4096,
    MOST_EXECS = 1000 /* recordings of one process number */
};
/* A page of a sparse file that the disk has no room for would end the program by SIGBUS. */
static const unsigned long long ROOM_NEEDED = 64 << 20;

static size_t mapped_bytes;

uint64_t time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t lay_out(struct profile_section *section, uint64_t at, uint32_t entry_bytes, uint32_t capacity)
{
    *section = (struct profile_section){.offset = at, .entry_bytes = entry_bytes, .capacity = capacity};
    return (at + (uint64_t)entry_bytes * capacity + PAGE - 1) / PAGE * PAGE;
}

static uint64_t lay_out_all(struct profile_header *header)
{
    uint64_t at = PAGE;
    at = lay_out(&header->notes, at, sizeof(struct profile_note), PROFILE_NOTE_COUNT);
    at = lay_out(&header->modules, at, sizeof(struct profile_module), MODULE_CAPACITY);
    at = lay_out(&header->phases, at, sizeof(struct profile_phase), PHASE_CAPACITY);
    at = lay_out(&header->sites, at, sizeof(struct profile_site), SITE_CAPACITY);
    at = lay_out(&header->samples, at, sizeof(struct profile_sample), SAMPLE_CAPACITY);
    return at;
}

static int open_new(void)
{
    char name[4096];
    for (unsigned i = 1; i <= MOST_EXECS; i++) {
        int length = i == 1 ? snprintf(name, sizeof name, "%s.%d", profile_settings.file, (int)getpid())
                            : snprintf(name, sizeof name, "%s.%d.%u", profile_settings.file, (int)getpid(), i);
        if (length < 0 || (size_t)length >= sizeof name)
            return -1;
        int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static void *map_file(size_t size)
{
    int file = open_new();
    if (file < 0)
        return NULL;
    struct statvfs room;
    struct rlimit limit; /* a file beyond it would end the program by SIGXFSZ */
    void *memory = NULL;
    bool has_room =
        fstatvfs(file, &room) != 0 || (unsigned long long)room.f_bavail * room.f_frsize >= ROOM_NEEDED;
    has_room = has_room && (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size);
    if (has_room && ftruncate(file, (off_t)size) == 0) {
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED)
            memory = NULL;
        else /* a file system that reads ahead fills megabytes with zeros at the first write: 3 ms a process
              */
            madvise(memory, size, MADV_RANDOM);
    }
    close(file);
    return memory;
}

static void *map_memory(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t read_whole(const char *name, char *into, size_t size)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < size) {
        ssize_t more = read(file, into + done, size - done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    if (file >= 0)
        close(file);
    return done;
}

static void fill_header(struct profile_header *header)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    header->version = PROFILE_VERSION;
    header->header_bytes = sizeof *header;
    header->word_bits = 8 * sizeof(void *);
    header->mode = profile_settings.is_exact ? PROFILE_EXACT : PROFILE_SAMPLED;
    header->pid = (uint32_t)getpid();
    header->parent_pid = (uint32_t)getppid();
    header->start = time_now();
    header->start_realtime = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
    header->budget = profile_settings.budget;
    ssize_t length = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[length > 0 ? length : 0] = '\0';
    header->command_bytes =
        (uint32_t)read_whole("/proc/self/cmdline", header->command_line, sizeof header->command_line - 1);
    memcpy(header->magic, PROFILE_MAGIC, sizeof header->magic);
}

bool file_open(void)
{
    struct profile_header layout = {0};
    size_t size = (size_t)lay_out_all(&layout);
    uint8_t *memory = profile_settings.file ? map_file(size) : NULL;
    bool has_failed = profile_settings.file && !memory;
    if (!memory)
        memory = map_memory(size);
    uint64_t *keys = profile_mapping.site_keys ? profile_mapping.site_keys
                                             : map_memory(SITE_CAPACITY * sizeof *profile_mapping.site_keys);
    if (!memory || !keys)
        return false;
    struct profile_header *last = profile_mapping.header;
    uint64_t ticks_per_second = last ? last->ticks_per_second : 0, event_ticks = last ? last->event_ticks : 0;
    if (last) {
        munmap(last, mapped_bytes);
        /* Zeros again, and the pages given back. */
        madvise(keys, SITE_CAPACITY * sizeof *keys, MADV_DONTNEED);
    }
    mapped_bytes = size;
    memcpy(memory, &layout, sizeof layout);
    profile_mapping = (struct profile_mapping){
        .header = (struct profile_header *)memory,
        .modules = (struct profile_module *)(memory + layout.modules.offset),
        .phases = (struct profile_phase *)(memory + layout.phases.offset),
        .sites = (struct profile_site *)(memory + layout.sites.offset),
        .samples = (struct profile_sample *)(memory + layout.samples.offset),
        .notes = (struct profile_note *)(memory + layout.notes.offset),
        .site_keys = keys,
    };
    profile_mapping.header->notes.used = PROFILE_NOTE_COUNT;
    profile_mapping.header->ticks_per_second = ticks_per_second;
    profile_mapping.header->event_ticks = event_ticks;
    fill_header(profile_mapping.header);
    if (has_failed) {
        profile_settings.file = NULL;
        note(PROFILE_NOTE_FILE_FAILED, 0);
    }
    return true;
}

bool file_is_ours(void)
{
    return profile_mapping.header && profile_mapping.header->pid == (uint32_t)syscall(SYS_getpid);
}

void note(enum profile_note_kind kind, uintptr_t address)
{
    struct profile_note *entry = &profile_mapping.notes[kind];
    if (__atomic_fetch_add(&entry->count, 1, __ATOMIC_RELAXED) == 0) {
        entry->address = address;
        entry->time = time_now();
    }
}
