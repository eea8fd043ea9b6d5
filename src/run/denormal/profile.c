/* A recording of the profiler becomes rows: the run and its limits, its phases, instructions with their
   counts, samples.

   In sampled mode a thread does not trap while it sleeps. The events it missed are estimated as described in
   runtime/denormal-profile/profile_file.h. Counts of rows include counted and missed events; low and high are
   the ends of their 95 % interval. */
#include "run/denormal/profile_samples.h"

#include "run/launch/processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double NORMAL_95 = 1.96;
static const double MOST_EVENTS = 1e18; /* more than any run has; keeps sums of estimates in range */

/* ---- limits ---- */

#define SENTENCE(name, sentence) sentence,
static const char *const sentences[] = {PROFILE_NOTES(SENTENCE)};
#undef SENTENCE

/* With fewer sleeps, code that takes a tenth of the time is missed in more than one of ten runs. */
enum { ENOUGH_SLEEPS = 20 };

static bool has_few_sleeps(const struct profile *profile)
{
    uint64_t sleeps = 0;
    double ticks = 0;
    for (size_t i = 0; i < profile->phases.count; i++) {
        sleeps += ARRAY_AT(struct profile_phase, &profile->phases, i)->sleeps;
        ticks += ARRAY_AT(struct profile_phase, &profile->phases, i)->slept_ticks;
    }
    return profile->header.mode == PROFILE_SAMPLED && ticks > 0 && sleeps < ENOUGH_SLEEPS;
}

static void add_limits(struct model *model, const struct profile *profile)
{
    const struct profile_header *header = &profile->header;
    for (unsigned i = 0; i < PROFILE_NOTE_COUNT; i++)
        if (profile->notes[i].count)
            denormal_add_limit(model, denormal_limit_kind_RUNTIME, profile->notes[i].count, sentences[i]);
    if (header->sites.lost)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, header->sites.lost,
                           "events not counted, because the recording was full");
    if (header->phases.lost)
        denormal_add_limit(
            model, denormal_limit_kind_RECORDING, header->phases.lost,
            "phase marks ignored, because the recording was full: they count for the last phase");
    if (header->modules.lost)
        denormal_add_limit(
            model, denormal_limit_kind_RECORDING, header->modules.lost,
            "loaded files not recorded, because the recording was full: their code has no names");
    if (header->ended == PROFILE_END_EXEC)
        denormal_add_limit(model, denormal_limit_kind_RUNTIME, 0,
                           "the process started another program (exec), listed as a run of its own");
    if (profile->is_cut)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, 0,
                           "the recording is truncated (disk full?): counts may be missing");
    if (profile->damaged)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, profile->damaged,
                           "invalid entries of the recording, skipped (the process was killed during a "
                           "write, or the file is damaged)");
    if (profile->beyond)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, profile->beyond,
                           "entries of the recording beyond the limit, not read");
    if (has_few_sleeps(profile))
        denormal_add_limit(model, denormal_limit_kind_ESTIMATE, 0,
                           "traps were off for much of this short run: code with denormals only at those "
                           "times is missing, and estimates are rough; --exact counts every event");
}

/* ---- the run ---- */

static string_id command_of(struct model *model, const struct profile_header *header)
{
    size_t size =
        header->command_bytes < PROFILE_COMMAND_BYTES ? header->command_bytes : PROFILE_COMMAND_BYTES;
    char text[PROFILE_COMMAND_BYTES + 8];
    memcpy(text, header->command_line, size);
    while (size && !text[size - 1])
        size--;
    for (size_t i = 0; i < size; i++)
        if (!text[i])
            text[i] = ' ';
    text[size] = 0;
    if (header->command_bytes > PROFILE_COMMAND_BYTES)
        strcpy(text + size, " …");
    return model_string(model, size ? text : header->program);
}

static double seconds_between(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) / 1e9 : 0;
}

static uint32_t add_run(struct model *model, const struct profile *profile,
                        const struct denormal_recording *recording)
{
    const struct profile_header *header = &profile->header;
    struct denormal_run run = {
        .tool = denormal_tool_PROFILER,
        .mode = header->mode == PROFILE_SAMPLED ? denormal_mode_SAMPLED : denormal_mode_EXACT,
        .command = command_of(model, header),
        .process = header->pid,
        .processor = launch_processor(model),
        .seconds = seconds_between(header->start, profile->end),
        .exit_status = NO_NUMBER,
        .end_signal = NO_NUMBER,
    };
    /* A process cannot record what killed it, but we saw how the first one ended. */
    bool is_first = recording->processes.count == 1 || header->parent_pid == (uint32_t)getpid();
    if (header->ended == PROFILE_END_EXIT)
        run.exit_status = header->exit_status;
    else if (header->ended == PROFILE_END_SIGNAL)
        run.end_signal = (int32_t)header->end_signal;
    else if (header->ended == PROFILE_END_UNKNOWN && is_first && recording->run.end_signal)
        run.end_signal = recording->run.end_signal;
    else if (header->ended == PROFILE_END_UNKNOWN && is_first && recording->run.exit_status >= 0)
        run.exit_status = recording->run.exit_status;
    *(struct denormal_run *)model_add(&model->denormal_runs) = run;
    return model_last(&model->denormal_runs);
}

/* The row of the first. */
static uint32_t add_phases(struct model *model, uint32_t run, const struct profile *profile)
{
    for (size_t i = 0; i < profile->phases.count; i++) {
        const struct profile_phase *phase = ARRAY_AT(struct profile_phase, &profile->phases, i);
        *(struct denormal_phase *)model_add(&model->denormal_phases) =
            (struct denormal_phase){.run = run,
                                    .position = (uint32_t)i + 1,
                                    .name = phase->name[0] ? model_string(model, phase->name) : 0,
                                    .start = seconds_between(profile->header.start, phase->start),
                                    .seconds = seconds_between(phase->start, phase->end)};
    }
    return model_last(&model->denormal_phases) - (uint32_t)profile->phases.count + 1;
}

/* ---- sites ---- */

static uint64_t whole(double number)
{
    return (uint64_t)llround(fmin(fmax(number, 0), MOST_EVENTS));
}

static void estimate(const struct profile_phase *phase, const struct profile_site *site,
                     struct denormal_site *row)
{
    double counted = (double)site->operand_events + (double)site->underflow_events;
    double scale = phase->slept_planned > 0 ? phase->slept_ticks / phase->slept_planned : 0;
    double sum = site->missed_operands + site->missed_underflows;
    double rate = phase->slept_planned > 0 ? sum / phase->slept_planned : 0;
    double squares =
        site->missed_squares - 2 * rate * site->missed_products + rate * rate * phase->slept_squares;
    double error = scale * sqrt(fmax(0, squares));
    double low = counted + scale * site->missed_low - NORMAL_95 * error;
    double high = counted + scale * site->missed_high + NORMAL_95 * error;
    if (phase->sleeps < PROFILE_FEW_SLEEPS) {
        low = fmin(low, counted);
        high = fmax(high, counted + 2 * scale * sum);
    }
    row->operand_events = whole((double)site->operand_events + scale * site->missed_operands);
    row->underflow_events = whole((double)site->underflow_events + scale * site->missed_underflows);
    double estimated = counted + scale * sum;
    row->low = fmin(fmax(low, counted), fmin(estimated, MOST_EVENTS));
    row->high = fmin(fmax(high, estimated), MOST_EVENTS);
}

static void add_sites(struct model *model, uint32_t run, uint32_t first_phase, const struct profile *profile)
{
    bool is_sampled = profile->header.mode == PROFILE_SAMPLED;
    for (size_t i = 0; i < profile->sites.count; i++) {
        const struct profile_site *site = ARRAY_AT(struct profile_site, &profile->sites, i);
        struct places_location place = places_locate(model, &profile->modules, site->address);
        struct denormal_site row = denormal_site_at(&place, run, first_phase + site->phase);
        row.operand_events = site->operand_events;
        row.underflow_events = site->underflow_events;
        if (is_sampled)
            estimate(ARRAY_AT(struct profile_phase, &profile->phases, site->phase), site, &row);
        if (row.operand_events || row.underflow_events)
            *(struct denormal_site *)model_add(&model->denormal_sites) = row;
    }
}

/* ---- a recording ---- */

void profile_add(struct model *model, struct profile *profile, const struct denormal_recording *recording)
{
    places_match_loaded(model, &profile->modules);
    uint32_t run = add_run(model, profile, recording);
    uint32_t first_phase = add_phases(model, run, profile);
    add_sites(model, run, first_phase, profile);
    struct profile_samples samples = {.model = model,
                                      .modules = &profile->modules,
                                      .unwinder = places_unwinder_make(&profile->modules),
                                      .program = profile->header.program,
                                      .process = profile->header.pid,
                                      .run = run,
                                      .first_phase = first_phase,
                                      .is_64 = profile->header.word_bits == 64};
    profile_each_sample(profile, profile_add_sample, &samples);
    places_unwinder_free(samples.unwinder);
    add_limits(model, profile);
}
