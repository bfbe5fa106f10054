#include "Parts.h"

#include "cufuse/Cuda/Prelude.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

class LauncherEmitter {
public:
  /// `Prefix`: of the arguments' names, where they are parameters.
  LauncherEmitter(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs, const std::string &Prefix)
      : Out(Out), Constituents(Constituents), Plan(Plan), Name(Options.Name), HasPrelude(!Options.Prelude.empty()),
        Apart(Options.Apart), Needs(Needs), Prefix(Prefix) {}

  /// What a launcher that has these names needs of ours.
  void tools(std::set<std::string> Named) {
    std::vector<OutputText> Parts; // from the last on
    auto Add = [&](const OutputText &Part) {
      Named.merge(namesIn(Part.written()));
      Parts.push_back(Part);
    };
    if (products())
      Add(products()->Host);
    if (Plan.countsBlocks() && !hasCounted())
      Add(emitted(cuda::StreamPlaces, {}));
    if (Plan.countsBlocks())
      Add(emitted(cuda::GridBarrierPlaces, {}));
    if (needs("RESIDENT"))
      Add(emitted(cuda::Driver, Needs));
    for (llvm::StringRef File : llvm::reverse(cuda::OfLauncher)) {
      if (!HasPrelude) {
        Parts.push_back(emittedAsNamed(File, Needs, Named));
        continue;
      }
      // One by one: they hide what a header of the user's calls so.
      std::vector<OutputText> Used;
      for (const Declaration &Each : declarationsIn(File))
        if (Named.contains(Each.Name))
          Used.push_back(fmt::format("using {}::launcher::{};", preludeNamespace(), Each.Name));
      Parts.push_back(joined(Used, "\n"));
    }
    llvm::erase_if(Parts, [](const OutputText &Part) { return Part.empty(); });
    std::reverse(Parts.begin(), Parts.end());
    if (!Parts.empty())
      Out.line("{}\n", joined(Parts, "\n\n"));
  }

  void run() {
    const Constituent &First = Constituents.front();
    Out.line("{}", Constituents.size() == 1 ? plainSignature(First, Plan, Name, First.Name + "::", ") {", Prefix)
                                            : launchSignature(Constituents, ") {"));
    if (Constituents.size() == 1 && Constituents[0].Text->Elements)
      Out.line("  if ({} == 0)\n    return cudaSuccess;", count(Constituents[0]));
    chooseKernel();
    grids();
    requirements();
    if (needs("DYNAMIC"))
      dynamicShared();
    if (needs("RESIDENT"))
      askDriver();
    else if (needs("MULTIPROCESSORS"))
      askMultiprocessors(Out);
    if (Plan.fillsDevice() || products())
      residents();
    else if (Plan.Shape == Geometry::Blocks)
      Plan.Grid == GridPolicy::Stride ? roles() : shares();
    call();
    Out.write("}");
  }

private:
  /// What a launch has, `grid`: a parameter, or a member of its structure.
  std::string shape(const Constituent &C, llvm::StringRef Of) const {
    if (Constituents.size() > 1)
      return launchName(Constituents, C) + "." + Of.str();
    for (const ShapeParameter &P : plainShape(C, Plan))
      if (P.Member == Of)
        return P.Name;
    return Of.str();
  }
  std::string given(const Constituent &C, const std::string &Argument) const {
    return Constituents.size() > 1 ? launchName(Constituents, C) + ".arguments." + Argument : Prefix + Argument;
  }
  /// The same in what says it of any launch.
  OutputText ofLaunch(const Constituent &C, const OutputText &Text) const {
    return Text.with(OutputText::Slot::Argument, given(C, "")).with(OutputText::Slot::Grid, shape(C, "grid"));
  }
  bool needs(llvm::StringRef Name) const { return isNeeded(Needs, Name); }
  const std::optional<ProductsText> &products() const { return Constituents.front().Text->Products; }
  unsigned cluster() const { return products() ? products()->Cluster : 1; }
  bool isInTurns() const { return products() && products()->Clusters > 0; }
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
          Holds.push_back(ofLaunch(C, Same->first).text());
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
    return fmt::format("{0}.{1} % {2} == 0 ? {2} : 1", shape(Constituents.front(), "grid"), "xyz"[Turns.Dimension],
                       Turns.Count);
  }
  void chooseKernel() {
    if (llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->Turns.has_value(); }))
      Out.line("  const unsigned turns = {};", keepsItsGrid() ? evenTurns() : "1");
    std::string Wide;
    for (const Constituent &C : Constituents)
      if (const OutputText &Own = C.Text->Variants.Wide; !Own.empty())
        Wide += (Wide.empty() ? "" : " &&\n                    ") + ofLaunch(C, Own).text();
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
        const std::string Given = given(Constituents[I], Name);
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
      return shape(C, "grid") + ".x";
    const unsigned Turn = elementsOfBlock(C, Plan, I);
    return outputText("static_cast<unsigned>(({} + {}ll) / {})", count(C), constant(Turn - 1), constant(Turn));
  }
  OutputText count(const Constituent &C) const { return ofLaunch(C, C.Text->Elements->Count); }

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
        Out.line("  const CufuseGrid {}Grid = gridOf({}, {});", C.Name, shape(C, "grid"), Reads);
      Needed.push_back(needed(I));
    }
    if (isSideBySide())
      Out.line("  {}unsigned blocks = static_cast<unsigned>({});", Plan.fillsDevice() ? "" : "const ",
               Plan.LastBlock    ? Needed.front()
               : Plan.FirstBlock ? Needed.back()
                                 : largest(Needed));
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
      const std::string Grid = shape(C, "grid");
      if (C.Text->Elements && !Plan.keepsGrid() && !products())
        Refuse(outputText("{0}Blocks == 0 || {0}Blocks > 0x7fffffff", C.Name));
      else if (C.Text->Elements && Apart && !products())
        Refuse("blocks == 0 || blocks > 0x7fffffff"); // what fails is CUDA's last error, also where others go on
      else if (C.Text->Elements)                      // the runtime asks
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
        Refuse(outputText("{0}.x != {1} || {0}.y != {2} || {0}.z != {3}", shape(C, "block"), constant(Guessed->Block.X),
                          constant(Guessed->Block.Y), constant(Guessed->Block.Z)),
               "it is fused for this block");
      if (const auto Most = mostBlocksInX(*C.Facts, Plan, I); Most && !C.Text->Elements)
        Refuse(outputText("{}.x > {}", Grid, constant(*Most)), "its thread numbers would be negative");
      for (const LaunchError &Error : C.Text->LaunchErrors)
        Refuse(ofLaunch(C, Error.Condition), Error.Why);
    }
    if (Plan.countsBlocks() && hasCounted())
      Refuse(counted() + " == nullptr", "by which blocks are counted");
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
          Sizes.push_back(shape(C, "dynamicSharedBytes"));
          break;
        }
        if (Plan.Roles[I].HasOffset)
          Out.line("  const size_t {}Offset = {};", C.Name, joined(Sizes, " + "));
        Out.line("  const size_t {0}Stride = strideOf({1}, {2});", C.Name, shape(C, "dynamicSharedBytes"), Alignment);
        const unsigned Copies = Plan.Roles[I].Copies;
        Sizes.push_back((Copies == 1 ? "" : fmt::format("{} * ", Copies)) + C.Name + "Stride");
      }
      Out.line("  const size_t dynamicBytes = {};",
               Plan.Shape == Geometry::Warps ? joined(Sizes, " + ") : largest(Sizes));
    }
    if (!needs("RESIDENT"))
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
    if (isInTurns())
      return Out.line("  constexpr unsigned blocks = {0}; // clusters of {1}, all at once\n"
                      "  if (blocks * {1} > static_cast<unsigned>(asked.resident) * multiprocessors)\n"
                      "    return cudaErrorCooperativeLaunchTooLarge;\n",
                      products()->Clusters, cluster());
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
    Out.line("  const unsigned filled = static_cast<unsigned>(resident) * multiprocessors{};\n"
             "  if (blocks > filled)\n    blocks = filled;\n",
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

  /// The array that no two launches that run at once store to, or else the stream.
  bool hasCounted() const { return !Constituents.front().Text->Counted.empty(); }
  std::string counted() const {
    return hasCounted() ? given(Constituents.front(), Constituents.front().Text->Counted) : "stream";
  }

  bool countsByVolatile() const {
    const Constituent &First = Constituents.front();
    return llvm::any_of(First.Facts->Parameters, [&](const ParameterFacts &P) {
      return P.Name == First.Text->Counted && llvm::StringRef(P.Type).contains("volatile ");
    });
  }

  void call() {
    if (Plan.countsBlocks())
      Out.line("  unsigned place = 0; // of the count of the blocks that are done\n"
               "  if (const cudaError_t error = placeOf(place, {}{}))\n"
               "    return error;\n",
               countsByVolatile() ? "(const void *)" : "", counted());
    const BlockShape Block = Plan.keepsBlock() ? Plan.Partitions[0].Block : BlockShape{Plan.BlockThreads, 1, 1};
    if (products() && !products()->Maps.empty())
      Out.write("  CufuseMaps maps;");
    for (const OutputText &Map : products() ? products()->Maps : std::vector<OutputText>())
      Out.line("  if (const cudaError_t error = {})\n    return error;", ofLaunch(Constituents[0], Map));
    const bool Cooperative = Plan.Cooperative || isInTurns();
    const unsigned Attributes = (cluster() > 1) + Cooperative + Plan.Overlap.Waits;
    if (Attributes > 0)
      Out.line("  cudaLaunchAttribute attributes[{}] = {{}};", Attributes);
    if (cluster() > 1)
      Out.line("  attributes[0].id = cudaLaunchAttributeClusterDimension;\n"
               "  attributes[0].val.clusterDim.x = {};\n"
               "  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;",
               cluster());
    if (Cooperative)
      Out.line("  attributes[{0}].id = cudaLaunchAttributeCooperative;\n"
               "  attributes[{0}].val.cooperative = 1;",
               Attributes - 1);
    if (Plan.Overlap.Waits)
      Out.line("  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
               "  attributes[0].val.programmaticStreamSerializationAllowed = 1;");
    Out.line("  const cudaLaunchConfig_t config = {{{}, {}, {}, {}, {}}};",
             keepsItsGrid()  ? ownGrid()
             : cluster() > 1 ? fmt::format("dim3(blocks * {})", cluster())
                             : "dim3(blocks)",
             shapeOf(Block), dynamicBytes(), Constituents.size() > 1 ? "stream" : shape(Constituents[0], "stream"),
             Attributes > 0 ? fmt::format("attributes, {}", Attributes) : "nullptr, 0");
    std::vector<OutputText> Arguments = {"&config", kernel()};
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const Constituent &C = Constituents[I];
      for (const ParameterText &P : C.Text->Parameters)
        if (P.Given.empty())
          Arguments.push_back(given(C, P.Name));
      for (AddedParameter Added : addedParameters(*C.Facts, Plan, I))
        Arguments.push_back(argument(C.Name, Added));
    }
    const bool MayForget = needs("DYNAMIC") && needs("RESIDENT");
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
    const std::string Grid = shape(Constituents[0], "grid");
    const auto &Turns = Constituents.front().Text->Turns;
    if (!Turns)
      return Grid;
    std::vector<std::string> Sizes = {Grid + ".x", Grid + ".y", Grid + ".z"};
    Sizes[Turns->Dimension] += " / turns";
    return fmt::format("dim3({})", llvm::join(Sizes, ", "));
  }

  static std::string argument(const std::string &Name, AddedParameter Added) {
    const std::string Given = textOf(Added).Given;
    if (isOfAll(Added) || Added == AddedParameter::Maps)
      return Given;
    const bool IsBytes = Added == AddedParameter::DynamicOffset || Added == AddedParameter::DynamicStride;
    return IsBytes ? fmt::format("static_cast<unsigned>({}{})", Name, Given) : Name + Given;
  }

  Writer &Out;
  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const std::string &Name;
  const bool HasPrelude, Apart;
  llvm::ArrayRef<Given> Needs;
  const std::string &Prefix;
};

} // namespace

void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs) {
  // Where a parameter would hide what the launcher names, all are called otherwise.
  for (const std::string Prefix : {"given_", ""}) {
    Writer Launcher("", false);
    LauncherEmitter(Launcher, Constituents, Plan, Options, Needs, Prefix).run();
    const std::set<std::string> Names = namesIn(Launcher.text());
    if (!Prefix.empty() &&
        (Constituents.size() > 1 || llvm::none_of(Constituents.front().Text->Parameters,
                                                  [&](const ParameterText &P) { return Names.contains(P.Name); })))
      continue;
    LauncherEmitter(Out, Constituents, Plan, Options, Needs, Prefix).tools(Names);
    return Out.write(Launcher);
  }
}

} // namespace cufuse
