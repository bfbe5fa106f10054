#include "Parts.h"

#include "EmittedCuda.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

/// The launch of a constituent, in the launcher.
static std::string launchName(llvm::ArrayRef<Constituent> Constituents, const Constituent &C) {
  return Constituents.size() == 1 ? "launch" : C.Name + "Launch";
}

static const PartitionPlan &partitionOf(const FusionPlan &Plan, unsigned I) {
  return *llvm::find_if(Plan.Partitions, [I](const PartitionPlan &P) { return P.Constituent == I; });
}

/// The block that a launch has to say, since only a guess has said it; null where any is right, too.
static const PartitionPlan *guessedBlock(const Constituent &C, const FusionPlan &Plan, unsigned I) {
  return Plan.Roles[I].GuessedFrom.empty() || C.Text->Elements ? nullptr : &partitionOf(Plan, I);
}

namespace {

/// What a launch has beside the arguments, and the name for it that no argument has.
std::vector<std::pair<std::string, std::string>> plainShape(const Constituent &C, const FusionPlan &Plan) {
  std::vector<std::pair<std::string, std::string>> Shape;
  auto Add = [&](const char *Type, std::string Name) {
    while (llvm::any_of(C.Text->Parameters, [&](const ParameterText &P) { return P.Name == Name; }))
      Name += '_';
    Shape.push_back({Type, Name});
  };
  if (!C.Text->Elements)
    Add("dim3", "grid");
  if (guessedBlock(C, Plan, 0))
    Add("dim3", "block");
  if (!C.Facts->DynamicShared.empty())
    Add("size_t", "dynamicSharedBytes");
  Add("cudaStream_t", "stream");
  return Shape;
}

OutputText fieldOf(const Constituent &C, const ParameterText &P, const std::string &Name) {
  return (P.Opaque ? P.Opaque->Field : P.Field)
      .with(OutputText::Slot::Path, argumentSpace(Name, C))
      .with(OutputText::Slot::Name, P.Name);
}

} // namespace

static std::string ofArguments(const OutputText &OfLaunch) {
  return OfLaunch.with(OutputText::Slot::Launch, "").replaced(".arguments.", "").text();
}

std::string elementCount(const Constituent &C, const std::string &Grid) {
  if (C.Text->Elements)
    return ofArguments(C.Text->Elements->Count);
  return fmt::format("1ll * {0}.x * {0}.y * {0}.z * ({1})", Grid, ofArguments(C.Text->Rows->Length));
}

unsigned elementsOfBlock(const Constituent &C, const FusionPlan &Plan, unsigned I) {
  const LaunchElements &Elements = *C.Text->Elements;
  return Elements.PerBlock ? Elements.PerBlock : partitionOf(Plan, I).Block.threads() * Elements.PerThread;
}

std::string LaunchCall::free(std::string Name) const {
  while (Names.contains(Name))
    Name += '_';
  return Name;
}

LaunchCall launchCall(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name) {
  LaunchCall Call;
  auto Add = [&](const OutputText &Declaration, const std::string &Own) {
    Call.Parameters.push_back(Declaration);
    Call.Arguments.push_back(Own);
    Call.Names.insert(Own);
  };
  if (Constituents.size() > 1) {
    for (const Constituent &C : Constituents)
      Add(fmt::format("const {}::Launch &{}", C.Name, launchName(Constituents, C)), launchName(Constituents, C));
    Add("cudaStream_t stream", "stream");
    return Call;
  }
  const Constituent &C = Constituents.front();
  const auto Shape = plainShape(C, Plan);
  for (const auto &[Type, Own] : llvm::drop_end(Shape)) {
    Add(Type + " " + Own, Own);
    Call.Members.push_back("launch." + llvm::StringRef(Own).rtrim('_').str());
  }
  for (const ParameterText &P : C.Text->Parameters)
    if (P.Given.empty()) {
      Add(fieldOf(C, P, Name), P.Name);
      Call.Members.push_back("launch.arguments." + P.Name);
    }
  Add(Shape.back().first + " " + Shape.back().second, Shape.back().second);
  return Call;
}

OutputText plainSignature(const Constituent &C, const FusionPlan &Plan, const std::string &Name,
                          const std::string &Space, const std::string &Tail) {
  const std::string Head = "cudaError_t " + Space + "launch(";
  return wrapped(Head, launchCall(C, Plan, Name).Parameters, Tail, Head.size());
}

std::string launchSignature(llvm::ArrayRef<Constituent> Constituents) {
  std::vector<OutputText> Parameters;
  for (const Constituent &C : Constituents)
    Parameters.push_back(fmt::format("const {}::Launch &{}", C.Name, launchName(Constituents, C)));
  Parameters.push_back("cudaStream_t stream");
  return wrapped("cudaError_t launch(", Parameters, ")", std::string("cudaError_t launch(").size()).text();
}

std::string argumentSpace(const std::string &Name, const Constituent &C) { return "::" + Name + "::" + C.Name; }

static OutputText shapeOf(BlockShape Block) {
  return Block.Y * Block.Z == 1 ? outputText("dim3({})", constant(Block.X))
         : Block.Z == 1 ? outputText("dim3({}, {})", constant(Block.X), constant(Block.Y))
                        : outputText("dim3({}, {}, {})", constant(Block.X), constant(Block.Y), constant(Block.Z));
}

/// Members, those of one type that follow each other in one declaration: `const float *in, *bias;`.
static void emitMembers(Writer &Out, llvm::ArrayRef<std::pair<std::string, std::string>> Members) {
  std::string Before; // the name: `const float *`
  std::vector<OutputText> Names;
  auto End = [&] {
    if (!Names.empty())
      Out.line("{}", wrapped("    " + llvm::StringRef(Before).rtrim('*').str(), Names, ";", 8));
    Names.clear();
  };
  for (const auto &[Declaration, Name] : Members) {
    llvm::StringRef Own = Declaration;
    if (!Own.consume_back(Name))
      Own = "";
    const llvm::StringRef Type = Own.rtrim('*');
    if (Own.empty() || Own != Before || Type.contains('*') || Type.contains('&'))
      End();
    Before = Own.str();
    Names.push_back(Declaration.substr(Type.size()));
  }
  End();
}

void emitArguments(Writer &Out, llvm::ArrayRef<Constituent> Constituents, unsigned I, const FusionPlan &Plan,
                   const std::string &Name) {
  const Constituent &C = Constituents[I];
  const std::string Space = argumentSpace(Name, C);
  for (const ArgumentType &T : C.Text->Types)
    emitType(Out, T, Space);
  const bool Dynamic = !C.Facts->DynamicShared.empty();
  constexpr std::array Grids = {"grid in x only", "grid in x and y", "grid in up to three dimensions"};
  Out.line("/// One launch of {}: as <<<grid, block{}>>>, {}.", inComment(C.Facts->QualifiedName),
           Dynamic ? ", dynamicSharedBytes" : "",
           C.Text->Elements ? "as many blocks as its elements need" : Grids[gridDimensions(*C.Facts) - 1]);
  Out.line("struct Launch {{\n  dim3 grid;{}", C.Text->Elements ? " ///< Any." : "");
  if (const PartitionPlan *Guessed = guessedBlock(C, Plan, I))
    Out.line("  dim3 block = {}; ///< {}: fused for no other.", shapeOf(Guessed->Block),
             inComment(Plan.Roles[I].GuessedFrom));
  if (Dynamic)
    Out.write("  size_t dynamicSharedBytes = 0;");
  Out.write("  struct Arguments {");
  std::vector<std::pair<std::string, std::string>> Members;
  for (const ParameterText &P : C.Text->Parameters)
    if (P.Given.empty())
      Members.emplace_back(fieldOf(C, P, Name).text(), P.Name);
  emitMembers(Out, Members);
  Out.write("  } arguments;\n};");
  // What the header's reader includes may be configured otherwise than for the kernel.
  for (const auto &[P, Facts] : llvm::zip(C.Text->Parameters, C.Facts->Parameters))
    if (P.Given.empty() && !P.Opaque && P.Name == Facts.Name && Facts.Bytes > 0 && !Facts.Fields.empty() &&
        !Facts.Fields.front().Path.empty())
      Out.line(
          "static_assert(sizeof(Launch::Arguments::{0}) == {1} && alignof(decltype(Launch::Arguments::{0})) == {2},\n"
          "              \"{0} has the size that it has in the kernel's file\");",
          P.Name, Facts.Bytes, Facts.Alignment);
}

namespace {

class LauncherEmitter {
public:
  LauncherEmitter(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs)
      : Out(Out), Constituents(Constituents), Plan(Plan), Name(Options.Name), HasPrelude(!Options.Prelude.empty()),
        Needs(Needs) {}

  void run() {
    std::vector<OutputText> Parts;
    if (HasPrelude) {
      // One by one: they hide what a header of the user's calls so.
      std::vector<OutputText> Used;
      const std::string Space = preludeNamespace();
      for (const auto &[Need, Function] :
           {std::pair("GRIDS", "blocksOf"), std::pair("MEETS", "meet"), std::pair("LARGER", "larger"),
            std::pair("DIVISORS", "gridOf"), std::pair("STRIDES", "strideOf"), std::pair("SHARES", "shareOf"),
            std::pair("EVEN_ROUNDS", "inEvenRounds"), std::pair("BOUND", "sameBits"),
            std::pair("DYNAMIC", "allowShared")})
        if (needs(Need))
          Used.push_back(fmt::format("using {}::launcher::{};", Space, Function));
      Parts.push_back(joined(Used, "\n"));
    } else {
      Parts.push_back(emitted(cuda::Launcher, Needs));
      if (needs("DYNAMIC"))
        Parts.push_back(emitted(cuda::SharedMemory, Needs));
    }
    if (needs("MULTIPROCESSORS"))
      Parts.push_back(emitted(cuda::Driver, Needs));
    if (products())
      Parts.push_back(products()->Host);
    llvm::erase_if(Parts, [](const OutputText &Part) { return Part.empty(); });
    if (!Parts.empty())
      Out.line("{}\n", joined(Parts, "\n\n"));
    Out.line("{} {{", launchSignature(Constituents));
    if (Constituents.size() == 1 && Constituents[0].Text->Elements)
      Out.line("  if ({} == 0)\n    return cudaSuccess;", count(Constituents[0]));
    chooseKernel();
    grids();
    requirements();
    if (needs("DYNAMIC"))
      dynamicShared();
    if (needs("MULTIPROCESSORS"))
      askDriver();
    if (Plan.fillsDevice() || products())
      residents();
    else if (Plan.Shape == Geometry::Blocks)
      Plan.Grid == GridPolicy::Stride ? roles() : shares();
    call();
    Out.write("}");
    if (Constituents.size() == 1)
      emitPlainLaunch(Out, Constituents.front(), Plan, Name);
  }

private:
  std::string launch(const Constituent &C) const { return launchName(Constituents, C); }
  bool needs(llvm::StringRef Name) const { return isNeeded(Needs, Name); }
  const std::optional<ProductsText> &products() const { return Constituents.front().Text->Products; }
  unsigned cluster() const { return products() ? products()->Cluster : 1; }
  static bool isDynamic(const Constituent &C) { return !C.Facts->DynamicShared.empty(); }
  const char *kernel() const { return Plan.hasBound() || hasVariants() ? "kernel" : "fused"; }
  const TextVariants &variants() const { return variantsOf(Constituents); }
  bool hasVariants() const { return !variants().Parameters.empty(); }

  /// The first instance whose condition holds.
  std::string instance(const std::string &Kernel) const {
    std::string Text;
    for (const auto &[Condition, Arguments] : variants().Conditions) {
      std::vector<std::string> Holds;
      bool HaveIt = true;
      for (const Constituent &C : Constituents) {
        const auto &Own = C.Text->Variants.Conditions;
        const auto Same = llvm::find_if(Own, [&](const auto &Each) { return Each.second == Arguments; });
        if (Same != Own.end())
          Holds.push_back(Same->first.with(OutputText::Slot::Launch, launch(C)).text());
        HaveIt &= Own.empty() || Same != Own.end();
      }
      if (HaveIt)
        Text += fmt::format("{} ? {}<{}>\n                      : ", llvm::join(Holds, " && "), Kernel, Arguments);
    }
    return Text + fmt::format("{}<{}>", Kernel, variants().Otherwise);
  }

  /// Is the argument an enumeration of which this file has the bytes alone?
  bool hasBytesOnly(unsigned I, const std::string &Name) const {
    return llvm::any_of(Constituents[I].Text->Parameters,
                        [&](const ParameterText &P) { return P.Name == Name && P.Opaque; });
  }

  std::string evenTurns() const {
    const LaunchTurns &Turns = *Constituents.front().Text->Turns;
    return fmt::format("{0}.grid.{1} % {2} == 0 ? {2} : 1", launch(Constituents.front()), "xyz"[Turns.Dimension],
                       Turns.Count);
  }
  void chooseKernel() {
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->Turns.has_value(); }))
      Out.line("  const unsigned turns = {};", keepsItsGrid() ? evenTurns() : "1");
    std::string Wide;
    for (const Constituent &C : Constituents)
      if (const OutputText &Own = C.Text->Variants.Wide; !Own.empty())
        Wide +=
            (Wide.empty() ? "" : " &&\n                    ") + Own.with(OutputText::Slot::Launch, launch(C)).text();
    if (!Wide.empty())
      Out.line("  const bool wide = {};", Wide);
    if (!Plan.hasBound()) {
      if (hasVariants())
        Out.line("  const auto kernel = {};", instance("fused"));
      return;
    }
    std::vector<std::string> Conditions;
    for (unsigned I = 0; I < Constituents.size(); ++I)
      for (const auto &[Name, Value] : Plan.Roles[I].Bound) {
        const std::string Given = fmt::format("{}.arguments.{}", launch(Constituents[I]), Name);
        Conditions.push_back(fmt::format("sameBits({}, static_cast<{}>({}))", Given,
                                         hasBytesOnly(I, Name) ? "unsigned long long" : "decltype(" + Given + ")",
                                         Value));
      }
    Out.line("  const bool bound = {};", llvm::join(Conditions, " &&\n                     "));
    Out.line("  const auto kernel = bound ? {} : {};", hasVariants() ? instance("fused_bound") : "fused_bound",
             hasVariants() ? instance("fused") : "fused");
  }

  /// The constituent's own blocks: of its launch, or as many as its elements need.
  OutputText blocks(unsigned I) const {
    const Constituent &C = Constituents[I];
    if (!C.Text->Elements)
      return launch(C) + ".grid.x";
    const unsigned Turn = elementsOfBlock(C, Plan, I);
    return outputText("static_cast<unsigned>(({} + {}ll) / {})", count(C), constant(Turn - 1), constant(Turn));
  }
  OutputText count(const Constituent &C) const {
    return C.Text->Elements->Count.with(OutputText::Slot::Launch, launch(C));
  }

  /// Fused blocks that a constituent needs if none loops on.
  std::string needed(unsigned I) const {
    const std::string Blocks =
        Constituents[I].Name + (gridDimensions(*Constituents[I].Facts) > 1 ? "Grid.blocks" : "Blocks");
    const unsigned Each = Plan.blocksAtOnce(I);
    return Each == 1 ? Blocks : fmt::format("({0} + {1} - 1) / {1}", Blocks, Each);
  }

  /// Is the fused grid that of the launch?
  bool keepsItsGrid() const { return Plan.keepsGrid() && !Constituents.front().Text->Elements; }
  bool isSideBySide() const { return !Plan.keepsGrid() && Plan.Shape != Geometry::Blocks; }

  /// The largest of them.
  static OutputText largest(llvm::ArrayRef<OutputText> All) {
    OutputText Text = All.back();
    for (const OutputText &Each : llvm::reverse(All.drop_back()))
      Text = outputText("larger({}, {})", Each, Text);
    return Text;
  }

  /// How many blocks the kernels have.
  void grids() {
    if (keepsItsGrid() || products())
      return;
    if (Plan.keepsGrid())
      return Out.line("  const unsigned blocks = {};", blocks(0));
    std::vector<OutputText> Needed;
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const Constituent &C = Constituents[I];
      if (const unsigned Reads = gridDimensions(*C.Facts); Reads == 1)
        Out.line("  const unsigned {}Blocks = {};", C.Name, blocks(I));
      else
        Out.line("  const CufuseGrid {}Grid = gridOf({}.grid, {});", C.Name, launch(C), Reads);
      Needed.push_back(needed(I));
    }
    if (isSideBySide())
      Out.line("  {}unsigned blocks = static_cast<unsigned>({});", Plan.fillsDevice() ? "" : "const ", largest(Needed));
  }

  /// All that must not be, and why where that is not plain.
  void requirements() {
    std::vector<std::pair<OutputText, OutputText>> Errors;
    auto Refuse = [&](const OutputText &Condition, const OutputText &Why = {}) {
      const bool IsCompound = Condition.written().find(" && ") != std::string::npos;
      Errors.emplace_back(IsCompound ? "(" + Condition + ")" : Condition, Why);
    };
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const Constituent &C = Constituents[I];
      const unsigned Reads = gridDimensions(*C.Facts);
      const std::string Grid = launch(C) + ".grid";
      if (C.Text->Elements && !Plan.keepsGrid() && !products())
        Refuse(outputText("{0}Blocks == 0 || {0}Blocks > 0x7fffffff", C.Name));
      else if (C.Text->Elements) // the runtime asks
        ;
      else if (Reads == 1 && Plan.keepsGrid()) // the runtime asks the rest
        Refuse(outputText("{0}.y != 1 || {0}.z != 1", Grid));
      else if (Reads == 1 && isSideBySide() && Plan.Grid == GridPolicy::Match && Plan.blocksAtOnce(I) == 1)
        Refuse(outputText("{0}.x == 0 || {0}.y != 1 || {0}.z != 1", Grid)); // as many as the fused grid has, or less
      else if (Reads == 1)
        Refuse(outputText("{0}.x == 0 || {0}.x > 0x7fffffff ||{1}{0}.y != 1 || {0}.z != 1", Grid,
                          Grid.size() > 18 ? "\n      " : " "));
      else
        Refuse(Plan.keepsGrid() ? outputText("blocksOf({}, {}) == 0", Grid, Reads) : C.Name + "Grid.blocks == 0");
      if (const PartitionPlan *Guessed = guessedBlock(C, Plan, I))
        Refuse(outputText("{0}.block.x != {1} || {0}.block.y != {2} || {0}.block.z != {3}", launch(C),
                          constant(Guessed->Block.X), constant(Guessed->Block.Y), constant(Guessed->Block.Z)),
               "it is fused for this block");
      if (const auto Most = mostBlocksInX(*C.Facts, Plan, I); Most && !C.Text->Elements)
        Refuse(outputText("{}.grid.x > {}", launch(C), constant(*Most)), "its thread numbers would be negative");
      for (const LaunchError &Error : C.Text->LaunchErrors)
        Refuse(Error.Condition.with(OutputText::Slot::Launch, launch(C)), Error.Why);
    }
    if (const unsigned Most = Plan.mostBlocksAtOnce(); Most > 1)
      Refuse(outputText("blocks > 0xffffffff / {}", constant(Most)), "blocks are numbered in 32 bits");
    for (const auto &[Condition, Why] : Errors) {
      const bool IsLast = &Why == &Errors.back().second;
      Out.line("  {}{}{}{}", &Why == &Errors.front().second ? "if (" : "    ", Condition, IsLast ? ")" : " ||",
               Why.empty() ? Why : " // " + Why);
    }
    if (!Errors.empty())
      Out.write("    return cudaErrorInvalidConfiguration;");
  }

  void dynamicShared() {
    if (products()) {
      Out.line("  constexpr size_t dynamicBytes = {};", products()->DynamicBytes);
    } else {
      // 128 bytes suit every access but those of code that asks for more; the base is aligned to 1024.
      const unsigned Alignment =
          llvm::any_of(Constituents, [](const Constituent &C) { return C.Facts->DynamicAlignment > 128; }) ? 1024 : 128;
      std::vector<OutputText> Sizes;
      for (unsigned I = 0; I < Constituents.size(); ++I) {
        const Constituent &C = Constituents[I];
        if (!isDynamic(C))
          continue;
        if (Plan.DynamicBlocks == 1) {
          Sizes.push_back(launch(C) + ".dynamicSharedBytes");
          break;
        }
        if (Plan.Roles[I].HasOffset)
          Out.line("  const size_t {}Offset = {};", C.Name, joined(Sizes, " + "));
        Out.line("  const size_t {0}Stride = strideOf({1}.dynamicSharedBytes, {2});", C.Name, launch(C), Alignment);
        const unsigned Copies = Plan.Roles[I].Copies;
        Sizes.push_back((Copies == 1 ? "" : fmt::format("{} * ", Copies)) + C.Name + "Stride");
      }
      Out.line("  const size_t dynamicBytes = {};",
               Plan.Shape == Geometry::Warps ? joined(Sizes, " + ") : largest(Sizes));
    }
    if (!needs("MULTIPROCESSORS"))
      Out.line("  if (const cudaError_t error = allowShared(reinterpret_cast<const void *>({}), dynamicBytes))\n"
               "    return error;",
               kernel());
  }

  void askDriver() {
    if (Plan.fillsDevice())
      Out.line("  // As many blocks as are resident at once{}: each plays several blocks of the kernels.",
               Plan.ResidentBlocks == 0 ? OutputText()
                                        : outputText(", {} on each multiprocessor", constant(Plan.ResidentBlocks)));
    Out.line("  CufuseAsked asked = {{}};\n"
             "  if (const cudaError_t error = askDriver(asked, reinterpret_cast<const void *>({}), {}))\n"
             "    return error;\n"
             "  const int multiprocessors = asked.multiprocessors;",
             kernel(), dynamicBytes());
  }
  const char *dynamicBytes() const { return needs("DYNAMIC") ? "dynamicBytes" : "0"; }

  void residents() {
    Out.write("  int resident = asked.resident;");
    if (products())
      Out.line("  unsigned blocks = {};{}", blocks(0),
               cluster() == 1 ? "" : fmt::format(" // clusters of {}", cluster()));
    if (Plan.ResidentBlocks > 0)
      Out.line("  if (resident > {0})\n    resident = {0};", constant(Plan.ResidentBlocks));
    if (Plan.Shape == Geometry::Blocks) {
      sum();
      Out.write("  unsigned blocks = static_cast<unsigned>(sum);");
    }
    Out.line("  if (const unsigned filled = static_cast<unsigned>(resident) * multiprocessors{}; blocks > filled)\n"
             "    blocks = filled;\n",
             cluster() == 1 ? "" : fmt::format(" / {} + 1", cluster()));
  }

  /// Fused blocks for all blocks of all kernels.
  void sum() {
    std::vector<std::string> Sum;
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      Out.line("  const unsigned {}Needed = {};", Constituents[I].Name, needed(I));
      Sum.push_back((I == 0 ? "0ull + " : "") + Constituents[I].Name + "Needed");
    }
    Out.line("  const unsigned long long sum = {};", llvm::join(Sum, " + "));
    Out.write("  if (sum > 0x7fffffff)\n    return cudaErrorInvalidConfiguration;");
  }

  /// Fixed roles on every multiprocessor, and no more of one than share its blocks evenly.
  void roles() {
    std::vector<std::string> Sum;
    for (unsigned I = 0; I < Constituents.size(); ++I)
      if (const unsigned Resident = Plan.Roles[I].ResidentBlocks) {
        Out.line("  const unsigned {}Resident =\n      inEvenRounds({}, {} * static_cast<unsigned>(multiprocessors));",
                 Constituents[I].Name, needed(I), constant(Resident));
        Sum.push_back(Constituents[I].Name + "Resident");
      }
    const std::optional<unsigned> Following = Plan.following();
    if (Following)
      Sum.push_back(needed(*Following));
    Out.line("  const unsigned blocks = {};", llvm::join(Sum, " + "));
    Out.write(Following ? "  if (blocks > 0x7fffffff)\n    return cudaErrorInvalidConfiguration;\n" : "");
  }

  /// A fused block for every block of every kernel.
  void shares() {
    sum();
    Out.write("  const unsigned blocks = static_cast<unsigned>(sum);");
    std::string Left = "blocks";
    for (unsigned I = 0; I + 1 < Constituents.size(); ++I) {
      const std::string &Name = Constituents[I].Name;
      Out.line("  const CufuseShare {0}Share = shareOf({0}Needed, {1}, blocks, multiprocessors);", Name, Left);
      Left += " - " + Name + "Needed";
    }
    Out.blank();
  }

  void call() {
    const BlockShape Block = Plan.keepsBlock() ? Plan.Partitions[0].Block : BlockShape{Plan.BlockThreads, 1, 1};
    if (products() && !products()->Maps.empty())
      Out.write("  CufuseMaps maps;");
    for (const OutputText &Map : products() ? products()->Maps : std::vector<OutputText>())
      Out.line("  if (const cudaError_t error = mapMatrices({}))\n    return error;",
               Map.with(OutputText::Slot::Launch, launch(Constituents[0])));
    if (cluster() > 1)
      Out.line("  cudaLaunchAttribute cluster = {{}};\n  cluster.id = cudaLaunchAttributeClusterDimension;\n"
               "  cluster.val.clusterDim.x = {};\n"
               "  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;",
               cluster());
    if (Plan.Cooperative)
      Out.write("  cudaLaunchAttribute cooperative = {};\n  cooperative.id = cudaLaunchAttributeCooperative;\n"
                "  cooperative.val.cooperative = 1;");
    Out.line("  const cudaLaunchConfig_t config = {{{}, {}, {}, stream, {}}};",
             keepsItsGrid()  ? ownGrid()
             : cluster() > 1 ? fmt::format("dim3(blocks * {})", cluster())
                             : "dim3(blocks)",
             shapeOf(Block), dynamicBytes(),
             Plan.Cooperative ? "&cooperative, 1"
             : cluster() > 1  ? "&cluster, 1"
                              : "nullptr, 0");
    std::vector<OutputText> Arguments = {"&config", kernel()};
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const Constituent &C = Constituents[I];
      for (const ParameterText &P : C.Text->Parameters)
        if (P.Given.empty())
          Arguments.push_back(fmt::format("{}.arguments.{}", launch(C), P.Name));
      for (AddedParameter Added : addedParameters(*C.Facts, Plan, I))
        Arguments.push_back(argument(C.Name, Added));
    }
    const bool MayForget = needs("DYNAMIC") && needs("MULTIPROCESSORS");
    if (Plan.Grid != GridPolicy::Pool)
      return Out.write(MayForget ? wrapped("  return launchAsked(asked, [&] {\n    return cudaLaunchKernelEx(",
                                           Arguments, ");\n  });", 30)
                                 : wrapped("  return cudaLaunchKernelEx(", Arguments, ");", 28));
    // Launches at the same time have pools of their own.
    Out.line("\n  // {}, all zero, of this launch alone.", Plan.Shape == Geometry::Blocks
                                                               ? "A pool per kernel and tickets of the multiprocessors"
                                                               : "A pool per kernel");
    Out.line(R"(  unsigned *pools = nullptr;
  const size_t poolBytes = {} * sizeof(unsigned);
  if (const cudaError_t error = cudaMallocAsync(reinterpret_cast<void **>(&pools), poolBytes, stream))
    return error;
  cudaError_t error = cudaMemsetAsync(pools, 0, poolBytes, stream);
  if (error == cudaSuccess))",
             poolCounters(Plan));
    Out.write(MayForget ? wrapped("    error = launchAsked(asked, [&] {\n      return cudaLaunchKernelEx(", Arguments,
                                  ");\n    });", 32)
                        : wrapped("    error = cudaLaunchKernelEx(", Arguments, ");", 31));
    Out.write(
        "  const cudaError_t freed = cudaFreeAsync(pools, stream);\n  return error == cudaSuccess ? freed : error;");
  }

  /// The launch's, divided by the blocks that a thread has a place in.
  std::string ownGrid() const {
    const std::string Grid = launch(Constituents[0]) + ".grid";
    const auto &Turns = Constituents.front().Text->Turns;
    if (!Turns)
      return Grid;
    std::vector<std::string> Sizes = {Grid + ".x", Grid + ".y", Grid + ".z"};
    Sizes[Turns->Dimension] += " / turns";
    return fmt::format("dim3({})", llvm::join(Sizes, ", "));
  }

  static std::string argument(const std::string &Name, AddedParameter Added) {
    const std::string Given = textOf(Added).Given;
    if (Added == AddedParameter::Pools || Added == AddedParameter::Maps)
      return Given;
    const bool IsBytes = Added == AddedParameter::DynamicOffset || Added == AddedParameter::DynamicStride;
    return IsBytes ? fmt::format("static_cast<unsigned>({}{})", Name, Given) : Name + Given;
  }

  Writer &Out;
  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const std::string &Name;
  const bool HasPrelude;
  llvm::ArrayRef<Given> Needs;
};

} // namespace

void emitPlainLaunch(Writer &Out, const Constituent &C, const FusionPlan &Plan, const std::string &Name) {
  const auto Shape = plainShape(C, Plan);
  std::vector<OutputText> Launch, Arguments;
  for (const auto &[Type, Own] : llvm::drop_end(Shape))
    Launch.push_back(Own);
  for (const ParameterText &P : C.Text->Parameters)
    if (P.Given.empty())
      Arguments.push_back(P.Name);
  Out.line("\n{}", plainSignature(C, Plan, Name, C.Name + "::", ") {"));
  if (C.Text->Elements)
    Launch.insert(Launch.begin(), "{}");
  Launch.push_back("{" + joined(Arguments, ", ") + "}");
  const OutputText Head = outputText("  return ::{}::launch({{", Name);
  Out.write(wrapped(Head, Launch, outputText("}}, {});", Shape.back().second), Head.written().size()));
  Out.write("}");
}

void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs) {
  LauncherEmitter(Out, Constituents, Plan, Options, Needs).run();
}

} // namespace cufuse
