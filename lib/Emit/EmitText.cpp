#include "Parts.h"

#include "EmittedCuda.h"
#include "cufuse/Support/Text.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <map>

namespace cufuse {

namespace {

constexpr const char *ThreadOfElement = "(::uint3{0, 0, 0})", *BlockOfElement = "(::dim3(1, 1, 1))";

/// What the built-ins are in a partition's text, where they are something else. `HasOwn`: it has a type for them.
std::vector<std::pair<const char *, std::string>> builtinsOf(const Constituent &C, const FusionPlan &Plan, bool HasOwn,
                                                             const BlockShape &Block) {
  const KernelFacts &Facts = *C.Facts;
  std::vector<std::pair<const char *, std::string>> Meanings;
  const bool IsElement = playsElements(C);
  if (Facts.reads(Builtin::ThreadIdx) && (IsElement || HasOwn))
    Meanings.emplace_back("threadIdx", IsElement ? ThreadOfElement : "cufuse_partition::threadIdx()");
  if (Facts.reads(Builtin::BlockDim) && (IsElement || HasOwn))
    Meanings.emplace_back("blockDim", IsElement ? BlockOfElement : "cufuse_partition::blockDim()");
  else if (Facts.reads(Builtin::BlockDim) && C.Text->Rows) // loops over the row have constant numbers of turns
    Meanings.emplace_back("blockDim", fmt::format("(::dim3({}, 1, 1))", Block.X));
  if (Plan.sharesIndices(Facts) && Facts.reads(Builtin::BlockIdx))
    Meanings.emplace_back("blockIdx", "cufuse_partition::indices().blockIdx");
  if (Plan.sharesIndices(Facts) && Facts.reads(Builtin::GridDim))
    Meanings.emplace_back("gridDim", "cufuse_partition::indices().gridDim");
  return Meanings;
}

/// `barrier == 3 ? 0 : barrier == 7 ? 1 : 2`
std::string placeOf(const std::set<unsigned> &Numbers) {
  unsigned Place = Numbers.size() - 1;
  std::string Text = std::to_string(Place);
  for (unsigned Number : llvm::drop_begin(llvm::reverse(Numbers)))
    Text = fmt::format("barrier == {} ? {} : {}", Number, --Place, Text);
  return Text;
}

/// What stands for the barriers of the block, in the names that the kernel calls them by.
void barriers(Writer &To, const Constituent &C) {
  const KernelFacts &Facts = *C.Facts;
  std::set<std::string> Barriers;
  for (const BarrierFacts &Barrier : Facts.Barriers)
    Barriers.insert(Barrier.Call);
  const std::set<unsigned> &Named = Facts.NamedBarriers;
  // Some may stand where no code is made of them.
  const bool All = Named.size() == MaxNamedBarriers || (Named.empty() && textNames(*C.Text, "cufuse_barrier"));
  if (Barriers.empty() && Named.empty() && !All)
    return;
  Barriers.insert("cufuse_barrier");
  if (!Named.empty() && textNames(*C.Text, "__barrier_sync_count"))
    Barriers.insert("__barrier_sync_count");
  To.write(emittedAsNamed(cuda::Barriers,
                          {{"ALL_BARRIERS", All},
                           Named.empty() || All ? Given{"NAMED", false} : Given{"NAMED", placeOf(Named)},
                           {"NAMES", !Named.empty()}},
                          Barriers));
}

/// With the grid-stride loop unrolled by a factor, or as it is where that is 0.
OutputText inForm(const Piece &P, unsigned Factor) {
  return Factor > 0 && P.Unrolled ? P.Unrolled->with(OutputText::Slot::Factor, constant(Factor)) : P.Text;
}

/// Namespaces inside each other, as before C++17. The second is this output's own, whatever others are called: a linker
/// takes inline functions and templates of one name for each other.
void open(Writer &To, const std::string &Path) {
  const auto [Texts, Inside] = llvm::StringRef(Path).split("::");
  To.line("namespace {} {{ inline namespace {} {{{}", Texts.str(), ownSpace(),
          Inside.empty() ? "" : " namespace " + replaced(Inside, "::", " { namespace ") + " {");
}
void close(Writer &To, const std::string &Path) {
  To.line("{} // namespace {}", std::string(llvm::StringRef(Path).count("::") + 2, '}'), Path);
}

class TextEmitter {
public:
  TextEmitter(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options)
      : Out(Out), Constituents(Constituents), Plan(Plan), Options(Options) {}

  void run(const PartitionPlan &Partition, const PartitionPlan *Before, const PartitionPlan *Behind,
           MacroComparison &Compared) {
    const Constituent &C = Constituents[Partition.Constituent];
    const KernelFacts &Facts = *C.Facts;
    const std::string Path = partitionNamespace(Options.Name, Constituents, Plan, Partition);
    // nvcc reads the file for the host, too, for which the user's text may say something else, or name what is not
    // copied. The host needs the fused kernel's head, and the names of the device's variables.
    auto HasOther = [&](const PartitionPlan &P) { return !Constituents[P.Constituent].Text->OnHost.empty(); };
    if (!Before || HasOther(*Before))
      Out.write("#ifdef __CUDA_ARCH__ // device code");
    const std::set<std::string> Saved = saveMacros(Out, Constituents, C);
    open(Out, Path);
    if (!Options.Prelude.empty())
      Out.line("using namespace {};", preludeNamespace());
    HasOwn = usesPartition(C, Plan);
    Elements = elementSpaces(C);
    if (HasOwn)
      Out.line("using cufuse_partition = {}::{};", Options.Name, partitionType(Partition));
    if (C.Text->Products)
      Out.line("using {0}::CufuseProducts;{1}", Options.Name,
               C.Text->Products->Maps.empty() ? "" : fmt::format("\nusing {}::CufuseMaps;", Options.Name));
    if (HasOwn)
      writeOurs(Out, Constituents, Options, [&](Writer &Own) { barriers(Own, C); });
    std::vector<std::string> Macros;
    auto Define = [&](const std::string &Name, const std::string &Meaning) {
      Out.line("#define {} {}", Name, Meaning);
      Macros.push_back(Name);
    };
    // Else the compiler would load by the read-only cache what another kernel of the launch has stored.
    if (C.Text->LoadsFresh || (Plan.readsFresh() && Facts.LoadsByLdg)) {
      Out.write(cuda::FreshLoad.str());
      Define("__ldg", "cufuse_ldg");
    }
    if (Plan.readsFresh())
      for (const char *Word : {"__restrict__", "__restrict"})
        Define(Word, "");
    std::map<std::string, std::string> Renamed; // where the text has something else of the name
    for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim, Builtin::BlockIdx, Builtin::GridDim})
      if (const std::string Name = BuiltinNames[static_cast<size_t>(B)];
          textNames(*C.Text, "cufuse_" + Name) &&
          (B == Builtin::ThreadIdx || B == Builtin::BlockDim || Facts.sharesIndices())) // else it is a parameter
        Renamed[Name] = Name;
    for (const auto &[Name, Meaning] : builtinsOf(C, Plan, HasOwn, Partition.Block)) {
      Define(Name, Meaning);
      if (Renamed.count(Name))
        Renamed[Name] = Meaning;
    }
    for (const auto &[Name, Meaning] : Renamed)
      Define("cufuse_" + Name, Meaning);
    if (Plan.sharesIndices(Facts)) {
      if (!Facts.DynamicShared.empty())
        Define("cufuse_dynamicOffset", "cufuse_partition::indices().dynamicOffset");
    } else if (Facts.sharesIndices() && !Facts.DynamicShared.empty()) {
      Define("cufuse_dynamicOffset", "0u"); // the block's own indices are those of the kernel
    }
    for (const std::string &Line : C.Text->Usings)
      Out.write(Line);
    Out.blank();
    pieces(Out, C.Text->Body, C.Text->NestedUsings, Path, Plan.Roles[Partition.Constituent].Unroll);
    const bool HasMain = C.Text->Main && !isMainAlone(Constituents, Plan);
    auto Main = [&](Writer &Own) { main(Own, Partition, Path); };
    if (HasMain && HasOwn)
      writeOurs(Out, Constituents, Options, Main);
    for (const std::string &Name : C.Text->BodyMacros)
      Out.line("#undef {}", Name);
    for (const std::string &Name : Macros)
      Out.line("#undef {}", Name);
    if (HasMain && !HasOwn) // whose threads are CUDA's own, and not those of an element
      writeOurs(Out, Constituents, Options, Main);
    Compared.write(Out, C);
    close(Out, Path);
    restoreMacros(Out, Saved);
    if (HasOther(Partition)) {
      Out.write("#else // the names of its variables");
      Elements.clear();
      open(Out, Path);
      pieces(Out, C.Text->OnHost, {}, Path);
      close(Out, Path);
    }
    if (!Behind || HasOther(Partition))
      Out.write("#endif");
    Out.blank();
  }

private:
  /// What calls the kernels of a composition, as a function.
  void main(Writer &To, const PartitionPlan &P, const std::string &Path) const {
    const Constituent &C = Constituents[P.Constituent];
    const MainText &Main = *C.Text->Main;
    const std::string &Template = C.Text->Variants.Parameters;
    To.line("{}\n{}__device__ __forceinline__ void {}({}) {{\n{}}}", Main.Comment,
            Template.empty() ? "" : "template <" + Template + ">\n", C.Facts->Name,
            Main.Parameters.with(OutputText::Slot::Path, Path), mainBody(C, P, Plan, Path));
  }

  /// Does a library need the function where it is in the file? Then no kernel has a copy of its own.
  bool standsOutside(const Piece &P) const {
    return llvm::any_of(Constituents, [&](const Constituent &C) {
      return llvm::any_of(C.Text->Body, [&](const Piece &Each) { return Each.ForLibrary && Each.Once == P.Once; });
    });
  }

  /// Pieces in order, with the namespaces around them opened and closed as needed.
  void pieces(Writer &To, llvm::ArrayRef<Piece> Pieces,
              const std::map<std::vector<std::string>, std::vector<std::string>> &NestedUsings, const std::string &Path,
              unsigned Unroll = 0) {
    std::vector<std::string> Open;
    std::set<std::vector<std::string>> Opened;
    auto Begin = [&](llvm::StringRef Name) {
      const bool Inline = Name.consume_front("inline ");
      To.line("{}namespace {}{{", Inline ? "inline " : "", Name.empty() ? "" : Name.str() + " ");
    };
    auto Move = [&](const std::vector<std::string> &Wanted) {
      size_t Common = 0;
      while (Common < Open.size() && Common < Wanted.size() && Open[Common] == Wanted[Common])
        ++Common;
      for (; Open.size() > Common; Open.pop_back()) {
        if (isElement(Open) && !HasOwn)
          To.write("#undef threadIdx\n#undef blockDim");
        To.write("}");
      }
      while (Open.size() < Wanted.size()) {
        Begin(Wanted[Open.size()]);
        Open.push_back(Wanted[Open.size()]);
        if (isElement(Open) && HasOwn)
          To.line("using cufuse_partition = {}::CufuseElementPartition;", Options.Name);
        else if (isElement(Open))
          To.line("#define threadIdx {}\n#define blockDim {}", ThreadOfElement, BlockOfElement);
        if (auto Usings = NestedUsings.find(Open); Usings != NestedUsings.end() && Opened.insert(Open).second)
          for (const std::string &Line : Usings->second)
            To.write(Line);
      }
    };
    for (const Piece &P : Pieces) {
      if (P.IsShared && !Options.Prelude.empty())
        continue;
      const OutputText Text = inForm(P, Unroll).with(OutputText::Slot::Path, Path);
      if (!P.Once.empty() && standsOutside(P)) {
        Move({});
        close(To, Path);
        To.line("#ifndef {0}\n#define {0}\n{1}\n#endif", P.Once, Text);
        open(To, Path);
        continue;
      }
      if (P.What != Piece::Kind::Macro)
        Move(P.What == Piece::Kind::Shared ? std::vector<std::string>() : P.Namespaces);
      switch (P.What) {
      case Piece::Kind::Shared:
        close(To, Path);
        llvm::for_each(P.Namespaces, Begin);
        To.write(Text);
        for (size_t I = 0; I < P.Namespaces.size(); ++I)
          To.write("}");
        open(To, Path);
        To.blank();
        break;
      case Piece::Kind::Macro:
      case Piece::Kind::Using:
        To.write(Text);
        break;
      case Piece::Kind::Code:
        To.user(Text, P.Where.File, P.Where.Line);
        To.blank();
        break;
      }
    }
    Move({});
  }

  /// Is it the namespace of a kernel whose block is one thread, unlike that of others?
  bool isElement(const std::vector<std::string> &Open) const { return Open.size() == 1 && Elements.count(Open[0]); }

  Writer &Out;
  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const EmitOptions &Options;
  // Of the partition whose text is written:
  bool HasOwn = true;
  std::set<std::string> Elements;
};

} // namespace

void emitTexts(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options) {
  MacroComparison Macros(Constituents, Options);
  Macros.writePrelude(Out);
  TextEmitter Emit(Out, Constituents, Plan, Options);
  const llvm::ArrayRef<PartitionPlan> All = Plan.Partitions;
  for (size_t I = 0; I < All.size(); ++I)
    Emit.run(All[I], I > 0 ? &All[I - 1] : nullptr, I + 1 < All.size() ? &All[I + 1] : nullptr, Macros);
}

} // namespace cufuse
