/* Numbers written into a text by a stream that each iteration makes anew.
   build: g++ -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper skylake-x 12.58 */
#include <sstream>
#include <string>
#include "corpus.h"

static int numbers[N];
static std::string text;

KERNEL std::string kernel(const int *numbers, int n)
{
    std::string all;
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        all += std::to_string(numbers[i]);
        all += ' ';
#else
        std::stringstream stream;
        stream << numbers[i] << ' ';
        all += stream.str();
#endif
    }
    return all;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        numbers[i] = i * 37;
}

extern "C" void run(void)
{
    text = kernel(numbers, N);
}

extern "C" double result(void)
{
    return (double) text.size() + text[N];
}
