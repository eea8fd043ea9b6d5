// A comparator behind a pointer, and memory that is asked for during the call.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Item {
    double key;
    int number;
};

static bool is_before(const Item &left, const Item &right)
{
    return left.key < right.key;
}

__attribute__((noinline)) double order(std::vector<Item> &items, bool (*before)(const Item &, const Item &))
{
    std::vector<double> keys;
    std::sort(items.begin(), items.end(), before);
    for (const Item &item : items)
        keys.push_back(item.key);
    return keys[keys.size() / 2];
}

int main()
{
    double total = 0;
    for (int round = 1; round < 4; round++) {
        std::vector<Item> items;
        for (int i = 0; i < 500 * round; i++)
            items.push_back({std::sin(i * 12.9898 * round), i});
        total += order(items, is_before);
    }
    std::printf("%g\n", total);
}
