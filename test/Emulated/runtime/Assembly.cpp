// Interprets the PTX of inline assembly statements. A mnemonic is looked up without the qualifiers that change nothing
// here: a line at the end of one of the files `*Instructions.cpp` adds one.
#include "Assembly.h"

#include <algorithm>
#include <cctype>

namespace cuda_emulated {

namespace {

struct Special {
  const char *name;
  Value (*value)();
};
/// What the driver gives a cooperative launch: its own size and the word that blocks arrive at.
unsigned gridWorkspace[2] = {sizeof(gridWorkspace), 0};

const Special Specials[] = {
    {"%envreg1", [] { return static_cast<Value>(reinterpret_cast<std::uintptr_t>(gridWorkspace) >> 32); }},
    {"%envreg2",
     [] { return static_cast<Value>(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(gridWorkspace))); }},
    {"%laneid", [] { return Value(linearThread() % 32); }},
    {"%warpid", [] { return Value(linearThread() / 32); }},
    {"%lanemask_eq", [] { return Value(1u << linearThread() % 32); }},
    {"%lanemask_lt", [] { return Value((1u << linearThread() % 32) - 1); }},
    {"%lanemask_le", [] { return Value((2u << linearThread() % 32) - 1); }},
    {"%lanemask_gt", [] { return Value(~((2u << linearThread() % 32) - 1)); }},
    {"%lanemask_ge", [] { return Value(~((1u << linearThread() % 32) - 1)); }},
    {"%smid",
     [] {
       int multiprocessors = 1;
       cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
       return Value(blockIdx.x % static_cast<unsigned>(multiprocessors));
     }},
    {"%clock64", [] { return static_cast<Value>(clock64()); }},
    {"%globaltimer", [] { return static_cast<Value>(clock64()); }},
    {"%reserved_smem_offset_1", [] { return Value(toShared(reservedShared)); }},
    // Where a grid's barrier is; there is none.
    {"%envreg0", [] { return Value(0); }},
    {"%envreg1", [] { return Value(0); }},
    {"%envreg2", [] { return Value(0); }},
    {"%cluster_ctarank", [] { return Value(clusterRank()); }},
    {"%cluster_nctarank", [] { return Value(clusterSize()); }},
    {"%tid.x", [] { return Value(threadIdx.x); }},
    {"%tid.y", [] { return Value(threadIdx.y); }},
    {"%tid.z", [] { return Value(threadIdx.z); }},
    {"%ntid.x", [] { return Value(blockDim.x); }},
    {"%ntid.y", [] { return Value(blockDim.y); }},
    {"%ntid.z", [] { return Value(blockDim.z); }},
    {"%ctaid.x", [] { return Value(blockIdx.x); }},
    {"%ctaid.y", [] { return Value(blockIdx.y); }},
    {"%ctaid.z", [] { return Value(blockIdx.z); }},
    {"%nctaid.x", [] { return Value(gridDim.x); }},
    {"%nctaid.y", [] { return Value(gridDim.y); }},
    {"%nctaid.z", [] { return Value(gridDim.z); }},
};

const Instructions &allInstructions() {
  static const Instructions instructions = [] {
    Instructions all = {{"bra", nullptr}};
    addBlockInstructions(all);
    addWarpInstructions(all);
    addThreadInstructions(all);
    return all;
  }();
  return instructions;
}

bool isType(const std::string &part) {
  return part == "pred" || (part.size() >= 2 && std::strchr("busf", part[0]) && std::isdigit(part[1]));
}
bool isQualifier(const std::string &part) {
  static const char *const All[] = {"aligned", "cta",     "release", "acquire", "relaxed",     "acq_rel",
                                    "sc",      "gl",      "sys",     "gpu",     "volatile",    "weak",
                                    "uni",     "cluster", "global",  "shared",  "shared::cta", "shared::cluster",
                                    "v2",      "v4",      "rn"};
  return std::any_of(std::begin(All), std::end(All), [&](const char *qualifier) { return part == qualifier; });
}
/// What caches a load or a store uses.
bool isCacheOperator(const std::string &part) {
  static const char *const All[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"};
  return part.rfind("L1::", 0) == 0 || part.rfind("L2::", 0) == 0 ||
         std::any_of(std::begin(All), std::end(All), [&](const char *cache) { return part == cache; });
}

std::string trimmed(const std::string &text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

/// Parts between separators that are in no braces.
std::vector<std::string> split(const std::string &text, char separator = ',') {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text + separator) {
    depth += (c == '{') - (c == '}');
    if (c != separator || depth) {
      part += c;
      continue;
    }
    if (part = trimmed(part); !part.empty())
      parts.push_back(part);
    part.clear();
  }
  return parts;
}

} // namespace

Value mask(unsigned bits, Value value) { return bits >= 64 || bits == 0 ? value : value & ((1ull << bits) - 1); }
long long extended(const Instruction &i, Value value) {
  const unsigned bits = i.bits();
  return bits >= 64 || !i.isSigned() ? static_cast<long long>(mask(bits, value))
                                     : static_cast<long long>(value << (64 - bits)) >> (64 - bits);
}

Value get(const Frame &f, const Instruction &i, const Place &p) {
  switch (p.kind) {
  case Place::Kind::Operand:
    return f.operands[p.number].value;
  case Place::Kind::Register:
    return f.registers[p.number];
  case Place::Kind::Special:
    return Specials[p.number].value();
  case Place::Kind::Immediate:
    break;
  case Place::Kind::Vector: {
    const unsigned bits = i.bits() / static_cast<unsigned>(p.elements.size());
    Value all = 0;
    for (std::size_t at = p.elements.size(); at-- > 0;)
      all = all << bits | mask(bits, get(f, i, p.elements[at]));
    return all;
  }
  }
  return p.number;
}
void set(Frame &f, const Instruction &i, const Place &p, Value value) {
  if (p.kind == Place::Kind::Register)
    f.registers[p.number] = value;
  else if (p.kind == Place::Kind::Operand)
    f.operands[p.number].value = value;
  const unsigned bits = p.elements.empty() ? 0 : i.bits() / static_cast<unsigned>(p.elements.size());
  for (const Place &element : p.elements) {
    set(f, i, element, mask(bits, value));
    value >>= bits;
  }
}
void *address(const Frame &f, const Instruction &i, std::size_t at) {
  const Value value = get(f, i, at) + static_cast<Value>(i.places[at].offset);
  return i.shared ? fromShared(static_cast<unsigned>(value)) : reinterpret_cast<void *>(value);
}

class Program {
public:
  explicit Program(const char *source) : Text(source) {
    std::string statement;
    for (const char *c = source;; ++c) {
      if (*c == '/' && c[1] == '/')
        while (*c && *c != '\n')
          ++c;
      if (*c == '{' && !trimmed(statement).empty()) { // a vector
        while (*c && *c != '}')
          statement += *c++;
        statement += '}';
        if (*c == 0)
          fail("inline assembly: a brace is not closed in: %s", source);
      } else if (*c == 0 || *c == ';' || *c == '{' || *c == '}') {
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
        const auto label = Labels.find(i.target);
        if (label == Labels.end())
          fail("inline assembly: no label %s in: %s", i.target.c_str(), source);
        i.branch = label->second;
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
        at = i.branch;
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
    const std::vector<std::string> texts = split(end == std::string::npos ? "" : statement.substr(end));
    setOpcode(i, statement.substr(0, end));
    if (!i.execute) {
      i.target = texts.at(0);
    } else {
      if (i.mnemonic.rfind("mbarrier.arrive", 0) == 0 && texts.at(0)[0] == '[')
        i.places.emplace_back(); // no place for the state
      for (const std::string &text : texts)
        i.places.push_back(place(text));
    }
    Code.push_back(i);
  }

  void setOpcode(Instruction &i, const std::string &opcode) {
    const std::vector<std::string> parts = split(opcode, '.');
    std::string name;
    for (const std::string &part : parts) {
      i.shared |= part.rfind("shared", 0) == 0;
      i.acquire |= part == "acquire" || part == "volatile";
      if (isType(part)) {
        if (i.target.empty())
          i.target = part;
        i.type = part;
      } else if ((!isQualifier(part) || (part == "cluster" && parts[0] == "barrier")) &&
                 !((parts[0] == "ld" || parts[0] == "st") && isCacheOperator(part))) {
        name += (name.empty() ? "" : ".") + part;
      }
    }
    if (name.rfind("bar.", 0) == 0 && name != "bar.warp.sync")
      name.insert(3, "rier");
    if (name == "barrier")
      name = "barrier.sync";
    const auto found = allInstructions().find(name);
    if (found == allInstructions().end())
      fail("inline assembly: the emulator does not know %s in: %s", opcode.c_str(), Text.c_str());
    i.mnemonic = name;
    i.execute = found->second;
  }

  Place place(std::string text) {
    Place p;
    if (text[0] == '{' || text.find('|') != std::string::npos) {
      p.kind = Place::Kind::Vector;
      const bool braces = text[0] == '{';
      for (const std::string &element : split(braces ? text.substr(1, text.find('}') - 1) : text, braces ? ',' : '|'))
        p.elements.push_back(place(element));
      return p;
    }
    if (text[0] == '[') {
      text = trimmed(text.substr(1, text.find(']') - 1));
      if (const std::size_t plus = text.find('+'); plus != std::string::npos) {
        p.offset = std::atoll(text.c_str() + plus + 1);
        text = trimmed(text.substr(0, plus));
      }
    }
    if (const auto found = Registers.find(text); found != Registers.end()) {
      p.kind = Place::Kind::Register;
      p.number = found->second;
    } else if (text[0] == '%' && std::isdigit(text[1])) {
      p.kind = Place::Kind::Operand;
      p.number = static_cast<Value>(std::atoi(text.c_str() + 1));
      Operands = std::max(Operands, static_cast<unsigned>(p.number) + 1);
    } else if (text.rfind("%%", 0) == 0) {
      p.kind = Place::Kind::Special;
      while (p.number < std::size(Specials) && text.substr(1) != Specials[p.number].name)
        ++p.number;
      if (p.number == std::size(Specials))
        fail("inline assembly: the emulator does not know %s", text.c_str());
    } else if (std::isdigit(text[0]) || text[0] == '-') {
      if (text.find_first_of(".fF") != std::string::npos && text.find_first_of("xX") == std::string::npos)
        fail("inline assembly: the emulator does not know the immediate %s", text.c_str());
      p.number = static_cast<Value>(std::strtoll(text.c_str(), nullptr, 0));
    } else if (text != "_") {
      fail("inline assembly: no register %s in: %s", text.c_str(), Text.c_str());
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
