// Instructions that concern a thread alone: arithmetic, moves, memory.
#include "Assembly.h"
#include "Scheduler.h"

#include <algorithm>
#include <cmath>

namespace cuda_emulated {
namespace {

template <typename T> T valueOf(Value bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// OP of two values of the instruction's type; floating-point numbers only if the operation has them.
template <typename Operation> Value applied(const Instruction &i, Value a, Value b) {
  if constexpr (std::is_invocable_v<Operation, float, float>)
    if (i.isFloat()) {
      if (i.bits() == 32)
        return toBits(Operation()(valueOf<float>(a), valueOf<float>(b)));
      if (i.bits() == 64)
        return toBits(Operation()(valueOf<double>(a), valueOf<double>(b)));
    }
  if (i.isFloat())
    i.unknownType();
  if (i.isSigned())
    return mask(i.bits(), static_cast<Value>(Operation()(extended(i, a), extended(i, b))));
  return mask(i.bits(), static_cast<Value>(Operation()(mask(i.bits(), a), mask(i.bits(), b))));
}

template <typename T> using Integer = std::enable_if_t<std::is_integral_v<T>, T>;
struct Minus {
  template <typename T> T operator()(T a, T b) const { return a - b; }
};
struct Times {
  template <typename T> T operator()(T a, T b) const { return a * b; }
};
struct And {
  template <typename T> Integer<T> operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> Integer<T> operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> Integer<T> operator()(T a, T b) const { return a ^ b; }
};
struct Exchanged {
  template <typename T> T operator()(T, T b) const { return b; }
};
/// atom.inc and atom.dec
struct Incremented {
  template <typename T> Integer<T> operator()(T a, T b) const { return a >= b ? 0 : a + 1; }
};
struct Decremented {
  template <typename T> Integer<T> operator()(T a, T b) const { return a == 0 || a > b ? b : a - 1; }
};
template <int Order> struct Compares {
  template <typename T> bool operator()(T a, T b) const {
    return Order == 0   ? a == b
           : Order == 1 ? a != b
           : Order == 2 ? a < b
           : Order == 3 ? a <= b
           : Order == 4 ? a > b
                        : a >= b;
  }
};

template <typename Operation> void compute(Frame &f, const Instruction &i) {
  set(f, i, 0, applied<Operation>(i, get(f, i, 1), get(f, i, 2)));
}
template <typename Operation> void computeTwice(Frame &f, const Instruction &i) {
  set(f, i, 0, applied<Operation>(i, applied<Times>(i, get(f, i, 1), get(f, i, 2)), get(f, i, 3)));
}
void fusedMultiplyAdd(Frame &f, const Instruction &i) {
  const Value a = get(f, i, 1), b = get(f, i, 2), c = get(f, i, 3);
  if (i.type == "f32")
    set(f, i, 0, toBits(std::fma(valueOf<float>(a), valueOf<float>(b), valueOf<float>(c))));
  else if (i.type == "f64")
    set(f, i, 0, toBits(std::fma(valueOf<double>(a), valueOf<double>(b), valueOf<double>(c))));
  else
    i.unknownType();
}
void shiftLeft(Frame &f, const Instruction &i) {
  const Value by = mask(32, get(f, i, 2));
  set(f, i, 0, by >= i.bits() ? 0 : mask(i.bits(), get(f, i, 1) << by));
}
/// Signed types are filled with the sign.
void shiftRight(Frame &f, const Instruction &i) {
  const Value by = std::min<Value>(mask(32, get(f, i, 2)), 64), a = get(f, i, 1);
  if (i.isSigned())
    set(f, i, 0, mask(i.bits(), static_cast<Value>(extended(i, a) >> std::min<Value>(by, 63))));
  else
    set(f, i, 0, by >= i.bits() ? 0 : mask(i.bits(), a) >> by);
}
/// bfe d, a, position, length of unsigned numbers
void extractBits(Frame &f, const Instruction &i) {
  if (i.type[0] != 'u')
    i.unknownType();
  const Value from = word(f, i, 2) & 255, length = word(f, i, 3) & 255, a = mask(i.bits(), get(f, i, 1));
  set(f, i, 0, from > 63 || length == 0 ? 0 : mask(static_cast<unsigned>(length), a >> from));
}
/// bfi d, a, b, position, length: bits of a into b
void insertBits(Frame &f, const Instruction &i) {
  const Value from = word(f, i, 3) & 255, length = word(f, i, 4) & 255, b = get(f, i, 2);
  const Value field = from > 63 || length == 0 ? 0 : mask(static_cast<unsigned>(length), ~0ull) << from;
  set(f, i, 0, mask(i.bits(), (b & ~field) | (from > 63 ? 0 : get(f, i, 1) << from & field)));
}
/// bmsk.clamp d, position, length
void makeMask(Frame &f, const Instruction &i) {
  const unsigned from = word(f, i, 1), length = word(f, i, 2);
  set(f, i, 0, from > 31 || length == 0 ? 0 : mask(32, mask(std::min(length, 32u), ~0ull) << from));
}
template <typename Comparison> void setPredicate(Frame &f, const Instruction &i) {
  const Value a = get(f, i, 1), b = get(f, i, 2);
  if (i.type == "f32")
    set(f, i, 0, Comparison()(valueOf<float>(a), valueOf<float>(b)));
  else if (i.type == "f64")
    set(f, i, 0, Comparison()(valueOf<double>(a), valueOf<double>(b)));
  else if (i.isFloat())
    i.unknownType();
  else if (i.isSigned())
    set(f, i, 0, Comparison()(extended(i, a), extended(i, b)));
  else
    set(f, i, 0, Comparison()(mask(i.bits(), a), mask(i.bits(), b)));
}
void select(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, get(f, i, 3) ? 1 : 2)); }
void move(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, 1)); }
void invert(Frame &f, const Instruction &i) {
  set(f, i, 0, i.type == "pred" ? !get(f, i, 1) : mask(i.bits(), ~get(f, i, 1)));
}
void raise2(Frame &f, const Instruction &i) {
  if (i.type != "f32")
    i.unknownType();
  set(f, i, 0, toBits(std::exp2(valueOf<float>(get(f, i, 1)))));
}
void countBits(Frame &f, const Instruction &i) {
  set(f, i, 0, static_cast<Value>(__builtin_popcountll(mask(i.bits(), get(f, i, 1)))));
}
/// cvt.to.from d, a of integers
void convert(Frame &f, const Instruction &i) {
  if (i.isFloat() || i.target[0] == 'f')
    i.unknownType();
  const unsigned bits = static_cast<unsigned>(std::atoi(i.target.c_str() + 1));
  set(f, i, 0, mask(bits, static_cast<Value>(extended(i, get(f, i, 1)))));
}

/// cvt.rni.sat.s8.f32 d, a: to the nearest, ties to even, no further than the type goes; what is no number is 0.
void saturate(Frame &f, const Instruction &i) {
  if (i.type != "f32" || i.target != "s8")
    i.unknownType();
  const float a = valueOf<float>(get(f, i, 1));
  set(f, i, 0, mask(32, static_cast<Value>(std::isnan(a) ? 0ll : std::llrint(std::clamp(a, -128.f, 127.f)))));
}

/// cvta{.to}.shared d, a
void toGeneric(Frame &f, const Instruction &i) {
  set(f, i, 0, i.shared ? reinterpret_cast<Value>(fromShared(word(f, i, 1))) : get(f, i, 1));
}
void toSpace(Frame &f, const Instruction &i) {
  set(f, i, 0, i.shared ? toShared(reinterpret_cast<void *>(get(f, i, 1))) : get(f, i, 1));
}
/// Elements of a vector lie one after the other.
template <typename Use> void forEachElement(const Instruction &i, const Place &data, unsigned char *memory, Use use) {
  const unsigned bytes = i.bits() / 8;
  if (reinterpret_cast<std::uintptr_t>(memory) % (bytes * std::max<std::size_t>(1, data.elements.size())))
    fail("%s of %s: address %p is not aligned", i.mnemonic.c_str(), i.type.c_str(), static_cast<void *>(memory));
  if (data.elements.empty())
    return use(data, memory, bytes);
  for (const Place &element : data.elements) {
    use(element, memory, bytes);
    memory += bytes;
  }
}
void load(Frame &f, const Instruction &i) {
  auto *from = static_cast<unsigned char *>(address(f, i, 1));
  if (i.acquire) { // that reads the same again waits for others
    if (threads[current].polled == from)
      poll(from, "ld.acquire");
    else
      yield();
    threads[current].polled = from;
    threads[current].polls = "ld.acquire";
  }
  forEachElement(i, i.places[0], from, [&](const Place &to, const unsigned char *at, unsigned bytes) {
    Value value = 0;
    std::memcpy(&value, at, bytes);
    set(f, i, to, value);
  });
}
void store(Frame &f, const Instruction &i) {
  forEachElement(i, i.places[1], static_cast<unsigned char *>(address(f, i, 0)),
                 [&](const Place &from, unsigned char *at, unsigned bytes) {
                   const Value value = get(f, i, from);
                   std::memcpy(at, &value, bytes);
                 });
  progress();
}
/// atom d, [a], b and red [a], b
template <typename Operation, bool Returns> void atomic(Frame &f, const Instruction &i) {
  mayYield();
  progress();
  void *memory = address(f, i, Returns);
  Value old = 0;
  std::memcpy(&old, memory, i.bits() / 8);
  const Value next = applied<Operation>(i, old, get(f, i, Returns + 1));
  std::memcpy(memory, &next, i.bits() / 8);
  if (Returns)
    set(f, i, 0, old);
}
/// atom.cas d, [a], compared, written
void compareAndSwap(Frame &f, const Instruction &i) {
  mayYield();
  progress();
  void *memory = address(f, i, 1);
  Value old = 0;
  std::memcpy(&old, memory, i.bits() / 8);
  const Value written = get(f, i, 3);
  if (old == mask(i.bits(), get(f, i, 2)))
    std::memcpy(memory, &written, i.bits() / 8);
  set(f, i, 0, old);
}

void noOperation(Frame &, const Instruction &) {}
void letOthersRun(Frame &, const Instruction &) { yield(); }
void letNextGridBegin(Frame &, const Instruction &) { letNextBegin(); }
void awaitLastGrid(Frame &, const Instruction &) { awaitLast(); }
void leave(Frame &, const Instruction &) { exitThread(); }
void trap(Frame &, const Instruction &) { fail("trap"); }

template <typename Operation> void addAtomic(Instructions &all, const std::string &name) {
  all["atom." + name] = atomic<Operation, true>;
  all["red." + name] = atomic<Operation, false>;
}

} // namespace

void addThreadInstructions(Instructions &all) {
  addAtomic<Plus>(all, "add");
  addAtomic<Min>(all, "min");
  addAtomic<Max>(all, "max");
  addAtomic<And>(all, "and");
  addAtomic<Or>(all, "or");
  addAtomic<Xor>(all, "xor");
  addAtomic<Exchanged>(all, "exch");
  addAtomic<Incremented>(all, "inc");
  addAtomic<Decremented>(all, "dec");
  all.insert({
      {"atom.cas", compareAndSwap},
      {"ld", load},
      {"st", store},
      {"cvta", toGeneric},
      {"cvta.to", toSpace},
      {"setp.eq", setPredicate<Compares<0>>},
      {"setp.ne", setPredicate<Compares<1>>},
      {"setp.lt", setPredicate<Compares<2>>},
      {"setp.le", setPredicate<Compares<3>>},
      {"setp.gt", setPredicate<Compares<4>>},
      {"setp.ge", setPredicate<Compares<5>>},
      {"selp", select},
      {"mov", move},
      {"not", invert},
      {"add", compute<Plus>},
      {"sub", compute<Minus>},
      {"mul", compute<Times>},
      {"mul.lo", compute<Times>},
      {"mad.lo", computeTwice<Plus>},
      {"fma", fusedMultiplyAdd},
      {"min", compute<Min>},
      {"max", compute<Max>},
      {"and", compute<And>},
      {"or", compute<Or>},
      {"xor", compute<Xor>},
      {"shl", shiftLeft},
      {"shr", shiftRight},
      {"bfe", extractBits},
      {"bfi", insertBits},
      {"bmsk.clamp", makeMask},
      {"popc", countBits},
      {"ex2.approx.ftz", raise2},
      {"cvt", convert},
      {"cvt.rni.sat", saturate},
      {"nanosleep", letOthersRun},
      {"membar", letOthersRun},
      {"griddepcontrol.launch_dependents", letNextGridBegin},
      {"griddepcontrol.wait", awaitLastGrid},
      {"fence", letOthersRun},
      {"fence.proxy.async", noOperation},
      {"fence.mbarrier_init", noOperation},
      {"prefetch.tensormap", noOperation},
      {"setmaxnreg.dec.sync", noOperation},
      {"setmaxnreg.inc.sync", noOperation},
      {"wgmma.fence.sync", noOperation},
      {"wgmma.commit_group.sync", noOperation},
      {"wgmma.wait_group.sync", noOperation},
      {"exit", leave},
      {"trap", trap},
  });
}

} // namespace cuda_emulated
