/* The longest name: each is copied to be looked at.
   build: g++ -O2
   cure: reference -DCURE=1
   cure: no-copy -DCURE=1
   cure: other -DCURE=1
   best: -DCURE=1 */
#include <string>
#include <vector>
#include "fresh.h"
static std::vector<std::string> names;
KERNEL size_t kernel(const std::vector<std::string> &names)
{
    size_t longest = 0;
#if CURE == 1
    for (const auto &name : names)
#else
    for (auto name : names)
#endif
        if (name.size() > longest && name[0] != '#')
            longest = name.size();
    return longest;
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        names.push_back(std::string(5 + draw() % 40, (char) ('a' + draw() % 26)));
}
void run(void) { total = (double) kernel(names); }
RESULT_TOTAL
