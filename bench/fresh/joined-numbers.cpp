/* Numbers, joined with commas through a stringstream.
   build: g++ -O2
   cure: cheaper -DCURE=1
   cure: allocate-once -DCURE=1
   cure: other -DCURE=1
   cure: no-copy -
   best: -DCURE=1 */
#include <sstream>
#include <string>
#include <vector>
#include "fresh.h"
static std::vector<int> numbers;
KERNEL std::string kernel(const std::vector<int> &numbers)
{
    std::string all;
    for (int number : numbers) {
#if CURE == 1
        all += std::to_string(number);
        all += ',';
#else
        std::stringstream text;
        text << number << ',';
        all += text.str();
#endif
    }
    return all;
}
void set_up(void)
{
    for (int i = 0; i < 500; i++)
        numbers.push_back((int) (draw() % 100000));
}
void run(void) { total = (double) kernel(numbers).size(); }
RESULT_TOTAL
