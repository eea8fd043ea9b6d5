/* What the encoders of trampolines share, and which instruction sets have one. */
#include "run/probe/trampoline/trampoline.h"

void probe_trampolines_init(struct probe_trampolines *trampolines, uint32_t first_window)
{
    *trampolines = (struct probe_trampolines){.first_window = first_window,
                                              .code = ARRAY_OF(uint8_t),
                                              .fixes = ARRAY_OF(struct probe_plan_fix),
                                              .starts = ARRAY_OF(uint32_t),
                                              .past_entries = ARRAY_OF(uint32_t),
                                              .pending = ARRAY_OF(struct probe_pending),
                                              .literals = ARRAY_OF(struct probe_literal)};
}

void probe_trampolines_free(struct probe_trampolines *trampolines)
{
    array_free(&trampolines->code);
    array_free(&trampolines->fixes);
    array_free(&trampolines->starts);
    array_free(&trampolines->past_entries);
    array_free(&trampolines->pending);
    array_free(&trampolines->literals);
}

void probe_trampolines_begin(struct probe_trampolines *trampolines, const struct probe_windows *windows,
                             const struct probe_window *window)
{
    size_t number =
        (size_t)(window - ARRAY_AT(const struct probe_window, &windows->windows, trampolines->first_window));
    while (trampolines->starts.count < number) {
        *(uint32_t *)array_push(&trampolines->starts) = NO_TRAMPOLINE;
        *(uint32_t *)array_push(&trampolines->past_entries) = NO_TRAMPOLINE;
    }
    *(uint32_t *)array_push(&trampolines->starts) = (uint32_t)trampolines->code.count;
    *(uint32_t *)array_push(&trampolines->past_entries) = (uint32_t)trampolines->code.count;
}

const struct trampoline_encoder *trampoline_encoder(enum isa isa)
{
    static const struct trampoline_encoder *const encoders[] = {&aarch64_trampolines, &x86_64_trampolines};
    for (size_t i = 0; i < sizeof encoders / sizeof encoders[0]; i++)
        if (encoders[i]->isa == isa)
            return encoders[i];
    return NULL;
}
