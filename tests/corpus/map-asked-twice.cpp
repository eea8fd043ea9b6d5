/* Words counted in a map: find, and then [] for the same word.
   build: g++ -O2
   says: second-lookup potential cheaper
   remedy: second-lookup cheaper -DREMEDY
   measured: second-lookup cheaper skylake-x 1.62 */
#include <map>
#include <string>
#include "corpus.h"

static std::string words[N];
static double total;

KERNEL int kernel(const std::string *words, int n)
{
    std::map<std::string, int> counts;
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        counts[words[i]]++;
#else
        if (counts.find(words[i]) == counts.end())
            counts[words[i]] = 1;
        else
            counts[words[i]]++;
#endif
    }
    return (int) counts.size() + counts.begin()->second;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        words[i] = "word" + std::to_string(i * 37 % 101);
}

extern "C" void run(void)
{
    total = kernel(words, N);
}

extern "C" double result(void)
{
    return total;
}
