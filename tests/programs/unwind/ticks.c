/* Samples itself while it works (work.c), with what backtrace() says: ticks MODE FILE.  MODE:
     work     the work, as a signal interrupted it
     handler  the signal's handler: the callers lead through the signal
     called   a function that the work called */
#define _GNU_SOURCE
#include "ticks.h"

#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

double work(int rounds);
extern void (*hook)(void);

static struct tick *ticks;
static volatile unsigned tick_count;
static uint64_t stack_end;
static int is_interrupted; /* samples are of what was interrupted */

static uint64_t note_registers(uint64_t *values, const ucontext_t *context)
{
#ifdef __x86_64__
    static const int numbers[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < 17; i++)
        values[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
    return values[7];
#else
    for (unsigned i = 0; i < 31; i++)
        values[i] = context->uc_mcontext.regs[i];
    values[31] = context->uc_mcontext.sp;
    values[32] = context->uc_mcontext.pc;
    return values[31];
#endif
}

static void on_tick(int number, siginfo_t *information, void *context)
{
    (void)number;
    (void)information;
    if (tick_count >= TICKS)
        return;
    struct tick *tick = &ticks[tick_count];
    ucontext_t own;
    void *expected[TICK_FRAMES];
    getcontext(&own);
    tick->stack_address = note_registers(tick->values, is_interrupted ? context : &own);
    uint64_t size = stack_end - tick->stack_address;
    tick->stack_size = size < TICK_STACK ? size : TICK_STACK;
    memcpy(tick->stack, (const void *)tick->stack_address, tick->stack_size);
    tick->expected_count = (uint64_t)backtrace(expected, TICK_FRAMES);
    for (unsigned i = 0; i < tick->expected_count; i++)
        tick->expected[i] = (uint64_t)expected[i];
    tick_count++;
}

static void on_call(void)
{
    on_tick(0, NULL, NULL);
}

static struct tick_module modules[100];
static struct ticks_head head;

static int note_module(struct dl_phdr_info *info, size_t size, void *program)
{
    (void)size;
    struct tick_module *module = &modules[head.module_count++];
    module->start = UINT64_MAX;
    module->bias = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uint64_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        module->start = start < module->start ? start : module->start;
        module->end = end > module->end ? end : module->end;
    }
    snprintf(module->path, sizeof module->path, "%s", *info->dlpi_name ? info->dlpi_name : program);
    return head.module_count == sizeof modules / sizeof *modules;
}

int main(int count, char **words)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval often = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}}, never = {0};
    void *first[1];
    if (count != 3)
        return 2;
    stack_end = (uint64_t)words; /* below the words there is nothing but stack */
    ticks = calloc(TICKS, sizeof *ticks);
    backtrace(first, 1); /* loads libgcc */
    is_interrupted = !strcmp(words[1], "work");
    sigaction(SIGPROF, &action, NULL);
    if (!strcmp(words[1], "called"))
        hook = on_call;
    else
        setitimer(ITIMER_PROF, &often, NULL);
    while (tick_count < TICKS)
        work(200);
    setitimer(ITIMER_PROF, &never, NULL);
    dl_iterate_phdr(note_module, words[0]);
    head.tick_count = TICKS;
    FILE *file = fopen(words[2], "wb");
    return !file || fwrite(&head, sizeof head, 1, file) != 1 ||
           fwrite(modules, sizeof *modules, head.module_count, file) != head.module_count ||
           fwrite(ticks, sizeof *ticks, TICKS, file) != TICKS || fclose(file);
}
