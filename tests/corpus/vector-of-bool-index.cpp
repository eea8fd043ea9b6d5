/* The elements of a vector<bool> by number: libstdc++ corrects the number for a sign that it does not have.
   build: g++ -O2
   says x86-64: vector-bool potential element-type
   remedy: vector-bool element-type -DREMEDY
   measured: vector-bool element-type cascade-lake 3.39 */
#include <vector>
#include "corpus.h"

#ifdef REMEDY
typedef char element;
#else
typedef bool element;
#endif
static std::vector<element> marks;
static int found;

KERNEL int kernel(const std::vector<element> &marks)
{
    int count = 0;
    for (unsigned long i = 0; i < marks.size(); i++)
        if (marks[i])
            count++;
    return count;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        marks.push_back(i % 3 == 0 || i % 7 == 2);
}

extern "C" void run(void)
{
    found = kernel(marks);
}

extern "C" double result(void)
{
    return found;
}
