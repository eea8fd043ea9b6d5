"""A job for python3: numbers, strings, patterns, classes, exceptions, generators, threads, compiled modules."""
import collections, decimal, functools, hashlib, heapq, itertools, json, math, random, re, struct, sys, threading, zlib

random.seed(5)


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __repr__(self):
        return f"<{self.x:.3f} {self.y:.3f}>"


def primes(limit):
    sieve = bytearray([1]) * limit
    for i in range(2, math.isqrt(limit) + 1):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(range(i * i, limit, i)))
    return [i for i in range(2, limit) if sieve[i]]


@functools.lru_cache(maxsize=None)
def ways(amount, coins):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return ways(amount, coins[1:]) + ways(amount - coins[0], coins)


def deep(n):
    if n == 0:
        raise KeyError("bottom")
    try:
        return deep(n - 1)
    finally:
        deep.left += 1


def shortest(graph, start):
    best, queue = {start: 0}, [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        for other, length in graph[node]:
            if distance + length < best.get(other, math.inf):
                best[other] = distance + length
                heapq.heappush(queue, (best[other], other))
    return best


def walk():
    got = yield 0
    while got is not None:
        got = yield from (got * i for i in (2,)) or (yield got + 1)


print(sum(primes(20000)), ways(200, (100, 50, 20, 10, 5, 2, 1)))
print(sum((Vector(i, -i / 3) for i in range(3000)), Vector(0, 0)))
deep.left = 0
try:
    deep(200)
except KeyError as error:
    print(error, deep.left)
graph = {n: [((n * k + 7) % 300, k) for k in range(1, 6)] for n in range(300)}
print(sum(shortest(graph, 1).values()))
print(next(walk()), math.factorial(200) % 10**15, pow(3, 10**40, 10**25), 7**500 // 3**300 % 10**20)
words = [re.sub(r"([aeiou])(\w)", lambda m: m[2] + m[1].upper(), w) for w in "the quick brown fox jumps".split()]
print(words, re.findall(r"(?:(\d+)|([a-z]+))(?=;)", "12;ab;x9;77;q" * 3))
data = {"k%d" % i: [i, i / 7, None, {"s": "é" * (i % 5)}] for i in range(300)}
text = json.dumps(data, sort_keys=True)
assert json.loads(text) == json.loads(json.dumps(json.loads(text)))
print(hashlib.sha256(text.encode()).hexdigest(), zlib.crc32(zlib.compress(text.encode(), 6)))
items = [random.random() for _ in range(20000)]
print(sorted(items)[777], sorted(items, key=lambda v: -v)[5], collections.Counter(int(v * 10) for v in items).most_common(3))
decimal.getcontext().prec = 60
print(decimal.Decimal(2).sqrt(), sum(itertools.islice(itertools.accumulate(itertools.count(1)), 500)))
print(struct.unpack("<dfqi", struct.pack("<dfqi", 1.5, 2.25, -3, 4)), "%.10e" % math.lgamma(55.5), f"{2**0.5:+.17g}")
results = []
threads = [threading.Thread(target=lambda n=n: results.append(sum(i * n for i in range(20000)))) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(results))
source = "\n".join(f"def f{i}(a, *b, c={i}, **d):\n    return [a + {i} for _ in b if c] or d" for i in range(100))
space = {}
exec(compile(source, "<made>", "exec"), space)
print(sum(sum(space[f"f{i}"](i, 1, 2)) for i in range(100)), len(repr(space["f3"].__code__.co_code)))
print(str(bytes(range(256)), "latin-1").upper().encode("utf-16-le").hex()[:64], "ß".casefold(), "Ǆ".title())
sys.exit(3 - 3)
