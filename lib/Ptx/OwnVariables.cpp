#include "OwnVariables.h"

#include "cufuse/Ptx/PtxWords.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Demangle/Demangle.h>

namespace cufuse {

namespace {

/// In memory that outlives the launch, and not another file's.
bool isOwn(const PtxItem &Item) {
  const llvm::StringRef Declared = Item.Head.split('=').first;
  return Item.What == PtxItem::Kind::Data && !Declared.contains(".extern") &&
         (Declared.contains(".global") || Declared.contains(".const"));
}

/// What the grid's barrier counts (Arrivals.cuh), which no text of the program's can name.
bool isOfBarrier(const PtxItem &Variable, const std::string &Output) {
  return Variable.Name == fmt::format("_ZN{}{}15cufuse_arrivalsE", Output.size(), Output);
}

/// `table` of `…f_text::cufuse_a::table<float>`; "" for what is no variable of the copied text at the scope of a file:
/// constants of functions, and what compilers make.
std::string copied(const PtxItem &Variable, const std::string &Output) {
  const size_t At = Variable.Name.find("_Z"); // what a file keeps to itself has more in front
  const std::string Whole = At == llvm::StringRef::npos ? "" : llvm::demangle(Variable.Name.drop_front(At));
  const auto [Name, Arguments] = llvm::StringRef(Whole).split('<');
  const size_t Begin = Name.find(Output + "_text::");
  llvm::StringRef Behind = Begin == llvm::StringRef::npos ? "" : Name.drop_front(Begin);
  if (Behind.empty() || Name.contains(" for ") || Behind.count('(') != Behind.count("(anonymous namespace)"))
    return "";
  return Name.rsplit("::").second.str();
}

/// The variables whose addresses a function's registers hold.
class Addresses {
public:
  explicit Addresses(const llvm::StringMap<const PtxItem *> &Own) : Own(Own) {}

  /// Is one more known?
  bool follow(const PtxStatement &S) {
    static constexpr llvm::StringLiteral Computes[] = {"mov.", "cvta.", "add.", "sub.", "mad.", "selp.", "cvt."};
    if (S.IsLabel || S.Operands.empty() || !startsWithOne(S.Opcode, Computes))
      return false;
    bool IsNew = false;
    for (llvm::StringRef Operand : llvm::drop_begin(S.Operands))
      if (const PtxItem *Variable = of(Operand))
        IsNew |= Held.try_emplace(S.Operands[0], Variable).second;
    return IsNew;
  }

  /// What the statement changes, if it is one of them.
  const PtxItem *changedBy(const PtxStatement &S) const {
    static constexpr llvm::StringLiteral Changes[] = {"st.", "atom.", "red.", "cp."};
    if (S.IsLabel || !startsWithOne(S.Opcode, Changes))
      return nullptr;
    const auto *Open = llvm::find(S.Operands, "[");
    for (llvm::StringRef Operand : llvm::make_range(Open, std::find(Open, S.Operands.end(), "]")))
      if (const PtxItem *Variable = of(Operand))
        return Variable;
    return nullptr;
  }

private:
  static bool startsWithOne(llvm::StringRef Opcode, llvm::ArrayRef<llvm::StringLiteral> Begins) {
    return llvm::any_of(Begins, [&](llvm::StringRef Begin) { return Opcode.starts_with(Begin); });
  }
  const PtxItem *of(llvm::StringRef Operand) const {
    const PtxItem *Variable = Own.lookup(Operand);
    return Variable ? Variable : Held.lookup(Operand);
  }

  const llvm::StringMap<const PtxItem *> &Own;
  llvm::StringMap<const PtxItem *> Held;
};

} // namespace

void checkVariables(const PtxModule &Module, llvm::ArrayRef<const PtxItem *> Reached, const PtxExpectation &Expected,
                    const std::string &File, PtxSummary &Seen, std::vector<Message> &Messages) {
  auto Refuse = [&](llvm::StringRef At, const PtxItem &Variable, const char *What) {
    const std::string Name = copied(Variable, Expected.Name);
    Messages.push_back({{},
                        fmt::format("the compiled output is not as planned: {} is another variable than the "
                                    "program's, {} ({}:{})",
                                    Name.empty() ? Variable.Name.str() : Name, What, File, Module.lineOf(At)),
                        "give `cufuse fuse` -rdc=true after `--`, with which the variable stays the program's"});
  };
  llvm::StringMap<const PtxItem *> Own;
  for (const PtxItem *Item : Reached) {
    if (!isOwn(*Item) || isOfBarrier(*Item, Expected.Name))
      continue;
    Own[Item->Name] = Item;
    const std::string Name = copied(*Item, Expected.Name);
    if (Name.empty())
      continue;
    if (Expected.Tables.count(Name))
      Seen.insert("table " + Name);
    else
      Refuse(Item->Name, *Item, "and no table of the plan");
  }
  if (Own.empty())
    return;
  for (const PtxItem *Item : Reached) {
    Addresses Known(Own);
    for (bool IsNew = true; IsNew;) {
      IsNew = false;
      readPtxStatements(Item->Body, [&](const PtxStatement &S) { IsNew |= Known.follow(S); });
    }
    readPtxStatements(Item->Body, [&](const PtxStatement &S) {
      if (const PtxItem *Variable = Known.changedBy(S))
        Refuse(S.Opcode, *Variable, "and is changed here");
    });
  }
}

} // namespace cufuse
