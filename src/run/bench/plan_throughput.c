/* Instances that do not wait for each other (plan.h has the idea), and stores that are loaded again. */
#include "run/bench/plan.h"

#include <stdio.h>
#include <string.h>

enum { MOST_GENERAL = 12, MOST_BASES = 4, MOST_SOURCES = 4, STORES = 8, LINE = 64 };

static bool is_memory(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    return slot->role == role_BASE &&
           sample->description.operands[slot->operand].kind != operand_kind_ADDRESS;
}

/* Registers that are only written count on x86: short instructions fill the µop cache, and cdq has its result
   in one register. */
static bool is_fixed_result(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    return slot->is_fixed && slot->writes &&
           (slot_takes(slot) || (slot->domain == domain_GENERAL && sample->isa == isa_X86_64));
}

bool bench_has_fixed_chain(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++) {
        const struct bench_slot *slot = &sample->slots[i];
        if (is_fixed_result(sample, slot) && slot->domain != domain_VECTOR && slot->number != 4)
            return true;
    }
    return false;
}

/* Sources that stay the same. */
bool bench_number_sources(struct bench_body *body)
{
    const struct bench_instruction *sample = body->sample;
    for (unsigned place = 0; place < sample->slot_count; place++) {
        const struct bench_slot *slot = &sample->slots[place];
        if (slot->role == role_FLAGS || slot->leader != NO_SLOT)
            continue;
        unsigned number = slot->number, run = bench_slot_run(sample, place);
        if (!slot->is_fixed && (slot->writes || is_memory(sample, slot)))
            continue;
        /* Renaming removes few moves of one register at a time. */
        bool has_others = sample->description.encoding.class == class_MOVE && slot->domain <= domain_VECTOR;
        unsigned sources = has_others && !slot->is_fixed ? MOST_SOURCES : 1;
        for (unsigned turn = 0; turn < sources; turn++) {
            if (!slot->is_fixed)
                number = bench_bank_take(body->bank, slot->domain, run);
            if (number == NO_REGISTER)
                return false;
            for (unsigned i = turn; i < MOST_TURNS; i += sources)
                body->numbers[i][place] = (uint8_t)number;
            for (unsigned k = 0; k < run && slot_takes(slot); k++)
                bench_put_value(body->planned, slot->domain, number + k, is_memory(sample, slot),
                                is_memory(sample, slot) ? 0
                                                        : bench_operand_value(body->planned, sample, place));
        }
    }
    return true;
}

/* The µop cache holds a limited number of µops of 64 bytes of code.  Instructions that read and write memory
   have several and are short: with r12 as their base and a displacement of four bytes they have eight bytes.
 */
static unsigned take_base(struct bench_body *body, const struct bench_slot *slot)
{
    enum { R12 = 12 };
    bool *taken = body->bank->is_taken[domain_GENERAL];
    if (body->sample->isa != isa_X86_64 || !bench_updates_memory(body->sample) || taken[R12])
        return bench_bank_take(body->bank, slot->domain, 1);
    taken[R12] = true;
    return R12;
}

/* Bases of addresses: one for all, a few in turn where they are stepped, and for stores of AArch64, which go
   side by side. They are near each other: accesses to several lines in turn may take longer, and that is
   another figure. */
bool bench_number_bases(struct bench_body *body)
{
    const struct bench_instruction *sample = body->sample;
    for (unsigned place = 0; place < sample->slot_count; place++) {
        const struct bench_slot *slot = &sample->slots[place];
        if (slot->is_fixed || !is_memory(sample, slot))
            continue;
        unsigned stored = sample->description.encoding.store_bytes;
        unsigned bases = sample->isa == isa_AARCH64 ? MOST_BASES : 2;
        if (!slot->writes)
            bases = stored && sample->isa == isa_AARCH64 ? 2 * STORES : 1;
        bases = bases > body->most_bases ? body->most_bases : bases;
        for (unsigned b = 0; b < bases; b++) {
            unsigned number = take_base(body, slot);
            if (number == NO_REGISTER)
                return false;
            bench_put_value(body->planned, slot->domain, number, true,
                            body->displacement + (slot->writes ? 0 : b * stored));
            for (unsigned i = b; i < MOST_TURNS; i += bases)
                body->numbers[i][place] = (uint8_t)number;
        }
    }
    return true;
}

/* x86: bytes from the base to the memory of an instance.  Loads go side by side within two lines, at least
   eight bytes apart, stores within one.  What is read and written has a place for each instance, and
   displacements of four bytes (see take_base).  What is locked stays where it is. */
static int displacement_of(const struct bench_body *body, unsigned instance)
{
    const struct encoding *encoding = &body->sample->description.encoding;
    unsigned stored = encoding->store_bytes, loaded = encoding->load_bytes;
    unsigned bytes = stored > loaded ? stored : loaded;
    if (bytes < 8 && (!stored || loaded))
        bytes = 8;
    if (!strncmp(body->sample->description.form, "lock ", 5) || bytes > LINE)
        return 0;
    if (stored && loaded)
        return (int)(4 * LINE + instance * bytes);
    return (int)(instance * bytes % (stored ? LINE : 2 * LINE));
}

static bool steps_base(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].role == role_BASE && sample->slots[i].writes)
            return true;
    return false;
}

bool bench_put_instance(struct bench_body *body, unsigned instance)
{
    struct bench_instruction moved;
    const uint8_t *numbers = body->numbers[instance];
    int displacement =
        body->sample->isa == isa_X86_64 && !steps_base(body->sample) ? displacement_of(body, instance) : 0;
    bool is_moved = displacement && bench_instruction_move(body->sample, displacement, &moved);
    return bench_put_masks(body->planned, body->sample, numbers) &&
           bench_put_instruction(body->planned, is_moved ? &moved : body->sample, numbers);
}

/* Results in turn, as long as there are registers: an instance needs one for each. */
void bench_number_results(struct bench_body *body)
{
    const struct bench_instruction *sample = body->sample;
    bool has_results = false;
    unsigned most = body->most;
    for (unsigned i = 0; i < sample->slot_count; i++) {
        const struct bench_slot *slot = &sample->slots[i];
        bool is_result =
            slot->writes && !slot->is_fixed && !is_memory(sample, slot) && slot->leader == NO_SLOT;
        has_results |= is_result;
        if (is_result && slot->domain == domain_GENERAL && most > MOST_GENERAL)
            most = MOST_GENERAL;
    }
    for (body->count = 0; body->count < most; body->count++) {
        for (unsigned place = 0; place < sample->slot_count; place++) {
            const struct bench_slot *slot = &sample->slots[place];
            if (!slot->writes || slot->is_fixed || is_memory(sample, slot) || slot->leader != NO_SLOT ||
                slot->role == role_FLAGS)
                continue;
            unsigned run = bench_slot_run(sample, place);
            unsigned number = bench_bank_take(body->bank, slot->domain, run);
            if (number == NO_REGISTER)
                return;
            body->numbers[body->count][place] = (uint8_t)number;
            for (unsigned k = 0; k < run && slot_takes(slot); k++)
                bench_put_value(body->planned, slot->domain, number + k, false,
                                bench_operand_value(body->planned, sample, place));
        }
        if (!has_results && body->count + 1 == (bench_updates_memory(sample) ? MOST_TURNS : 2 * STORES)) {
            body->count++;
            return;
        }
    }
}

/* Registers that cannot be chosen get a constant before each instance, and flags are written anew.  On x86
   the idiom for zero does both, and takes no unit. */
static bool break_chains(struct bench_body *body, const uint8_t *constants)
{
    const struct bench_instruction *sample = body->sample;
    bool is_x86 = sample->isa == isa_X86_64, has_zero = false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < sample->slot_count; i++) {
            const struct bench_slot *slot = &sample->slots[i];
            if (!is_fixed_result(sample, slot) || (slot->domain == domain_FLAGS) != (pass == 1))
                continue;
            uint64_t value =
                slot->domain == domain_GENERAL ? bench_operand_value(body->planned, sample, i) : 0;
            bool is_zero = is_x86 && (!value || sample->description.encoding.class != class_DIVIDE);
            bool is_put = true;
            if (slot->domain == domain_GENERAL && slot->number != 4)
                is_put = is_zero ? bench_put_partner(body->planned, sample->isa, partner_ZERO, slot->number,
                                                     0, 0, NULL)
                                 : bench_put_partner(body->planned, sample->isa, partner_STEP, slot->number,
                                                     constants[0], value ? constants[1] : constants[0], NULL);
            if (slot->domain == domain_FLAGS && !has_zero)
                is_put = is_x86 ? bench_put_partner(body->planned, sample->isa, partner_ZERO, constants[0], 0,
                                                    0, NULL)
                                : bench_put_partner(body->planned, sample->isa, partner_G_TO_F, 0,
                                                    constants[0], constants[0], NULL);
            has_zero |= slot->domain == domain_GENERAL && slot->number != 4 && is_zero;
            if (!is_put)
                return false;
        }
    }
    return true;
}

static bool take_constants(struct bench_body *body, uint8_t *constants)
{
    const struct bench_instruction *sample = body->sample;
    uint64_t value = 0;
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].role == role_HIDDEN && sample->slots[i].domain == domain_GENERAL &&
            bench_operand_value(body->planned, sample, i))
            value = bench_operand_value(body->planned, sample, i);
    for (unsigned i = 0; i < 2; i++) {
        unsigned number = bench_bank_take(body->bank, domain_GENERAL, 1);
        if (number == NO_REGISTER)
            return false;
        bench_put_value(body->planned, domain_GENERAL, number, false, i ? value : 0);
        constants[i] = (uint8_t)number;
    }
    return true;
}

bool bench_plan_throughput(struct bench_planned *planned, const struct bench_instruction *sample,
                           bool is_broken)
{
    struct bench_bank bank;
    struct bench_body body = {
        .planned = planned, .sample = sample, .bank = &bank, .most = MOST_TURNS, .most_bases = 2 * STORES};
    uint8_t constants[2] = {0, 0};
    bench_bank_begin(&bank, sample->isa, sample);
    if (!bench_number_sources(&body) || !bench_number_bases(&body) ||
        (is_broken && !take_constants(&body, constants)))
        return false;
    bench_number_results(&body);
    if (!body.count)
        return false;
    for (unsigned i = 0; i < body.count; i++)
        if ((is_broken && !break_chains(&body, constants)) || !bench_put_instance(&body, i))
            return false;
    planned->instances = body.count;
    if (bench_moves_pointer(sample))
        planned->most_trips = 1;
    return true;
}

/* The plain load of what a store stores: str x,[x] and ldr x,[x]; mov m64,r64 and mov r64,m64. */
static bool load_of(const struct bench_instruction *store, struct bench_instruction *load)
{
    char form[sizeof store->description.form];
    const char *text = store->description.form;
    if (store->isa == isa_AARCH64) {
        if (strncmp(text, "st", 2))
            return false;
        strcpy(form, text);
        memcpy(form, "ld", 2);
    } else {
        const char *blank = strchr(text, ' '), *comma = strchr(text, ',');
        if (!blank || !comma || strchr(comma + 1, ','))
            return false;
        int length = snprintf(form, sizeof form, "%.*s %s,%.*s", (int)(blank - text), text, comma + 1,
                              (int)(comma - blank - 1), blank + 1);
        if (length >= (int)sizeof form)
            return false;
    }
    return bench_sample(load, store->isa, form) && load->description.encoding.class == class_LOAD &&
           load->slot_count == store->slot_count;
}

bool bench_plan_memory(struct bench_planned *planned, const struct bench_instruction *store)
{
    struct bench_instruction load;
    struct bench_bank bank;
    uint8_t stored[MOST_SLOTS] = {0}, loaded[MOST_SLOTS] = {0};
    bench_bank_begin(&bank, store->isa, store);
    if (!load_of(store, &load))
        return false;
    for (unsigned i = 0; i < store->slot_count; i++) {
        const struct bench_slot *slot = &store->slots[i];
        if (slot->is_fixed || slot->writes || slot->leader != NO_SLOT)
            return false;
        unsigned number = bench_bank_take(&bank, slot->domain, 1);
        unsigned other = bench_slot_named(&load, slot->name);
        if (slot->role == role_OPERAND && store->isa == isa_X86_64)
            other = bench_slot_named(&load, "1");
        if (number == NO_REGISTER || other == NO_SLOT)
            return false;
        stored[i] = loaded[other] = (uint8_t)number;
        bench_put_value(planned, slot->domain, number, is_memory(store, slot), 0);
    }
    planned->instances = 1;
    return bench_put_instruction(planned, store, stored) && bench_put_instruction(planned, &load, loaded);
}
