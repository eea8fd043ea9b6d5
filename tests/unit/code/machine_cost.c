/* What instructions cost on a machine of our own making, where every answer can be told by hand: real bytes
   are decoded, so that operands and uses of registers are the reader's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/machine/resolve.h"
#include "code/structure/snippet.h"

static const char machine_text[] =
    "name hand\ntitle Made by hand\nisa x86-64\nfigures invented\nwidth 4\nfloating 2\nmemory 3\nbranches 2\n"
    "ports 0 1 2 3 4 5 6 7\nload-ports p23\naddress-ports p237\nstore-ports p4\n"
    "decoders 4 4 4\nissue 4\nstack-engine\nhigh-bytes-apart\nvector-bits 256\nvector-registers "
    "16\ncomplete\n"
    "latency load 5\nlatency load int32 vector 6\nlatency multiply 3\nbusy divide 20\n"
    "form add r64,r64 : uops 1 ports p0156 latency 1\n"
    "form add r32,m32 : uops 1 ports p0156+p23 indexed 2 indexed-ports p0156+p2 latency 1 addr>1=6 index>1=7 "
    "addr>f=6 index>f=7\n"
    "form add m64,r64 : uops 2 ports p0156+p23+p237+p4 latency 3 2>f=1 addr>f=6\n"
    "form inc m64 : uops 3 ports p0156+p23+p237+p4 latency 10 addr>f=6\n"
    "form adc r64,r64 : uops 1 ports p06 latency 1\n"
    "form inc r64 : uops 1 ports p0156 latency 1\n"
    "form mov r64,m64 : uops 1 ports p23 latency 5 mem>1=2\n"
    "form mov m64,r64 : uops 1 ports p237+p4 indexed-ports p23+p4 latency 2\n"
    "form mov r32,r32 : uops 1 ports p0156 eliminated latency 0\n"
    "form mov r8h,i8 : uops 1 ports p0156 latency 1\n"
    "form mov r8,i8 : uops 1 ports p0156 latency 1\n"
    "form movzx r32,r8h : uops 1 ports p0156 latency 1\n"
    "form movaps xmm,xmm : uops 1 ports p015 eliminated latency 1\n"
    "form movaps xmm,m128 : uops 1 ports p23 latency 6\n"
    "form sqrtpd xmm,m128 : uops 1 ports p0+p23 latency 24\n"
    "form xor r32,r32 : uops 1 ports p0156 same 1 same-ports none breaks latency 1\n"
    "form pcmpeqd xmm,xmm : uops 1 ports p01 breaks latency 1\n"
    "form sub r32,r32 : uops 1 ports p0156 same-latency 3 latency 1\n"
    "form addps xmm,xmm : uops 1 ports p01 latency 4\n"
    "form cvtsi2sd xmm,r32 : uops 2 ports p01+p5 latency 7 1>1=4\n"
    "form popcnt r64,r64 : uops 1 ports p1 latency 3 1>1=3\n"
    "form mul r64 : uops 2 ports p1+p5 latency 3 1>rdx=4 rax>rdx=4\n"
    "form mul r32 : uops 3 ports p1+p0156+p5 latency 4 1>rdx=5 rax>rdx=5\n"
    "form cmovne r32,r32 : uops 1 ports p06 latency 1\n"
    "form shl r32,cl : uops 3 ports 3*p06 latency 2 1>1=1 f>1=-\n"
    "form push r64 : uops 1 ports p237+p4 latency 2\n"
    "form push m64 : uops 2 ports p23+p237+p4 latency 2\n"
    "form pop r64 : uops 1 ports p23 latency 2\n"
    "form call r64 : uops 2 ports p06+p237+p4\n"
    "form leave : uops 3 ports 2*p0156+p23 latency 6\n"
    "form lea r64,b+i*s+d8 : uops 1 ports p1 latency 3\n"
    "form lea r64,b+d8 : uops 1 ports p15 latency 1\n"
    "form vaddpd ymm,ymm,ymm : uops 1 ports p01 latency 4\n"
    "form vpaddd xmm,xmm,xmm : uops 1 ports p15 latency 1\n"
    "form movsb : uops 5 ports 2*p0156+2*p23+p4 latency 4\n"
    "form vzeroupper : uops 4 ports none\n"
    "form jne rel8 : uops 1 ports p6\n"
    "form imul r32,m32 : uops 1 ports p1+p23 latency 3 addr>1=8\n"
    "form bt r16,i8 : uops 1 ports p06\n"
    "form nop : uops 1 ports none\n";

static struct machine *machine;
static struct snippets snippets;
static struct machine_costs costs;

static int begin(void **state)
{
    (void)state;
    struct error error = {0};
    machine = machine_parse("hand", machine_text, strlen(machine_text), &error);
    if (!machine || !snippets_begin(&snippets, isa_X86_64, &error)) {
        print_error("%s\n", error.text);
        return -1;
    }
    machine_costs_begin(&costs, machine, &snippets.model);
    return 0;
}

static int end(void **state)
{
    (void)state;
    machine_costs_end(&costs);
    snippets_end(&snippets);
    machine_free(machine);
    return 0;
}

/* The cost of one instruction, as bytes in hexadecimal. */
static const struct machine_cost *cost_of(const char *hex)
{
    uint8_t bytes[32];
    size_t size;
    struct error error = {0};
    bool is_good = snippet_bytes(hex, strlen(hex), bytes, &size, &error) &&
                   snippets_read(&snippets, bytes, size, &error);
    if (!is_good)
        print_error("%s\n", error.text);
    assert_true(is_good);
    assert_int_equal(snippets.rows.count, 1);
    return machine_cost(&costs, ARRAY_AT(struct snippet_row, &snippets.rows, 0)->encoding);
}

static uint16_t resource(const char *name)
{
    if (!strcmp(name, "mem"))
        return RESOURCE_MEMORY;
    for (uint32_t id = 1; id < snippets.model.registers.count; id++)
        if (!strcmp(model_text(&snippets.model, model_register(&snippets.model, id)->name), name))
            return costs.resource_of[id];
    fail_msg("no register %s", name);
    return 0;
}

/* The latency of a flow; -1 where there is none. */
static double flow(const struct machine_cost *cost, const char *from, const char *to, enum cost_way way)
{
    double found = -1;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *each = &cost->flows[i];
        if (each->from != resource(from) || each->to != resource(to) || each->way != way)
            continue;
        assert_true(found == -1); /* each once */
        found = each->latency;
    }
    return found;
}

static bool writes(const struct machine_cost *cost, const char *name)
{
    unsigned found = 0;
    for (unsigned i = 0; i < cost->write_count; i++)
        found += cost->writes[i] == resource(name);
    assert_true(found < 2);
    return found;
}

static void check_access(const struct cost_access *access, const char *base, bool loads, bool stores,
                         unsigned bytes, int64_t displacement)
{
    assert_int_equal(access->base, resource(base));
    assert_int_equal(access->loads, loads);
    assert_int_equal(access->stores, stores);
    assert_int_equal(access->bytes, bytes);
    assert_int_equal(access->displacement, displacement);
}

static void registers_are_resources(void **state)
{
    (void)state;
    assert_int_equal(resource("eax"), resource("rax"));
    assert_int_equal(resource("al"), resource("rax"));
    assert_int_not_equal(resource("ah"), resource("rax"));
    assert_int_equal(resource("xmm3"), resource("ymm3"));
    assert_int_equal(resource("zf"), resource("of"));
    assert_int_equal(resource("pf"), resource("sf"));
    assert_int_not_equal(resource("cf"), resource("zf"));
    assert_int_equal(resource("rip"), RESOURCE_NONE);
    assert_int_equal(resource("cs"), RESOURCE_NONE);
    assert_int_equal(resource("mxcsr"), RESOURCE_NONE);
}

static void plain_arithmetic(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("4801d8"); /* add rax,rbx */
    assert_non_null(cost->form);
    assert_string_equal(cost->name, "add");
    assert_int_equal(cost->size, 3);
    assert_int_equal(cost->fused, 1);
    assert_int_equal(cost->port_count, 1);
    assert_int_equal(cost->ports[0].ports, 0x63);
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1 && flow(cost, "rbx", "rax", way_REGISTER) == 1);
    assert_true(flow(cost, "rax", "cf", way_REGISTER) == 1 && flow(cost, "rbx", "zf", way_REGISTER) == 1);
    assert_true(writes(cost, "rax") && writes(cost, "cf") && writes(cost, "zf") && !writes(cost, "rbx"));
    /* High bytes: read with the whole, and ended by it without a dependence. */
    assert_true(flow(cost, "ah", "rax", way_REGISTER) == 1 && flow(cost, "bh", "rax", way_REGISTER) == 1);
    assert_true(writes(cost, "ah") && flow(cost, "rax", "ah", way_REGISTER) == -1);
    assert_int_equal(cost->access_count, 0);
    assert_ptr_equal(cost, cost_of("4801d8"));

    cost = cost_of("4811d8"); /* adc rax,rbx */
    assert_true(flow(cost, "cf", "rax", way_REGISTER) == 1 && flow(cost, "zf", "rax", way_REGISTER) == -1);
    cost = cost_of("48ffc0"); /* inc rax: the carry stays as it is */
    assert_true(writes(cost, "zf") && !writes(cost, "cf"));
}

static void parts_of_registers(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("b005"); /* mov al,5 */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1);
    assert_false(writes(cost, "ah"));
    cost = cost_of("b405"); /* mov ah,5 */
    assert_true(writes(cost, "ah") && !writes(cost, "rax"));
    assert_int_equal(cost->flow_count, 0);
    cost = cost_of("0fb6cc"); /* movzx ecx,ah */
    assert_true(flow(cost, "ah", "rcx", way_REGISTER) == 1 && flow(cost, "rax", "rcx", way_REGISTER) == 1);
    assert_true(flow(cost, "rcx", "rcx", way_REGISTER) == -1);
    cost = cost_of("0f45c3"); /* cmovne eax,ebx */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1 && flow(cost, "zf", "rax", way_REGISTER) == 1);
    cost = cost_of("f30f2ac8"); /* cvtsi2ss is not known; */
    assert_null(cost->form);
    cost = cost_of("f20f2ac8"); /* cvtsi2sd xmm1,eax waits for xmm1, as the form says */
    assert_true(flow(cost, "xmm1", "xmm1", way_REGISTER) == 4 &&
                flow(cost, "rax", "xmm1", way_REGISTER) == 7);
    cost = cost_of("0f28ca"); /* movaps xmm1,xmm2 does not, though it keeps the upper half */
    assert_true(flow(cost, "xmm1", "xmm1", way_REGISTER) == -1 &&
                flow(cost, "xmm2", "xmm1", way_REGISTER) == 1);
    cost = cost_of("f3480fb8c3"); /* popcnt rax,rbx waits for rax for no reason */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 3 && flow(cost, "rbx", "rax", way_REGISTER) == 3);
    cost = cost_of("d3e0"); /* shl eax,cl: the old flags may stay */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1 && flow(cost, "rcx", "rax", way_REGISTER) == 2);
    assert_true(flow(cost, "zf", "zf", way_REGISTER) == 2 && flow(cost, "cf", "zf", way_REGISTER) == -1);
    assert_true(flow(cost, "zf", "rax", way_REGISTER) == -1);
    cost = cost_of("c5f877"); /* vzeroupper: lower parts pass */
    assert_true(flow(cost, "xmm7", "xmm7", way_REGISTER) == 0 &&
                flow(cost, "xmm7", "xmm8", way_REGISTER) == -1);
}

static void hidden_registers(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("48f7e3"); /* mul rbx */
    assert_true(flow(cost, "rbx", "rax", way_REGISTER) == 3 && flow(cost, "rbx", "rdx", way_REGISTER) == 4);
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 3 && flow(cost, "rax", "rdx", way_REGISTER) == 4);
    assert_true(flow(cost, "rdx", "rax", way_REGISTER) == -1);
    cost = cost_of("f7e3"); /* mul ebx: the file says rdx, the instruction edx */
    assert_true(flow(cost, "rax", "rdx", way_REGISTER) == 5 && flow(cost, "rax", "rax", way_REGISTER) == 4);
}

static void memory(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("488b4310"); /* mov rax,[rbx+16] */
    assert_true(flow(cost, "rbx", "rax", way_BASE) == 5 && flow(cost, "rbx", "rax", way_REGISTER) == -1);
    assert_true(flow(cost, "mem", "rax", way_MEMORY) == 0);
    assert_int_equal(cost->access_count, 1);
    check_access(&cost->accesses[0], "rbx", true, false, 8, 16);
    cost = cost_of("034c9308"); /* add ecx,[rbx+rdx*4+8] */
    assert_true(flow(cost, "rbx", "rcx", way_BASE) == 6 && flow(cost, "rdx", "rcx", way_INDEX) == 7);
    assert_true(flow(cost, "rcx", "rcx", way_REGISTER) == 1 && flow(cost, "mem", "rcx", way_MEMORY) == 1);
    assert_int_equal(cost->accesses[0].index, resource("rdx"));
    assert_int_equal(cost->accesses[0].scale, 4);
    assert_int_equal(cost->fused, 2);
    assert_int_equal(cost->ports[1].ports, 4);
    cost = cost_of("030b"); /* add ecx,[rbx]: without index */
    assert_int_equal(cost->fused, 1);
    assert_int_equal(cost->ports[1].ports, 12);
    cost = cost_of("488903"); /* mov [rbx],rax */
    assert_true(flow(cost, "rax", "mem", way_REGISTER) == 0 && flow(cost, "rbx", "mem", way_REGISTER) == -1);
    assert_int_equal(cost->write_count, 0);
    check_access(&cost->accesses[0], "rbx", false, true, 8, 0);
    cost = cost_of("480103"); /* add [rbx],rax: one cycle beyond load and store */
    assert_true(flow(cost, "rax", "mem", way_REGISTER) == 1 && flow(cost, "mem", "mem", way_MEMORY) == 1);
    assert_true(flow(cost, "rbx", "zf", way_BASE) == 6 && flow(cost, "mem", "zf", way_MEMORY) == 1);
    check_access(&cost->accesses[0], "rbx", true, true, 8, 0);
    cost = cost_of("48ff03"); /* inc qword [rbx] */
    assert_true(flow(cost, "mem", "mem", way_MEMORY) == 1);
    cost = cost_of("660f5103"); /* sqrtpd xmm0,[rbx]: 24 with a load of 6 in it */
    assert_true(flow(cost, "mem", "xmm0", way_MEMORY) == 18 && flow(cost, "rbx", "xmm0", way_BASE) == 24);
    assert_true(cost->accesses[0].is_vector);
    assert_int_equal(cost->accesses[0].bytes, 16);
    cost = cost_of("488b0510000000"); /* mov rax,[rip+16] */
    assert_true(cost->accesses[0].is_relative);
    assert_int_equal(cost->accesses[0].base, RESOURCE_NONE);
    cost = cost_of("488d444b05"); /* lea rax,[rbx+rcx*2+5] accesses nothing */
    assert_true(flow(cost, "rbx", "rax", way_REGISTER) == 3 && flow(cost, "rcx", "rax", way_REGISTER) == 3);
    assert_int_equal(cost->access_count, 0);
    cost = cost_of("a4"); /* movsb */
    assert_int_equal(cost->access_count, 2);
    check_access(&cost->accesses[0], "rsi", true, false, 1, 0);
    check_access(&cost->accesses[1], "rdi", false, true, 1, 0);
    assert_true(flow(cost, "rsi", "rsi", way_REGISTER) == 1 && flow(cost, "rsi", "rdi", way_REGISTER) == -1);
}

static void equal_sources(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("31c0"); /* xor eax,eax */
    assert_int_equal(cost->flow_count, 0);
    assert_int_equal(cost->port_count, 0);
    assert_true(writes(cost, "rax") && writes(cost, "zf"));
    cost = cost_of("31d8"); /* xor eax,ebx */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1);
    assert_int_equal(cost->port_count, 1);
    cost = cost_of("660f76d2"); /* pcmpeqd xmm2,xmm2: executed, but waits for nothing */
    assert_int_equal(cost->flow_count, 0);
    assert_int_equal(cost->port_count, 1);
    cost = cost_of("29c0"); /* sub eax,eax */
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 3);
    cost = cost_of("29d8");
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1);
}

static void eliminated_moves(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("89c8"); /* mov eax,ecx */
    assert_true(cost->is_eliminated && !cost->is_vector_move);
    cost = cost_of("89c0"); /* mov eax,eax */
    assert_false(cost->is_eliminated);
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 1);
    cost = cost_of("0f28ca");
    assert_true(cost->is_eliminated && cost->is_vector_move);
    cost = cost_of("0f28c9"); /* movaps xmm1,xmm1 */
    assert_false(cost->is_eliminated);
}

static void stack(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("53"); /* push rbx */
    assert_true(cost->uses_stack_engine && !cost->reads_stack_pointer);
    assert_true(flow(cost, "rsp", "rsp", way_REGISTER) == 0 && flow(cost, "rbx", "mem", way_REGISTER) == 0);
    check_access(&cost->accesses[0], "rsp", false, true, 8, -8);
    assert_int_equal(cost->step.to, resource("rsp"));
    assert_int_equal(cost->step.constant, -8);
    cost = cost_of("59"); /* pop rcx */
    assert_true(cost->uses_stack_engine && !cost->reads_stack_pointer);
    assert_true(flow(cost, "rsp", "rcx", way_BASE) == 5 && flow(cost, "rsp", "rcx", way_REGISTER) == -1);
    assert_true(flow(cost, "mem", "rcx", way_MEMORY) == 0 && flow(cost, "mem", "rsp", way_MEMORY) == -1);
    check_access(&cost->accesses[0], "rsp", true, false, 8, 0);
    cost = cost_of("54"); /* push rsp */
    assert_true(cost->uses_stack_engine && cost->reads_stack_pointer);
    assert_true(flow(cost, "rsp", "mem", way_REGISTER) == 0);
    cost = cost_of("5c"); /* pop rsp */
    assert_false(cost->uses_stack_engine);
    assert_true(flow(cost, "mem", "rsp", way_MEMORY) == 0);
    cost = cost_of("ff33"); /* push [rbx] */
    assert_int_equal(cost->access_count, 2);
    check_access(&cost->accesses[0], "rbx", true, false, 8, 0);
    check_access(&cost->accesses[1], "rsp", false, true, 8, -8);
    assert_true(flow(cost, "mem", "mem", way_MEMORY) == 0);
    cost = cost_of("ffd0"); /* call rax: stores where it comes from */
    assert_true(cost->uses_stack_engine && cost->is_call && cost->is_branch);
    assert_true(flow(cost, "rax", "mem", way_REGISTER) == -1);
    cost = cost_of("c9"); /* leave */
    assert_false(cost->uses_stack_engine);
    assert_true(flow(cost, "rbp", "rsp", way_REGISTER) == 1 && flow(cost, "mem", "rsp", way_MEMORY) == -1);
    cost = cost_of("488d442408"); /* lea rax,[rsp+8] */
    assert_true(cost->reads_stack_pointer && !cost->uses_stack_engine);
    cost = cost_of("488b0424"); /* mov rax,[rsp] */
    assert_true(cost->reads_stack_pointer);
    cost = cost_of("75fe"); /* jne */
    assert_true(cost->is_branch && cost->is_conditional && !cost->is_call && !cost->reads_stack_pointer);
    assert_true(cost_of("90")->is_noop);
}

static void assumed(void **state)
{
    (void)state;
    const struct machine_cost *cost =
        cost_of("0fafc3"); /* imul eax,ebx: only the form with memory is known */
    assert_true(!cost->form && !cost->is_missing && cost->lack == lack_NONE);
    assert_int_equal(cost->fused, 1);
    assert_int_equal(cost->port_count, 1);
    assert_int_equal(cost->ports[0].ports, 0x63);
    assert_true(flow(cost, "rax", "rax", way_REGISTER) == 3 && flow(cost, "rbx", "rax", way_REGISTER) == 3);
    cost = cost_of("4801c3"); /* the same register kinds, known */
    assert_non_null(cost->form);
    cost = cost_of("480303"); /* add rax,[rbx]: 1 µop with its load, 5 + 1 from the address */
    assert_null(cost->form);
    assert_int_equal(cost->fused, 1);
    assert_int_equal(cost->port_count, 2);
    assert_true(flow(cost, "rbx", "rax", way_BASE) == 6 && flow(cost, "mem", "rax", way_MEMORY) == 1);
    cost = cost_of("0103"); /* add [rbx],eax */
    assert_int_equal(cost->fused, 2);
    assert_int_equal(cost->port_count, 4);
    assert_true(cost->needs_complex_decoder);
}

static void missing(void **state)
{
    (void)state;
    const struct machine_cost *cost = cost_of("62f1f54858c2"); /* vaddpd zmm0,zmm1,zmm2 */
    assert_true(cost->is_missing && !cost->form);
    assert_int_equal(cost->lack, lack_VECTOR_LENGTH);
    cost = cost_of("62e1f52858c2"); /* vaddpd ymm16,ymm1,ymm2: spelled as the known form */
    assert_true(cost->is_missing);
    assert_int_equal(cost->lack, lack_VECTOR_REGISTERS);
    cost = cost_of("c5f558c2"); /* vaddpd ymm0,ymm1,ymm2 */
    assert_false(cost->is_missing);
    cost = cost_of("c4e2f5b8c2"); /* vfmadd231pd ymm0,ymm1,ymm2: no form of that name */
    assert_true(cost->is_missing && cost->lack == lack_INSTRUCTION && !cost->lacking_extension);
    cost = cost_of("c5f5fec2"); /* vpaddd ymm0,ymm1,ymm2: known with xmm only */
    assert_true(cost->is_missing);
    cost = cost_of("62f1f52958c2"); /* vaddpd ymm0{k1},ymm1,ymm2 on a machine without masks */
    assert_true(cost->is_missing);
    cost = cost_of("62f1f5385803"); /* vaddpd ymm0,ymm1,[rbx]{1to4} */
    assert_true(cost->is_missing);
}

/* Rows that were dropped are resolved anew. */
static void cleared(void **state)
{
    (void)state;
    assert_string_equal(cost_of("4801d8")->name, "add");
    snippets_forget(&snippets);
    machine_costs_clear(&costs);
    const struct machine_cost *cost = cost_of("53");
    assert_string_equal(cost->name, "push");
    assert_true(cost->uses_stack_engine);
    cost = cost_of("4801d8");
    assert_true(flow(cost, "rbx", "rax", way_REGISTER) == 1);
}

/* 32-bit code on the same machine: registers of its own, and a table of 64-bit forms does not judge it. */
static void other_mode(void **state)
{
    (void)state;
    struct error error = {0};
    struct snippets other;
    struct machine_costs there;
    assert_true(snippets_begin(&other, isa_I386, &error));
    machine_costs_begin(&there, machine, &other.model);
    static const uint8_t bytes[] = {0x01, 0xd8, 0x53, 0x60}; /* add eax,ebx; push ebx; pushad */
    assert_true(snippets_read(&other, bytes, sizeof bytes, &error));
    const struct machine_cost *found[3];
    for (unsigned i = 0; i < 3; i++)
        found[i] = machine_cost(&there, ARRAY_AT(struct snippet_row, &other.rows, i)->encoding);
    assert_true(!found[0]->form && found[0]->flow_count > 0 && found[0]->write_count > 0);
    assert_true(found[1]->uses_stack_engine);
    assert_int_equal(found[1]->accesses[0].displacement, -4);
    assert_true(!found[2]->is_missing && found[2]->uses_stack_engine);
    machine_costs_end(&there);
    snippets_end(&other);
}

static uint32_t row_of(const char *name)
{
    for (uint32_t id = 1; id < snippets.model.registers.count; id++)
        if (!strcmp(model_text(&snippets.model, model_register(&snippets.model, id)->name), name))
            return id;
    fail_msg("no register %s", name);
    return 0;
}

/* Instructions that nobody has read cost what those of the same form do. */
static void made(void **state)
{
    (void)state;
    /* vaddpd ymm1, ymm2, ymm3; the last source is a constant of the loop, without a name. */
    struct operand operands[] = {
        {.position = 1, .kind = operand_kind_REGISTER, .access = access_WRITE, .register_ = row_of("xmm1")},
        {.position = 2, .kind = operand_kind_REGISTER, .access = access_READ, .register_ = row_of("rax")},
        {.position = 3, .kind = operand_kind_REGISTER, .access = access_READ}};
    struct machine_made vector = {.name = "vector",
                                  .form = "vaddpd ymm,ymm,ymm",
                                  .class = class_ADD,
                                  .size = 5,
                                  .operands = operands,
                                  .operand_count = 3};
    const struct machine_cost *cost = machine_cost_make(&costs, &vector);
    assert_non_null(cost);
    assert_true(cost->form && cost->fused == 1 && cost->port_count == 1 && cost->size == 5);
    assert_true(writes(cost, "xmm1") && cost->write_count == 1);
    assert_true(flow(cost, "rax", "xmm1", way_REGISTER) == 4);
    assert_int_equal(cost->flow_count, 1);
    /* One place that reads one register and writes another. */
    struct operand both[] = {
        {.position = 1, .kind = operand_kind_REGISTER, .access = access_READ, .register_ = row_of("xmm3")},
        {.position = 1, .kind = operand_kind_REGISTER, .access = access_WRITE, .register_ = row_of("xmm4")},
        {.position = 2, .kind = operand_kind_REGISTER, .access = access_READ, .register_ = row_of("xmm5")}};
    vector.form = "addps xmm,xmm";
    vector.operands = both;
    cost = machine_cost_make(&costs, &vector);
    assert_true(flow(cost, "xmm3", "xmm4", way_REGISTER) == 4 &&
                flow(cost, "xmm5", "xmm4", way_REGISTER) == 4);
    assert_true(writes(cost, "xmm4") && !writes(cost, "xmm3"));
    /* A load steps nothing and says where it loads from. */
    struct operand load[] = {
        {.position = 1, .kind = operand_kind_REGISTER, .access = access_WRITE, .register_ = row_of("xmm6")},
        {.position = 2,
         .kind = operand_kind_MEMORY,
         .access = access_READ,
         .bits = 128,
         .base_register = row_of("rdi"),
         .displacement = 32}};
    vector = (struct machine_made){.name = "vector",
                                   .form = "movaps xmm,m128",
                                   .class = class_LOAD,
                                   .size = 4,
                                   .load_bytes = 16,
                                   .operands = load,
                                   .operand_count = 2};
    cost = machine_cost_make(&costs, &vector);
    assert_int_equal(cost->access_count, 1);
    assert_true(cost->accesses[0].loads && cost->accesses[0].bytes == 16 &&
                cost->accesses[0].displacement == 32);
    assert_int_equal(cost->accesses[0].base, resource("rdi"));
    assert_true(flow(cost, "rdi", "xmm6", way_BASE) == 6);
    /* What the machine does not have. */
    vector.form = "vmovaps zmm,m512";
    assert_null(machine_cost_make(&costs, &vector));
}

/* Every division that a shipped machine has a form for has figures for easy and for hard operands. */
static void figures_of_divisions(void **state)
{
    (void)state;
    const char *const folders[] = {MACHINES};
    struct array known = machine_names(folders, 1);
    size_t divisions = 0, lacking = 0;
    for (size_t i = 0; i < known.count; i++) {
        char *name = *ARRAY_AT(char *, &known, i);
        struct error error = {0};
        struct machine *there = machine_load(name, folders, 1, &error);
        assert_non_null(there);
        for (size_t k = 0; k < there->forms.count; k++) {
            const struct machine_form *form = ARRAY_AT(struct machine_form, &there->forms, k);
            struct machine_division kind;
            if (form->is_missing || !division_kind(there, form->text, &kind))
                continue;
            const struct machine_division *row = machine_division(there, form->text);
            bool is_whole = row && row->of[division_EASY].source && row->of[division_HARD].source;
            if (!is_whole)
                print_error("%s: no figures by operands for %s\n", name, form->text);
            divisions++;
            lacking += !is_whole;
        }
        machine_free(there);
        free(name);
    }
    array_free(&known);
    assert_int_equal(lacking, 0);
    assert_true(divisions > 1000);
}

static void kinds_of_divisions(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *form;
        enum class class;
        enum element element;
        unsigned bits;
    } cases[] = {
        {"skylake", "divsd xmm,m64", class_DIVIDE, element_FP64, 0},
        {"skylake", "vdivps ymm,ymm,m256", class_DIVIDE, element_FP32, 256},
        {"skylake", "sqrtpd xmm,xmm", class_SQRT, element_FP64, 128},
        {"skylake", "idiv m32", class_DIVIDE, element_INT32, 0},
        {"skylake", "div r64", class_DIVIDE, element_INT64, 0},
        {"neoverse-v1", "fdiv d,d,d", class_DIVIDE, element_FP64, 0},
        {"neoverse-v1", "fsqrt 2s,2s", class_SQRT, element_FP32, 64},
        {"neoverse-v1", "fdiv z.d,p/m,z.d,z.d", class_DIVIDE, element_FP64, 256},
        {"neoverse-v1", "udiv x,x,x", class_DIVIDE, element_INT64, 0},
    };
    static const char *const others[] = {"mulsd xmm,xmm", "fdiv st,st", "div r8", "divx r64", "div"};
    const char *const folders[] = {MACHINES};
    struct error error = {0};
    struct machine_division kind;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine *there = machine_load(cases[i].machine, folders, 1, &error);
        assert_true(division_kind(there, cases[i].form, &kind));
        assert_int_equal(kind.class, cases[i].class);
        assert_int_equal(kind.element, cases[i].element);
        assert_int_equal(kind.bits, cases[i].bits);
        machine_free(there);
    }
    struct machine *there = machine_load("skylake", folders, 1, &error);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(division_kind(there, others[i], &kind));
    machine_free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_divisions),
        cmocka_unit_test(kinds_of_divisions),
        cmocka_unit_test(registers_are_resources),
        cmocka_unit_test(plain_arithmetic),
        cmocka_unit_test(parts_of_registers),
        cmocka_unit_test(hidden_registers),
        cmocka_unit_test(memory),
        cmocka_unit_test(equal_sources),
        cmocka_unit_test(eliminated_moves),
        cmocka_unit_test(stack),
        cmocka_unit_test(assumed),
        cmocka_unit_test(missing),
        cmocka_unit_test(cleared),
        cmocka_unit_test(other_mode),
        cmocka_unit_test(made),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
