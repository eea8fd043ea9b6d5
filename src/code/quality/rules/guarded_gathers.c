/* Gathers on a computer whose microcode guards them (code/machine/guards.h): single loads are quicker.

   Compilers choose gathers by the figures of the model, so -march=native can make a loop several times as slow
   there.  The figure is for the same vectors, put together from single loads: each lane is a load, each but the
   first a shuffle, of which a cycle has one at most, and all of them are issued beside the rest. */
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"
#include "model/elements.h"

#include <math.h>

static unsigned lanes_of(const struct encoding *row)
{
    unsigned bits = element_bits(row->element);
    return bits && row->vector_bits > bits ? row->vector_bits / bits : 2;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct without without;
    double loads = 0, shuffles = 0;
    if (!subject->machine->guards_gathers || !without_matters(subject) || !subject->metric->gather_count)
        return false;
    without_begin(&without, subject);
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct encoding *row = subject->items[i].row;
        if (row->class != class_GATHER)
            continue;
        without_item(&without, i);
        loads += lanes_of(row);
        shuffles += lanes_of(row) - 1;
        remark_point(remark, i);
        count++;
    }
    if (!count)
        return false;
    const struct machine *machine = subject->machine;
    double issued = machine->width > 0 ? (loads + shuffles) / machine->width : 0,
           loaded = machine->loads > 0 ? loads / machine->loads : 0;
    remark->cycles = fmax(without_cycles(&without) + issued, fmax(loaded, shuffles));
    if (!without_gains(subject, remark->cycles))
        return false;
    remark_say(
        remark,
        "The microcode of this computer guards gathers against leaks between programs (CVE-2022-40982): one "
        "takes %.0f cycles, and the next one waits for it. The loop has %u; single loads are quicker.",
        subject->machine->gather_guard.between, count);
    return true;
}

const struct rule rule_guarded_gathers = {
    .name = "guarded-gathers",
    .title = "Gathers are slow on this computer, because microcode guards them",
    .meaning = "A gather loads each lane of a vector from a place of its own. Since 2023 microcode makes it "
               "slow on Intel's cores from Skylake to Ice Lake and Tiger Lake. GCC 13.3 knows that and uses "
               "none for these cores; older ones and Clang use them with -march=native.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, NULL,
          "Compile this file without gathers: -mno-gather (since GCC 13.3), or with older ones "
          "-mtune-ctrl=^use_gather_2parts,^use_gather_4parts,^use_gather.",
          action_NO_GATHER},
         {audience_CLANG, NULL,
          "Compile this file without gathers: -mno-gather (since Clang 17), or for an older processor "
          "(-march=x86-64-v2 has none).",
          action_NO_GATHER},
         {audience_ANY, NULL, "Lay the data out so that neighbours in the vector are neighbours in memory.",
          action_LAYOUT},
         {0}},
    .find = find,
};
