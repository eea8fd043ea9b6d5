/* A software-pipelined loop that starts iterations less often than its instructions allow. */
#include "code/quality/rules/ia64.h"
#include "code/quality/without.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct anew anew;
    char buffer[32];
    if (!ia64_matters(subject) || !ia64_pipelined(subject) || !ia64_anew(subject, &anew) ||
        !without_gains(subject, anew.fewest))
        return false;
    ia64_promise(subject, anew.fewest, remark);
    remark_say(
        remark,
        "The pipeline starts an iteration every %.3g cycles. Its instructions, without no-ops, would let "
        "iterations start %s apart: ",
        subject->path->cycles, remark_count(buffer, sizeof buffer, (unsigned)anew.fewest, "cycle", "cycles"));
    ia64_say_limits(&anew, remark);
    remark_say(remark, ".");
    return true;
}

const struct rule rule_ia64_interval = {
    .name = "ia64-interval",
    .title = "Itanium: the software pipeline is slower than its instructions need",
    .meaning =
        "The initiation interval of a software-pipelined loop is the time of an iteration, however long it "
        "takes from start to end. No schedule beats the fullest ports and the slowest chain; this one stays "
        "above both. The compiler may have had reasons that the code does not show, such as banks of the "
        "cache that several loads of a cycle hit.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_INTEL, NULL,
          "Try #pragma unroll(2), (4) and (8), and #pragma nounroll: each makes another pipeline.",
          action_PIPELINE},
         {audience_ANY, NULL,
          "Try the loop in a function of its own, alone or split in two: smaller loops are scheduled more "
          "tightly.",
          action_SPLIT},
         {0}},
    .find = find,
};
