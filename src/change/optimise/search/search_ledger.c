/* What a search tried, in the ledger. A search is known by everything that decides what its variants compile
   to: the text, the compiler and its options, the choices, the machine that judges. The same again goes on
   where the last call ended; its measured times are of other runs, and are measured again. */
#include "base/digest.h"
#include "base/clock.h"
#include "change/optimise/search/queries.h"
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_words(struct digest *digest, const struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        digest_add_text(digest, *ARRAY_AT(const char *, words, i));
    digest_add_text(digest, "");
}

static void identify(const struct search *search, char text[DIGEST_TEXT])
{
    const struct search_request *request = search->request;
    const struct compilation *compilation = request->extract->compilation;
    struct digest digest;
    digest_begin(&digest);
    digest_add_text(&digest, "iterations by strides"); /* how variants are judged */
    digest_add_text(&digest, request->extract->text);
    digest_add_text(&digest, compilation->compiler);
    digest_add_text(&digest, compilation->version ? compilation->version : "");
    add_words(&digest, &compilation->meaning);
    add_words(&digest, &compilation->tuning);
    digest_add_text(&digest, request->machine->name);
    digest_add(&digest, &request->extract->source_line, sizeof request->extract->source_line);
    digest_end(&digest, text);
}

static char *join(const struct array *words)
{
    char *all = memory_format("%s", "");
    for (size_t i = 0; i < words->count; i++) {
        char *longer = memory_format("%s%s%s", all, i ? " " : "", *ARRAY_AT(const char *, words, i));
        free(all);
        all = longer;
    }
    return all;
}

static bool add_search(struct search *search, const char *digest, struct error *error)
{
    const struct search_request *request = search->request;
    const struct extract *extract = request->extract;
    const struct compilation *compilation = extract->compilation;
    char *tuning = join(&compilation->tuning);
    bool is_fine = ledger_do(request->ledger, error, query_named(search_queries, "add_search"), "ttitttttr",
                             digest, compilation->source, (int64_t)extract->source_line, extract->function,
                             compilation->compiler, compilation->version ? compilation->version : "", tuning,
                             request->machine->name, clock_calendar_seconds());
    search->row = is_fine ? ledger_last_id(request->ledger) : 0;
    free(tuning);
    return is_fine;
}

static bool find_search(struct search *search, const char *digest, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(search->request->ledger, &rows, error, query_named(search_queries, "search_id"), "t",
                    digest))
        return false;
    if (ledger_next(&rows))
        search->row = ledger_integer(&rows, 0);
    return ledger_end(&rows, error);
}

/* Variants that today's choices do not know any more are left out. */
static bool read_variants(struct search *search, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(search->request->ledger, &rows, error, query_named(search_queries, "search_variants"),
                    "i", search->row))
        return false;
    while (ledger_next(&rows)) {
        struct variant variant = {0};
        struct error unknown = {0};
        const char *text = ledger_text(&rows, 0), *code = ledger_text(&rows, 1);
        if (text && variant_parse(search->request->choices, text, &variant, &unknown)) {
            struct judgement judgement = {.is_compiled = code != NULL,
                                          .problem = (char *)ledger_text(&rows, 6),
                                          .cycles = ledger_real(&rows, 2),
                                          .entry_cycles = ledger_real(&rows, 3),
                                          .iterations = ledger_real(&rows, 4),
                                          .is_rough = ledger_integer(&rows, 5),
                                          .loop = (uint64_t)ledger_integer(&rows, 7)};
            if (code && strlen(code) < sizeof judgement.digest)
                strcpy(judgement.digest, code);
            search_remember(search, variant.values, &judgement);
        }
        free(variant.values);
    }
    return ledger_end(&rows, error);
}

bool search_ledger_begin(struct search *search, struct error *error)
{
    char digest[DIGEST_TEXT];
    if (!search->request->ledger)
        return true;
    identify(search, digest);
    if (!find_search(search, digest, error))
        return false;
    return search->row ? read_variants(search, error) : add_search(search, digest, error);
}

bool search_ledger_add(struct search *search, struct trial *const *trials, size_t count, struct error *error)
{
    struct ledger *ledger = search->request->ledger;
    if (!ledger)
        return true;
    if (!ledger_begin(ledger, error))
        return false;
    double now = clock_calendar_seconds();
    for (size_t i = 0; i < count; i++) {
        const struct judgement *judgement = &trials[i]->judgement;
        if (!ledger_do(ledger, error, query_named(search_queries, "add_variant"), "ittrrritir", search->row,
                       trials[i]->text, judgement->is_compiled ? judgement->digest : NULL, judgement->cycles,
                       judgement->entry_cycles, judgement->iterations, (int64_t)judgement->is_rough,
                       judgement->problem, (int64_t)judgement->loop, now)) {
            ledger_undo(ledger);
            return false;
        }
    }
    return ledger_commit(ledger, error);
}

bool search_ledger_measured(struct search *search, const struct search_finalist *finalist,
                            struct error *error)
{
    static const char *const verdicts[] = {
        [replay_SAME] = "same",           [replay_WITHIN] = "within tolerance",
        [replay_DIFFERENT] = "different", [replay_CRASHED] = "crashed",
        [replay_SLOW] = "slow",           [replay_UNLINKED] = "cannot be replayed",
        [replay_NEAR] = "last digits"};
    const struct replay_result *result = &finalist->result;
    if (!search->request->ledger)
        return true;
    char *text = variant_text(search->request->choices, &finalist->variant);
    bool is_right = finalist->is_right;
    bool is_fine =
        ledger_do(search->request->ledger, error, query_named(search_queries, "write_measured"), "rrtrit",
                  is_right ? result->seconds : NAN, is_right ? result->original_seconds : NAN,
                  verdicts[result->verdict], result->largest_error, search->row, text);
    free(text);
    return is_fine;
}
