// Exceptions, longjmp, threads, and signals that arrive anywhere: the output is the same in every run.
#include <csetjmp>
#include <csignal>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <thread>
#include <vector>

static jmp_buf place;
static volatile int alarms;

struct counted {
    int *count;
    ~counted() { ++*count; }
};

static int throw_below(int depth, int *count)
{
    counted one{count};
    if (depth == 0)
        throw std::runtime_error("deep");
    return throw_below(depth - 1, count) + 1;
}

static void jump_below(int depth)
{
    if (depth == 0)
        longjmp(place, 1);
    jump_below(depth - 1);
}

static void on_alarm(int)
{
    alarms = alarms + 1;
}

int main()
{
    struct itimerval often = {{0, 500}, {0, 500}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, nullptr);
    int thrown = 0, caught = 0;
    for (volatile int i = 0; i < 300; i = i + 1) {
        try {
            throw_below(i % 20, &thrown);
        } catch (std::exception &exception) {
            caught += exception.what()[0];
        }
        if (!setjmp(place))
            jump_below(i % 10);
    }
    std::map<int, std::string> texts;
    for (int i = 0; i < 5000; i++)
        texts[i * 7919 % 1000] += std::to_string(i);
    size_t length = 0;
    for (auto &text : texts)
        length += text.second.size();
    int counts[4] = {0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&counts, t] {
            for (int i = 0; i < 100; i++)
                try {
                    throw_below(5, &counts[t]);
                } catch (...) {
                }
        });
    for (auto &thread : threads)
        thread.join();
    std::cout << thrown << " " << caught << " " << length << " " << counts[0] + counts[1] + counts[2] + counts[3]
              << std::endl;
}
