/* Partners: instructions that close a chain, and the tests that measure them. */
#include "run/bench/plan.h"

#include <stdio.h>
#include <string.h>

/* What stands in the slots of a partner, in their order: t the target, f the source, c the constant. */
struct partner_form {
    const char *form, *slots;
};

static const struct partner_form aarch64_forms[partner_COUNT] = {
    [partner_STEP] = {"add x,x,x", "tcf"},        [partner_AND] = {"and x,x,x", "tfc"},
    [partner_V_TO_G] = {"fmov x,d", "tf"},        [partner_G_TO_V] = {"fmov d,x", "tf"},
    [partner_F_TO_G] = {"cset x", "t"},           [partner_G_TO_F] = {"cmp x,x", "fc"},
    [partner_V_AND] = {"and 16b,16b,16b", "tfc"}, [partner_V_OR] = {"orr 16b,16b,16b", "tfc"},
    [partner_MUL32] = {"fmul 4s,4s,4s", "tfc"},   [partner_ADD32] = {"fadd 4s,4s,4s", "tfc"},
    [partner_MUL64] = {"fmul 2d,2d,2d", "tfc"},   [partner_ADD64] = {"fadd 2d,2d,2d", "tfc"},
    [partner_SPACE] = {"mul x,x,x", "tfc"},       [partner_V_SPACE] = {"mul 8h,8h,8h", "tfc"},
    [partner_K_TO_G] = {"cntp x,p,p.b", "tff"},   [partner_G_TO_K] = {"whilelo p.b,x,x", "tfc"},
};
/* Legacy encodings, then those that AVX has instead. */
static const struct partner_form x86_forms[2][partner_COUNT] = {
    {[partner_STEP] = {"lea r64,b+i", "tcf"},       [partner_AND] = {"and r64,r64", "tc"},
     [partner_V_TO_G] = {"movq r64,xmm", "tf"},     [partner_G_TO_V] = {"movq xmm,r64", "tf"},
     [partner_F_TO_G] = {"setb r8", "t"},           [partner_G_TO_F] = {"cmp r64,r64", "fc"},
     [partner_V_AND] = {"andps xmm,xmm", "tc"},     [partner_V_OR] = {"orps xmm,xmm", "tc"},
     [partner_MUL32] = {"mulps xmm,xmm", "tc"},     [partner_ADD32] = {"addps xmm,xmm", "tc"},
     [partner_MUL64] = {"mulpd xmm,xmm", "tc"},     [partner_ADD64] = {"addpd xmm,xmm", "tc"},
     [partner_M_TO_G] = {"movq r64,mm", "tf"},      [partner_G_TO_M] = {"movq mm,r64", "tf"},
     [partner_K_TO_G] = {"kmovq r64,k", "tf"},      [partner_G_TO_K] = {"kmovq k,r64", "tf"},
     [partner_SPACE] = {"pext r64,r64,r64", "tfc"}, /* a multiplication would write flags */
     [partner_V_SPACE] = {"pmullw xmm,xmm", "tc"},  [partner_ZERO] = {"xor r32,r32", "tt"},
     [partner_K_ONES] = {"kxnorw k,k,k", "tff"},    [partner_V_ONES] = {"vpcmpeqd ymm,ymm,ymm", "ttt"}},
    {[partner_V_TO_G] = {"vmovq r64,xmm", "tf"},
     [partner_G_TO_V] = {"vmovq xmm,r64", "tf"},
     [partner_V_AND] = {"vandps ymm,ymm,ymm", "tfc"},
     [partner_V_OR] = {"vorps ymm,ymm,ymm", "tfc"},
     [partner_V_SPACE] = {"vpmullw ymm,ymm,ymm", "tfc"},
     [partner_MUL32] = {"vmulps ymm,ymm,ymm", "tfc"},
     [partner_ADD32] = {"vaddps ymm,ymm,ymm", "tfc"},
     [partner_MUL64] = {"vmulpd ymm,ymm,ymm", "tfc"},
     [partner_ADD64] = {"vaddpd ymm,ymm,ymm", "tfc"}},
};

/* x86: the instruction that reads one of the flags that were written, by the bit of the flag.  The carry
   comes last: logic operations make it 0 whatever their operands are. */
static const char *flag_reader(uint64_t written)
{
    static const struct {
        unsigned bit;
        const char *form;
    } readers[] = {{0, "setb r8"}, {6, "sete r8"}, {7, "sets r8"}, {11, "seto r8"}, {2, "setp r8"}};
    for (unsigned i = 0; i < sizeof readers / sizeof *readers; i++)
        if (written >> readers[i].bit & 1)
            return readers[i].form;
    return NULL;
}

bool bench_put_partner(struct bench_planned *planned, enum isa isa, enum bench_partner partner, unsigned to,
                       unsigned from, unsigned constant, const struct bench_instruction *flags_of)
{
    bool has_own = planned->is_avx && x86_forms[1][partner].form;
    struct partner_form form = isa == isa_AARCH64 ? aarch64_forms[partner] : x86_forms[has_own][partner];
    struct bench_instruction sample;
    uint8_t numbers[MOST_SLOTS] = {0};
    if (partner == partner_F_TO_G && isa == isa_X86_64 && flags_of)
        form.form = flag_reader(flags_of->flags_written);
    if (!form.form || !bench_sample(&sample, isa, form.form))
        return false;
    for (unsigned i = 0; form.slots[i]; i++)
        numbers[i] = (uint8_t)(form.slots[i] == 't' ? to : form.slots[i] == 'f' ? from : constant);
    return bench_put_instruction(planned, &sample, numbers);
}

bool bench_put_masks(struct bench_planned *planned, const struct bench_instruction *sample,
                     const uint8_t *numbers)
{
    for (unsigned i = 0; i < sample->slot_count; i++) {
        const struct bench_slot *slot = &sample->slots[i];
        if (bench_is_consumed_mask(sample, slot) &&
            !bench_put_partner(planned, sample->isa,
                               slot->domain == domain_MASK ? partner_K_ONES : partner_V_ONES, numbers[i], 0,
                               0, NULL))
            return false;
    }
    return true;
}

static struct bench_planned *begin_partner(struct array *planned, const char *name, bool is_avx)
{
    struct bench_planned *next = array_push(planned);
    *next = (struct bench_planned){.kind = bench_PARTNER,
                                   .code = ARRAY_OF(uint8_t),
                                   .values = ARRAY_OF(struct bench_value),
                                   .instances = 1,
                                   .is_avx = is_avx,
                                   .vector_bytes = is_avx ? 32 : 16};
    snprintf(next->name, sizeof next->name, "@%s%s", name, is_avx ? " avx" : "");
    return next;
}

/* Chains of one partner, or of two that lead out of a domain and back. Zeros go round. */
bool bench_plan_partners(struct array *planned, enum isa isa, bool is_avx)
{
    static const struct {
        const char *name;
        enum bench_partner first, second;
    } chains[] = {{"step", partner_STEP, partner_COUNT},     {"and", partner_AND, partner_COUNT},
                  {"vand", partner_V_AND, partner_COUNT},    {"vor", partner_V_OR, partner_COUNT},
                  {"mul32", partner_MUL32, partner_COUNT},   {"add32", partner_ADD32, partner_COUNT},
                  {"mul64", partner_MUL64, partner_COUNT},   {"add64", partner_ADD64, partner_COUNT},
                  {"space", partner_SPACE, partner_COUNT},   {"vspace", partner_V_SPACE, partner_COUNT},
                  {"v>g>v", partner_V_TO_G, partner_G_TO_V}, {"f>g>f", partner_F_TO_G, partner_G_TO_F},
                  {"k>g>k", partner_K_TO_G, partner_G_TO_K}, {"m>g>m", partner_M_TO_G, partner_G_TO_M}};
    /* Masks and mm registers have numbers up to 7. */
    enum { CHAIN = 6, BETWEEN = 10, CONSTANT = 11 };
    bool is_done = true;
    for (unsigned i = 0; i < sizeof chains / sizeof *chains; i++) {
        if (chains[i].first == partner_M_TO_G && isa != isa_X86_64)
            continue;
        struct bench_planned *next = begin_partner(planned, chains[i].name, is_avx);
        bool has_two = chains[i].second != partner_COUNT;
        bool is_made =
            bench_put_partner(next, isa, chains[i].first, has_two ? BETWEEN : CHAIN, CHAIN, CONSTANT, NULL);
        next->partners[chains[i].first] = 1;
        if (has_two) {
            is_made &= bench_put_partner(next, isa, chains[i].second, CHAIN, BETWEEN, CONSTANT, NULL);
            next->partners[chains[i].second] = 1;
        }
        if (!is_made) {
            bench_planned_free(next);
            planned->count--;
        }
        is_done &= is_made || chains[i].first == partner_K_TO_G; /* no samples of SVE */
    }
    return is_done;
}
