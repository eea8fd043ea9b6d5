/* The plain profile, on standard error, if there is no file.

   It may run inside a handler when the program dies: it has its own formatting, allocates nothing and uses
   only system calls.  Names of functions come from dladdr, which takes a lock, so they appear only if the
   program ends by itself. */
#include "profile.h"

#include <dlfcn.h>
#include <unistd.h>

enum { LINE = 512, MOST_SITES = 40, NUMBER_WIDTH = 12 };

struct line {
    char text[LINE];
    size_t length;
};

static void put(struct line *line, const char *text)
{
    while (*text && line->length < LINE - 1)
        line->text[line->length++] = *text++;
}

static void put_number(struct line *line, uint64_t number, unsigned base, unsigned width)
{
    char digits[24];
    unsigned count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base));
    for (unsigned i = count; i < width; i++)
        put(line, " ");
    while (count > 0)
        put(line, (char[2]){digits[--count]});
}

static void put_double(struct line *line, double number, unsigned width)
{
    put_number(line, number < 1e19 && number > 0 ? (uint64_t)(number + 0.5) : 0, 10, width);
}

static void put_seconds(struct line *line, uint64_t nanoseconds)
{
    uint64_t thousandths = nanoseconds / 1000000;
    put_number(line, thousandths / 1000, 10, 0);
    put(line, ".");
    for (unsigned place = 100; place >= 1; place /= 10)
        put_number(line, thousandths / place % 10, 10, 0);
    put(line, " s");
}

static struct line new_line(void)
{
    struct line line = {.length = 0};
    put(&line, "assay-denormal-profile: ");
    return line;
}

static void end_line(struct line *line)
{
    line->text[line->length++] = '\n';
    size_t done = 0;
    while (done < line->length) {
        ssize_t more = write(STDERR_FILENO, line->text + done, line->length - done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
}

void print_line(const char *text)
{
    struct line line = new_line();
    put(&line, text);
    end_line(&line);
}

/* An interval whose end is so many times its start is nothing that anybody could use. */
static const double USELESS = 10;

struct estimate {
    double operands, underflows, low, high;
};

static struct estimate estimate_site(const struct profile_site *site)
{
    const struct profile_phase *phase = &profile_mapping.phases[site->phase];
    double counted = (double)(site->operand_events + site->underflow_events);
    struct estimate estimate = {(double)site->operand_events, (double)site->underflow_events, counted,
                                counted};
    if (phase->slept_planned <= 0)
        return estimate;
    double scale = phase->slept_ticks / phase->slept_planned;
    double missed = site->missed_operands + site->missed_underflows, rate = missed / phase->slept_planned;
    double variance =
        site->missed_squares - 2 * rate * site->missed_products + rate * rate * phase->slept_squares;
    double error = variance > 0 ? scale * __builtin_sqrt(variance) : 0;
    if (phase->sleeps < PROFILE_FEW_SLEEPS && error * 1.96 < scale * missed)
        error = scale * missed / 1.96;
    estimate.operands += scale * site->missed_operands;
    estimate.underflows += scale * site->missed_underflows;
    double low = counted + scale * site->missed_low - 1.96 * error;
    estimate.low = low > counted ? low : counted;
    estimate.high = counted + scale * site->missed_high + 1.96 * error;
    return estimate;
}

static const char *base_name(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

static void put_place(struct line *line, uint64_t address, bool may_lock)
{
    put(line, "  0x");
    put_number(line, address, 16, 0);
    for (uint64_t i = 0; i < profile_mapping.header->modules.used && i < profile_mapping.header->modules.capacity;
         i++) {
        const struct profile_module *module = &profile_mapping.modules[i];
        if (address >= module->start && address < module->end) {
            put(line, "  ");
            put(line, base_name(module->path));
            put(line, "+0x");
            put_number(line, address - module->bias, 16, 0);
            break;
        }
    }
    Dl_info info;
    if (may_lock && dladdr((void *)(uintptr_t)address, &info) != 0 && info.dli_sname) {
        put(line, "  ");
        put(line, info.dli_sname);
    }
}

static void put_interval(struct line *line, const struct estimate *estimate)
{
    if (estimate->high > USELESS * estimate->low) {
        put(line, "  (a rough guess)");
        return;
    }
    put(line, "  (95 %: ");
    put_double(line, estimate->low, 0);
    put(line, " to ");
    put_double(line, estimate->high, 0);
    put(line, ")");
}

static void print_site(const struct profile_site *site, bool may_lock)
{
    struct line line = new_line();
    struct estimate estimate = estimate_site(site);
    put(&line, "site ");
    put_double(&line, estimate.operands, NUMBER_WIDTH);
    put_double(&line, estimate.underflows, NUMBER_WIDTH);
    put_number(&line, site->phase + 1, 10, 6);
    put_place(&line, site->address, may_lock);
    put(&line, site->units == PROFILE_UNIT_X87 ? "  x87" : "");
    if (!profile_settings.is_exact)
        put_interval(&line, &estimate);
    end_line(&line);
}

/* The sites with most events, most first; the table stays as it is, so each is looked for. */
static void print_sites(bool may_lock)
{
    uint64_t shown_events = UINT64_MAX;
    const struct profile_site *last = NULL;
    uint32_t shown = 0;
    for (; shown < MOST_SITES; shown++) {
        uint64_t most = 0;
        const struct profile_site *found = NULL;
        for (const struct profile_site *site = NULL; (site = site_next(site));) {
            uint64_t events = site->operand_events + site->underflow_events;
            bool is_later = events < shown_events || (events == shown_events && site > last);
            if (events > most && is_later) {
                most = events;
                found = site;
            }
        }
        if (!found)
            return;
        print_site(found, may_lock);
        shown_events = most;
        last = found;
    }
    if (profile_mapping.header->sites.used > shown)
        print_line("more sites are not listed");
}

static uint64_t phases_used(void)
{
    const struct profile_section *phases = &profile_mapping.header->phases;
    return phases->used < phases->capacity ? phases->used : phases->capacity;
}

static struct estimate estimate_phase(uint64_t phase)
{
    struct estimate sum = {0};
    for (const struct profile_site *site = NULL; (site = site_next(site));) {
        if (site->phase != phase)
            continue;
        struct estimate estimate = estimate_site(site);
        sum.operands += estimate.operands;
        sum.underflows += estimate.underflows;
        sum.low += estimate.low;
        sum.high += estimate.high;
    }
    return sum;
}

/* Sites of a phase were asleep together, so they err together; phases err by themselves. */
static void print_totals(void)
{
    struct estimate total = {0};
    double below = 0, above = 0;
    for (uint64_t i = 0; i < phases_used(); i++) {
        struct estimate phase = estimate_phase(i);
        double events = phase.operands + phase.underflows;
        total.operands += phase.operands;
        total.underflows += phase.underflows;
        below += (events - phase.low) * (events - phase.low);
        above += (phase.high - events) * (phase.high - events);
    }
    double events = total.operands + total.underflows;
    total.low = events > __builtin_sqrt(below) ? events - __builtin_sqrt(below) : 0;
    total.high = events + __builtin_sqrt(above);
    struct line line = new_line();
    put(&line, profile_settings.is_exact ? "total " : "about ");
    put_double(&line, total.operands, 0);
    put(&line, " operand events, ");
    put_double(&line, total.underflows, 0);
    put(&line, " underflow events");
    if (!profile_settings.is_exact)
        put_interval(&line, &total);
    end_line(&line);
}

static void print_phases(void)
{
    uint64_t count = phases_used();
    for (uint64_t i = 0; count > 1 && i < count; i++) {
        const struct profile_phase *phase = &profile_mapping.phases[i];
        struct estimate estimate = estimate_phase(i);
        struct line line = new_line();
        put(&line, "phase ");
        put_number(&line, i + 1, 10, 0);
        put(&line, " ");
        put(&line, phase->name);
        put(&line, ": ");
        put_double(&line, estimate.operands, 0);
        put(&line, " operand events, ");
        put_double(&line, estimate.underflows, 0);
        put(&line, " underflow events, ");
        put_seconds(&line, (phase->end ? phase->end : time_now()) - phase->start);
        end_line(&line);
    }
}

static void print_notes(void)
{
#define SENTENCE(name, sentence) sentence,
    static const char *const sentences[] = {PROFILE_NOTES(SENTENCE)};
#undef SENTENCE
    for (unsigned i = 0; i < PROFILE_NOTE_COUNT; i++) {
        const struct profile_note *entry = &profile_mapping.notes[i];
        if (!entry->count)
            continue;
        struct line line = new_line();
        put(&line, "note: ");
        put(&line, sentences[i]);
        put(&line, " (");
        put_number(&line, entry->count, 10, 0);
        put(&line, ")");
        if (entry->address)
            put_place(&line, entry->address, false);
        end_line(&line);
    }
}

static void print_lost(const struct profile_section *section, const char *what)
{
    if (!section->lost)
        return;
    struct line line = new_line();
    put(&line, "note: no room for ");
    put_number(&line, section->lost, 10, 0);
    put(&line, " ");
    put(&line, what);
    end_line(&line);
}

void print_profile(void)
{
    const struct profile_header *header = profile_mapping.header;
    bool may_lock = header->ended != PROFILE_END_SIGNAL;
    struct line line = new_line();
    put(&line, base_name(header->program));
    put(&line, " (process ");
    put_number(&line, header->pid, 10, 0);
    put(&line, profile_settings.is_exact ? "): exact, " : "): sampled, ");
    put_seconds(&line, time_now() - header->start);
    put(&line, ", ");
    put_number(&line, header->threads, 10, 0);
    put(&line, header->threads == 1 ? " thread" : " threads");
    end_line(&line);
    print_totals();
    if (header->sites.used > 0)
        print_line("site     operands  underflows phase  address, file, function");
    print_sites(may_lock);
    print_phases();
    print_notes();
    print_lost(&header->sites, "events: the table of instructions was full");
    print_lost(&header->phases, "phases: their events count for the last one");
    print_lost(&header->samples, "samples");
    print_lost(&header->modules, "loaded files");
}
