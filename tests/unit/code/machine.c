/* Machine files: every fact of the core, every word of a form, every error; files that are like others;
   finding them by name; and the files that come with Assay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine_text.h"
#include "own_folder.h"

static const char head[] =
    "name small\ntitle Small\nisa x86-64\nfigures invented\nwidth 4\nfloating 2\nmemory 3\n"
    "branches 2\nports 0 1 2 3 4 5 6 7 A\n";
enum { HEAD_LINES = 9 };

static struct machine *parse(const char *lines)
{
    char *text = memory_format("%s%s", head, lines);
    struct machine *machine = parsed(text);
    free(text);
    return machine;
}

/* The line after the head must be refused, with its number and these words. */
static void refuse(const char *lines, unsigned line, const char *words)
{
    char *text = memory_format("%s%s", head, lines), where[40];
    struct error error = {0};
    struct machine *machine = machine_parse("small", text, strlen(text), &error);
    if (machine)
        print_error("accepted: %s\n", lines);
    assert_null(machine);
    snprintf(where, sizeof where, "small:%u: ", HEAD_LINES + line);
    if (strncmp(error.text, where, strlen(where)) || !strstr(error.text, words))
        print_error("%s\nwanted: %s%s\n", error.text, where, words);
    assert_memory_equal(error.text, where, strlen(where));
    assert_non_null(strstr(error.text, words));
    free(text);
}

static void caches(void **state)
{
    (void)state;
    struct machine *machine =
        parse("mispredict 16\ncache 1 48K ways 12 line 64 bandwidth 64.5 latency 5\ncache 2 1.25M\n"
              "cache 3 30M shared store 12 copy 6.5 update 7 overlap 0.75 latency 70\nmain-memory bandwidth "
              "9.5 store "
              "4 latency 300\nslow 95 idiv r64\n");
    assert_true(machine->core.mispredict == 16);
    assert_int_equal(machine->cache_count, 3);
    const struct machine_cache *cache = machine->caches;
    assert_true(cache[0].level == 1 && cache[0].bytes == 48 << 10 && cache[0].ways == 12);
    assert_true(cache[0].line == 64 && cache[0].bytes_per_cycle == 64.5 && cache[0].latency == 5);
    assert_false(cache[0].is_shared);
    assert_true(cache[1].level == 2 && cache[1].bytes == 1280 << 10 && !cache[1].ways && !cache[1].latency);
    assert_true(cache[2].level == 3 && cache[2].bytes == 30 << 20 && cache[2].is_shared);
    assert_true(cache[2].stored_per_cycle == 12 && cache[2].copied_per_cycle == 6.5 &&
                cache[2].updated_per_cycle == 7 && cache[2].overlap == 0.75);
    const struct machine_cache *memory = &machine->main_memory;
    assert_true(memory->bytes_per_cycle == 9.5 && memory->stored_per_cycle == 4 && memory->latency == 300);
    assert_true(machine_slow_form(machine, "idiv r64") == 95);
    assert_true(machine_slow_form(machine, "idiv r32") == 0);
    machine_free(machine);
    refuse("cache 2 1M\n", 1, "in their order, not '2'");
    refuse("cache 1 32K\ncache 1 64K\n", 2, "in their order");
    refuse("cache 1 32K\ncache 2 32K\n", 2, "not larger than the one before it: '32K'");
    refuse("cache 1 32K overlap 2\n", 1, "a share is 1 at most: '2'");
    refuse("cache 1 32Kb\n", 1, "a size such as 48K or 32M: '32Kb'");
    refuse("cache 1 0\n", 1, "a size such as");
    refuse("cache 1 32K ways\n", 1, "a number is missing after 'ways'");
    refuse("cache 1 32K ways 2.5\n", 1, "ways and lines whole: '2.5'");
    refuse("cache 1 32K latency 0\n", 1, "above 0");
    refuse("cache 1 32K wide 4\n", 1, "a cache has no 'wide'");
    refuse("main-memory shared latency 3\n", 1, "memory has no 'shared'");
    refuse("slow 0 idiv r64\n", 1, "above 0");
    refuse("slow 3\n", 1, "too few or too many values");
    refuse("hard divide fp64 scalar 22 22\n", 1, "too few or too many values");
    refuse("hard add fp64 scalar 22 22 me\n", 1, "divide and sqrt, not over 'add'");
    refuse("hard divide int8 scalar 22 22 me\n", 1, "fp32, fp64, int32 or int64: 'int8'");
    refuse("hard divide fp64 wide 22 22 me\n", 1, "scalar or the bits of a vector: 'wide'");
    refuse("hard divide fp64 12 22 22 me\n", 1, "scalar or the bits of a vector: '12'");
    refuse("easy divide fp64 128 0 22 me\n", 1, "above 0");
    refuse("easy divide fp64 128 2 2 me\neasy divide fp64 128 2 2 me\n", 2, "for the second time");
    refuse("easy divide fp64 128 9 2 me\nhard divide fp64 128 8 2 me\n", 2, "less than easy ones");
}

static void facts_of_the_core(void **state)
{
    (void)state;
    struct machine *machine = parse(
        "predecode 16 5\nlength-change 3\ninstruction-queue 25\ndecoders 4 3 5\nfuses-on-last-decoder\n"
        "microcode 2 4\nuop-cache 6 32 3 7\ncache-in-pairs\ncache-without-borders\ndecode-queue 64\n"
        "loop-buffer 56\nloop-copies 1 4 8\nloop-copies 5 5 6\nissue 4\nretire 8\nreorder-buffer "
        "224\nscheduler 97\n"
        "queue p01 20\nqueue p23A 30\ndispatch p23 2\neliminates general 4\neliminates vector "
        "any\nhigh-bytes-apart\nstack-engine\n"
        "merges-flags\nload-bytes 32\nstore-bytes 16\nload-ports p23\naddress-ports p237\nstore-ports p4\n"
        "load-banks 8\nforward 4 5.5\nforward-failed 13\nforward-pieces 8\nrenames-memory\nwide-loads 32 2\n"
        "load-line 64\nstore-line 64\nbranch-border 32\nsplits 2 "
        "3\nkeeps-pairs\ndividers-apart\nfast-pointer 1 "
        "2048\nvector-bits "
        "256\nvector-registers 16\n"
        "clock 3.5\nin-order\nflag-group of sf\nflag-group zf\ncomplete\n");
    const struct machine_core *core = &machine->core;
    assert_int_equal(core->predecode_bytes, 16);
    assert_int_equal(core->predecode_width, 5);
    assert_true(core->length_change == 3);
    assert_int_equal(core->instruction_queue, 25);
    assert_int_equal(core->decoders, 4);
    assert_int_equal(core->complex_uops, 3);
    assert_int_equal(core->decode_uops, 5);
    assert_true(core->fuses_on_last_decoder);
    assert_true(core->microcode_switch == 2 && core->microcode_switch_cached == 4);
    assert_int_equal(core->cache_width, 6);
    assert_int_equal(core->cache_block, 32);
    assert_int_equal(core->cache_lines, 3);
    assert_int_equal(core->cache_line_uops, 7);
    assert_true(core->cache_in_pairs && core->cache_without_borders);
    assert_int_equal(core->decode_queue, 64);
    assert_int_equal(core->loop_buffer, 56);
    assert_int_equal(core->loop_copies[0], 0);
    assert_int_equal(core->loop_copies[4], 8);
    assert_int_equal(core->loop_copies[5], 6);
    assert_int_equal(core->loop_copies[6], 0);
    assert_int_equal(core->issue, 4);
    assert_int_equal(core->retire, 8);
    assert_int_equal(core->reorder_buffer, 224);
    assert_int_equal(core->scheduler, 97);
    assert_int_equal(core->queue_count, 2);
    assert_int_equal(core->queues[0].ports, 3);
    assert_int_equal(core->queues[1].ports, 1 << 2 | 1 << 3 | 1 << 8);
    assert_int_equal(core->queues[1].size, 30);
    assert_int_equal(core->dispatch_count, 1);
    assert_int_equal(core->dispatches[0].ports, 0xc);
    assert_int_equal(core->dispatches[0].size, 2);
    assert_int_equal(core->eliminates_general, 4);
    assert_int_equal(core->eliminates_vector, ANY_NUMBER);
    assert_true(core->high_bytes_apart && core->has_stack_engine && core->merges_flags);
    assert_int_equal(core->load_bytes, 32);
    assert_int_equal(core->store_bytes, 16);
    assert_int_equal(core->load_ports, 0xc);
    assert_int_equal(core->address_ports, 0x8c);
    assert_int_equal(core->store_ports, 0x10);
    assert_int_equal(core->load_banks, 8);
    assert_true(core->forward == 4 && core->forward_vector == 5.5 && core->forward_failed == 13 &&
                core->forward_piece == 8);
    assert_true(core->renames_memory && core->load_line == 64 && core->store_line == 64);
    assert_true(core->wide_load == 32 && core->wide_loads == 2 && core->branch_border == 32);
    assert_true(core->splits == 2 && core->split_reach == 3 && core->keeps_pairs && core->dividers_apart);
    assert_true(core->pointer_bonus == 1);
    assert_int_equal(core->pointer_reach, 2048);
    assert_int_equal(core->vector_bits, 256);
    assert_int_equal(core->vector_registers, 16);
    assert_true(core->clock == 3.5 && core->is_in_order);
    assert_int_equal(machine->flag_group_count, 2);
    assert_int_equal(machine->flag_groups[1], 1);
    assert_string_equal(machine->flags[2], "zf");
    assert_int_equal(machine->flag_groups[2], 2);
    assert_true(machine->is_complete);
    machine_free(machine);
    machine = parse("");
    assert_int_equal(machine->core.issue, 0);
    assert_false(machine->core.high_bytes_apart || machine->core.is_in_order || machine->is_complete);
    machine_free(machine);
}

static void bad_facts(void **state)
{
    (void)state;
    refuse("isue 4\n", 1, "no fact called 'isue'");
    refuse("\n# comment\nissue four\n", 3, "a number from 0 to 1000000: 'four'");
    refuse("issue 0\n", 1, "a whole number from 1 to 100000: '0'");
    refuse("issue 2.5\n", 1, "whole number");
    refuse("issue -1\n", 1, "a number from 0");
    refuse("issue nan\n", 1, "a number from 0");
    refuse("issue\n", 1, "wanted: 1 value for 'issue'");
    refuse("issue 4 5\n", 1, "wanted: 1 value for 'issue'");
    refuse("uop-cache 6 32 3\n", 1, "wanted: 4 values for 'uop-cache'");
    refuse("stack-engine 1\n", 1, "wanted: 0 values for 'stack-engine'");
    refuse("loop-copies 5 4 2\n", 1, "FROM must not be above TO");
    refuse("loop-copies 1 64 2\n", 1, "a whole number from 1 to 63: '64'");
    refuse("loop-copies 1 4\n", 1, "wanted: FROM TO N");
    refuse("eliminates some 4\n", 1, "wanted: general or vector, not 'some'");
    refuse("eliminates general many\n", 1, "'many'");
    refuse("eliminates general\n", 1, "wanted: general or vector");
    refuse("queue p09 20\n", 1, "has no port");
    refuse("queue p0\n", 1, "wanted: PORTS N");
    refuse("load-ports p9\n", 1, "has no port");
    refuse("ports 0\n", 1, "a port of this name already: '0'");
    refuse("flag-group cf\nflag-group cf\n", 2, "in a group already: 'cf'");
    refuse("complete now\n", 1, "too few or too many values for 'complete'");
    refuse("like a\nlike b\n", 2, "like one other only; another is 'b'");
    refuse("like\n", 1, "too few or too many values");
    struct error error = {0};
    assert_null(machine_parse("empty", "", 0, &error));
    assert_non_null(strstr(error.text, "the file ends without the fact 'name'"));
}

static void bad_forms(void **state)
{
    (void)state;
    refuse("form add\n", 1, "wanted: form, its text");
    refuse("form : uops 1\n", 1, "wanted: form, its text");
    refuse("form \n", 1, "wanted: form, its text");
    refuse("form\n", 1, "wanted: form, its text");
    refuse("form\ta : uops\n", 1, "wanted: a value after 'uops'");
    refuse("form a : ports p0\n", 1, "wanted: uops N in the form 'a'");
    refuse("form a : uops 1\nform a : uops 1\n", 2, "the file has this form twice: 'a'");
    refuse("form a : uops 1 ports p9\n", 1, "has no port '9'");
    refuse("form a : uops 1 ports 01\n", 1, "wanted: p and the letters of ports, such as 2*p01, not '01'");
    refuse("form a : uops 1 ports p0+\n", 1, "wanted: p and the letters");
    refuse("form a : uops 1 ports 0*p0\n", 1, "above 0 before *");
    refuse("form a : uops 1 ports x*p0\n", 1, "above 0 before *");
    refuse("form a : uops one\n", 1, "a whole number: 'one'");
    refuse("form a : uops 1.5\n", 1, "a whole number: '1.5'");
    refuse("form a : uops 1/x\n", 1, "a whole number: 'x'");
    refuse("form a : uops\n", 1, "wanted: a value after 'uops'");
    refuse("form a : uops 1 uops 1\n", 1, "a form has this word twice: 'uops'");
    refuse("form a : uops 1 latency -1\n", 1, "wanted: cycles");
    refuse("form a : uops 1 latency inf\n", 1, "wanted: cycles");
    refuse("form a : uops 1 latency 999999999999\n", 1, "wanted: cycles");
    refuse("form a : uops 1 quick\n", 1, "a form has no word 'quick'");
    refuse("form a : uops 1 9>1=2\n", 1, "the number of an operand");
    refuse("form a : uops 1 1>=2\n", 1, "the number of an operand");
    refuse("form a : uops 1 1>R=2\n", 1, "the number of an operand");
    refuse("form a : uops 1 1>2\n", 1, "a form has no word '1>2'");
    refuse("form a : uops 1 1>2=x\n", 1, "wanted: FROM>TO=CYCLES");
    refuse("form a : uops 1 fuses je,,jne\n", 1, "names of branches");
    refuse("form a : uops 1 missing\n", 1, "a form that is missing has no other words: 'a'");
    char many[4000] = "form a : uops 1";
    for (unsigned i = 0; i < MOST_HIDDEN + 1; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), " r%uq>1=1", i);
    refuse(many, 1, "more than 48 hidden registers");
}

static void bad_blocks(void **state)
{
    (void)state;
    refuse("forms\n", 1, "wanted: mnemonics with commas between them, not ''");
    refuse("forms a b\n  r : uops 1\n", 1, "wanted: mnemonics with commas between them, not 'a b'");
    refuse("forms a,,b\n  r : uops 1\n", 1, "wanted: mnemonics");
    refuse("forms a,\n    b c\n", 2, "wanted: mnemonics with commas between them, not 'b c'");
    refuse("forms a : uops 1\n", 1, "wanted: mnemonics");
    refuse("forms a\n", 1, "ends without figures: forms 'a'");
    refuse("forms a\nwidth 4\n", 2, "ends without figures: forms 'a'");
    refuse("forms a\n  r : uops 1\n  m\nform b : uops 1\n", 4, "ends without figures: forms 'a'");
    refuse("forms a\n  : uops 1\n", 2, "wanted: operands before the colon");
    refuse("forms a\n  r : uops 1\n  r : uops 1\n", 3, "the file has this form twice: 'a r'");
    refuse("forms a, a\n  r : uops 1\n", 2, "the file has this form twice: 'a r'");
    refuse("forms a\n\n# comment\n  r m : uops one\n", 4, "a whole number: 'one'");
    refuse("forms a\n  r m : ports p0\n", 2, "wanted: uops N in the form 'a r'");
    refuse("forms a\n  r : uops 1\nwidht 4\n", 3, "no fact called 'widht'");
    /* Few bytes must not become forms without number. */
    char many[4 * MOST_MNEMONICS + 5000] = "forms a";
    for (unsigned i = 0; i < MOST_MNEMONICS - 1; i++)
        snprintf(many + strlen(many), 8, ",b%u", i);
    size_t heading = strlen(many);
    strcat(many, ",c\n");
    refuse(many, 1, "a block has at most 256 mnemonics; too many with 'c'");
    char *large = memory_format("%.*s\n%20000s", (int)heading, many, "");
    for (unsigned i = 0; i < 1025; i++)
        snprintf(large + heading + 1 + i * 8, 9, "  %-6u", i);
    refuse(large, 2, "a machine has at most 262144 forms");
    free(large);
}

/* All mnemonics of a block with all operands of its lines. */
static void blocks_of_forms(void **state)
{
    (void)state;
    struct machine *machine = parse("forms add, lock add,\n    sub # comment\n"
                                    "  r,r r,i :uops 1 ports p01 latency 1 fuses jb,je\n\n"
                                    "# a comment at the margin ends nothing\n"
                                    "\tm,r\r\n"
                                    "  m,i : uops 2 ports p0+p1 # the last\n"
                                    "  - : missing\n"
                                    "form ret : uops 3\n"
                                    "forms vaddpd\n  zmm,k,zmm : uops 1\n"
                                    "merges-flags");
    assert_int_equal(machine->forms.count, 3 * 5 + 2);
    static const char *const names[] = {"add", "lock add", "sub"};
    for (unsigned i = 0; i < 3; i++) {
        static const char *const operands[] = {"r,r", "r,i", "m,r", "m,i"};
        bool is_unmasked;
        for (unsigned k = 0; k < 4; k++) {
            char *text = memory_format("%s %s", names[i], operands[k]);
            const struct machine_form *form = machine_form(machine, text);
            assert_non_null(form);
            assert_string_equal(form->text, text);
            assert_int_equal(form->fused, k < 2 ? 1 : 2);
            assert_int_equal(form->unfused, k < 2 ? 1 : 2);
            assert_int_equal(form->ports.count, k < 2 ? 1 : 2);
            assert_true(form_fuses(machine, form, "je") == (k < 2));
            free(text);
        }
        assert_true(machine_form_nearest(machine, names[i], &is_unmasked)->is_missing);
    }
    assert_int_equal(machine_form(machine, "ret")->fused, 3);
    assert_true(machine->has_masks && machine->core.merges_flags);
    machine_free(machine);
}

static const struct form_ports *port_at(const struct machine *machine, struct form_run run, unsigned place)
{
    assert_true(place < run.count);
    return ARRAY_AT(struct form_ports, &machine->form_ports, run.first + place);
}

static void words_of_forms(void **state)
{
    (void)state;
    struct machine *machine =
        parse("decoders 4 4 4\n"
              "form add r64,r64 : uops 1 ports p015 latency 1 fuses jb,je\n"
              "form sub r64,r64 :\tuops 1   ports p015 latency 1 fuses jb,je # comment\r\n"
              "form inc r64 : uops 1 ports p01 fuses je\n"
              "form dec r64 : uops 1 fuses je,js ports p01 latency 2\n"
              "form x m64 : uops 1/2 ports p23+2*pA indexed 2 indexed-ports p2 same 3 same-ports none "
              "same-latency 0 chained 2\n"
              "form div r64 : uops 36 decoded 4 microcoded 32 complex simple 1 unlooped ports 4*p0+0.5*p1 "
              "divider 21.5 "
              "throughput 35 latency 42 breaks eliminated f>1=- 1>2=7 1>*=8 *>2=9 addr>index=3 mem>rax=4 "
              "rdx>rax=5\n"
              "form nop : uops 1 ports none\n"
              "form wbinvd : uops 639165 ports p0\n"
              "form fma : missing");
    const struct machine_form *form = machine_form(machine, "add r64,r64");
    assert_non_null(form);
    assert_int_equal(form->fused, 1);
    assert_int_equal(form->unfused, 1);
    assert_int_equal(form->decoded, 1);
    assert_int_equal(form->simple_decoders, 3);
    assert_false(form->needs_complex_decoder || form->has_indexed || form->has_same || form->breaks_on_same);
    assert_int_equal(port_at(machine, form->ports, 0)->ports, 1 | 2 | 32);
    assert_true(form->latency == 1 && isnan(form->latency_same) && isnan(form->throughput) &&
                form->divider == 0);
    assert_true(form_fuses(machine, form, "jb") && form_fuses(machine, form, "je"));
    assert_false(form_fuses(machine, form, "j") || form_fuses(machine, form, "jne"));
    form = machine_form(machine, "sub r64,r64");
    assert_true(form_fuses(machine, form, "je"));
    form = machine_form(machine, "inc r64");
    assert_true(form_fuses(machine, form, "je") && !form_fuses(machine, form, "jb"));
    assert_true(isnan(form->latency));
    form = machine_form(machine, "dec r64"); /* the branches need not come last */
    assert_true(form_fuses(machine, form, "js") && form->latency == 2 && form->ports.count == 1);

    form = machine_form(machine, "x m64");
    assert_int_equal(form->fused, 1);
    assert_int_equal(form->unfused, 2);
    assert_int_equal(port_at(machine, form->ports, 1)->ports, 256);
    assert_true(port_at(machine, form->ports, 1)->times == 2);
    assert_true(form->has_indexed && form->has_same);
    assert_int_equal(form->fused_indexed, 2);
    assert_int_equal(port_at(machine, form->ports_indexed, 0)->ports, 4);
    assert_int_equal(form->fused_same, 3);
    assert_int_equal(form->ports_same.count, 0);
    assert_true(form->latency_same == 0 && form->chained == 2);

    form = machine_form(machine, "div r64");
    assert_int_equal(form->unfused, 5); /* 4.5, rounded */
    assert_int_equal(form->decoded, 4);
    assert_int_equal(form->microcoded, 32);
    assert_int_equal(form->simple_decoders, 1);
    assert_true(form->needs_complex_decoder && form->leaves_loop_buffer && form->breaks_on_same &&
                form->is_eliminated);
    assert_true(form->divider == 21.5f && form->throughput == 35);
    assert_true(isnan(form_latency(machine, form, slot_FLAGS, 1)));
    assert_true(form_latency(machine, form, slot_FLAGS, 3) == 42);
    assert_true(form_latency(machine, form, 1, 2) == 7);
    assert_true(form_latency(machine, form, 1, 3) == 8);
    assert_true(form_latency(machine, form, 3, 2) == 9);
    assert_true(form_latency(machine, form, slot_ADDRESS, slot_INDEX) == 3);
    assert_int_equal(machine->hidden_count, 2);
    assert_string_equal(machine->hidden[0], "rax");
    assert_true(form_latency(machine, form, slot_MEMORY, slot_HIDDEN) == 4);
    assert_true(form_latency(machine, form, slot_HIDDEN + 1, slot_HIDDEN) == 5);

    assert_int_equal(machine_form(machine, "nop")->ports.count, 0);
    assert_int_equal(machine_form(machine, "wbinvd")->fused, UINT16_MAX - 1);
    assert_null(machine_form(machine, "fma"));
    assert_null(machine_form(machine, "add r64"));
    assert_null(machine_form(machine, "add r64,r64,r64"));
    assert_null(machine_form(machine, ""));
    assert_null(machine_form(machine, NULL));
    machine_free(machine);
}

static void nearest_forms(void **state)
{
    (void)state;
    struct machine *machine =
        parse("form add r64,i8 : uops 1\nform adc r64,i8 : uops 2\nform adc r64,i8=0 : uops 1\n"
              "form vaddpd zmm,zmm,zmm : uops 1\nform vsubpd zmm,k,zmm,zmm : uops 2\n"
              "form vsubpd zmm,zmm,zmm : uops 1\nform vpandd zmm,zmm,zmm : missing\n");
    bool is_unmasked;
    assert_int_equal(machine_form(machine, "adc r64,i8=0")->fused, 1);
    assert_int_equal(machine_form(machine, "adc r64,i8")->fused, 2);
    assert_string_equal(machine_form(machine, "add r64,i8=0")->text, "add r64,i8");
    assert_string_equal(machine_form_nearest(machine, "vaddpd zmm,k,zmm,zmm", &is_unmasked)->text,
                        "vaddpd zmm,zmm,zmm");
    assert_true(is_unmasked);
    assert_string_equal(machine_form_nearest(machine, "vaddpd zmm,kz,zmm,zmm", &is_unmasked)->text,
                        "vaddpd zmm,zmm,zmm");
    assert_true(is_unmasked);
    assert_string_equal(machine_form_nearest(machine, "vsubpd zmm,kz,zmm,zmm", &is_unmasked)->text,
                        "vsubpd zmm,k,zmm,zmm");
    assert_false(is_unmasked);
    assert_null(machine_form(machine, "vmulpd zmm,k,zmm,zmm"));
    assert_true(machine_form_nearest(machine, "vpandd zmm,k,zmm,zmm", &is_unmasked)->is_missing);
    assert_null(machine_form(machine, "vpandd zmm,k,zmm,zmm"));
    machine_free(machine);
    /* A machine without masks does not have masked forms either. */
    machine = parse("form vaddpd ymm,ymm,ymm : uops 1\n");
    assert_null(machine_form(machine, "vaddpd ymm,k,ymm,ymm"));
    machine_free(machine);
}

/* More forms than the table was made for, with long and with equal beginnings. */
static void many_forms(void **state)
{
    (void)state;
    struct array text = ARRAY_OF(char);
    for (const char *at = head; *at; at++)
        *(char *)array_push(&text) = *at;
    enum { MANY = 20000 };
    for (unsigned i = 0; i < MANY; i++) {
        char line[60];
        unsigned length = (unsigned)snprintf(line, sizeof line, "form a%u r:uops %u\n", i, i % 7);
        memcpy(array_push_many(&text, length), line, length);
    }
    struct error error = {0};
    struct machine *machine = machine_parse("many", text.data, text.count, &error);
    assert_non_null(machine);
    assert_int_equal(machine->forms.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        char form[40];
        snprintf(form, sizeof form, "a%u r", i);
        assert_int_equal(machine_form(machine, form)->fused, i % 7);
    }
    machine_free(machine);
    array_free(&text);
}

static void write_machine(const char *name, const char *lines)
{
    char *text = memory_format(
        "name %s\ntitle The %s\nisa x86-64\nfigures invented\nwidth 4\nfloating 2\nmemory 3\nbranches 2\n%s",
        name, name, lines);
    write_file(name, text);
    free(text);
}

static int make_machines(void **state)
{
    if (make_folder(state))
        return -1;
    write_machine("old",
                  "ports 0 1\ncpuid 6 1 2\nform add r,r : uops 1 ports p01 latency 1 rax>1=2\n"
                  "form mul r,r : uops 2 ports p1\nform div r : uops 9 ports 9*p0\nform old r : missing\n");
    write_machine("new", "also newer newest\nports 1 0 2\nlike old\nform mul r,r : uops 1 ports p2\n"
                         "form div r : missing\nform add m,r : uops 2 ports p0 rdx>1=1\n");
    write_machine("wide", "ports 0 1\nforms add, vaddpd\n  r,r zmm,zmm,zmm m : uops 1 ports p1\n");
    write_machine("narrow", "ports 0\nlike wide\nlacks avx512\nform add r,r : uops 2 ports p0\nform add m : "
                            "missing\nforms vaddpd\n  r,r m : missing\n  ymm,ymm,zmm : uops 1 ports p0\n"
                            "form add zmm,zmm,zmm : uops 1\n");
    write_machine("newest-of-all", "ports 0 1 2\nlike new\nform old r : uops 1 ports p2\n");
    write_machine("left", "ports 0\nlike right\n");
    write_machine("right", "ports 0\nlike left\n");
    write_machine("self", "ports 0\nlike self\n");
    write_machine("orphan", "ports 0\nlike nobody\n");
    write_machine("portless", "ports 0\nlike old\n");
    write_machine("broken", "ports 0\nform a : uops x\n");
    write_machine("like-broken", "ports 0\nlike broken\n");
    return 0;
}

static struct machine *load(const char *name)
{
    const char *const folders[] = {"/nowhere", folder};
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 2, &error);
    if (!machine)
        print_error("%s\n", error.text);
    assert_non_null(machine);
    return machine;
}

static void refuse_file(const char *name, const char *words)
{
    const char *const folders[] = {folder};
    struct error error = {0};
    assert_null(machine_load(name, folders, 1, &error));
    if (!strstr(error.text, words))
        print_error("%s\nwanted: %s\n", error.text, words);
    assert_non_null(strstr(error.text, words));
}

static void machines_like_others(void **state)
{
    (void)state;
    struct machine *machine = load("newer");
    assert_string_equal(machine->name, "new");
    assert_string_equal(machine->sibling, "old");
    assert_int_equal(machine_form(machine, "mul r,r")->fused, 1);
    assert_null(machine_form(machine, "div r"));
    const struct machine_form *form = machine_form(machine, "add r,r");
    assert_non_null(form);
    /* Ports are those of this machine, whose order is another. */
    assert_int_equal(port_at(machine, form->ports, 0)->ports, 3);
    assert_string_equal(machine->hidden[0], "rdx");
    assert_string_equal(machine->hidden[1], "rax");
    assert_true(form_latency(machine, form, slot_HIDDEN + 1, 1) == 2);
    machine_free(machine);
    machine = load("newest-of-all");
    assert_int_equal(machine_form(machine, "mul r,r")->fused, 1);
    assert_int_equal(machine_form(machine, "old r")->fused, 1);
    assert_null(machine_form(machine, "div r"));
    assert_non_null(machine_form(machine, "add r,r"));
    machine_free(machine);
    /* Figures of what it lacks are not read: they name ports that it does not have. */
    machine = load("narrow");
    assert_int_equal(machine->forms.count, 7);
    assert_int_equal(machine_form(machine, "add r,r")->fused, 2);
    assert_int_equal(machine_form(machine, "add zmm,zmm,zmm")->fused, 1);
    assert_null(machine_form(machine, "vaddpd zmm,zmm,zmm"));
    assert_null(machine_form(machine, "vaddpd ymm,ymm,zmm"));
    assert_string_equal(machine->name, "narrow");
    assert_int_equal(machine->without, 0);
    machine_free(machine);
    refuse_file("left", "go in a circle at 'left'");
    refuse_file("self", "go in a circle at 'self'");
    refuse_file("orphan", "no file: 'nobody'");
    refuse_file("portless", "old:11: the line `ports`, which must come first, has no port '1'");
    refuse_file("broken", "broken:10: this must be a whole number: 'x'");
    refuse_file("like-broken", "broken:10: this must be a whole number: 'x'");
    /* From text alone the sibling is known by name only. */
    machine = parse("like skylake\nform add r,r : uops 1\n");
    assert_string_equal(machine->sibling, "skylake");
    assert_int_equal(machine->forms.count, 1);
    machine_free(machine);
}

static void names(void **state)
{
    (void)state;
    refuse_file("nwe", "no machine is called 'nwe'; `assay machines` lists all");
    refuse_file("brokn", "did you mean broken");
    refuse_file("newest-of-al", "did you mean newest-of-all");
    refuse_file("lft", "did you mean left?");
    refuse_file("xxxxxxxx", "no machine is called 'xxxxxxxx'; `assay machines` lists all");
    refuse_file("../new", "no machine is called '../new'");
    const char *const nowhere[] = {"/nowhere"};
    struct error error = {0};
    assert_null(machine_load("new", nowhere, 1, &error));
    assert_non_null(strstr(error.text, "ASSAY_MACHINES"));

    const char *const folders[] = {folder, folder};
    struct array known = machine_names(folders, 2);
    assert_int_equal(known.count, 12);
    assert_string_equal(*ARRAY_AT(char *, &known, 0), "broken");
    for (size_t i = 0; i < known.count; i++) {
        char *name = *ARRAY_AT(char *, &known, i);
        assert_true(!i || strcmp(*ARRAY_AT(char *, &known, i - 1), name) < 0);
    }
    for (size_t i = 0; i < known.count; i++)
        free(*ARRAY_AT(char *, &known, i));
    array_free(&known);
}

/* The files that come with Assay: each loads, is called as its file, and finds its own forms. */
static void shipped_files(void **state)
{
    (void)state;
    const char *const folders[] = {MACHINES};
    struct array known = machine_names(folders, 1);
    assert_true(known.count >= 10);
    for (size_t i = 0; i < known.count; i++) {
        char *name = *ARRAY_AT(char *, &known, i);
        struct error error = {0};
        struct machine *machine = machine_load(name, folders, 1, &error);
        if (!machine)
            print_error("%s\n", error.text);
        assert_non_null(machine);
        assert_string_equal(machine->name, name);
        free(name);
        for (size_t k = 0; k < machine->forms.count; k++) {
            const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, k);
            bool is_unmasked;
            assert_ptr_equal(machine_form_nearest(machine, form->text, &is_unmasked), form);
        }
        if (machine->forms.count) {
            assert_true(machine->core.issue > 0 || machine->core.is_in_order);
            assert_true(machine->port_count > 1);
        }
        machine_free(machine);
    }
    array_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches),          cmocka_unit_test(facts_of_the_core),
        cmocka_unit_test(bad_facts),       cmocka_unit_test(bad_forms),
        cmocka_unit_test(bad_blocks),      cmocka_unit_test(words_of_forms),
        cmocka_unit_test(blocks_of_forms), cmocka_unit_test(nearest_forms),
        cmocka_unit_test(many_forms),      cmocka_unit_test(machines_like_others),
        cmocka_unit_test(names),           cmocka_unit_test(shipped_files),
    };
    return cmocka_run_group_tests(tests, make_machines, remove_folder);
}
