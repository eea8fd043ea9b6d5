/* Words counted in a map: asked first, then found again.
   build: g++ -O2
   cure: other -DCURE=1
   cure: hoist -DCURE=1
   cure: cheaper -DCURE=1
   cure: find-once -DCURE=1
   best: -DCURE=1 */
#include <map>
#include <string>
#include <vector>
#include "fresh.h"
static std::vector<std::string> words;
KERNEL int kernel(const std::vector<std::string> &words)
{
    std::map<std::string, int> counts;
    for (const std::string &word : words) {
#if CURE == 1
        counts[word]++;
#else
        if (counts.find(word) == counts.end())
            counts[word] = 0;
        counts[word]++;
#endif
    }
    return (int) counts.size() + counts["word100"];
}
void set_up(void)
{
    for (int i = 0; i < 5000; i++)
        words.push_back("word" + std::to_string(draw() % 500));
}
void run(void) { total = kernel(words); }
RESULT_TOTAL
