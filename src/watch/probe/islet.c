/* What the encoders of islets share, and which instruction sets have one. */
#include "watch/probe/islet.h"

void watch_islets_init(struct watch_islets *islets, uint32_t first_window)
{
    *islets = (struct watch_islets){.first_window = first_window,
                                    .code = ARRAY_OF(uint8_t),
                                    .fixes = ARRAY_OF(struct probe_plan_fix),
                                    .starts = ARRAY_OF(uint32_t),
                                    .past_entries = ARRAY_OF(uint32_t),
                                    .pending = ARRAY_OF(struct watch_pending),
                                    .literals = ARRAY_OF(struct watch_literal)};
}

void watch_islets_free(struct watch_islets *islets)
{
    array_free(&islets->code);
    array_free(&islets->fixes);
    array_free(&islets->starts);
    array_free(&islets->past_entries);
    array_free(&islets->pending);
    array_free(&islets->literals);
}

void watch_islets_begin(struct watch_islets *islets, const struct watch_windows *windows,
                        const struct watch_window *window)
{
    size_t number =
        (size_t)(window - ARRAY_AT(const struct watch_window, &windows->windows, islets->first_window));
    while (islets->starts.count < number) {
        *(uint32_t *)array_push(&islets->starts) = NO_ISLET;
        *(uint32_t *)array_push(&islets->past_entries) = NO_ISLET;
    }
    *(uint32_t *)array_push(&islets->starts) = (uint32_t)islets->code.count;
    *(uint32_t *)array_push(&islets->past_entries) = (uint32_t)islets->code.count;
}

const struct islet_encoder *islet_encoder(enum isa isa)
{
    static const struct islet_encoder *const encoders[] = {&aarch64_islets, &x86_64_islets};
    for (size_t i = 0; i < sizeof encoders / sizeof encoders[0]; i++)
        if (encoders[i]->isa == isa)
            return encoders[i];
    return NULL;
}
