/* The answer first: what all kernels take together, by the sum and by chains, beside what was measured; then
   the chains. */
#include "show/report/modelling/coupling.h"

#include "show/report/common/row_writer.h"
#include "show/report/common/text.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *names_of(const struct coupling *coupling, const struct coupling_chain *chain)
{
    struct array text = ARRAY_OF(char);
    for (uint32_t i = 0; i < chain->length; i++) {
        const char *name =
            *ARRAY_AT(char *, &coupling->kernels, (chain->first + i) % coupling->kernels.count);
        memcpy(array_add_many(&text, strlen(name) + 1), name, strlen(name));
        *ARRAY_AT(char, &text, text.count - 1) = i + 1 < chain->length ? ' ' : 0;
    }
    return text.data;
}

static void write_row(struct row_writer *row, const struct coupling *coupling,
                      const struct coupling_chain *chain)
{
    autofree char *names = chain ? names_of(coupling, chain) : NULL;
    row_text(row, "chain", names);
    row_integer(row, "length", chain ? chain->length : 0);
    row_number(row, "seconds", chain ? chain->seconds : 0);
    row_number(row, "apart", chain ? chain->apart : 0);
    row_number(row, "coupling", chain ? coupling_value(chain) : 0);
    row_number(row, "spread", chain ? chain->spread : 0);
}

static void print_rows(const struct coupling *coupling, bool is_json, FILE *out)
{
    struct row_table table = row_begin_table(out, is_json, true);
    if (row_begin_head(&table))
        write_row(&table.row, coupling, NULL);
    for (size_t i = 0; i < coupling->chains.count; i++) {
        row_begin_row(&table);
        write_row(&table.row, coupling, ARRAY_AT(struct coupling_chain, &coupling->chains, i));
    }
    row_end_table(&table);
}

static void print_right(const char *text, size_t width, FILE *out)
{
    size_t own = text_width(text);
    fprintf(out, "%*s%s", (int)(own < width ? width - own : 0), "", text);
}

static const char *verdict_of(const struct coupling_chain *chain)
{
    double value = coupling_value(chain);
    return chain->length == 1                           ? ""
           : fabs(value - 1) < 0.03 + 2 * chain->spread ? "no coupling to speak of"
           : value < 1                                  ? "they help each other"
                                                        : "they hinder each other";
}

static void print_prediction(const struct coupling *coupling, uint32_t length, double seconds, bool is_stored,
                             FILE *out)
{
    const struct coupling_chain *whole = coupling_whole(coupling);
    autofree char *time = model_time_words(seconds),
                  *by = length == 1                ? memory_format("the sum of their own times")
                        : is_stored && length == 2 ? memory_format("stored pairs")
                        : is_stored                ? memory_format("stored chains of %u", length)
                        : length == 2              ? memory_format("pairs of them")
                                                   : memory_format("chains of %u", length);
    fprintf(out, "  by %-26s ", by);
    print_right(time, 9, out);
    fprintf(out, "   %+6.1f %%\n", (seconds / whole->seconds - 1) * 100);
}

static void print_predictions(const struct coupling *coupling, uint32_t longest, const struct array *stored,
                              FILE *out)
{
    const struct coupling_chain *whole = coupling_whole(coupling);
    for (uint32_t length = 1; length <= longest && length < whole->length; length++)
        print_prediction(coupling, length, length == 1 ? whole->apart : coupling_compose(coupling, length),
                         false, out);
    for (uint32_t length = 2; stored && length <= whole->length; length++) {
        double seconds = coupling_compose_stored(coupling, stored, length);
        if (!isnan(seconds))
            print_prediction(coupling, length, seconds, true, out);
    }
}

/* How far the stored coupling of all kernels together is from the one that was measured. */
static void print_stored(const struct coupling *coupling, const struct array *stored, const char *path,
                         FILE *out)
{
    const struct coupling_chain *whole = coupling_whole(coupling);
    fputs("\ncouplings of ", out);
    text_print_safe(path, strlen(path), out);
    fputs(", which were not measured here", out);
    for (size_t i = 0; i < stored->count; i++) {
        const struct coupling_chain *chain = ARRAY_AT(struct coupling_chain, stored, i);
        if (chain->length == whole->length)
            fprintf(out, "; all kernels together: %.3f there, %.3f here", chain->coupling,
                    coupling_value(whole));
    }
    fputs("\n", out);
}

void report_coupling(const struct coupling *coupling, uint32_t longest, const struct array *stored,
                     const char *stored_path, const struct report_style *style, FILE *out)
{
    if (style->format != report_TABLE) {
        print_rows(coupling, style->format == report_JSON, out);
        return;
    }
    const struct coupling_chain *whole = coupling_whole(coupling);
    autofree char *time = model_time_words(whole->seconds);
    fprintf(out, "%zu kernels together: %s a round, measured\n", coupling->kernels.count, time);
    if (coupling->done < coupling->passes)
        fprintf(out, "partial: %u of %u passes, then Ctrl-C came\n", coupling->done, coupling->passes);
    print_predictions(coupling, longest, stored, out);
    if (stored)
        print_stored(coupling, stored, stored_path, out);
    fputs("\n  together      apart  coupling  spread  chain\n", out);
    for (size_t i = 0; i < coupling->chains.count; i++) {
        const struct coupling_chain *chain = ARRAY_AT(struct coupling_chain, &coupling->chains, i);
        autofree char *names = names_of(coupling, chain), *together = model_time_words(chain->seconds),
                      *apart = model_time_words(chain->apart);
        const char *verdict = verdict_of(chain);
        print_right(together, 10, out);
        print_right(apart, 11, out);
        fputs("  ", out);
        if (chain->length > 1)
            fprintf(out, "%8.3f", coupling_value(chain));
        else
            fprintf(out, "%8s", "");
        fprintf(out, "  %4.1f %%  ", chain->spread * 100);
        text_print_safe(names, strlen(names), out);
        fprintf(out, "%s%s\n", *verdict ? "   " : "", verdict);
    }
}
