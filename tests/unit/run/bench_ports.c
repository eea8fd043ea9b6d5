/* Machines that are made up: their ports and µops are known, what a mix takes is computed by trying all sets
   of ports, and the study must find them again. */
#include "run/bench/ports/find.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_MADE_GROUPS = 10, MOST_MADE_FORMS = 120, SINGLES = 3, MIXED = 40, MOST_MADE_PORTS = 12 };

struct made_form {
    unsigned uops[MOST_MADE_GROUPS];
    unsigned whole;
};

struct made {
    unsigned ports, groups, forms;
    uint32_t sets[MOST_MADE_GROUPS];
    double width, noise;
    struct made_form form[MOST_MADE_FORMS];
    struct subject subjects[MOST_MADE_FORMS];
};

static uint64_t state;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

/* By brute force: the fullest of all sets of ports, or the width. */
static double compute(const struct made *made, const struct mix *mix)
{
    double most = 0, whole = 0;
    for (unsigned i = 0; i < mix->parts; i++)
        whole += (double)mix->instances[i] * made->form[mix->forms[i]].whole;
    for (uint32_t set = 1; set < UINT32_C(1) << made->ports; set++) {
        double within = 0;
        for (unsigned i = 0; i < mix->parts; i++)
            for (unsigned g = 0; g < made->groups; g++)
                if (!(made->sets[g] & ~set))
                    within += (double)mix->instances[i] * made->form[mix->forms[i]].uops[g];
        most = fmax(most, within / __builtin_popcount(set));
    }
    return fmax(most, whole / made->width);
}

/* The same mix is disturbed in the same way each time. */
static double measure(void *context, const struct mix *mix)
{
    const struct made *made = context;
    uint64_t hash = 14695981039346656037u;
    for (unsigned i = 0; i < mix->parts; i++)
        hash = ((hash ^ mix->forms[i]) * 1099511628211u ^ mix->instances[i]) * 1099511628211u;
    double disturbed = (double)(hash >> 40) / (1 << 24);
    return compute(made, mix) * (1 + made->noise * disturbed);
}

static bool has_set(const struct made *made, uint32_t set)
{
    for (unsigned g = 0; g < made->groups; g++)
        if (made->sets[g] == set)
            return true;
    return false;
}

static void add_group(struct made *made, uint32_t set)
{
    if (set && !has_set(made, set) && made->groups < MOST_MADE_GROUPS)
        made->sets[made->groups++] = set;
}

/* Groups of one port name most ports; the others are any. */
static void make_machine(struct made *made, double noise)
{
    *made = (struct made){.ports = 4 + draw(MOST_MADE_PORTS - 3), .noise = noise};
    made->width = made->ports + 1 + draw(4);
    unsigned named = made->ports - draw(3);
    for (unsigned p = 0; p < named && p < MOST_MADE_GROUPS - 4; p++)
        add_group(made, UINT32_C(1) << p);
    for (unsigned i = 0; i < 12; i++) {
        uint32_t set = 0;
        for (unsigned p = 0, size = 2 + draw(4); p < size; p++)
            set |= UINT32_C(1) << draw(made->ports);
        add_group(made, set);
    }
}

static void add_form(struct made *made, bool is_candidate, const unsigned *groups, unsigned uops)
{
    unsigned place = made->forms++;
    struct made_form *form = &made->form[place];
    for (unsigned i = 0; i < uops; i++)
        form->uops[groups[i]]++;
    form->whole = uops;
    struct mix alone = {1, {place}, {1}};
    double cycles = uops ? measure(made, &alone) : 1 / made->width;
    made->subjects[place] = (struct subject){
        .cycles = cycles, .chain = cycles, .likeness = is_candidate ? groups[0] + 1 : 0, .family = place};
}

static void make_filler(struct made *made)
{
    add_form(made, false, NULL, 0);
    made->form[0].whole = 1;
    made->subjects[0].is_filler = true;
}

static void make_forms(struct made *made)
{
    make_filler(made);
    for (unsigned g = 0; g < made->groups; g++)
        for (unsigned i = 0; i < SINGLES; i++)
            add_form(made, true, &g, 1);
    for (unsigned i = 0; i < MIXED; i++) {
        unsigned groups[4], uops = 2 + draw(3);
        for (unsigned u = 0; u < uops; u++)
            groups[u] = draw(made->groups);
        add_form(made, false, groups, uops);
    }
}

/* The group whose µop the probe of a class is. */
static unsigned group_of_class(const struct made *made, const struct study *study, unsigned class)
{
    const struct made_form *form = &made->form[study_probe(study, class)];
    for (unsigned g = 0; g < made->groups; g++)
        if (form->uops[g])
            return g;
    return MOST_MADE_GROUPS;
}

static unsigned class_of_group(const struct made *made, const struct study *study, unsigned group)
{
    unsigned class = 0;
    while (class < study->groups.count && group_of_class(made, study, class) != group)
        class ++;
    assert_true(class < study->groups.count);
    return class;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Ports have no names, so what tells them apart is which groups have them: the same lists of that for both.
 */
static void check_sets(const struct made *made, const struct study *study)
{
    uint32_t true_ports[32] = {0}, found_ports[32] = {0};
    uint32_t used = 0;
    assert_int_equal(study->groups.count, made->groups);
    for (unsigned c = 0; c < study->groups.count; c++) {
        unsigned group = group_of_class(made, study, c);
        used |= made->sets[group];
        for (unsigned p = 0; p < 32; p++) {
            true_ports[p] |= (made->sets[group] >> p & 1) << c;
            found_ports[p] |= (study->groups.sets[c] >> p & 1) << c;
        }
    }
    assert_int_equal(study->groups.port_count, __builtin_popcount(used));
    qsort(true_ports, 32, sizeof *true_ports, by_number);
    qsort(found_ports, 32, sizeof *found_ports, by_number);
    assert_memory_equal(true_ports, found_ports, sizeof true_ports);
}

static void check_uses(const struct made *made, const struct study *study, const struct found *found)
{
    for (unsigned f = 1; f < made->forms; f++) {
        unsigned uops[MOST_MADE_GROUPS] = {0}, others = 0;
        assert_true(found->forms[f].mixes > 0);
        for (unsigned i = 0; i < found->sets.count; i++) {
            unsigned class = 0;
            while (class < study->groups.count && study->groups.sets[class] != found->sets.sets[i])
                class ++;
            if (class < study->groups.count)
                uops[group_of_class(made, study, class)] += found->forms[f].answer.uops[i];
            else
                others += found->forms[f].answer.uops[i];
        }
        assert_int_equal(others, 0);
        assert_memory_equal(uops, made->form[f].uops, sizeof uops);
        assert_true(fabs(found->forms[f].issued - made->form[f].whole) < 0.3);
    }
}

static void find_again(uint64_t seed, double noise)
{
    struct made made;
    struct study study;
    struct found found;
    state = seed * 2654435761u + 88172645463325252u;
    make_machine(&made, noise);
    make_forms(&made);
    study_begin(&study, made.subjects, made.forms, measure, &made);
    assert_true(study_find_probes(&study));
    check_sets(&made, &study);
    find_uses(&study, &found);
    check_uses(&made, &study, &found);
    found_free(&found);
}

static void made_machines_are_found_again(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++)
        find_again(seed, 0);
}

/* Any two of three groups share one port: the same one, or each another.  Pairs take as long in both. */
static void stars_and_triangles(void **unused)
{
    (void)unused;
    static const uint32_t sets[][4] = {{3, 5, 9}, {3, 5, 6}, {7, 25, 42}, {7, 19, 37, 8}};
    for (unsigned i = 0; i < 2 * sizeof sets / sizeof *sets; i++) {
        struct made made = {.ports = 6, .width = 9, .noise = i % 2 ? 0.01 : 0};
        struct study study;
        for (unsigned g = 0; g < 4; g++)
            add_group(&made, sets[i / 2][g]);
        make_forms(&made);
        study_begin(&study, made.subjects, made.forms, measure, &made);
        assert_true(study_find_probes(&study));
        assert_true(study.three_count > 0);
        check_sets(&made, &study);
    }
}

/* No-ops that take other places than µops say nothing: two probes that leave few places free do. */
static void places_in_a_crowd(void **unused)
{
    (void)unused;
    static const uint32_t sets[] = {0xf, 0x70, 0x780, 0x3, 0x10};
    struct made made = {.ports = 11, .width = 8};
    struct study study;
    struct found found;
    state = 7;
    for (unsigned g = 0; g < sizeof sets / sizeof *sets; g++)
        add_group(&made, sets[g]);
    make_forms(&made);
    made.form[0].whole = 2;
    made.subjects[0].cycles = 2 / made.width;
    study_begin(&study, made.subjects, made.forms, measure, &made);
    assert_true(study_find_probes(&study));
    assert_false(find_has_places(&study));
    find_uses(&study, &found);
    for (unsigned f = 1; f < made.forms; f++) {
        unsigned uops = 0;
        for (unsigned i = 0; i < found.sets.count; i++)
            uops += found.forms[f].answer.uops[i];
        if (isnan(found.forms[f].issued)) /* it is one of the crowd */
            continue;
        assert_true(uops <= found.forms[f].issued);
        if (made.form[f].whole == 1)
            assert_true(found.forms[f].issued == 1);
    }
    found_free(&found);
}

/* Stores of vectors: an address and a datum, each with as many ports.  They look like one µop alone, and meet
   twice as many others. */
static void two_uops_are_no_probe(void **unused)
{
    (void)unused;
    static const uint32_t sets[] = {0x311, 0x301, 0x8e, 0x1, 0x160, 0x2, 0xa, 0x11, 0x60, 0x84};
    static const unsigned address_and_data[] = {8, 6};
    for (unsigned i = 0; i < 2; i++) {
        struct made made = {.ports = 10, .width = 11, .noise = i ? 0.01 : 0};
        struct study study;
        struct found found;
        state = 11;
        for (unsigned g = 0; g < sizeof sets / sizeof *sets; g++)
            add_group(&made, sets[g]);
        make_filler(&made);
        for (unsigned f = 0; f < SINGLES; f++)
            add_form(&made, true, address_and_data, 2);
        unsigned stores = made.forms;
        for (unsigned g = 0; g < made.groups; g++)
            for (unsigned f = 0; f < SINGLES - 1; f++)
                add_form(&made, true, &g, 1);
        study_begin(&study, made.subjects, made.forms, measure, &made);
        assert_true(study_find_probes(&study));
        check_sets(&made, &study);
        find_uses(&study, &found);
        for (unsigned f = 1; f < stores; f++)
            for (unsigned s = 0; s < found.sets.count; s++) {
                uint32_t set = found.sets.sets[s];
                bool is_own = set == study.groups.sets[class_of_group(&made, &study, 8)] ||
                              set == study.groups.sets[class_of_group(&made, &study, 6)];
                assert_int_equal(found.forms[f].answer.uops[s], is_own);
            }
        found_free(&found);
    }
}

static void noise_does_not_matter(void **unused)
{
    (void)unused;
    for (uint64_t seed = 21; seed <= 40; seed++)
        find_again(seed, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_machines_are_found_again),
        cmocka_unit_test(stars_and_triangles),
        cmocka_unit_test(places_in_a_crowd),
        cmocka_unit_test(two_uops_are_no_probe),
        cmocka_unit_test(noise_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
