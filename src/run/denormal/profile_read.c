/* Reads and checks a recording of the profiler.

   The file is as large as its tables could become and mostly holes, and the process that writes it may have
   been killed, may still run, or may be hostile. So the file is read in pieces and never mapped (if someone
   shortened it, we would crash). Holes are skipped; an entry counts only if it is marked valid; and all
   tables have a limit, so that memory and time are bounded by constants, not by the file's header. */
#include "run/denormal/profile_read.h"

#include "base/regular_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_MODULES = 1 << 14,
    MOST_PHASES = 1 << 16,
    MOST_SITES = 1 << 22,   /* entries of the table that are looked at */
    MOST_SAMPLES = 1 << 14, /* each may cost a search for its callers */
    MOST_ENTRY_BYTES = 1 << 16,
    PIECE_BYTES = 1 << 20
};

/* ---- pieces of the file ---- */

static void close_file(struct profile *profile)
{
    if (profile->file >= 0)
        close(profile->file);
    profile->file = -1;
}

static bool read_at(const struct profile *profile, uint64_t offset, void *into, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(profile->file, (char *)into + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The first offset from here on that is not a hole; the size of the file if there is none. */
static uint64_t skip_hole(const struct profile *profile, uint64_t offset)
{
    off_t data = lseek(profile->file, (off_t)offset, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? profile->size : offset;
    return (uint64_t)data;
}

typedef void entry_visit(struct profile *profile, void *context, uint64_t index, const void *entry);

/* Entries 0 … count-1 of a section, as far as the file has them. Entries in holes are all zeros, never a
   valid entry, so they are skipped. */
static void each_entry(struct profile *profile, const struct profile_section *section, size_t entry_bytes,
                       uint64_t count, uint64_t most, entry_visit *visit, void *context)
{
    if (!count)
        return;
    if (section->entry_bytes < entry_bytes || section->entry_bytes > MOST_ENTRY_BYTES ||
        section->offset < sizeof(struct profile_header)) {
        profile->damaged++;
        return;
    }
    if (count > most) {
        profile->beyond += count - most;
        count = most;
    }
    uint64_t whole =
        section->offset < profile->size ? (profile->size - section->offset) / section->entry_bytes : 0;
    if (count > whole) {
        profile->is_cut = true;
        count = whole;
    }
    uint64_t in_piece = PIECE_BYTES / section->entry_bytes;
    uint8_t *piece = memory_get(PIECE_BYTES);
    for (uint64_t index = 0; index < count;) {
        uint64_t offset = section->offset + index * section->entry_bytes;
        uint64_t skipped = (skip_hole(profile, offset) - offset) / section->entry_bytes;
        if (skipped >= count - index)
            break;
        index += skipped;
        uint64_t got = count - index < in_piece ? count - index : in_piece;
        offset = section->offset + index * section->entry_bytes;
        if (!read_at(profile, offset, piece, got * section->entry_bytes)) {
            profile->is_cut = true;
            break;
        }
        for (uint64_t i = 0; i < got; i++)
            visit(profile, context, index + i, piece + i * section->entry_bytes);
        index += got;
    }
    free(piece);
}

static uint64_t entries_used(const struct profile_section *section)
{
    return section->used < section->capacity ? section->used : section->capacity;
}

static void saw_time(struct profile *profile, uint64_t time)
{
    if (time > profile->end)
        profile->end = time;
}

/* ---- modules ---- */

static void take_module(struct profile *profile, void *context, uint64_t index, const void *entry)
{
    static const char digits[] = "0123456789abcdef";
    struct profile_module from;
    (void)context;
    (void)index;
    memcpy(&from, entry, sizeof from);
    if (from.ready != 1)
        return;
    size_t length = strnlen(from.path, sizeof from.path);
    if (from.start >= from.end || !length || length == sizeof from.path) {
        profile->damaged++;
        return;
    }
    struct places_loaded *module = array_add(&profile->modules);
    module->path = memory_copy_text(from.path, length);
    module->start = from.start;
    module->end = from.end;
    module->bias = from.bias;
    if (from.build_id_bytes <= (sizeof module->build_id - 1) / 2)
        for (uint32_t i = 0; i < from.build_id_bytes; i++) {
            module->build_id[2 * i] = digits[from.build_id[i] >> 4];
            module->build_id[2 * i + 1] = digits[from.build_id[i] & 15];
        }
}

static int by_start(const void *left, const void *right)
{
    const struct places_loaded *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* A file that was seen several times at the same place is one. */
static void sort_modules(struct profile *profile)
{
    struct array *modules = &profile->modules;
    size_t kept = 0;
    if (!modules->count)
        return;
    qsort(modules->data, modules->count, modules->width, by_start);
    for (size_t i = 0; i < modules->count; i++) {
        struct places_loaded *it = ARRAY_AT(struct places_loaded, modules, i);
        if (kept && !by_start(it, ARRAY_AT(struct places_loaded, modules, kept - 1)))
            free(it->path);
        else
            *ARRAY_AT(struct places_loaded, modules, kept++) = *it;
    }
    modules->count = kept;
}

static uint64_t added(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

static void count_events(struct profile *profile)
{
    for (size_t i = 0; i < profile->sites.count; i++) {
        const struct profile_site *site = ARRAY_AT(struct profile_site, &profile->sites, i);
        struct places_loaded *module = places_loaded_at(&profile->modules, site->address);
        if (module)
            module->events = added(module->events, added(site->operand_events, site->underflow_events));
    }
}

static void put_program_first(struct profile *profile)
{
    const char *program = profile->header.program;
    for (size_t i = 0; i < profile->modules.count; i++) {
        struct places_loaded *it = ARRAY_AT(struct places_loaded, &profile->modules, i);
        if (strcmp(it->path, program))
            continue;
        struct places_loaded found = *it;
        struct places_loaded *first = ARRAY_AT(struct places_loaded, &profile->modules, 0);
        memmove(first + 1, first, i * sizeof *first);
        *first = found;
        return;
    }
}

/* ---- phases ---- */

static double sensible(double number)
{
    return isfinite(number) && number > 0 ? number : 0;
}

static void take_phase(struct profile *profile, void *context, uint64_t index, const void *entry)
{
    struct profile_phase *phase = ARRAY_AT(struct profile_phase, &profile->phases, index);
    (void)context;
    memcpy(phase, entry, sizeof *phase);
    phase->name[sizeof phase->name - 1] = 0;
    phase->slept_planned = sensible(phase->slept_planned);
    phase->slept_squares = sensible(phase->slept_squares);
    phase->slept_ticks = sensible(phase->slept_ticks);
    saw_time(profile, phase->start);
    saw_time(profile, phase->end);
}

static void read_phases(struct profile *profile)
{
    uint64_t count = entries_used(&profile->header.phases);
    array_add_many(&profile->phases, count == 0 ? 1 : count < MOST_PHASES ? count : MOST_PHASES);
    each_entry(profile, &profile->header.phases, sizeof(struct profile_phase), count, MOST_PHASES, take_phase,
               NULL);
}

/* A phase begins where it says, but not before the one before it, and ends where the next begins. */
static void order_phases(struct profile *profile)
{
    uint64_t before = profile->header.start;
    for (size_t i = 0; i < profile->phases.count; i++) {
        struct profile_phase *phase = ARRAY_AT(struct profile_phase, &profile->phases, i);
        if (phase->start < before || i == 0)
            phase->start = before;
        before = phase->start;
    }
    for (size_t i = profile->phases.count; i-- > 0;) {
        struct profile_phase *phase = ARRAY_AT(struct profile_phase, &profile->phases, i);
        bool is_last = i + 1 == profile->phases.count;
        phase->end = is_last ? profile->end : ARRAY_AT(struct profile_phase, &profile->phases, i + 1)->start;
        if (phase->end < phase->start)
            phase->end = phase->start;
    }
}

/* ---- sites ---- */

static void take_site(struct profile *profile, void *context, uint64_t index, const void *entry)
{
    struct profile_site site;
    (void)context;
    (void)index;
    memcpy(&site, entry, sizeof site);
    if (!site.address || (!site.operand_events && !site.underflow_events && !(site.missed_high > 0)))
        return;
    if (site.phase >= profile->phases.count) {
        profile->damaged++;
        return;
    }
    saw_time(profile, site.last);
    site.missed_operands = sensible(site.missed_operands);
    site.missed_underflows = sensible(site.missed_underflows);
    site.missed_low = sensible(site.missed_low);
    site.missed_high = sensible(site.missed_high);
    site.missed_squares = sensible(site.missed_squares);
    site.missed_products = sensible(site.missed_products);
    *(struct profile_site *)array_push(&profile->sites) = site;
}

static int by_place(const void *left, const void *right)
{
    const struct profile_site *a = left, *b = right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/* Threads that met a new instruction at the same time may each have made an entry for it. */
static void merge_sites(struct profile *profile)
{
    struct array *sites = &profile->sites;
    size_t kept = 0;
    if (sites->count)
        qsort(sites->data, sites->count, sites->width, by_place);
    for (size_t i = 0; i < sites->count; i++) {
        const struct profile_site *it = ARRAY_AT(struct profile_site, sites, i);
        struct profile_site *last = kept ? ARRAY_AT(struct profile_site, sites, kept - 1) : NULL;
        if (!last || by_place(last, it)) {
            *ARRAY_AT(struct profile_site, sites, kept++) = *it;
            continue;
        }
        last->operand_events = added(last->operand_events, it->operand_events);
        last->underflow_events = added(last->underflow_events, it->underflow_events);
        last->units |= it->units;
        last->missed_operands += it->missed_operands;
        last->missed_underflows += it->missed_underflows;
        last->missed_low += it->missed_low;
        last->missed_high += it->missed_high;
        last->missed_squares += it->missed_squares;
        last->missed_products += it->missed_products;
    }
    sites->count = kept;
}

/* ---- notes and samples ---- */

static void take_note(struct profile *profile, void *context, uint64_t index, const void *entry)
{
    (void)context;
    memcpy(&profile->notes[index], entry, sizeof *profile->notes);
}

struct sample_visit {
    profile_visit *visit;
    void *context;
};

static void take_sample(struct profile *profile, void *context, uint64_t index, const void *entry)
{
    const struct sample_visit *to = context;
    struct profile_sample sample;
    (void)index;
    memcpy(&sample, entry, sizeof sample);
    if (sample.ready != 1)
        return;
    if (sample.phase >= profile->phases.count || sample.stack_bytes > sizeof sample.stack ||
        (sample.event != PROFILE_OPERAND_EVENT && sample.event != PROFILE_UNDERFLOW_EVENT)) {
        profile->damaged++;
        return;
    }
    sample.operand[sizeof sample.operand - 1] = 0;
    to->visit(to->context, &sample);
}

void profile_each_sample(struct profile *profile, profile_visit *visit, void *context)
{
    struct sample_visit to = {visit, context};
    profile->file = regular_file_open(profile->path, NULL, NULL);
    each_entry(profile, &profile->header.samples, sizeof(struct profile_sample),
               entries_used(&profile->header.samples), MOST_SAMPLES, take_sample, &to);
    close_file(profile);
}

/* ---- the whole ---- */

static bool read_header(struct profile *profile, const char *path, struct error *error)
{
    struct profile_header *header = &profile->header;
    profile->file = regular_file_open(path, &profile->size, error);
    if (profile->file < 0)
        return false;
    if (profile->size < sizeof *header || !read_at(profile, 0, header, sizeof *header))
        return error_set(error, path, "is too short for a recording of the profiler");
    if (memcmp(header->magic, PROFILE_MAGIC, sizeof header->magic))
        return error_set(error, path, "is not a recording of the profiler");
    if (header->version != PROFILE_VERSION || header->header_bytes != sizeof *header)
        return error_set(error, path, "was recorded by another version of the profiler (%u, not %u)",
                         (unsigned)header->version, (unsigned)PROFILE_VERSION);
    if ((header->word_bits != 32 && header->word_bits != 64) ||
        (header->mode != PROFILE_EXACT && header->mode != PROFILE_SAMPLED))
        return error_set(error, path, "is damaged: its header is invalid");
    header->program[sizeof header->program - 1] = 0;
    return true;
}

bool profile_open(struct profile *profile, const char *path, struct error *error)
{
    *profile = (struct profile){.path = memory_copy_text(path, strlen(path)),
                                .file = -1,
                                .modules = ARRAY_OF(struct places_loaded),
                                .phases = ARRAY_OF(struct profile_phase),
                                .sites = ARRAY_OF(struct profile_site)};
    if (!read_header(profile, path, error)) {
        profile_close(profile);
        return false;
    }
    const struct profile_header *header = &profile->header;
    each_entry(profile, &header->modules, sizeof(struct profile_module), entries_used(&header->modules),
               MOST_MODULES, take_module, NULL);
    read_phases(profile);
    each_entry(profile, &header->sites, sizeof(struct profile_site), header->sites.capacity, MOST_SITES,
               take_site, NULL);
    uint64_t notes =
        header->notes.capacity < PROFILE_NOTE_COUNT ? header->notes.capacity : PROFILE_NOTE_COUNT;
    each_entry(profile, &header->notes, sizeof(struct profile_note), notes, PROFILE_NOTE_COUNT, take_note,
               NULL);
    if (header->end > header->start)
        profile->end = header->end;
    if (profile->end < header->start)
        profile->end = header->start;
    order_phases(profile);
    merge_sites(profile);
    sort_modules(profile);
    count_events(profile);
    put_program_first(profile);
    close_file(profile);
    return true;
}

void profile_close(struct profile *profile)
{
    close_file(profile);
    free(profile->path);
    places_free_loaded(&profile->modules);
    array_free(&profile->phases);
    array_free(&profile->sites);
}
