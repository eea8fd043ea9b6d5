/* Machines written as files: read again, each is the same machine, fact by fact; and no fact of the tables is
   forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "code/machine/write.h"
#include "machine_text.h"

static char *written(const struct machine *machine)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    machine_write(machine, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void same_text(const char *one, const char *other)
{
    assert_true(!one == !other);
    if (one)
        assert_string_equal(one, other);
}

static void same_cycles(float one, float other)
{
    assert_true(one == other || (isnan(one) && isnan(other)));
}

static void same_core(const struct machine *one, const struct machine *other)
{
    const struct machine_core *left = &one->core, *right = &other->core;
    static const size_t widths[] = {[core_COUNT] = sizeof(unsigned),
                                    [core_CYCLES] = sizeof(double),
                                    [core_PORTS] = sizeof(uint32_t),
                                    [core_FLAG] = sizeof(bool),
                                    [core_MOVES] = sizeof(unsigned)};
    for (unsigned i = 0; i < core_row_count; i++) {
        const struct core_row *row = &core_rows[i];
        if (row->kind != core_FACT && row->kind != core_OTHER)
            assert_memory_equal((const char *)left + row->offset, (const char *)right + row->offset,
                                widths[row->kind]);
    }
    assert_int_equal(left->complex_pop_decoders, right->complex_pop_decoders);
    for (unsigned i = 0; i < MOST_COMPLEX_POPS; i++)
        same_text(left->complex_pops[i], right->complex_pops[i]);
    assert_memory_equal(left->loop_copies, right->loop_copies, sizeof left->loop_copies);
    assert_int_equal(left->port_choice, right->port_choice);
    assert_int_equal(left->queue_count, right->queue_count);
    assert_memory_equal(left->queues, right->queues, sizeof left->queues);
}

/* All but the place of the text. */
static void same_level(struct machine_cache one, struct machine_cache other)
{
    same_text(one.source, other.source);
    assert_int_equal(one.level, other.level);
    assert_int_equal(one.bytes, other.bytes);
    assert_int_equal(one.ways, other.ways);
    assert_int_equal(one.line, other.line);
    assert_true(one.bytes_per_cycle == other.bytes_per_cycle &&
                one.stored_per_cycle == other.stored_per_cycle);
    assert_true(one.copied_per_cycle == other.copied_per_cycle);
    assert_true(one.updated_per_cycle == other.updated_per_cycle);
    assert_true(one.overlap == other.overlap && one.latency == other.latency);
    assert_int_equal(one.is_shared, other.is_shared);
}

static void same_head(const struct machine *one, const struct machine *other)
{
    same_text(one->name, other->name);
    same_text(one->base_name, other->base_name);
    same_text(one->target, other->target);
    assert_int_equal(one->without, other->without);
    assert_int_equal(one->lacks, other->lacks);
    assert_int_equal(one->features, other->features);
    same_text(one->title, other->title);
    same_text(one->figures, other->figures);
    for (unsigned i = 0; i < MOST_MACHINE_NAMES; i++)
        same_text(one->names[i], other->names[i]);
    assert_int_equal(one->isa, other->isa);
    assert_int_equal(one->identities.count, other->identities.count);
    for (size_t i = 0; i < one->identities.count; i++) {
        const struct machine_identity_line *left =
            ARRAY_AT(struct machine_identity_line, &one->identities, i);
        const struct machine_identity_line *right =
            ARRAY_AT(struct machine_identity_line, &other->identities, i);
        same_text(left->word, right->word);
        same_text(left->values, right->values);
    }
    for (unsigned i = 0; i < machine_figure_count; i++)
        assert_memory_equal((const char *)one + machine_figures[i].offset,
                            (const char *)other + machine_figures[i].offset, sizeof(double));
    assert_int_equal(one->bundles, other->bundles);
    assert_int_equal(one->template_count, other->template_count);
    assert_memory_equal(one->templates, other->templates, sizeof one->templates);
    assert_memory_equal(one->pairs, other->pairs, sizeof one->pairs);
    assert_int_equal(one->port_count, other->port_count);
    assert_memory_equal(one->ports, other->ports, sizeof one->ports);
    assert_memory_equal(one->latency, other->latency, sizeof one->latency);
    assert_memory_equal(one->busy, other->busy, sizeof one->busy);
    assert_true(one->load_to_address == other->load_to_address);
    for (unsigned c = 0; c < class_COUNT; c++)
        for (unsigned e = 0; e < element_COUNT; e++)
            same_cycles((float)one->accumulate[c][e], (float)other->accumulate[c][e]);
    assert_int_equal(one->instructions.count, other->instructions.count);
    for (size_t i = 0; i < one->instructions.count; i++) {
        const struct machine_instruction *left = ARRAY_AT(struct machine_instruction, &one->instructions, i);
        const struct machine_instruction *right =
            ARRAY_AT(struct machine_instruction, &other->instructions, i);
        same_text(left->name, right->name);
        same_cycles((float)left->latency, (float)right->latency);
        assert_int_equal(left->ports, right->ports);
    }
    assert_int_equal(one->cache_count, other->cache_count);
    for (unsigned i = 0; i < one->cache_count; i++)
        same_level(one->caches[i], other->caches[i]);
    same_level(one->main_memory, other->main_memory);
    assert_int_equal(one->slow_forms.count, other->slow_forms.count);
    for (size_t i = 0; i < one->slow_forms.count; i++) {
        const struct machine_slow_form *left = ARRAY_AT(struct machine_slow_form, &one->slow_forms, i);
        same_text(left->form, ARRAY_AT(struct machine_slow_form, &other->slow_forms, i)->form);
        assert_true(machine_slow_form(other, left->form) == left->cycles);
    }
    assert_int_equal(one->is_complete, other->is_complete);
    assert_int_equal(one->has_masks, other->has_masks);
    assert_int_equal(one->flag_group_count, other->flag_group_count);
    assert_int_equal(one->flag_count, other->flag_count);
    for (unsigned i = 0; i < one->flag_count; i++)
        same_text(one->flags[i], other->flags[i]);
    assert_memory_equal(one->flag_groups, other->flag_groups, one->flag_count);
}

static void same_ports(const struct machine *one, struct form_run left, const struct machine *other,
                       struct form_run right)
{
    assert_int_equal(left.count, right.count);
    for (unsigned i = 0; i < left.count; i++)
        assert_memory_equal(ARRAY_AT(struct form_ports, &one->form_ports, left.first + i),
                            ARRAY_AT(struct form_ports, &other->form_ports, right.first + i),
                            sizeof(struct form_ports));
}

/* Hidden registers have numbers in the order in which forms name them, missing ones left out. */
static void same_slot(const struct machine *one, unsigned left, const struct machine *other, unsigned right)
{
    if (left >= slot_HIDDEN && right >= slot_HIDDEN)
        assert_string_equal(one->hidden[left - slot_HIDDEN], other->hidden[right - slot_HIDDEN]);
    else
        assert_int_equal(left, right);
}

static void same_form(const struct machine *one, const struct machine_form *left, const struct machine *other,
                      const struct machine_form *right)
{
    assert_string_equal(left->text, right->text);
    assert_int_equal(left->is_missing, right->is_missing);
    assert_int_equal(left->fused, right->fused);
    assert_int_equal(left->unfused, right->unfused);
    assert_int_equal(left->decoded, right->decoded);
    assert_int_equal(left->microcoded, right->microcoded);
    assert_int_equal(left->simple_decoders, right->simple_decoders);
    assert_int_equal(left->needs_complex_decoder, right->needs_complex_decoder);
    assert_int_equal(left->leaves_loop_buffer, right->leaves_loop_buffer);
    assert_int_equal(left->is_eliminated, right->is_eliminated);
    assert_int_equal(left->breaks_on_same, right->breaks_on_same);
    assert_int_equal(left->has_indexed, right->has_indexed);
    assert_int_equal(left->has_same, right->has_same);
    assert_int_equal(left->fused_indexed, right->fused_indexed);
    assert_int_equal(left->fused_same, right->fused_same);
    same_ports(one, left->ports, other, right->ports);
    same_ports(one, left->ports_indexed, other, right->ports_indexed);
    same_ports(one, left->ports_same, other, right->ports_same);
    same_cycles(left->latency, right->latency);
    same_cycles(left->latency_same, right->latency_same);
    same_cycles(left->chained, right->chained);
    assert_int_equal(left->is_own_pipe, right->is_own_pipe);
    same_cycles(left->divider, right->divider);
    same_cycles(left->throughput, right->throughput);
    same_cycles(left->spread, right->spread);
    same_text(machine_source_text(one, left->source), machine_source_text(other, right->source));
    assert_int_equal(left->latencies.count, right->latencies.count);
    for (unsigned i = 0; i < left->latencies.count; i++) {
        const struct form_latency *a =
            ARRAY_AT(struct form_latency, &one->form_latencies, left->latencies.first + i);
        const struct form_latency *b =
            ARRAY_AT(struct form_latency, &other->form_latencies, right->latencies.first + i);
        same_slot(one, a->from, other, b->from);
        same_slot(one, a->to, other, b->to);
        same_cycles(a->cycles, b->cycles);
    }
    assert_int_equal(left->fuses.count, right->fuses.count);
    for (unsigned i = 0; i < left->fuses.count; i++)
        assert_string_equal(*ARRAY_AT(const char *, &one->form_words, left->fuses.first + i),
                            *ARRAY_AT(const char *, &other->form_words, right->fuses.first + i));
}

static void same_origins(const struct machine *one, const struct machine *other)
{
    assert_int_equal(one->origins.count, other->origins.count);
    for (size_t i = 0; i < one->origins.count; i++) {
        const struct machine_origin *left = ARRAY_AT(struct machine_origin, &one->origins, i);
        const struct machine_origin *right = machine_origin(other, left->word, left->values);
        assert_non_null(right);
        same_cycles(left->spread, right->spread);
        same_text(machine_source_text(one, left->source), machine_source_text(other, right->source));
    }
}

/* Written, read and compared. */
static void goes_round(const struct machine *machine)
{
    char *text = written(machine);
    struct machine *again = parsed(text);
    same_head(machine, again);
    same_origins(machine, again);
    same_core(machine, again);
    assert_int_equal(machine->forms.count, again->forms.count);
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        bool is_unmasked;
        same_form(machine, form, again, machine_form_nearest(again, form->text, &is_unmasked));
        assert_false(is_unmasked);
    }
    char *text_again = written(again);
    assert_string_equal(text, text_again);
    free(text_again);
    free(text);
    machine_free(again);
}

static void shipped_machines(void **state)
{
    (void)state;
    const char *const folders[] = {MACHINES};
    struct array known = machine_names(folders, 1);
    assert_true(known.count >= 10);
    for (size_t i = 0; i < known.count; i++) {
        char *name = *ARRAY_AT(char *, &known, i);
        struct error error = {0};
        struct machine *machine = machine_load(name, folders, 1, &error);
        assert_non_null(machine);
        goes_round(machine);
        machine_restrict(machine, UINT32_MAX); /* and without all that it can be without */
        goes_round(machine);
        machine_free(machine);
        free(name);
    }
    array_free(&known);
}

/* Every fact there is, and every word of forms. */
static const char everything[] =
    "name all\ntitle All # of it\nalso whole entire\nisa x86-64\nfeatures avx2 amx-tile\ntarget everything\nlacks fma\nwithout "
    "avx512\nfigures "
    "made up, for a test\ncpuid 6 1 2.3\n"
    "cpuid 7 f\nmidr 41 d40\nwidth 4\nfloating 2.5\nmemory 3\nloads 2\nstores 1\nbranches 2\ntaken 1\n"
    "ports 0 1 2 3 4 A\non 0,2 mul\non A div\nlatency-of mul 3.25\nlatency-of neg 0\nbundles 2\n"
    "second MII MMI MFB\npair MII Y . An\npair MMI A Yn .\nlatency load 5\nlatency load vector 6.5\n"
    "latency load fp64 7\nlatency load fp32 vector 8\nlatency add fp32 0\nlatency move vector 3\n"
    "load-to-address 2\naccumulate fma 2\naccumulate fma fp64 1.5\nbusy divide 0.1\nbusy divide fp64 3\n"
    "busy sqrt fp32 vector 4\nflag-group of sf\nflag-group zf\ncomplete\n"
    "predecode 16 5\nlength-change 3\ninstruction-queue 25\ndecoders 4 3 5\nfuses-on-last-decoder\n"
    "complex-pop 0 rsp r12\nmicrocode 0 4\nuop-cache 6 32 3 7\nuop-cache-size "
    "1536\ncache-in-pairs\ncache-without-borders\n"
    "decode-queue 64\nloop-buffer 56\nloop-copies 1 4 8\nloop-copies 5 5 6\nloop-copies 63 63 2\nissue 4\n"
    "retire 8\nkeeps-pairs\nsplits 2 3\nreorder-buffer 224\ngeneral-results 150\nvector-results "
    "140\nflag-results 60\nload-queue 72\nstore-queue 56\nscheduler "
    "97\nport-choice in-turn\n"
    "late-operands 2\nqueue p01 20\nqueue p23A 30\ndispatch p23 2\nstart-delay 2\nholds-places\none-result "
    "p0\nhalves p0 p1\ndispatch pA 1\neliminates general "
    "4\neliminates vector any\nfolds-constants 1024\n"
    "elimination-delay 2\nkeeps-elimination-slots\nhigh-bytes-apart\nstack-engine\nload-ports p23\n"
    "address-ports p23A\nstore-ports p4\nload-bytes 32\nstore-bytes 16\nload-banks 8\nforward 0 5.5\n"
    "forward-again 1.5\nforward-failed 13\nforward-pieces 8\nrenames-memory\nwide-loads 32 2\nload-line "
    "64\nload-page-crossing "
    "0.5\nstore-page-crossing 11\nload-crossing "
    "0.5\ntogether 4.3 3.6 "
    "2.67\ncrowded-stores p01\nstore-crossing 2.5\nstore-own-line 1.5\nstore-line "
    "64\nbranch-border 32\njumps-pair\nbranch-turn 1.5\n"
    "dividers-apart\nfast-pointer 1 2048\nlate-loads 0.86\nmerges-flags\nvector-bits 256\nvector-registers "
    "16\ntransition 70\n"
    "blends-upper-halves\nmispredict 16.5\ncache 1 48K ways 12 line 64 bandwidth 64.5 latency 5\n"
    "cache 2 1280K\ncache 3 30M shared update 5 latency 70 source assumed, as  nobody\nmain-memory latency 300 "
    "bandwidth 9.5 source measured on one computer: 3 GHz\n"
    "guarded-gather 15 26.5 measured on one computer\n"
    "slow 95 idiv r64\nslow 20 op  x,x\neasy divide fp64 scalar 10 7.5 measured here\nhard divide "
    "fp64 scalar 22 22 somebody's table\neasy sqrt fp32 256 3 3 assumed, as others\nclock 3.5\nin-order\nissue-every 2\naddress-wait 3\n"
    "form add r64,r64 : uops 1 ports p01 latency 1 fuses jb,je\n"
    "form sub r64,r64 : uops 1 ports p01 latency 1 fuses jb,je\n"
    "form x m64 : uops 1/2 ports p23+2*pA indexed 2 indexed-ports p2 same 3 same-ports none "
    "same-latency 0 chained 2 own-pipe load-turns 3 domain 2\n"
    "form y m64 : uops 2/7 ports p23 indexed-ports p4 same-ports p4\n"
    "form z m64 : uops 2 ports p23 indexed 2 same 2\n"
    "form div r64 : uops 36 decoded 4 microcoded 32 complex simple 0 unlooped ports 4*p0+0.3333333*p1 "
    "divider 21.5 throughput 1000000 latency 42.17 breaks eliminated f>1=- 1>2=7 1>*=8 *>2=9 addr>index=3 "
    "mem>rax=4 rdx>rax=0.1\n"
    "form nop : uops 1 ports none\nform bare : uops 1\nform lone : uops 3 latency 0\n"
    "form v xmm,k,xmm : uops 1\nform vaddpd ymm,ymm,ymm : uops 1 ports p0\nform gone : missing\n"
    "from a table\nform lea r64,b+d8 : uops 1 ports p01 latency 1 ± 0.25 %\nlike nobody\n";

static bool has_line(const char *text, const char *word)
{
    char *start = memory_format("\n%s", word);
    const char *at = strstr(text, start);
    while (at && at[strlen(start)] != ' ' && at[strlen(start)] != '\n')
        at = strstr(at + 1, start);
    free(start);
    return at;
}

static void every_fact(void **state)
{
    (void)state;
    static const char *const words[] = {
#define HEAD(word, name, least, most, values, says) word,
#define FIGURE(word, member, sentence, says) word,
#include "code/machine/facts.def"
#define FACT(word, values, says) word,
#define OWN(word, name, values, says) word,
#include "code/machine/core.def"
    };
    struct machine *machine = parsed(everything);
    char *text = written(machine), *behind = memory_format("\n%s", text);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!has_line(behind, words[i]))
            print_error("not written: %s\n", words[i]);
        assert_true(has_line(behind, words[i]));
    }
#define WORD(symbol, word, kind, member, values, says) assert_non_null(strstr(text, " " word));
#include "code/machine/forms.def"
    free(behind);
    free(text);
    goes_round(machine);
    machine_free(machine);
}

/* Sources that take turns, ports from the second, caches from both, spreads in both spellings. */
static const char sourced[] =
    "name s\ntitle S\nisa x86-64\nfigures made up\n"
    "from measured 2026-11-16 on a bench\nwidth 4 ± 0.3 %\nfloating 2\ncache 1 48K line 64 +- 12 % # wide\n"
    "from assumed, as nobody\nports 0 1\nmemory 3\nqueue p01 20\nclock 3\ncache 2 1M\n"
    "from measured 2026-11-16 on a bench\nbranches 2\nload-ports p1\ncache 3 30M\nmispredict 16\n"
    "forms add, sub\n  r64,r64 : uops 1 ports p01 latency 1\n  r32,r32 : uops 1 ports p01 latency 1 ± 2 %\n"
    "from assumed, as nobody\nform imul r64,r64 : uops 1 ports p1 latency 3\n"
    "from\nform neg r64 : uops 1 ports p1 latency 1\n";

static void is_from(const struct machine *machine, const char *word, const char *values, const char *source,
                    float spread)
{
    const struct machine_origin *origin = machine_origin(machine, word, values);
    assert_non_null(origin);
    same_text(machine_source_text(machine, origin->source), source);
    same_cycles(origin->spread, spread);
}

static void sources(void **state)
{
    (void)state;
    const char *const measured = "measured 2026-11-16 on a bench", *const assumed = "assumed, as nobody";
    struct machine *machine = parsed(sourced);
    is_from(machine, "width", "4", measured, 0.3F);
    is_from(machine, "floating", "2", measured, NAN);
    is_from(machine, "cache", "1 48K line 64", measured, 12);
    is_from(machine, "cache", "2 1M", assumed, NAN);
    is_from(machine, "cache", "3 30M", measured, NAN);
    is_from(machine, "ports", NULL, assumed, NAN);
    assert_null(machine_origin(machine, "title", NULL));
    same_cycles(machine_form(machine, "sub r32,r32")->spread, 2);
    same_text(machine_source_text(machine, machine_form(machine, "sub r64,r64")->source), measured);
    same_text(machine_source_text(machine, machine_form(machine, "imul r64,r64")->source), assumed);
    assert_null(machine_source_text(machine, machine_form(machine, "neg r64")->source));
    goes_round(machine);
    machine_free(machine);
}

static void bad_spreads(void **state)
{
    (void)state;
    static const char *const spreads[] = {"± x %", "± 1001 %", "+- -1 %", "± % %"};
    for (unsigned i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        struct error error = {0};
        char *text = memory_format("%swidth 4 %s\n", "name s\ntitle S\nisa x86-64\nfigures f\n", spreads[i]);
        assert_null(machine_parse("s", text, strlen(text), &error));
        assert_non_null(strstr(error.text, "per cent"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_machines), cmocka_unit_test(every_fact),
                                       cmocka_unit_test(sources), cmocka_unit_test(bad_spreads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
