"""Mutations of source text: bytes in, bytes out, all choices from the given random source."""
import re

TOKEN = re.compile(rb"\s+|\w+|\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*.*?\*/|<<<|>>>|::|->|[-+*/%&|^<>=!]=?|.", re.DOTALL)

# Words that matter to the fusion: where one stands, another may do more harm than any random byte.
WORDS = r"""
__global__ __device__ __shared__ extern static const constexpr __constant__ template typename class struct union
enum namespace using inline auto decltype operator return if else for while do switch case default break continue
goto threadIdx blockIdx blockDim gridDim threadIdx.x blockIdx.z warpSize __syncthreads __syncthreads_count
__syncwarp() __launch_bounds__(256) __launch_bounds__(0,0,0) __cluster_dims__(2) alignas(4096) [[noreturn]] asm
volatile __managed__ __grid_constant__ __restrict__ void int unsigned float ... requires concept co_yield this
nullptr sizeof typeof #include #define #undef #if #ifdef #else #elif #endif #pragma #line #error _Pragma(
__VA_ARGS__ ## # \ R"( )" " ' /* */ // ( ) { } [ ] < > ; , : :: ? ~ ! = == -> . <<< >>> % ?? <: %: @ $ ` \u0000
\U0010FFFF 0x 1e999999 0b2 'aaaaa' 4294967296 18446744073709551616 -1 0
""".encode().split()


def tokens(text):
    return TOKEN.findall(text)


def _place(random, items):
    return random.randrange(len(items)) if items else 0


def truncate(random, text, _):
    return text[:random.randrange(len(text) + 1)]


def delete_tokens(random, text, _):
    parts = tokens(text)
    at = _place(random, parts)
    del parts[at:at + random.choice((1, 1, 1, 2, 5, 20))]
    return b"".join(parts)


def duplicate_tokens(random, text, _):
    parts = tokens(text)
    at, count = _place(random, parts), random.choice((1, 1, 2, 5, 20, 100))
    parts[at:at] = parts[at:at + count] * random.choice((1, 1, 2, 50))
    return b"".join(parts)


def swap_tokens(random, text, _):
    parts = tokens(text)
    if parts:
        a, b = _place(random, parts), _place(random, parts)
        parts[a], parts[b] = parts[b], parts[a]
    return b"".join(parts)


def replace_token(random, text, _):
    parts = tokens(text)
    if parts:
        parts[_place(random, parts)] = random.choice((random.choice(WORDS), random.choice(parts)))
    return b"".join(parts)


def insert_word(random, text, _):
    parts = tokens(text)
    parts.insert(_place(random, parts), b" " + random.choice(WORDS) + b" ")
    return b"".join(parts)


def damage_brackets(random, text, _):
    places = [at for at, byte in enumerate(text) if byte in b"(){}[]<>"]
    for _ in range(random.choice((1, 1, 2, 4))):
        if places:
            at = random.choice(places)
            text = text[:at] + random.choice((b"", b"(", b")", b"{", b"}", b"[", b"]", b"<", b">")) + text[at + 1:]
    return text


def random_bytes(random, text, _):
    at = random.randrange(len(text) + 1)
    noise = random.choice((b"\0", b"\0" * 100, b"\xff\xfe", b"\xc3\x28", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\r",
                           b"\x1a", b"\xf0\x9f\x98\x80", random.randbytes(random.choice((1, 2, 8, 64)))))
    return text[:at] + noise + text[at + random.choice((0, 0, len(noise))):]


def very_long(random, text, _):
    at, size = random.randrange(len(text) + 1), random.choice((5000, 70000, 1000000))
    piece = random.choice(
        (b"x" * size, b"\"" + b"s" * size + b"\"", b" " * size, b"/*" + b"*" * size + b"*/", b"9" * size,
         b"\\\n" * (size // 2), b"int x;" * (size // 50), b"\n" * size, b"1+" * (size // 500) + b"1"))
    return text[:at] + piece + text[at:]


def deep(random, text, _):
    at, depth = random.randrange(len(text) + 1), random.choice((50, 300, 1000, 3000))
    opening, closing = random.choice(
        ((b"(", b")"), (b"{", b"}"), (b"[", b"]"), (b"f(", b")"), (b"if(1){", b"}"), (b"!", b""), (b"*", b""),
         (b"&", b""), (b"[&]{return ", b"();}"), (b"namespace n{", b"}"), (b"struct s{", b"};"), (b"template<", b">"),
         (b"a<", b">"), (b"#if 1\n", b"#endif\n"), (b"if(1);else ", b";"), (b"1?1:", b"1"), (b"a.", b"a"),
         (b"x=", b"1"), (b"int(*", b")()"), (b"for(;;)", b";"), (b"switch(1)", b";"), (b"case 1:", b";"),
         (b"L:", b";"), (b"::", b"x"), (b"sizeof ", b"1"), (b"-", b"1"), (b"(int)", b"1")))
    return text[:at] + opening * depth + random.choice((b"", b"1", b"x")) + closing * random.choice(
        (depth, depth, 0)) + text[at:]


def splice(random, text, other):
    return text[:random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1):]


def interleave(random, text, other):
    a, b = text.split(b"\n"), other.split(b"\n")
    at, start = _place(random, a), _place(random, b)
    return b"\n".join(a[:at] + b[start:start + random.choice((1, 3, 10, 40))] + a[at:])


def shuffle_lines(random, text, _):
    lines = text.split(b"\n")
    at, size = _place(random, lines), random.choice((2, 5, 20))
    part = lines[at:at + size]
    random.shuffle(part)
    lines[at:at + size] = part
    return b"\n".join(lines)


def include_itself(random, text, _):
    line = random.choice(
        (b"#include __FILE__\n", b"#include \".\"\n", b"#include \"/dev/null\"\n", b"#include <>\n",
         b"#line 0 \"x\"\n", b"#line 2147483647 \"a\\\"b\\n\"\n", b"#pragma once\n", b"#define threadIdx 1\n",
         b"#define __global__\n", b"#define __shared__ static\n", b"#define if(x) for(;x;)\n",
         b"#define __syncthreads() return\n", b"#pragma push_macro(\"threadIdx\")\n", b"#undef __device__\n"))
    lines = text.split(b"\n")
    lines.insert(random.choice((0, _place(random, lines))), line.rstrip())
    return b"\n".join(lines)


# Small damage more often than large: what still parses reaches deeper.
MUTATIONS = [truncate] * 3 + [delete_tokens] * 8 + [duplicate_tokens] * 5 + [swap_tokens] * 6 + [replace_token] * 10 + \
    [insert_word] * 8 + [damage_brackets] * 4 + [random_bytes] * 3 + [very_long] + [deep] * 2 + [splice] * 2 + \
    [interleave] * 3 + [shuffle_lines] * 3 + [include_itself] * 2


def mutate(random, text, other):
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        text = random.choice(MUTATIONS)(random, text, other)
    return text
