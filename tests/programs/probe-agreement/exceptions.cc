// Calls, exceptions, threads, patterns and streams of C++, to count the calls of functions.
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Counter {
    int &count;
    ~Counter() { count++; }
};

static int deep(int n, int &left)
{
    Counter counter{left};
    if (!n)
        throw std::runtime_error("bottom");
    return deep(n - 1, left) + 1;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3.14159 * radius * radius; }
};

int main()
{
    int left = 0;
    for (int i = 0; i < 50; i++)
        try {
            deep(i, left);
        } catch (const std::exception &error) {
            if (i == 49)
                std::cout << error.what() << ' ' << left << '\n';
        }
    std::map<std::string, int> words;
    for (int i = 0; i < 1000; i++) {
        std::ostringstream text;
        text << i % 97 << 'x' << i % 7;
        words[text.str()] += i;
    }
    std::cout << words.size() << ' ' << words["3x3"] << '\n';
    std::vector<Shape *> shapes;
    for (int i = 0; i < 300; i++)
        shapes.push_back(i % 3 ? static_cast<Shape *>(new Square(i)) : new Circle(i));
    double sum = 0;
    for (const Shape *shape : shapes)
        sum += shape->area();
    for (Shape *shape : shapes)
        delete shape;
    std::smatch found;
    const std::string line = "item 42: value 1729";
    std::cout << sum << ' ' << std::regex_search(line, found, std::regex("([a-z]+) ([0-9]{3,})")) << found[2] << '\n';
    return 0;
}
