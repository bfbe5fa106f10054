#include "cufuse/Ptx/CheckPtx.h"

#include "OwnVariables.h"
#include "cufuse/Ptx/PtxTable.h"
#include "cufuse/Ptx/PtxWords.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace cufuse {

namespace {

constexpr size_t MostMessages = 20;

/// Directives of an entry that change nothing of what its threads mean to each other (PTX ISA, 11.4).
constexpr llvm::StringLiteral EntryDirectives[] = {".maxntid", ".reqntid",  ".minnctapersm", ".maxnctapersm",
                                                   ".maxnreg", ".noreturn", ".pragma"};
/// Directives in a function that declare, or say something of the text alone.
constexpr llvm::StringLiteral BodyDirectives[] = {".reg",           ".param",       ".local",         ".shared",
                                                  ".global",        ".const",       ".loc",           ".pragma",
                                                  ".branchtargets", ".calltargets", ".callprototype", ".noreturn"};

/// What the device's own runtime defines.
bool isRuntime(llvm::StringRef Function) {
  return llvm::is_contained({"vprintf", "malloc", "free", "memcpy", "memset", "__assertfail"}, Function) ||
         Function.starts_with("cuda") || Function.starts_with("__cuda");
}

class FunctionCheck {
public:
  FunctionCheck(const PtxModule &Module, const PtxExpectation &Expected, const std::string &File, PtxSummary &Seen,
                std::vector<Message> &Messages)
      : Module(Module), Expected(Expected), File(File), Seen(Seen), Messages(Messages) {}

  void run(const PtxItem &Function) {
    Item = &Function;
    Declared.clear();
    Constants.clear();
    IntoTables.clear();
    Where = {};
    readPtxStatements(Function.Body, [this](const PtxStatement &S) {
      if (!S.IsLabel && S.Opcode == ".reg")
        declare(S);
      else if (!S.IsLabel && !S.Opcode.starts_with("."))
        follow(S);
    });
    std::optional<PtxStatement> Meets;
    readPtxStatements(Function.Body, [&](const PtxStatement &S) {
      if (Meets && !isBarrierOf(S, *Meets))
        statement(*Meets);
      Meets.reset();
      if (S.Assembly && S.Opcode == "bar.warp.sync" && !S.IsPredicated && llvm::join(S.Operands, " ") == "0xffffffff")
        Meets = S;
      else
        statement(S);
    });
    if (Meets)
      statement(*Meets);
  }

  void entry(const PtxItem &Entry) {
    Item = &Entry;
    Where = {};
    unsigned Depth = 0;
    PtxWord Word;
    for (llvm::StringRef Head = Entry.Head; takePtxWord(Head, Word);) {
      Depth += Word.is("(") ? 1 : Word.is(")") ? -1 : 0;
      if (Depth > 0 || !Word.Text.starts_with(".") || Word.is(".entry") || Word.is(".visible") || Word.is(".weak"))
        continue;
      if (!llvm::is_contained(EntryDirectives, Word.Text))
        refuse(Word.Text, fmt::format("{} at the kernel", Word.Text.str()), "11.4",
               "leave out attributes of clusters and of the grid");
      if (Word.is(".maxntid") || Word.is(".reqntid"))
        threads(Head, Word.Text);
    }
  }

private:
  /// Whether a warp's lanes meet only to come to a barrier together, as those of a partition do.
  static bool isBarrierOf(const PtxStatement &S, const PtxStatement &Meets) {
    const PtxFamily *Family = S.IsLabel || S.IsPredicated ? nullptr : findPtxFamily(S.Opcode);
    return S.Assembly == Meets.Assembly && Family && Family->What == PtxFamily::Kind::Barrier &&
           !S.Opcode.contains(".arrive");
  }

  void threads(llvm::StringRef Head, llvm::StringRef Directive) {
    unsigned long long Product = 1;
    PtxWord Word;
    for (unsigned Number; takePtxWord(Head, Word) && (Word.is(",") || !Word.Text.getAsInteger(10, Number));)
      Product *= Word.is(",") ? 1 : Number;
    if (Product != Expected.Threads)
      refuse(Directive,
             fmt::format("{} of {} threads, where {} were planned", Directive.str(), Product, Expected.Threads), "11.4",
             "leave out __block_size__ and other bounds than the plan's");
  }

  /// `.reg .b32 %r<235>;` or `.reg .pred p, q;`
  void declare(const PtxStatement &S) {
    for (size_t I = 0; I < S.Operands.size(); ++I)
      if (llvm::StringRef Name = S.Operands[I]; Name.starts_with("%"))
        Declared.insert(Name);
  }
  bool isDeclared(llvm::StringRef Name) const {
    return Declared.contains(Name) || Declared.contains(Name.rtrim("0123456789")); // one of `%r<235>`
  }

  /// Registers that hold one constant, from the only instruction that writes them.
  void follow(const PtxStatement &S) {
    if (S.Operands.empty())
      return;
    // Barriers but for reductions only read. Results come first, several in braces.
    const PtxFamily *Family = findPtxFamily(S.Opcode);
    if (Family && Family->What == PtxFamily::Kind::Barrier && !S.Opcode.contains(".red"))
      return;
    auto IsInto = [&](size_t I) {
      return I < S.Operands.size() && (S.Operands[I].starts_with("__cudart_") || IntoTables.lookup(S.Operands[I]));
    };
    const bool IsTable =
        (S.Opcode.starts_with("mov.") && IsInto(2)) || (S.Opcode.starts_with("add.") && (IsInto(2) || IsInto(4)));
    unsigned Value = 0;
    const bool IsConstant = !S.IsPredicated && S.Opcode.starts_with("mov.") && S.Operands.size() == 3 &&
                            !S.Operands[2].getAsInteger(10, Value);
    for (llvm::StringRef Operand : S.Operands) {
      if (Operand.starts_with("%")) {
        bool &IsStill = IntoTables.try_emplace(Operand, IsTable).first->second;
        IsStill = IsStill && IsTable;
        if (const auto [At, IsNew] = Constants.try_emplace(Operand, IsConstant ? std::optional(Value) : std::nullopt);
            !IsNew)
          At->second = std::nullopt;
      }
      if (Operand == "}" || (Operand == "," && S.Operands[0] != "{"))
        break;
    }
  }
  /// Does it load from what functions of the toolkit have for themselves, and nobody changes? As cosf does for large
  /// arguments.
  bool isOfTable(const PtxStatement &S) const {
    const auto *At = llvm::find(S.Operands, "[");
    return At != S.Operands.end() && ++At != S.Operands.end() && IntoTables.lookup(*At);
  }
  std::optional<unsigned> constantOf(llvm::StringRef Operand) const {
    unsigned Value = 0;
    if (!Operand.getAsInteger(10, Value))
      return Value;
    const auto At = Constants.find(Operand);
    return At == Constants.end() ? std::nullopt : At->second;
  }

  void statement(const PtxStatement &S) {
    if (S.IsLabel)
      return;
    if (S.Opcode == ".loc")
      return place(S);
    if (S.Opcode.starts_with(".")) {
      if (!llvm::is_contained(BodyDirectives, S.Opcode))
        refuse(S.Opcode, S.Opcode.str(), "11", "leave it out");
      return;
    }
    if (const PtxFamily *Family = findPtxFamily(S.Opcode))
      instruction(S, *Family);
    else
      refuse(S.Opcode, fmt::format("{} is not known", S.Opcode.str()), "9.7", "leave this kernel out");
    for (llvm::StringRef Operand : S.Operands)
      if (const llvm::StringRef Name = ptxRegisterName(Operand); !Name.empty())
        read(S, Operand, Name);
  }

  void place(const PtxStatement &S) {
    unsigned Number = 0;
    if (S.Operands.size() < 3 || S.Operands[0].getAsInteger(10, Number))
      return;
    Where.File = Module.Files.lookup(Number);
    if (S.Operands[1].getAsInteger(10, Where.Line) || S.Operands[2].getAsInteger(10, Where.Column))
      Where = {};
  }

  void read(const PtxStatement &S, llvm::StringRef Operand, llvm::StringRef Name) {
    const PtxRegister *Register = findPtxRegister(Name);
    if (!Register) {
      if (!isDeclared(Operand))
        refuse(Operand, fmt::format("the register {} is not known", Operand.str()), "10", "leave this kernel out");
      return;
    }
    const llvm::StringRef Plain = Operand.drop_front();
    const bool Planned = Expected.Registers.count(Plain.str()) ||
                         (Plain == Name && llvm::all_of(llvm::StringRef("xyz"), [&](char C) {
                            return Expected.Registers.count(fmt::format("{}.{}", Name.str(), C)) > 0;
                          }));
    const bool Allowed =
        Register->What == PtxRegister::Kind::Any || (Planned && (!S.Assembly || Expected.LibrariesReadThem));
    if (Allowed)
      Seen.insert(Operand.str());
    else
      refuse(Operand, fmt::format("{} is read{}", Operand.str(), S.Assembly ? " in assembly" : ""), Register->Section,
             "the kernel's own has another value: use the CUDA C++ built-ins");
  }

  void seen(const PtxStatement &S, const PtxFamily &Family, bool IsPlanned, llvm::StringRef What) {
    Seen.insert(Family.Name);
    if (!IsPlanned)
      refuse(S.Opcode, fmt::format("{} {}, of which the plan does not know", S.Opcode.str(), What.str()),
             Family.Section, "use --grid-policy match and another geometry than threads");
  }

  void instruction(const PtxStatement &S, const PtxFamily &Family) {
    using Kind = PtxFamily::Kind;
    switch (Family.What) {
    case Kind::Computes:
    case Kind::Plain:
      if (Expected.Coherent && !isOfTable(S) &&
          (S.Opcode == "ldu" || S.Opcode.starts_with("ldu.") || llvm::is_contained(llvm::split(S.Opcode, '.'), "nc")))
        refuse(S.Opcode, fmt::format("{} may read what another kernel of the launch has overwritten", S.Opcode.str()),
               "9.7.9.8", "leave out __restrict__ or const of the pointer, where a header's function takes it");
      return;
    case Kind::Warp:
      return seen(S, Family, Expected.Warps, "needs several lanes");
    case Kind::Copy:
      return seen(S, Family, Expected.Copies, "copies asynchronously");
    case Kind::Barrier:
      return barrier(S, Family);
    case Kind::End:
      if (S.Opcode == "exit" ? !Expected.Exits || !S.Assembly || S.IsPredicated : S.Assembly != 0)
        refuse(S.Opcode, fmt::format("{} in assembly ends the fused kernel's thread", S.Opcode.str()), Family.Section,
               "return from the kernel in CUDA C++");
      return;
    case Kind::Call:
      if (S.Assembly)
        refuse(S.Opcode, "assembly calls a function", Family.Section, "call it in CUDA C++");
      return;
    case Kind::Registers:
      if (unsigned Budget;
          S.Operands.size() != 1 || S.Operands[0].getAsInteger(10, Budget) || !Expected.Budgets.count(Budget))
        refuse(S.Opcode, fmt::format("{} {}", S.Opcode.str(), llvm::join(S.Operands, " ")), Family.Section,
               "leave the registers to --registers split");
      return;
    case Kind::Refused:
      // Where a group may ask for its cluster, and is none.
      if (llvm::StringRef(Family.Name) == "barrier.cluster" && !S.Assembly && Expected.Registers.count(ClusterRank))
        return;
      if (Expected.Dependents && S.Opcode == "griddepcontrol.launch_dependents")
        return;
      if (Expected.Warpgroups && llvm::is_contained({"wgmma", "barrier.cluster", "mapa"}, llvm::StringRef(Family.Name)))
        return;
      return refuse(S.Opcode, S.Opcode.str(), Family.Section, "leave this kernel out: it needs a launch of its own");
    }
  }

  void barrier(const PtxStatement &S, const PtxFamily &Family) {
    // Of reductions, the result comes first; a predicate last.
    llvm::SmallVector<llvm::StringRef> Values;
    for (llvm::StringRef Operand : S.Operands)
      if (Operand != ",")
        Values.push_back(Operand);
    const bool Reduces = S.Opcode.contains(".red");
    if (Reduces && Values.size() > 2) {
      Values.erase(Values.begin());
      Values.pop_back();
      if (!Values.empty() && Values.back() == "!")
        Values.pop_back();
    }
    const std::optional<unsigned> Number = Values.empty() ? 0 : constantOf(Values[0]);
    const std::optional<unsigned> Count = Values.size() == 2 ? constantOf(Values[1]) : std::nullopt;
    const std::string Written = fmt::format("{} {}", S.Opcode.str(), llvm::join(Values, ", "));
    Seen.insert(Number ? fmt::format("barrier {}", *Number) : "named barriers");
    bool Allowed = false;
    if (!Number)
      Allowed = !Expected.NamedBarriers.empty() && Values.size() == 2;
    else if (*Number == 0 && Values.size() < 2)
      Allowed = Expected.BlockBarrier && !S.Opcode.contains(".arrive");
    else if (Values.size() == 2 && Expected.NamedBarriers.count(*Number))
      Allowed = true;
    else if (const auto Own = Expected.Barriers.find(*Number); Own != Expected.Barriers.end())
      Allowed = Count && Own->second.count(*Count) && !S.Opcode.contains(".arrive");
    if (!Allowed)
      refuse(S.Opcode, fmt::format("'{}' is no barrier of the plan", Written), Family.Section,
             "synchronise by __syncthreads() or a cooperative group, of which cufuse knows");
  }

  void refuse(llvm::StringRef At, std::string What, llvm::StringRef Section, const char *Remedy) {
    if (Messages.size() < MostMessages)
      Messages.push_back({Where,
                          fmt::format("the compiled output is not as planned: {} ({}:{}, in {}; PTX ISA {})", What,
                                      File, Module.lineOf(At), Item->Name.str(), Section.str()),
                          Remedy});
  }

  const PtxModule &Module;
  const PtxExpectation &Expected;
  const std::string &File;
  PtxSummary &Seen;
  std::vector<Message> &Messages;
  const PtxItem *Item = nullptr;
  SourcePlace Where;
  llvm::StringSet<> Declared;
  llvm::StringMap<std::optional<unsigned>> Constants;
  llvm::StringMap<bool> IntoTables; ///< Registers: by all instructions that write them.
};

} // namespace

llvm::Expected<PtxSummary> checkPtx(llvm::StringRef Ptx, const PtxExpectation &Expected, const std::string &File) {
  auto Module = readPtxModule(Ptx);
  if (!Module)
    return badInput(fmt::format("'{}' is no PTX: line {} does not end", File, textOf(Module.takeError())),
                    "give what nvcc -ptx writes");
  const std::string Space = fmt::format("_ZN{}{}", Expected.Name.size(), Expected.Name);
  PtxSummary Seen;
  std::vector<Message> Messages;
  FunctionCheck Check(*Module, Expected, File, Seen, Messages);
  unsigned Entries = 0;
  std::vector<const PtxItem *> Reached;
  for (const PtxItem &Item : Module->Items)
    if (Item.What == PtxItem::Kind::Entry &&
        (Item.Name.starts_with(Space + "5fused") || Item.Name.starts_with(Space + "11fused_bound"))) {
      ++Entries;
      Check.entry(Item);
      Reached.push_back(&Item);
    }
  if (Entries == 0)
    return badInput(fmt::format("'{}' has no kernel of {}", File, Expected.Name),
                    "give the PTX of the output, for a virtual architecture of its own");
  Reached = Module->reachedFrom(std::move(Reached));
  for (const PtxItem *Item : Reached)
    if (Item->What != PtxItem::Kind::Data && !Item->Body.empty())
      Check.run(*Item);
    else if (Item->What == PtxItem::Kind::Function && !isRuntime(Item->Name) && !Module->defines(Item->Name))
      Messages.push_back(
          {{},
           fmt::format("the compiled output is not as planned: {} is called and defined elsewhere ({}:{})",
                       Item->Name.str(), File, Module->lineOf(Item->Name)),
           "define it in the input's file or a header"});
  checkVariables(*Module, Reached, Expected, File, Seen, Messages);
  if (!Messages.empty())
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  Seen.insert(fmt::format("{} {} of {}", Entries, Entries == 1 ? "kernel" : "kernels", Expected.Name));
  return Seen;
}

} // namespace cufuse
