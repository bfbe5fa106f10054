"""What the programs of `fuzz language` are made of, as far as names and text go: see language.py for the notation."""
from languagegrammar import Production

TEXT = [
    # Values and what they are called.
    Production("macro",
               "plain text.S6",
               top="#define $M $c0",
               file="__device__ unsigned mix$i(unsigned x) { return "
               "x * $M + 1u; }",
               body="v = mix$i(v) + $M;"),
    Production("macro of a header",
               "text.S6 text.X1",
               top='#include "$hA"',
               files={"A": "#ifndef CONFIGURATION_H\n#define CONFIGURATION_H\n#define $M $c0\n#endif"},
               body="v = v * $M + $c1;"),
    Production("helper of a header",
               "text.S6 text.X1",
               top='#include "$hA"',
               files={
                   "A":
                   "#ifndef CONFIGURATION_H\n#define CONFIGURATION_H\n#define $M $c0\n"
                   "@(static __device__@|inline __device__@|__device__ __forceinline__@) unsigned "
                   "mix$i(unsigned x) "
                   "{ return x * $M ^ threadIdx.x; }\n#endif"
               },
               body="v = mix$i(v);"),
    Production("helper of a header by a macro",
               "text.S6 text.X1",
               top='#include "$hA"',
               files={
                   "A":
                   "#pragma once\nstatic __device__ unsigned mix$i(unsigned x) { return x * $c0 + "
                   "blockIdx.x; }\n"
                   "#define $M(x) (mix$i(x) + $c1)"
               },
               body="v = $M(v);"),
    Production("configured header",
               "text.S6 text.S7",
               top='#define $M $c0\n#include "../shared$i.h"',
               shared={
                   "shared$i.h":
                   "#pragma once\n#ifndef $M\n#define $M 5\n#endif\nnamespace set$i { constexpr "
                   "unsigned K = $M; "
                   "struct Of { unsigned at[$M % 4 + 1]; }; }\n"
                   "static __device__ unsigned apply$i(unsigned x) { return x * set$i::K; }"
               },
               body="v = apply$i(v) + @(set$i::K@|unsigned(sizeof(set$i::Of))@);"),
    Production("parameter of a header's type",
               "text.S6 text.S9",
               weight=2,
               top='#include "$hA"',
               param="Extra$i",
               files={
                   "A":
                   "#ifndef TYPES_H$i\n#define TYPES_H$i\n#define $M $c0\n@(#pragma pack(push, 1)\n@|@)"
                   "struct Extra$i { unsigned char tag; unsigned value; };\n@(#pragma pack(pop)\n@|@)"
                   "namespace of$i { @(constexpr unsigned K = $c1@|enum { K = $c1 }@); }\n"
                   "static __device__ unsigned mix$i(unsigned x) { return x * $M; }\n#endif"
               },
               body="v = mix$i(v) + extra.value * of$i::K + extra.tag + $M + unsigned(sizeof(Extra$i));"),
    Production("parameter with a packed type of the file",
               "text.S9",
               param="Extra$i",
               top="#pragma pack(@(1@|2@|push, 1@))\nstruct Extra$i { unsigned char tag; unsigned value; unsigned "
               "long long more; };",
               file="struct Same$i { unsigned char tag; unsigned value; };",
               body="v += extra.value + extra.tag + unsigned(sizeof(Extra$i)) * 3u + unsigned(sizeof(Same$i));",
               open_pack=True),
    Production("packed type",
               "text.S9",
               weight=2,
               top="@(#pragma pack(push, 1)@|#pragma pack(1)@|#pragma "
               "pack(push)\n#pragma pack(2)@)",
               file="struct Packed$i { unsigned char tag; unsigned value; unsigned short half; };\n#pragma "
               "pack(@(pop@|@))",
               body="Packed$i p{static_cast<unsigned char>(v), v * $c0, 7}; v = p.value + p.tag + p.half + "
               "unsigned(sizeof p) * $c1 + "
               "unsigned(__builtin_offsetof(Packed$i, half)) * $c2;"),
    Production("pushed macro",
               "text.S9",
               weight=2,
               file='#define $M $c0\n#pragma push_macro("$M")\n#undef $M\n#define $M $c1\n'
               '__device__ unsigned first$i(unsigned x) { return x * $M; }\n#pragma pop_macro("$M")',
               body="v = first$i(v) + $M;"),
    Production("redefined macro",
               "text.S7 text.S11",
               file="#define $M $c0\n__device__ unsigned one$i(unsigned x) { return x * $M; }\n#undef $M\n#define $M "
               "$c1\n"
               "__device__ unsigned two$i(unsigned x) { return x + $M; }@(\n#undef $M\n#define $M $c2@|@)",
               body="v = one$i(v) ^ two$i(v) ^ $M;"),
    Production("macro between includes",
               "text.S7",
               weight=2,
               top='#define $M $c0\n#include "$hA"\n#undef $M\n#define $M $c1\n#include "$hB"\n#undef $M\n#define '
               '$M @($c2@|$c0@)\n#include "$hC"',
               files={
                   "A": "#pragma once\ninline __device__ unsigned one$i(unsigned x) { return x * $M; }@(\nstruct One$i { "
                   "unsigned at[$M]; };@|@)",
                   "B": "#pragma once\ninline __device__ unsigned two$i(unsigned x) { return x + $M; }",
                   "C": "#pragma once\ninline __device__ unsigned three$i(unsigned x) { return x ^ $M; }"
               },
               body="v = one$i(v) ^ two$i(v) ^ three$i(v) ^ $M;"),
    Production("macro between includes of types",
               "text.S7",
               param="Extra$i",
               top='#define $M $c0\n#include "$hA"\n#undef $M\n#define $M $c1\n#include "$hB"@(\n#undef $M@|@)',
               files={
                   "A":
                   "static __device__ unsigned one$i(unsigned x) { return x * $M; }",
                   "B":
                   "struct Extra$i { unsigned char tag; unsigned value; unsigned more[$M % 8 + 1]; };\n"
                   "static __device__ unsigned two$i(unsigned x) { return x + $M; }"
               },
               body="v = one$i(v) ^ two$i(v) ^ unsigned(sizeof(Extra$i)) ^ extra.value;"),
    Production("undefined before an include",
               "text.S7",
               weight=2,
               top='#define $M $c0\n#include "$hA"\n#undef $M\n#include "$hB"',
               files={
                   "A": "#pragma once\ninline __device__ unsigned one$i(unsigned x) { return x * $M; }",
                   "B": "#pragma once\ninline __device__ unsigned two$i(unsigned x) {\n#ifdef $M\nreturn x + 3u;\n#else\n"
                   "return x ^ $c1;\n#endif\n}"
               },
               body="v = one$i(v) + two$i(v);"),
    Production("header of one name in two folders",
               "text.S8",
               weight=3,
               top='#include "../$S/same$i.h"',
               files={
                   "same$i.h":
                   "#pragma once\ninline __device__ unsigned scale$i(unsigned value, $T by) { return value * $c0 + unsigned(by); }"
               },
               body="v = scale$i(v, 3);"),
    Production("pasted macro",
               "text.S11",
               weight=2,
               file="#define PASTE_(a, b) a##b\n#define PASTE(a, b) PASTE_(a, b)\n#define $M_1 $c0\n#define $M_2 $c1\n"
               "__device__ unsigned pasted$i(unsigned x) { return x * PASTE($M_, @(1@|2@)); }@(\n#undef "
               "$M_1\n#define $M_1 $c2@|@)",
               body="v = pasted$i(v) + PASTE($M_, 1);"),
    Production("pasted macro of a header",
               "text.S11",
               weight=2,
               top='#include "$hA"\n#undef $M_X\n#define $M_X $c0',
               files={
                   "A":
                   "#define $M_X $c1\n#define JOIN(a, b) a##b\nstatic __device__ unsigned mix$i(unsigned x) "
                   "{ return x + 3u; }"
               },
               body="v = mix$i(v) * JOIN($M_, X);"),
    Production("list of macros",
               "text.S11",
               file="#define LIST$i(X) X(one, 1) X(two, 2)\n#define DECLARE$i(name, by) "
               "__device__ unsigned name##$i(unsigned x) { return x * by + FACTOR_##name; }\n"
               "#define FACTOR_one $c0\n#define FACTOR_two $c1\nLIST$i(DECLARE$i)",
               body="v = one$i(v) ^ two$i(v);"),
    Production("table of an include",
               "text.S11 text.S3",
               weight=2,
               file="#define $M $c0\n__device__ const unsigned table$i[] = {\n#include \"$hA\"\n};@(\n#undef "
               "$M\n#define $M $c1@|@)",
               files={"A": "$M, $M + 1u,\n$c2, $M * 3u"},
               body="v += table$i[v % 4u]@( + $M@|@);"),
    Production("table and enumeration of an include",
               "text.S11",
               file="#define ROW(name, value) name##$i = value,\nenum Row$i {\n#include \"$hA\"\n};\n#undef ROW\n"
               "#define ROW(name, value) value * 2u,\n__device__ const unsigned rows$i[] = {\n#include "
               "\"$hA\"\n};",
               files={"A": "ROW(first, $c0)\nROW(second, $c1)"},
               body="v += rows$i[v % 2u] * second$i;"),
    Production("include in a body",
               "text.S3",
               weight=3,
               wraps=False,
               files={
                   "A":
                   "@(@|// a comment that shifts what follows, by more than a few bytes\n@)"
                   "v += threadIdx.x * $c0 + blockDim.x;\nv ^= blockIdx.x;"
               },
               body="{\n#include \"$hA\"\n}"),
    Production("include in a helper",
               "text.S3",
               files={"A": "x += threadIdx.x * $c0; x ^= blockDim.x;\n"},
               file="__device__ unsigned part$i(unsigned x) {\n  x *= 3u;\n#include \"$hA\"\n  return x;\n}",
               body="v = part$i(v);"),
    Production("include in a body with a barrier",
               "text.S3",
               weight=2,
               sync=True,
               wraps=False,
               files={
                   "A":
                   "__shared__ unsigned held[256];\nheld[t] = v;\n__syncthreads();\nv ^= held[$A - 1u - "
                   "t];\n__syncthreads();"
               },
               body="{\n#include \"$hA\"\n}"),
    Production("include in a body with dynamic memory",
               "text.S3",
               weight=2,
               sync=True,
               wraps=False,
               dynamic=True,
               files={
                   "A":
                   "extern __shared__ unsigned dynamic[];\ndynamic[t] = v;\n__syncthreads();\n"
                   "v ^= dynamic[$A - 1u - t];\n__syncthreads();"
               },
               body="{\n#include \"$hA\"\n}"),
    # Namespaces and look-up.
    Production("using a variable",
               "text.S10",
               weight=2,
               file="namespace far$i { @(constexpr unsigned Q$i = $c0;@|enum : unsigned { Q$i = $c0 };@|"
               "__device__ const unsigned Q$i = $c0;@) }\nusing far$i::Q$i;",
               body="v = v * Q$i + 1u;"),
    Production("using an enumerator",
               "text.S10",
               weight=2,
               file="namespace far$i { enum Color { RED$i = $c0 }; }\nenum Other$i { @(RED$i = 1@|BLUE$i = 1@) };\n"
               "namespace near$i { using far$i::RED$i; __device__ unsigned of(unsigned x) { return x * RED$i; } }",
               body="v = near$i::of(v) + 3u;"),
    Production("using a function",
               "text.S10",
               weight=2,
               file="namespace far$i { __device__ unsigned q$i(unsigned x) { return x * $c0; } }\n@(@|"
               "__device__ unsigned q$i(int x) { return x + $c1; }\n@)using far$i::q$i;",
               body="v = q$i(v);"),
    Production("using in a function",
               "text.S10",
               file="namespace far$i { constexpr unsigned Q = $c0; __device__ unsigned q(unsigned x) { return x * "
               "$c1; } }\n"
               "constexpr unsigned Q$i = 3;\n__device__ unsigned of$i(unsigned x) { using @(namespace "
               "far$i@|far$i::Q; using "
               "far$i::q@); return q(x) + Q; }",
               body="v = of$i(v);"),
    Production("using a namespace of a namespace",
               "text.S10",
               file="namespace far$i { inline namespace deep { constexpr unsigned Q = $c0; template <unsigned By> "
               "__device__ unsigned q("
               "unsigned x) { return x * By; } } }\nnamespace near$i { using namespace far$i; namespace same = "
               "far$i::deep;\n"
               "__device__ unsigned of(unsigned x) { return q<$c1>(x) + Q + same::Q; } }",
               body="v = near$i::of(v);"),
    Production("using an enumeration",
               "text.S10",
               flags=("-std=c++20", ),
               file="enum class Col$i { Q$i = $c0 };\nconstexpr unsigned Q$i = $c1;\nnamespace near$i { using enum "
               "Col$i; "
               "__device__ unsigned of() { return unsigned(Q$i); } }",
               body="v += near$i::of() + 10u * Q$i;"),
    Production("using a base's member",
               "text.S10",
               file="struct Base$i { __device__ static unsigned of(unsigned x) { return x * $c0; } enum { K = $c1 }; "
               "};\n"
               "struct Derived$i : Base$i { using Base$i::of; __device__ static unsigned of(int x) { return x + "
               "K; } };",
               body="v = Derived$i::of(v) + Derived$i::of(3);"),
    Production("one name in two namespaces",
               "text.S10 text.S6",
               file="constexpr unsigned K$i = $c0;\nnamespace in$i { constexpr unsigned K$i = $c1; __device__ "
               "unsigned of(unsigned x) "
               "{ return x * K$i + ::K$i; } }",
               body="v = in$i::of(v) + K$i;"),
    Production("operator by its argument",
               "text.S12",
               weight=2,
               top='#include "$hA"',
               files={"A": "namespace of$i { enum E { A = 1, B = 2, C = 7 }; }"},
               file="namespace of$i { __device__ @(unsigned@|E@) operator+(E a, E b) { return C; } }",
               body="v += unsigned(of$i::B + of$i::A) * $c0;"),
    Production("function by its argument",
               "text.S12",
               file="namespace of$i { struct X { unsigned a; }; }\n@(__device__ unsigned pick$i(...) { return 1u; }\n@|"
               "template <typename U> __device__ unsigned pick$i(U x) { return 1u; }\n@)"
               "namespace of$i { __device__ unsigned pick$i(X x) { return x.a * $c0; } }",
               body="of$i::X x{v}; v = pick$i(x) + v;"),
    Production("detected function",
               "text.S12",
               weight=2,
               file="struct T$i {};\ntemplate <typename...> using Void$i = void;\ntemplate <typename U> U value$i();\n"
               "template <class U, class = void> struct Has$i { static constexpr unsigned v = $c0; };\n"
               "template <class U> struct Has$i<U, Void$i<decltype(fx$i(value$i<U>()))>> { static constexpr "
               "unsigned v = $c1; };\n"
               "__device__ int fx$i(T$i);",
               body="v = v * Has$i<T$i>::v;"),
    Production("detected by overloads",
               "text.S12",
               file="struct T$i {};\n__device__ unsigned size$i(T$i, unsigned x) { return x * $c0; }\ntemplate "
               "<typename U> __device__ auto "
               "pick$i(U u, unsigned x, int) -> decltype(size$i(u, x)) { return size$i(u, x); }\n"
               "template <typename U> __device__ unsigned pick$i(U, unsigned x, long) { return x + $c1; }",
               body="v = pick$i(T$i{}, v, 0) + pick$i(3, v, 0);"),
    Production("friend",
               "text.S12",
               file="struct F$i { unsigned a; friend __device__ unsigned look$i(F$i f) { return f.a * $c0; } };\n"
               "__device__ unsigned look$i(unsigned x) { return x; }",
               body="v = look$i(F$i{v}) + look$i(v);"),
    Production("overloads",
               "plain",
               file="__device__ unsigned over$i(unsigned x) { return x * $c0; }\n__device__ "
               "unsigned over$i(int x) "
               "{ return x + $c1; }\n__device__ unsigned over$i(float) { return $c2; }",
               body="v = over$i(v) + over$i(3) + over$i(1.f) + over$i(v % 2u ? 'a' : 'b');"),
    # Templates.
    Production("specialisation of a function",
               "plain",
               file="template <unsigned By> __device__ unsigned spec$i(unsigned x) { return x + By; }\n"
               "template <> __device__ unsigned spec$i<$c0>(unsigned x) { return x * $c1; }",
               body="v = spec$i<$c0>(v) ^ spec$i<2>(v);"),
    Production("specialisation of a class",
               "plain",
               file="template <typename T, unsigned By> struct Spec$i { __device__ static T of(T x) { return x + By; "
               "} };\n"
               "template <typename T> struct Spec$i<T, $c0> { __device__ static T of(T x) { return x * $c1 + "
               "threadIdx.x; } };\n"
               "template <> struct Spec$i<unsigned, 1> { __device__ static unsigned of(unsigned x); };\n"
               "__device__ unsigned Spec$i<unsigned, 1>::of(unsigned x) { return x ^ blockDim.x; }",
               body="v = Spec$i<unsigned, $c0>::of(v) ^ Spec$i<unsigned, 1>::of(v) ^ Spec$i<unsigned, 2>::of(v);"),
    Production("template of a variable",
               "plain",
               file="template <unsigned By> constexpr unsigned Var$i = By * 2;\ntemplate <> constexpr unsigned "
               "Var$i<$c0> = $c1;",
               body="v += Var$i<$c0> * Var$i<3>;"),
    Production("specialisation of a header's template",
               "text.S6 text.S12",
               top='#include "$hA"',
               files={
                   "A":
                   "#pragma once\ntemplate <typename T> struct Op$i { __device__ T operator()(T x) const { "
                   "return x + $c0; } };\n"
                   "template <typename T> __device__ T run$i(T x) { return Op$i<T>()(x); }"
               },
               file="template <> struct Op$i<unsigned> { __device__ unsigned operator()(unsigned x) const { return x "
               "* $c1; } };",
               body="v = run$i(v);"),
    Production("deduction guide",
               "text.S12",
               file="template <typename T> struct Box$i { T x; __device__ Box$i(T x) : x(x) {} };\nBox$i(unsigned) -> "
               "Box$i<@(unsigned short@|unsigned char@)>;",
               body="Box$i box(v); v = v * $c0 + box.x;"),
    Production("member of a template outside",
               "plain",
               file="template <typename T> struct Tensor$i { T *data; __device__ T &operator[](int i); };\n"
               "template <typename T> __device__ T &Tensor$i<T>::operator[](int i) { return data[i]; }",
               body="unsigned at[2] = {v, $c0}; Tensor$i<unsigned> w{at}; w[1] += w[0]; v = w[1];"),
    Production("variadic",
               "plain",
               file="template <typename... X> __device__ unsigned fold$i(X... x) { return (x + "
               "... + $c0); }",
               body="v = fold$i(v, threadIdx.x, blockDim.x);"),
    Production("if constexpr",
               "plain",
               file="template <bool B> __device__ unsigned maybe$i(unsigned x) { if "
               "constexpr (B) return x * $c0 + "
               "threadIdx.x; else return x + $c1; }",
               body="v = maybe$i<true>(v) ^ maybe$i<false>(v);"),
    # Tables.
    Production("table of functions",
               "text.S1",
               weight=3,
               file="__device__ unsigned turn$i(unsigned x) { return x * $c0 + threadIdx.x; }\n"
               "__device__ unsigned keep$i(unsigned x) { return x ^ (blockIdx.x * $c1 + gridDim.x); }\n"
               "__device__ unsigned (*const table$i[])(unsigned) = {turn$i, keep$i};",
               body="v = table$i[v % 2u](v);"),
    Production("table that changes",
               "plain",
               file="__device__ unsigned turn$i(unsigned x) { return x * $c0 + threadIdx.x; }\n"
               "__device__ unsigned (*table$i[])(unsigned) = {turn$i, turn$i};",
               body="v = table$i[v % 2u](v);"),
    Production("table of functions that synchronise",
               "text.S1",
               seldom=True,
               weight=2,
               sync=True,
               file="__shared__ unsigned held$i[256];\n__device__ unsigned turn$i(unsigned x, unsigned t) { "
               "held$i[t] = x; __syncthreads(); "
               "x = held$i[$A - 1u - t]; __syncthreads(); return x; }\n__device__ unsigned keep$i(unsigned x, "
               "unsigned) { return x; }\n"
               "__device__ unsigned (*const table$i[])(unsigned, unsigned) = {turn$i, keep$i};",
               body="v = table$i[seed & 1u](v, t) + table$i[0](v, t);"),
    Production("structure of functions",
               "text.S1",
               weight=2,
               file="__device__ unsigned turn$i(unsigned x) { return x * $c0 + blockIdx.x; }\n"
               "struct Op$i { unsigned (*f)(unsigned); };\n__device__ constexpr Op$i ops$i[] = {{turn$i}, "
               "{turn$i}};",
               body="v = ops$i[0].f(v);"),
    Production("static member function pointer",
               "text.S1",
               file="__device__ unsigned turn$i(unsigned x) { return x * $c0 + blockIdx.x; }\n"
               "template <class T> struct Tr$i { static constexpr unsigned (*f)(unsigned) = turn$i; };\n"
               "template <unsigned (*F)(unsigned)> struct Call$i { __device__ static unsigned go(unsigned x) { "
               "return F(x); } };",
               body="v = Tr$i<int>::f(v) + Call$i<turn$i>::go(v);"),
    Production("default member initialiser",
               "text.S1",
               file="struct With$i { unsigned a = blockDim.x * $c0 + threadIdx.x; };",
               body="With$i w{}; v += w.a;"),
    Production("default argument",
               "plain",
               file="__device__ unsigned with$i(unsigned x, unsigned y = threadIdx.x) { "
               "return x * $c0 + y; }",
               body="v = with$i(v) + with$i(v, 3u);"),
    # What the compiler and the place say.
    Production("identity of the compiler",
               "text.S4",
               seldom=True,
               weight=5,
               sync=True,
               wraps=False,
               body="#if @(defined(__CUDA__)@|defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)@)\nv += $c0;\n#else\n"
               "__shared__ unsigned held[256];\nheld[t] = v;\n__syncthreads();\nv ^= held[$A - 1u - t];\n"
               "__syncthreads();\n#endif"),
    Production("leave by the identity of the compiler",
               "text.S4",
               seldom=True,
               weight=5,
               sync=True,
               exit=True,
               body="#if @(defined(__CUDA__)@|defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)@)\nv += $c0;\n#else\n"
               "if (t >= $L) return;\n#endif\n"
               "__shared__ unsigned held[256];\nheld[t] = v;\n__syncthreads();\nv ^= held[$L - 1u - t];\n"
               "__syncthreads();"),
    Production("architecture",
               "text.S5 tune.2",
               weight=6,
               sync=True,
               wraps=False,
               flags=("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"),
               file="__device__ unsigned only$i(unsigned x) { return x * $c1; }",
               body="#if __CUDA_ARCH__ @(<@|>=@) 900\nv += $c0;\n#else\n@(v = only$i(v);@|"
               "__shared__ unsigned held[256];\nheld[t] = v;\n__syncthreads();\nv ^= held[$A - 1u - t];\n"
               "__syncthreads();@)\n#endif"),
    Production("counter",
               "text.S18",
               file="@(int unrelated$i() { return __COUNTER__; }\n@|@)",
               body="v += "
               "__COUNTER__ * "
               "$c0;"),
    Production("counter in a template",
               "text.S18",
               file="template <unsigned By> struct Id$i { static constexpr "
               "unsigned v = By; };",
               body="v += Id$i<__COUNTER__>::v * $c0 + Id$i<__COUNTER__>::v;"),
    Production("line", "text.S18", body="v += __LINE__ - __LINE__;\nv += @(__LINE__@|0@) * $c0;"),
    Production("line in a macro",
               "text.S18",
               file="#define HERE$i __LINE__\n\n__device__ unsigned here$i(unsigned x) "
               "{\n  return x + HERE$i; }",
               body="v = here$i(v);"),
    Production("name of a built-in as text",
               "text.S18",
               file="#define TEXT_$i(x) #x\n#define TEXT$i(x) TEXT_$i(x)",
               body='v += unsigned(sizeof(@(TEXT_$i@|TEXT$i@)(threadIdx.x)));'),
    Production("control bytes",
               "text.S19",
               weight=2,
               wraps=False,
               body="v += $c0; // \x05 note\nv *= $c1;\n// \x07 "
               "end\nv ^= $c2;"),
    Production("control bytes in strings and comments",
               "text.S19",
               body="v += $c0; /* @(\x01@|\x02@|\x03@|\x04@|\x06@|\x08@) */ v *= $c1; // @(\x02@|\x07@|\x1b@)\nv ^= "
               "$c2;"),
    Production("object in parentheses",
               "plain",
               file="constexpr unsigned int Half$i(32 / 2);\nconstexpr unsigned "
               "Brace$i{$c0};",
               body="v += Half$i * Brace$i;"),
    Production("attributes and unrolling",
               "plain",
               body="@(#pragma unroll@|#pragma unroll 2@|#pragma nounroll@)\nfor (unsigned k = 0; k < 4u; ++k) v = v "
               "* $c0 + k + threadIdx.x;"),
    Production("cluster attribute",
               "text.S15 sync.S5",
               weight=1.5,
               refuse=True,
               attribute="__block_size__((128, 1, "
               "1), (2, 1, 1))",
               body=";"),
    Production("initialised constant that the host fills",
               "text.S16",
               weight=1.5,
               file="__constant__ unsigned filled$i[2] = {$c0, $c1};\n"
               "__host__ __device__ void fill$i() {\n#if !defined __CUDA_ARCH__ || defined EMULATED\n"
               "const unsigned values[2] = {$c2, $c3};\ncudaMemcpyToSymbol(filled$i, values, sizeof values);\n"
               "#endif\n}",
               host="fill$i",
               body="v += filled$i[v % 2u];"),
    Production("unknown special register",
               "text.S17 sync.S6",
               weight=1.5,
               refuse=True,
               body='unsigned r; asm volatile("mov.u32 %0, %%@(nclusterid.x@|aggr_smem_size@|is_explicit_cluster@);" '
               ': "=r"(r)); v += r;'),
    Production("return in assembly",
               "text.S17 sync.S8",
               weight=4,
               refuse=True,
               body='@(asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p ret; }" :: "r"(v));@|if (v == 77u) asm '
               'volatile("ret;");@)'),
    Production("macro like a name of ours",
               "text.X1",
               weight=2,
               top="#define @(size@|rank@|Threads@|block@|launch@|First@|dim3_@|divide@) $c0",
               own_macro=True,
               body="v += $c1;"),
    Production("header with a macro like a name of ours",
               "text.X1",
               weight=2,
               top='#include "$hA"',
               param="Extra$i",
               files={
                   "A":
                   "#pragma once\n#define @(size@|rank@|Threads@|blocks@|SizeX@|First@|shift@) $c0\n#define "
                   "@(min(a, b) ((a) < (b) ? "
                   "(a) : (b))@|d(i, j) ((i) + (j))@|check(x) (x)@)\nstruct Extra$i { unsigned char tag; "
                   "unsigned value; };"
               },
               body="v += extra.value * $c1;"),
    Production("concept",
               "text.X1",
               flags=("-std=c++20", ),
               file="template <typename T> concept Small$i = sizeof(T) <= 4;\ntemplate <Small$i T> __device__ T "
               "only$i(T x) { return x * $c0; }\n"
               "template <typename T> __device__ T only$i(T x) { return x + $c1; }",
               body="v = only$i(v) + "
               "unsigned(only$i(3ull));"),
    Production("structured binding",
               "plain",
               fuses=True,
               file="struct Two$i { unsigned a, b; };",
               body="auto [a, c] = Two$i{v, threadIdx.x * $c0}; v = a ^ c;"),
    Production("line directive",
               "text.X3",
               weight=2,
               fuses=True,
               wraps=False,
               file="#line @(40@|4000@)\n__device__ unsigned late$i(unsigned x) { return x + $c0; }",
               body="@(v = late$i(v);@|\n#line 77\nv *= late$i(v);@)"),
    Production("names of ours",
               "text.X1",
               body="unsigned cufuse_value0 = v * $c0; unsigned cufuse_turn = 3u; v = "
               "cufuse_value0 + cufuse_turn;"),
    Production("unscoped register",
               "text.X2",
               weight=4,
               wraps=False,
               assembles=True,
               body='asm volatile(".reg .u32 tmp$i; add.u32 tmp$i, %0, $c0; @(mov.u32 %0, tmp$i;@|bra over$i; add.u32 tmp$i, '
               'tmp$i, 1; over$i: mov.u32 %0, tmp$i;@)" : "+r"(v));'),
]
