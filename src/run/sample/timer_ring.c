/* The program can write anything into its ring, also while we look, and can make the file shorter: so the
   ring is read by system calls, never mapped, and every number is checked in a copy.

   A record is complete when its stamp is there.  That is read first, alone, and then the record: what another
   processor wrote before the stamp is seen by then.

   A sample whose address is in no map waits until maps come that we ask for: its code was loaded a moment
   ago. Maps are asked for every second as well, as code may be unloaded and other code come to its place. */
#include "run/sample/timer_ring.h"

#include "base/clock.h"
#include "run/sample/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WAITING = 256, MOST_MAPS_TEXT = 16 << 20, GIVE_ROOM_EVERY = 256 << 10, MOST_NAMES = 4096 };
static const double MAPS_LAST_SECONDS = 1;

struct timer_map {
    uint64_t start, size, offset, device, inode;
    char *path;
};
struct timer_name {
    uint32_t thread;
    char name[16];
};

struct timer_ring *timer_ring_open(int folder, const char *name, uint32_t process, uint32_t turn)
{
    struct stat facts;
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    if (fstat(file, &facts) || !S_ISREG(facts.st_mode)) {
        close(file);
        return NULL;
    }
    struct timer_ring *ring = memory_get(sizeof *ring);
    *ring = (struct timer_ring){.name = memory_copy_text(name, strlen(name)),
                                .process = process,
                                .turn = turn,
                                .file = file,
                                .maps = ARRAY_OF(struct timer_map),
                                .text = ARRAY_OF(char),
                                .waiting = ARRAY_OF(struct sample_taken *),
                                .names = ARRAY_OF(struct timer_name)};
    return ring;
}

static bool read_at(const struct timer_ring *ring, uint64_t offset, void *to, size_t size)
{
    ssize_t got;
    while ((got = pread(ring->file, to, size, (off_t)offset)) < 0 && errno == EINTR)
        ;
    return got == (ssize_t)size;
}

/* A failure leaves the program without room: its samples are lost and counted. */
static void write_number(const struct timer_ring *ring, size_t offset, uint64_t number)
{
    while (pwrite(ring->file, &number, sizeof number, (off_t)offset) < 0 && errno == EINTR)
        ;
}

/* The magic comes last: what is read after it is complete. */
static bool has_begun(const struct timer_ring *ring)
{
    char magic[sizeof ring->header.magic];
    return ring->is_checked ||
           (read_at(ring, 0, magic, sizeof magic) && !memcmp(magic, SAMPLE_MAGIC, sizeof magic));
}

/* What can never change is kept from the first look. */
static bool read_header(struct timer_ring *ring)
{
    struct sample_ring now;
    if (ring->is_wrong || !has_begun(ring) || !read_at(ring, 0, &now, sizeof now))
        return false;
    if (!ring->is_checked) {
        ring->is_wrong = now.version != SAMPLE_VERSION || now.process != ring->process ||
                         (now.isa != SAMPLE_X86_64 && now.isa != SAMPLE_AARCH64) ||
                         now.size < SAMPLE_LEAST_RING || now.size > SAMPLE_MOST_RING ||
                         (now.size & (now.size - 1));
        ring->is_checked = !ring->is_wrong;
        ring->header = now;
        ring->header.name[sizeof now.name - 1] = 0;
        return ring->is_checked;
    }
    ring->header.written = now.written;
    ring->header.lost = now.lost;
    ring->header.maps_written = now.maps_written;
    ring->header.end = now.end;
    return true;
}

/* ---- maps ---- */

static const struct timer_map *map_at(const struct timer_ring *ring, uint64_t address)
{
    for (size_t i = 0; i < ring->maps.count; i++) {
        const struct timer_map *map = ARRAY_AT(struct timer_map, &ring->maps, i);
        if (address - map->start < map->size)
            return map;
    }
    return NULL;
}

static bool has_map(const struct array *maps, const struct timer_map *wanted)
{
    for (size_t i = 0; i < maps->count; i++) {
        const struct timer_map *map = ARRAY_AT(struct timer_map, maps, i);
        if (map->start == wanted->start && map->size == wanted->size && map->offset == wanted->offset &&
            map->device == wanted->device && map->inode == wanted->inode && !strcmp(map->path, wanted->path))
            return true;
    }
    return false;
}

static void keep_map(void *context, const struct collector_map *map)
{
    struct timer_map *kept = array_push(context);
    *kept = (struct timer_map){map->start,  map->size,  map->offset,
                               map->device, map->inode, memory_copy_text(map->path, strlen(map->path))};
}

static void free_maps(struct array *maps)
{
    for (size_t i = 0; i < maps->count; i++)
        free(ARRAY_AT(struct timer_map, maps, i)->path);
    array_free(maps);
}

/* What is gone, then what is new. */
static void change_maps(struct timer_ring *ring, const struct timer_feed *feed)
{
    struct array maps = ARRAY_OF(struct timer_map);
    *(char *)array_push(&ring->text) = 0;
    proc_map_lines(ring->text.data, keep_map, &maps);
    ring->text.count = 0;
    for (size_t i = 0; i < ring->maps.count; i++) {
        const struct timer_map *map = ARRAY_AT(struct timer_map, &ring->maps, i);
        if (!has_map(&maps, map))
            collector_unmap(feed->collector, ring->process, map->start, map->size);
    }
    for (size_t i = 0; i < maps.count; i++) {
        const struct timer_map *map = ARRAY_AT(struct timer_map, &maps, i);
        if (has_map(&ring->maps, map))
            continue;
        collector_map(feed->collector, ring->process,
                      &(struct collector_map){.start = map->start,
                                              .size = map->size,
                                              .offset = map->offset,
                                              .device = map->device,
                                              .inode = map->inode,
                                              .path = map->path});
    }
    free_maps(&ring->maps);
    ring->maps = maps;
}

static void ask_for_maps(struct timer_ring *ring)
{
    if (ring->header.maps_written != ring->asked + 1)
        return; /* they are on their way */
    write_number(ring, offsetof(struct sample_ring, maps_wanted), ++ring->asked);
}

/* ---- samples ---- */

static double seconds_of(const struct timer_feed *feed, uint64_t nanoseconds)
{
    return fmax((double)nanoseconds * 1e-9 - feed->start, 0);
}

static void tell_name(struct timer_ring *ring, const struct timer_feed *feed,
                      const struct sample_taken *taken)
{
    struct timer_name name = {.thread = taken->thread};
    memcpy(name.name, taken->name, sizeof name.name - 1);
    size_t place = 0;
    while (place < ring->names.count &&
           ARRAY_AT(struct timer_name, &ring->names, place)->thread != taken->thread)
        place++;
    if (place == ring->names.count) {
        if (place == MOST_NAMES)
            return;
        *(struct timer_name *)array_push(&ring->names) = (struct timer_name){.thread = taken->thread};
    }
    struct timer_name *known = ARRAY_AT(struct timer_name, &ring->names, place);
    if (!strcmp(known->name, name.name))
        return;
    *known = name;
    collector_name(feed->collector, ring->process, name.thread, name.name);
}

static uint64_t address_of(const struct timer_ring *ring, const struct sample_taken *taken)
{
    return taken->registers[ring->header.isa == SAMPLE_AARCH64 ? 32 : 16];
}

static void feed_sample(struct timer_ring *ring, const struct timer_feed *feed,
                        const struct sample_taken *taken)
{
    struct places_registers registers = {.isa =
                                             ring->header.isa == SAMPLE_AARCH64 ? isa_AARCH64 : isa_X86_64};
    memcpy(registers.values, taken->registers, sizeof registers.values);
    struct collector_sample sample = {.process = ring->process,
                                      .thread = taken->thread,
                                      .seconds = seconds_of(feed, taken->time),
                                      .amount = (double)taken->ran * 1e-9,
                                      .address = address_of(ring, taken),
                                      .registers = &registers,
                                      .stack_address = taken->stack_address,
                                      .stack = (const uint8_t *)(taken + 1),
                                      .stack_size = taken->stack_size};
    collector_sample(feed->collector, &sample);
    tell_name(ring, feed, taken);
    feed->counts->samples++;
    feed->counts->seconds += sample.amount;
}

static void feed_waiting(struct timer_ring *ring, const struct timer_feed *feed)
{
    for (size_t i = 0; i < ring->waiting.count; i++) {
        struct sample_taken *taken = *ARRAY_AT(struct sample_taken *, &ring->waiting, i);
        feed_sample(ring, feed, taken);
        free(taken);
    }
    ring->waiting.count = 0;
}

static bool is_sound(const struct timer_ring *ring, const struct sample_taken *taken)
{
    return taken->record.size >= sizeof *taken && taken->stack_size <= taken->record.size - sizeof *taken &&
           taken->thread && taken->thread <= INT32_MAX && taken->ran <= taken->time &&
           taken->time >= ring->header.start;
}

static void take_sample(struct timer_ring *ring, const struct timer_feed *feed,
                        const struct sample_taken *taken)
{
    if (!is_sound(ring, taken))
        return;
    ring->seconds = seconds_of(feed, taken->time);
    if (ring->seconds - ring->maps_seconds > MAPS_LAST_SECONDS)
        ask_for_maps(ring);
    if (map_at(ring, address_of(ring, taken)) || ring->waiting.count == MOST_WAITING) {
        feed_sample(ring, feed, taken);
        return;
    }
    ask_for_maps(ring);
    struct sample_taken *copy = memory_get(taken->record.size);
    memcpy(copy, taken, taken->record.size);
    *(struct sample_taken **)array_push(&ring->waiting) = copy;
}

static void take_maps(struct timer_ring *ring, const struct timer_feed *feed, const struct sample_maps *maps)
{
    if (maps->record.size < sizeof *maps || maps->length > maps->record.size - sizeof *maps)
        return;
    if (maps->is_first)
        ring->text.count = 0;
    if (ring->text.count + maps->length <= MOST_MAPS_TEXT && maps->length)
        memcpy(array_push_many(&ring->text, maps->length), maps + 1, maps->length);
    if (!maps->is_last)
        return;
    change_maps(ring, feed);
    feed_waiting(ring, feed);
    ring->maps_seconds = ring->seconds;
}

/* ---- records ---- */

enum { LARGEST_RECORD = sizeof(struct sample_taken) + SAMPLE_MOST_STACK };
_Static_assert(LARGEST_RECORD >= sizeof(struct sample_maps) + SAMPLE_MOST_TEXT,
               "maps are larger than samples");

/* The record at our position; false: it is not complete, or nothing here can be trusted. */
static bool read_record(struct timer_ring *ring, struct sample_record *record)
{
    uint64_t size = ring->header.size, place = ring->read & (size - 1);
    struct sample_record head;
    if (!read_at(ring, SAMPLE_DATA + place, &head, sizeof head) || head.stamp != ring->read + 1)
        return false;
    bool is_filler = head.kind == SAMPLE_FILLER;
    ring->is_wrong |= head.size < sizeof head || head.size % SAMPLE_UNIT || head.size > size - place ||
                      (!is_filler && head.size > LARGEST_RECORD);
    if (ring->is_wrong)
        return false;
    if (is_filler) {
        *record = head;
        return true;
    }
    /* The copy may differ from what was looked at before. */
    bool is_read = read_at(ring, SAMPLE_DATA + place, record, head.size);
    record->size = head.size;
    record->kind = head.kind;
    return is_read;
}

static void read_records(struct timer_ring *ring, const struct timer_feed *feed)
{
    union {
        struct sample_record record;
        struct sample_taken taken;
        struct sample_maps maps;
        uint8_t bytes[LARGEST_RECORD];
    } next;
    uint64_t end = ring->header.written, room_given = ring->read;
    if (end - ring->read > ring->header.size)
        ring->is_wrong = true;
    while (!ring->is_wrong && ring->read < end && read_record(ring, &next.record)) {
        if (next.record.kind == SAMPLE_TAKEN)
            take_sample(ring, feed, &next.taken);
        else if (next.record.kind == SAMPLE_MAPS)
            take_maps(ring, feed, &next.maps);
        ring->read += next.record.size;
        if (ring->read - room_given < GIVE_ROOM_EVERY)
            continue;
        room_given = ring->read;
        write_number(ring, offsetof(struct sample_ring, read), ring->read);
    }
    if (ring->read != room_given)
        write_number(ring, offsetof(struct sample_ring, read), ring->read);
}

/* ---- processes ---- */

static void introduce(struct timer_ring *ring, const struct timer_feed *feed,
                      const struct timer_ring *earlier)
{
    double seconds = seconds_of(feed, ring->header.start);
    if (ring->is_introduced)
        return;
    ring->is_introduced = true;
    ring->seconds = ring->maps_seconds = seconds;
    if (!earlier)
        collector_fork(feed->collector, ring->process, ring->process, ring->header.parent, seconds);
    if (ring->header.is_forked)
        collector_name(feed->collector, ring->process, ring->process, ring->header.name);
    else
        collector_exec(feed->collector, ring->process, ring->process, ring->header.name, seconds);
}

void timer_ring_read(struct timer_ring *ring, const struct timer_feed *feed, const struct timer_ring *earlier,
                     bool is_last)
{
    if (!read_header(ring))
        return;
    introduce(ring, feed, earlier);
    read_records(ring, feed);
    if (is_last || ring->is_wrong)
        feed_waiting(ring, feed);
}

void timer_ring_exit(const struct timer_ring *ring, const struct timer_feed *feed)
{
    if (!ring->is_introduced)
        return;
    double seconds = ring->header.end > ring->header.start ? seconds_of(feed, ring->header.end)
                                                           : clock_monotonic_seconds() - feed->start;
    for (size_t i = 0; i < ring->names.count; i++)
        collector_exit(feed->collector, ring->process, ARRAY_AT(struct timer_name, &ring->names, i)->thread,
                       seconds);
    collector_exit(feed->collector, ring->process, ring->process, seconds);
}

void timer_ring_close(struct timer_ring *ring, const struct timer_feed *feed)
{
    feed->counts->lost += ring->header.lost;
    close(ring->file);
    ring->file = -1;
}

bool timer_ring_is_closed(const struct timer_ring *ring)
{
    return ring->file < 0;
}

void timer_ring_free(struct timer_ring *ring)
{
    if (ring->file >= 0)
        close(ring->file);
    for (size_t i = 0; i < ring->waiting.count; i++)
        free(*ARRAY_AT(struct sample_taken *, &ring->waiting, i));
    free_maps(&ring->maps);
    array_free(&ring->waiting);
    array_free(&ring->text);
    array_free(&ring->names);
    free(ring->name);
    free(ring);
}
