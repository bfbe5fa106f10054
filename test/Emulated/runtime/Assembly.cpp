// Interprets the PTX of inline assembly statements. A mnemonic is looked up without the qualifiers that change nothing
// here: a line in `Instructions` adds one.
#include "Scheduler.h"

#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace cuda_emulated {

namespace {

using Value = unsigned long long;

struct Place {
  enum class Kind { Operand, Register, Immediate, Special } kind;
  Value number = 0;     ///< Index or immediate.
  long long offset = 0; ///< Of `[address+offset]`.
};

struct Instruction;
struct Frame {
  Operand *operands;
  std::vector<Value> registers;
};
using Execute = void (*)(Frame &, const Instruction &);

struct Instruction {
  Execute execute = nullptr;
  std::string mnemonic, type;
  bool shared = false; ///< Addresses are 32 bits from where shared memory starts.
  std::vector<Place> places;
  int predicate = -1;
  bool negated = false;
  std::size_t target = 0; ///< Of a branch.
};

Value mask(const std::string &type, Value value) {
  const unsigned bits = type.size() > 1 ? static_cast<unsigned>(std::atoi(type.c_str() + 1)) : 64;
  return bits >= 64 || bits == 0 ? value : value & ((1ull << bits) - 1);
}
long long extended(const std::string &type, Value value) {
  const unsigned bits = static_cast<unsigned>(std::atoi(type.c_str() + 1));
  return bits >= 64 || type[0] != 's' ? static_cast<long long>(mask(type, value))
                                      : static_cast<long long>(value << (64 - bits)) >> (64 - bits);
}

Value special(Value index) {
  switch (index) {
  case 0:
    return linearThread() % 32;
  case 1:
    return linearThread() / 32;
  case 2: {
    int multiprocessors = 1;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    return blockIdx.x % static_cast<unsigned>(multiprocessors);
  }
  case 3:
  case 4:
    return static_cast<Value>(clock64());
  default: {
    const unsigned components[] = {threadIdx.x, threadIdx.y, threadIdx.z, blockDim.x, blockDim.y, blockDim.z,
                                   blockIdx.x,  blockIdx.y,  blockIdx.z,  gridDim.x,  gridDim.y,  gridDim.z};
    return components[index - 5];
  }
  }
}
const char *const Specials[] = {"%laneid",  "%warpid",  "%smid",     "%clock64",  "%globaltimer", "%tid.x",
                                "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",      "%ctaid.x",
                                "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

Value get(const Frame &f, const Instruction &i, std::size_t at) {
  const Place &p = i.places.at(at);
  switch (p.kind) {
  case Place::Kind::Operand:
    return f.operands[p.number].value;
  case Place::Kind::Register:
    return f.registers[p.number];
  case Place::Kind::Special:
    return special(p.number);
  case Place::Kind::Immediate:
    break;
  }
  return p.number;
}
void set(Frame &f, const Instruction &i, std::size_t at, Value value) {
  const Place &p = i.places.at(at);
  if (p.kind == Place::Kind::Register)
    f.registers[p.number] = value;
  else if (p.kind == Place::Kind::Operand)
    f.operands[p.number].value = value;
}
void *address(const Frame &f, const Instruction &i, std::size_t at) {
  const Value value = get(f, i, at) + static_cast<Value>(i.places[at].offset);
  return i.shared ? fromShared(static_cast<unsigned>(value)) : reinterpret_cast<void *>(value);
}
unsigned word(const Frame &f, const Instruction &i, std::size_t at, unsigned otherwise = 0) {
  return at < i.places.size() ? static_cast<unsigned>(get(f, i, at)) : otherwise;
}

// Barriers of the block.

template <BarrierKind Kind> void blockBarrier(Frame &f, const Instruction &i) {
  barrier(word(f, i, 0), word(f, i, 1), Kind);
}
/// red.OP d, a{, b}, p
template <BarrierKind Kind> void reducingBarrier(Frame &f, const Instruction &i) {
  const bool counted = i.places.size() == 4;
  set(f, i, 0, barrier(word(f, i, 1), counted ? word(f, i, 2) : 0, Kind, word(f, i, counted ? 3 : 2) != 0));
}

// mbarrier objects (PTX ISA, mbarrier): here the word holds, from the low end, the count of the next phase (20
// bits), the count that is missing (20), the phase (8, only its lowest bit is seen) and a mark of what has been
// initialised.

constexpr Value Mark = 0xb7a1ull << 48;

struct Mbarrier {
  Value *object;
  Value expected, pending, phase;

  Mbarrier(const Instruction &i, void *address) : object(static_cast<Value *>(address)) {
    if (reinterpret_cast<std::uintptr_t>(address) % 8)
      fail("%s: the object is not aligned", i.mnemonic.c_str());
    if (*object >> 48 != Mark >> 48)
      fail("%s of an object that is no mbarrier (shared address %u)", i.mnemonic.c_str(), toShared(object));
    expected = *object & 0xfffff;
    pending = *object >> 20 & 0xfffff;
    phase = *object >> 40 & 0xff;
  }
  void store() const { *object = Mark | phase << 40 | pending << 20 | expected; }
  void arrive(const Instruction &i, Value count) {
    if (count > pending || count == 0)
      fail("%s of %llu, but the phase waits for %llu", i.mnemonic.c_str(), count, pending);
    if ((pending -= count) == 0) {
      phase = (phase + 1) & 0xff;
      pending = expected;
    }
    store();
    progress();
  }
};

void mbarrierInit(Frame &f, const Instruction &i) {
  const Value count = get(f, i, 1);
  if (count == 0 || count > 0xfffff)
    fail("mbarrier.init with the count %llu", count);
  *static_cast<Value *>(address(f, i, 0)) = Mark | count << 20 | count;
}
void mbarrierInvalidate(Frame &f, const Instruction &i) { *Mbarrier(i, address(f, i, 0)).object = 0; }
/// arrive{_drop} state, [address]{, count}; the state may be `_` and, by the older form, missing.
template <bool Drop> void mbarrierArrive(Frame &f, const Instruction &i) {
  Mbarrier b(i, address(f, i, 1));
  const Value state = *b.object, count = i.places.size() > 2 ? get(f, i, 2) : 1;
  if (Drop) {
    if (count > b.expected)
      fail("%s of %llu, but only %llu take part", i.mnemonic.c_str(), count, b.expected);
    b.expected -= count;
  }
  b.arrive(i, count);
  set(f, i, 0, state);
}
/// {test,try}_wait p, [address], state
template <bool Parity> void mbarrierWait(Frame &f, const Instruction &i) {
  const Mbarrier b(i, address(f, i, 1));
  const Value waited = Parity ? get(f, i, 2) & 1 : get(f, i, 2) >> 40 & 1;
  const bool over = (b.phase & 1) != waited;
  if (over)
    threads[current].polled = nullptr;
  else
    poll(b.object, i.mnemonic.c_str());
  set(f, i, 0, over);
}
void mbarrierPending(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, 1) >> 20 & 0xfffff); }

// Arithmetic, as far as statements around barriers need it.

template <typename Compare> void setPredicate(Frame &f, const Instruction &i) {
  const Value a = get(f, i, 1), b = get(f, i, 2);
  set(f, i, 0,
      i.type[0] == 's' ? Compare()(extended(i.type, a), extended(i.type, b))
                       : Compare()(mask(i.type, a), mask(i.type, b)));
}
template <typename Compute> void compute(Frame &f, const Instruction &i) {
  set(f, i, 0, mask(i.type, Compute()(get(f, i, 1), get(f, i, 2))));
}
struct Shl {
  Value operator()(Value a, Value b) const { return b > 63 ? 0 : a << b; }
};
struct Minus {
  Value operator()(Value a, Value b) const { return a - b; }
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
void select(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, get(f, i, 3) ? 1 : 2)); }
void move(Frame &f, const Instruction &i) { set(f, i, 0, get(f, i, 1)); }
void invert(Frame &f, const Instruction &i) {
  set(f, i, 0, i.type == "pred" ? !get(f, i, 1) : mask(i.type, ~get(f, i, 1)));
}
void multiplyAdd(Frame &f, const Instruction &i) {
  set(f, i, 0, mask(i.type, get(f, i, 1) * get(f, i, 2) + get(f, i, 3)));
}
/// cp.async [shared], [global], bytes{, bytes of the source}: done at once.
void copyAsync(Frame &f, const Instruction &i) {
  unsigned char *to =
      static_cast<unsigned char *>(fromShared(word(f, i, 0) + static_cast<unsigned>(i.places[0].offset)));
  const auto *from = reinterpret_cast<const unsigned char *>(get(f, i, 1) + static_cast<Value>(i.places[1].offset));
  const unsigned bytes = word(f, i, 2), given = word(f, i, 3, bytes);
  std::memcpy(to, from, given);
  std::memset(to + given, 0, bytes - given);
}
/// cvta{.to}.shared d, a
void toGeneric(Frame &f, const Instruction &i) {
  set(f, i, 0, i.shared ? reinterpret_cast<Value>(fromShared(word(f, i, 1))) : get(f, i, 1));
}
void toSpace(Frame &f, const Instruction &i) {
  set(f, i, 0, i.shared ? toShared(reinterpret_cast<void *>(get(f, i, 1))) : get(f, i, 1));
}
void load(Frame &f, const Instruction &i) {
  Value value = 0;
  std::memcpy(&value, address(f, i, 1), std::atoi(i.type.c_str() + 1) / 8);
  set(f, i, 0, value);
}
void store(Frame &f, const Instruction &i) {
  const Value value = get(f, i, 1);
  std::memcpy(address(f, i, 0), &value, std::atoi(i.type.c_str() + 1) / 8);
}
void noOperation(Frame &, const Instruction &) {}
void letOthersRun(Frame &, const Instruction &) { yield(); }
void leave(Frame &, const Instruction &) { exitThread(); }
void trap(Frame &, const Instruction &) { fail("trap"); }
void activeLanes(Frame &f, const Instruction &i) { set(f, i, 0, activeMask()); }
void syncWarp(Frame &f, const Instruction &i) { exchange("bar.warp.sync", word(f, i, 0), nothing, 0); }

const std::map<std::string, Execute> Instructions = {
    {"barrier.sync", blockBarrier<BarrierKind::Sync>},
    {"barrier.arrive", blockBarrier<BarrierKind::Arrive>},
    {"barrier.red.popc", reducingBarrier<BarrierKind::Count>},
    {"barrier.red.and", reducingBarrier<BarrierKind::And>},
    {"barrier.red.or", reducingBarrier<BarrierKind::Or>},
    {"bar.warp.sync", syncWarp},
    {"mbarrier.init", mbarrierInit},
    {"mbarrier.inval", mbarrierInvalidate},
    {"mbarrier.arrive", mbarrierArrive<false>},
    {"mbarrier.arrive.noComplete", mbarrierArrive<false>},
    {"mbarrier.arrive_drop", mbarrierArrive<true>},
    {"mbarrier.arrive_drop.noComplete", mbarrierArrive<true>},
    {"mbarrier.test_wait", mbarrierWait<false>},
    {"mbarrier.test_wait.parity", mbarrierWait<true>},
    {"mbarrier.try_wait", mbarrierWait<false>},
    {"mbarrier.try_wait.parity", mbarrierWait<true>},
    {"mbarrier.pending_count", mbarrierPending},
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
    {"mad.lo", multiplyAdd},
    {"cp.async.ca", copyAsync},
    {"cp.async.cg", copyAsync},
    {"cp.async.commit_group", noOperation},
    {"cp.async.wait_group", noOperation},
    {"cp.async.wait_all", noOperation},
    {"sub", compute<Minus>},
    {"and", compute<BitAnd>},
    {"or", compute<BitOr>},
    {"xor", compute<BitXor>},
    {"shl", compute<Shl>},
    {"cvta", toGeneric},
    {"cvta.to", toSpace},
    {"ld", load},
    {"st", store},
    {"bra", nullptr},
    {"activemask", activeLanes},
    {"nanosleep", letOthersRun},
    {"membar", letOthersRun},
    {"fence", letOthersRun},
    {"fence.proxy.async", noOperation},
    {"fence.mbarrier_init", noOperation},
    {"setmaxnreg.dec.sync", noOperation},
    {"setmaxnreg.inc.sync", noOperation},
    {"exit", leave},
    {"trap", trap},
};

bool isType(const std::string &part) {
  return part == "pred" || (part.size() >= 2 && std::strchr("busf", part[0]) && std::isdigit(part[1]));
}
bool isQualifier(const std::string &part) {
  static const char *const All[] = {"aligned", "cta",     "release", "acquire", "relaxed",    "acq_rel",
                                    "sc",      "gl",      "sys",     "gpu",     "volatile",   "weak",
                                    "uni",     "cluster", "global",  "shared",  "shared::cta"};
  for (const char *qualifier : All)
    if (part == qualifier)
      return true;
  return false;
}

std::string trimmed(const std::string &text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

} // namespace

class Program {
public:
  explicit Program(const char *source) : Text(source) {
    std::string statement;
    for (const char *c = source;; ++c) {
      if (*c == '/' && c[1] == '/')
        while (*c && *c != '\n')
          ++c;
      if (*c == 0 || *c == ';' || *c == '{' || *c == '}') {
        parse(trimmed(statement));
        statement.clear();
        if (*c == 0)
          break;
      } else if (*c == ':' && c[1] != ':' && (c == source || c[-1] != ':')) {
        Labels[trimmed(statement)] = Code.size();
        statement.clear();
      } else {
        statement += *c;
      }
    }
    for (Instruction &i : Code)
      if (!i.execute) {
        const auto label = Labels.find(i.type);
        if (label == Labels.end())
          fail("inline assembly: no label %s in: %s", i.type.c_str(), source);
        i.target = label->second;
      }
  }

  void run(Operand *operands, unsigned count) const {
    if (Operands > count)
      fail("inline assembly: operand %u of %u in: %s", Operands - 1, count, Text.c_str());
    Frame frame{operands, std::vector<Value>(Registers.size())};
    for (std::size_t at = 0; at < Code.size();) {
      const Instruction &i = Code[at++];
      if (i.predicate >= 0 && (frame.registers[static_cast<std::size_t>(i.predicate)] != 0) == i.negated)
        continue;
      if (i.execute)
        i.execute(frame, i);
      else
        at = i.target;
    }
    for (unsigned i = 0; i < count; ++i)
      if (operands[i].target)
        std::memcpy(operands[i].target, &operands[i].value, operands[i].size);
  }

private:
  void parse(std::string statement) {
    if (statement.empty())
      return;
    if (statement.rfind(".reg", 0) == 0) {
      const std::size_t names = statement.find_first_of(" \t", statement.find_first_not_of(" \t", 4));
      for (const std::string &name : split(statement.substr(names)))
        Registers.emplace(name, Registers.size());
      return;
    }
    Instruction i;
    if (statement[0] == '@') {
      const std::size_t end = statement.find_first_of(" \t");
      i.negated = statement[1] == '!';
      i.predicate = static_cast<int>(place(statement.substr(i.negated ? 2 : 1, end - (i.negated ? 2 : 1))).number);
      statement = trimmed(statement.substr(end));
    }
    const std::size_t end = statement.find_first_of(" \t\n");
    std::string opcode = statement.substr(0, end) + '.', name;
    for (std::size_t from = 0, dot; (dot = opcode.find('.', from)) != std::string::npos; from = dot + 1) {
      const std::string part = opcode.substr(from, dot - from);
      i.shared |= part.rfind("shared", 0) == 0;
      if (isType(part))
        i.type = part;
      else if (!isQualifier(part))
        name += (name.empty() ? "" : ".") + part;
    }
    if (name.rfind("bar.", 0) == 0 && name != "bar.warp.sync")
      name.insert(3, "rier");
    if (name == "barrier")
      name = "barrier.sync";
    const auto found = Instructions.find(name);
    if (found == Instructions.end())
      fail("inline assembly: the emulator does not know %s in: %s", opcode.c_str(), Text.c_str());
    i.mnemonic = name;
    i.execute = found->second;
    const std::vector<std::string> texts = split(end == std::string::npos ? "" : statement.substr(end));
    if (!i.execute) {
      i.type = texts.at(0);
    } else {
      if (name.rfind("mbarrier.arrive", 0) == 0 && texts.at(0)[0] == '[')
        i.places.push_back({Place::Kind::Immediate, 0, 0}); // no place for the state
      for (const std::string &text : texts)
        i.places.push_back(place(text));
    }
    Code.push_back(i);
  }

  static std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t comma = std::min(text.find(',', from), text.size());
      if (const std::string part = trimmed(text.substr(from, comma - from)); !part.empty())
        parts.push_back(part);
      from = comma + 1;
    }
    return parts;
  }

  Place place(std::string text) {
    Place p{Place::Kind::Immediate, 0, 0};
    if (text[0] == '[') {
      text = trimmed(text.substr(1, text.find(']') - 1));
      if (const std::size_t plus = text.find('+'); plus != std::string::npos) {
        p.offset = std::atoll(text.c_str() + plus + 1);
        text = trimmed(text.substr(0, plus));
      }
    }
    if (text[0] == '%' && std::isdigit(text[1])) {
      p.kind = Place::Kind::Operand;
      p.number = static_cast<Value>(std::atoi(text.c_str() + 1));
      Operands = std::max(Operands, static_cast<unsigned>(p.number) + 1);
    } else if (text.rfind("%%", 0) == 0) {
      p.kind = Place::Kind::Special;
      while (p.number < std::size(Specials) && text.substr(1) != Specials[p.number])
        ++p.number;
      if (p.number == std::size(Specials))
        fail("inline assembly: the emulator does not know %s", text.c_str());
    } else if (std::isdigit(text[0]) || text[0] == '-') {
      p.number = static_cast<Value>(std::strtoll(text.c_str(), nullptr, 0));
    } else if (text != "_") {
      const auto found = Registers.find(text);
      if (found == Registers.end())
        fail("inline assembly: no register %s in: %s", text.c_str(), Text.c_str());
      p.kind = Place::Kind::Register;
      p.number = found->second;
    }
    return p;
  }

  std::string Text;
  std::map<std::string, std::size_t> Registers, Labels;
  std::vector<Instruction> Code;
  unsigned Operands = 0;
};

const Program &parseAssembly(const char *text) {
  static std::map<std::string, Program> programs;
  return programs.try_emplace(text, text).first->second;
}

void runAssembly(const Program &program, Operand *operands, unsigned count) { program.run(operands, count); }

} // namespace cuda_emulated
