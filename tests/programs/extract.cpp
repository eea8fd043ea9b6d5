/* Functions that are hard to take out of their file: tests/commands/change/extract.py does it. */
#include <vector>
#include <cmath>
namespace lib {
struct grid {
    std::vector<double> v;
    int n;
    double sum() const;
    double inside() const { double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
    double &operator[](int i) { return v[i]; }
};
double grid::sum() const
{
    double s = 0;
    for (double x : v)
        s += x;
    return s;
}
template <class T> T total(const std::vector<T> &v) { T s{}; for (const T &x : v) s += x; return s; }
static double factor = 2;
static std::vector<double> store(10);
static double scaled(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += std::sqrt(x[i]) * factor + (store[0] += 1);
    factor += 1;
    return s;
}
namespace {
int counter;
double half(double x) { return x / 2; }
double hidden(double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += half(x[i]);
    return s;
}
}
double all(double *x, int n) { return scaled(x, n) + hidden(x, n) + counter++; }
}
using namespace std;
enum class mode { fast, slow };
template <> int lib::total<int>(const std::vector<int> &v) { int s = 1; for (int x : v) s += x; return s; }
double use(lib::grid &g, vector<double> &out, const char *name, mode m)
{
    double s = lib::total(g.v) + lib::total(vector<int>{1, 2}) + *name;
    for (size_t i = 0; i < out.size(); i++)
        out[i] = max(g[(int)i], s) * (m == mode::fast ? 1 : 2);
    return s + out[0];
}
inline double inline_loop(double x[], int n)
{
    for (int i = 0; i < n; i++)
        x[i] += 1;
    return x[0];
}
extern "C" {
void c_style(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
}
extern "C" int one_c(int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double lambdas(vector<double> &v)
{
    double s = 0;
    auto f = [&](double k) { for (auto &x : v) s += x * k; };
    f(2);
    return s + inline_loop(v.data(), (int)v.size());
}
constexpr int squares(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
