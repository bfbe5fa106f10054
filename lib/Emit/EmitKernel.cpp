#include "Parts.h"

#include <fmt/core.h>

namespace cufuse {

const AddedText &textOf(AddedParameter Added) {
  static constexpr AddedText Texts[] = {{"const CufuseGrid", "grid", "Grid"},
                                        {"const unsigned", "blocks", "Blocks"},
                                        {"const CufuseShare", "share", "Share"},
                                        {"const unsigned", "resident", "Resident"},
                                        {"const unsigned", "dynamicOffset", "Offset"},
                                        {"const unsigned", "dynamicStride", "Stride"},
                                        {"const __grid_constant__ CufuseMaps", "maps", "maps"},
                                        {"const unsigned", "place", "place"},
                                        {"unsigned *const", "pools", "pools"}};
  return Texts[static_cast<size_t>(Added)];
}

namespace {

/// So many are resident at once on 128 multiprocessors. With more blocks, the signal costs more than the next launch
/// gains: by a third of the time in four kernels of 8 to 64 thousand blocks (H200).
constexpr unsigned MostThreadsThatTrigger = 128 * 2048;

class KernelEmitter {
public:
  KernelEmitter(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                bool IsBound)
      : Out(Out), Constituents(Constituents), Plan(Plan), Name(Name), IsBound(IsBound) {}

  void run() {
    if (!variants().Parameters.empty())
      // Of templates, a linker takes one for the other.
      Out.line("/// Another output of this name and these arguments cannot be of the same program.\n"
               "void {}Once({} {{}}\n"
               "template <{}>",
               IsBound ? "fused_bound" : "fused", parameters().without("__grid_constant__ "), variants().Parameters);
    if (isMainAlone(Constituents, Plan))
      Out.line("{}", Constituents.front().Text->Main->Comment);
    Out.line("__global__ void {}{}({} {{", constant(launchAttribute()), IsBound ? "fused_bound" : "fused",
             parameters());
    Out.write("#ifdef __CUDA_ARCH__");
    if (Plan.Overlap.Triggers)
      Out.line("  if (threadIdx.x == 0 && 1ull * gridDim.x * gridDim.y * gridDim.z <= {})\n"
               "    asm volatile(\"griddepcontrol.launch_dependents;\"); // the next kernel begins as these blocks end",
               constant(MostThreadsThatTrigger / Plan.BlockThreads));
    if (Plan.Overlap.Waits)
      Out.write("  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); // all that was launched before has ended");
    // nvcc leaves it open, and loops over lanes as loops.
    if (llvm::any_of(Constituents, [](const Constituent &C) { return textNames(*C.Text, "warpSize"); }) &&
        llvm::none_of(Constituents, [](const Constituent &C) { return C.Text->OutsideMacros.contains("warpSize"); }))
      Out.write("  __builtin_assume(warpSize == 32);");
    if (isMainAlone(Constituents, Plan))
      return Out.line("{}#endif\n}}", main(Plan.Partitions.front()));
    if (Plan.Shape == Geometry::Threads)
      inTurns();
    else if (Plan.Shape == Geometry::Warps)
      partitions(Plan.Partitions, "  ", {"blockIdx.x", "gridDim.x"});
    else if (Plan.Grid == GridPolicy::Match)
      interleavedBlocks();
    else if (Plan.Grid == GridPolicy::Stride)
      residentBlocks();
    else
      blocksByTicket();
    Out.write("#endif\n}");
  }

private:
  std::string parameter(const Constituent &C, const std::string &Name) const {
    return parameterName(Constituents, C, Name);
  }
  /// The name of a parameter that we add for a constituent; kernels may have one of that name.
  std::string own(const Constituent &C, std::string Name) const {
    while (llvm::any_of(C.Text->Parameters, [&](const ParameterText &P) { return P.Name == Name; }))
      Name += '_';
    return parameter(C, Name);
  }
  /// How many blocks it has.
  std::string blocks(const Constituent &C) const {
    return gridDimensions(*C.Facts) == 1 ? own(C, "blocks") : own(C, "grid") + ".blocks";
  }
  const TextVariants &variants() const { return variantsOf(Constituents); }

  /// How partitions come to the virtual blocks that they play, counted in groups of as many as there are copies.
  struct Walk {
    OutputText First, Step; ///< Step only where they go on.
    bool Exists = false;    ///< The first group is known to exist.
    bool Returns = false;   ///< The whole is in a loop.
  };

  std::string launchAttribute() const {
    switch (Plan.Registers.Policy) {
    case RegisterPolicy::Count:
    case RegisterPolicy::Split:
      return fmt::format("__maxnreg__({}) ", Plan.Registers.Count);
    case RegisterPolicy::Bound:
      return fmt::format("__launch_bounds__({}, {}) ", Plan.BlockThreads, Plan.Registers.MinBlocks);
    case RegisterPolicy::Free:
      return fmt::format("__launch_bounds__({}, 1) ", Plan.BlockThreads);
    case RegisterPolicy::None:
      break;
    }
    // ptxas allocates otherwise when it knows the block size. Kernels without bounds keep their own allocation as long
    // as the block fits with any number of registers.
    const bool Bounded = llvm::any_of(Constituents, [](const auto &C) { return C.Facts->MaxThreads.has_value(); });
    if (!Bounded && Plan.BlockThreads * 255 <= 64 * 1024)
      return {};
    return fmt::format("__launch_bounds__({}) ", Plan.BlockThreads);
  }

  /// A group of lines per constituent.
  OutputText parameters() const {
    OutputText Parameters;
    for (const Constituent &C : Constituents) {
      std::vector<OutputText> Own;
      for (const ParameterText &P : C.Text->Parameters) {
        if (!P.Given.empty())
          continue;
        const OutputText &Written = P.Opaque ? P.Opaque->Declaration : P.Declaration;
        // Else the compiler would load by the read-only cache what another kernel of the launch has stored.
        Own.push_back((Plan.readsFresh() ? Written.without("__restrict__ ") : Written)
                          .with(OutputText::Slot::Path, argumentSpace(Name, C))
                          .with(OutputText::Slot::Name, parameter(C, P.Name)));
      }
      for (AddedParameter Added : addedParameters(*C.Facts, Plan, &C - Constituents.begin()))
        Own.push_back(declaration(C, Added));
      Parameters += wrapped(Own.empty() ? "" : "\n    ", Own, &C == &Constituents.back() ? ")" : ",", 4);
    }
    return Parameters;
  }
  std::string declaration(const Constituent &C, AddedParameter Added) const {
    const auto &[Type, Name, Given] = textOf(Added);
    return fmt::format("{} {}", Type, isOfAll(Added) ? Name : own(C, Name));
  }

  llvm::ArrayRef<PartitionPlan> partitionsOf(unsigned Constituent) const {
    return llvm::ArrayRef(Plan.Partitions)
        .drop_until([=](const PartitionPlan &P) { return P.Constituent == Constituent; })
        .take_while([=](const PartitionPlan &P) { return P.Constituent == Constituent; });
  }

  /// One block of the launch per block (or group of copies) of a kernel.
  void interleavedBlocks() {
    Out.write(
        "  // Every block plays one kernel. They alternate in proportion to their grids: each takes its share of the\n"
        "  // places that those before it leave, and finds its own block's number there.");
    Out.write("  unsigned place = blockIdx.x;");
    alternatives(
        "  ", Constituents.size(), [&](unsigned I) { return own(Constituents[I], "share") + ".takes(place)"; },
        [&](unsigned I) { role(I, "    ", {"place", "", Plan.Roles[I].Copies == 1}); });
  }

  /// As many blocks as are resident at once, with fixed roles.
  void residentBlocks() {
    const std::optional<unsigned> Following = Plan.following();
    Out.write("  // Blocks go round the multiprocessors, so that each has at most so many of every kernel, which loop "
              "over its blocks:");
    rolesPerMultiprocessor();
    if (Following)
      Out.line("  // {} has a block for each of its own, behind those.", Constituents[*Following].Name);
    std::vector<unsigned> Order;
    for (unsigned I = 0; I < Constituents.size(); ++I)
      if (I != Following)
        Order.push_back(I);
    if (Following)
      Order.push_back(*Following);
    std::string First = "blockIdx.x";
    auto Resident = [&](unsigned Place) { return own(Constituents[Order[Place]], "resident"); };
    alternatives(
        "  ", Order.size(), [&](unsigned Place) { return First + " < " + Resident(Place); },
        [&](unsigned Place) {
          const unsigned I = Order[Place];
          role(I, "    ", I == Following ? Walk{First, "", Plan.Roles[I].Copies == 1} : Walk{First, Resident(Place)});
          First += " - " + Resident(Place);
        });
  }
  void rolesPerMultiprocessor() {
    for (unsigned I = 0; I < Constituents.size(); ++I)
      if (Plan.Roles[I].ResidentBlocks > 0)
        Out.line("  // {} {}", constant(fmt::format("{:>3}", Plan.Roles[I].ResidentBlocks)), Constituents[I].Name);
  }

  /// Blocks take a role as they come to a multiprocessor, and another when it is played to the end.
  void blocksByTicket() {
    const unsigned Count = Constituents.size();
    Out.write("  // On each multiprocessor, blocks begin by turns with the kernels, so many of them with each:");
    rolesPerMultiprocessor();
    Out.write("  // A block takes the kernel's next block from its pool until that is empty, and goes on with the next "
              "kernel.");
    Out.line("  const unsigned ticket = CufuseTicket::take(pools + {}) % {};", Count, constant(Plan.residentRoles()));
    Out.line("  unsigned kernel = {};", firstRole());
    Out.line("#pragma unroll 1\n  for (unsigned turn = 0; turn < {0}; ++turn, kernel = (kernel + 1) % {0}) {{", Count);
    alternatives(
        "    ", Count, [](unsigned I) { return fmt::format("kernel == {}", I); },
        [&](unsigned I) { role(I, "      ", {}); });
    Out.write("    __syncthreads(); // before another kernel's block uses the same memory and barriers");
    Out.write("  }");
  }
  /// `ticket < 2 ? 0 : ticket < 3 ? 1 : 2`
  OutputText firstRole() const {
    OutputText Text;
    unsigned End = 0;
    for (unsigned I = 0; I + 1 < Constituents.size(); ++I) {
      End += Plan.Roles[I].ResidentBlocks;
      Text += outputText("ticket < {} ? {} : ", constant(End), I);
    }
    return Text + std::to_string(Constituents.size() - 1);
  }

  /// `if (…) { … } else if (…) { … } else { … }`: all but the last have a condition. `{ … }`, if there is but one.
  void alternatives(const std::string &Indent, unsigned Count, llvm::function_ref<std::string(unsigned)> Condition,
                    llvm::function_ref<void(unsigned)> Write) {
    for (unsigned I = 0; I < Count; ++I) {
      if (I + 1 < Count)
        Out.line("{}{}if ({}) {{", Indent, I == 0 ? "" : "} else ", Condition(I));
      else
        Out.line("{}{}{{", Indent, I == 0 ? "" : "} else ");
      Write(I);
    }
    Out.line("{}}}", Indent);
  }

  /// The same threads play all constituents.
  void inTurns() {
    Out.write(
        Plan.Cooperative ? "  // Every block plays its share of each kernel, and waits until all blocks have."
        : Plan.LastBlock ? "  // Every block plays its share of the first kernel; the last that has plays the others."
        : Plan.FirstBlock
            ? "  // The first block that comes plays all kernels but the last, of which each plays its share then."
            : "  // Every block plays all kernels, one after the other.");
    const size_t OfFirst = Plan.FirstBlock ? Constituents.size() - 1 : 0;
    if (OfFirst > 0)
      Out.write("  const CufuseFirstBlock first(place);\n  if (first.is) {");
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      if (const unsigned Turns = Plan.Roles[I].Turns; Turns > 1) {
        Out.line("  for (unsigned turn = 0; turn < {}; ++turn) {{", constant(Turns));
        role(I, "    ", {outputText("blockIdx.x * {} + turn", constant(Turns)), "", false, true});
        Out.write("  }");
      } else {
        role(I, I < OfFirst ? "    " : "  ",
             I < OfFirst || (Plan.LastBlock && I > 0) ? Walk{"0", "1"} : Walk{"blockIdx.x", "gridDim.x"});
      }
      if (I == 0 && Plan.LastBlock)
        Out.write("  if (!CufuseLastBlock::is(place))\n    return;");
      else if (I + 1 == OfFirst)
        Out.write("  }\n  first.wait();");
      else if (I + 1 < Constituents.size())
        between(I < OfFirst ? "    " : "  ");
    }
  }
  /// What threads wait for before they play another constituent: all other shared memory is its own.
  void between(const std::string &Indent) {
    if (Plan.Cooperative) {
      if (Plan.NotesKernel)
        Out.line("{}CufuseBlock::kernel() = {}; // none: the whole block waits", Indent, Constituents.size());
      Out.line("{}::cooperative_groups::this_grid().sync();", Indent);
    } else if (Plan.countsBlocks())
      Out.line("{}__syncthreads(); // before another kernel loads what this one has stored", Indent);
    else if (llvm::count_if(Constituents, [](const Constituent &C) { return !C.Facts->DynamicShared.empty(); }) > 1)
      Out.line("{}__syncthreads(); // before another kernel uses the same dynamic shared memory", Indent);
    else if (Plan.HasOnePlace)
      Out.line("{}__syncthreads(); // before the indices of another kernel's block are in the same shared memory",
               Indent);
    else if (llvm::any_of(Constituents, [](const Constituent &C) { return !C.Facts->WarpPrimitives.empty(); }))
      Out.line("{}__syncwarp(); // lanes start the next kernel together", Indent);
  }

  /// Threads that are in no partition are done, or else have to go on to the next constituent.
  bool threadsLeave() const {
    return Plan.Shape == Geometry::Warps || (Plan.Shape == Geometry::Blocks && Plan.Grid != GridPolicy::Pool);
  }

  /// What a block does while it plays one constituent.
  void role(unsigned Constituent, const std::string &Indent, const Walk &Blocks) {
    const llvm::ArrayRef<PartitionPlan> Own = partitionsOf(Constituent);
    if (Own.size() > 1)
      return partitions(Own, Indent, Blocks);
    guarded(Own[0], Indent, "more than this kernel's block has", Blocks,
            Own[0].Block.threads() * Own[0].Beside != Plan.BlockThreads);
  }

  /// Partitions side by side.
  void partitions(llvm::ArrayRef<PartitionPlan> Own, const std::string &Indent, const Walk &Blocks) {
    if (Plan.Partitions.size() == 1)
      return play(Own[0], Indent, Blocks);
    for (const PartitionPlan &P : Own) {
      const unsigned End = P.First + P.Reserved;
      if (End == Plan.BlockThreads)
        Out.line("{}}} else {{", Indent);
      else
        Out.line("{}{}if (threadIdx.x < {}) {{", Indent, P.First == 0 ? "" : "} else ", constant(End));
      if (const unsigned Budget = Plan.Roles[P.Constituent].Registers)
        Out.line("{}  cufuseRegisters<{}, {}>();", Indent, constant(Plan.Registers.Count), constant(Budget));
      guarded(P, Indent + "  ", P.Reserved == P.PaddedThreads ? "fills the last warp" : "fills the last warpgroup",
              Blocks, P.Block.threads() != P.Reserved);
    }
    Out.line("{}}}", Indent);
  }

  /// The blocks of a partition, by its own threads only where there are others.
  void guarded(const PartitionPlan &P, const std::string &Indent, const char *Others, const Walk &Blocks,
               bool HasOthers) {
    if (!HasOthers)
      return play(P, Indent, Blocks);
    const bool IsRank = P.First == 0 && P.Beside == 1;
    const std::string Rank = IsRank ? space(P) + "::cufuse_partition::rank()" : "threadIdx.x";
    const OutputText Threads = constant(P.First + P.Block.threads() * P.Beside);
    if (threadsLeave()) {
      Out.line("{}if ({} >= {})", Indent, Rank, Threads);
      Out.line("{}  return; // {}", Indent, Others);
      play(P, Indent, Blocks);
    } else {
      Out.line("{}if ({} < {}) {{", Indent, Rank, Threads);
      play(P, Indent + "  ", Blocks);
      Out.line("{}}}", Indent);
    }
  }

  std::string space(const PartitionPlan &P) const { return partitionNamespace(Name, Constituents, Plan, P); }

  /// The virtual blocks of one partition.
  void play(const PartitionPlan &P, const std::string &Indent, const Walk &Blocks) {
    const unsigned Copies = Plan.Roles[P.Constituent].Copies;
    const std::string Grid = blocks(Constituents[P.Constituent]);
    const bool Compound = Blocks.First.text().find(' ') != std::string::npos;
    const OutputText Copy =
        P.Beside == 1 ? OutputText(std::to_string(P.Copy)) : outputText("threadIdx.x / {}", constant(P.PaddedThreads));
    const OutputText First =
        Copies == 1 ? Blocks.First
                    : outputText("{} * {} + {}", Compound ? "(" + Blocks.First + ")" : Blocks.First, Copies, Copy);
    if (Plan.NotesKernel && Constituents[P.Constituent].Facts->libraryUsesBlock())
      Out.line("{}CufuseBlock::kernel() = {};", Indent, P.Constituent);
    if (Plan.keepsGrid())
      return body(P, Indent, "blockIdx");
    if (Blocks.Exists)
      return body(P, Indent, First);
    const bool Strides = Plan.Grid == GridPolicy::Stride && !Blocks.Step.empty();
    const KernelFacts &Facts = *Constituents[P.Constituent].Facts;
    if (Plan.Grid == GridPolicy::Pool && (Plan.sharesIndices(Facts) || Facts.reads(Builtin::BlockIdx)))
      Out.line("{}for (unsigned block; (block = {}::cufuse_partition::next(pools + {})) < {};) {{", Indent, space(P),
               P.Constituent, Grid);
    else if (Plan.Grid == GridPolicy::Pool)
      Out.line("{}while ({}::cufuse_partition::next(pools + {}) < {}) {{", Indent, space(P), P.Constituent, Grid);
    else if (Strides)
      Out.line("{}for (unsigned block = {}; block < {}; block += {}) {{", Indent, First, Grid,
               Copies == 1 ? Blocks.Step : outputText("{} * {}", Blocks.Step, Copies));
    else
      Out.line("{}if ({} < {}) {{", Indent, First, Grid);
    body(P, Indent + "  ", Plan.Grid == GridPolicy::Pool || Strides ? "block" : First);
    if (Plan.Grid == GridPolicy::Pool || Strides || Blocks.Returns)
      afterBlock(P, Indent + "  ");
    Out.line("{}}}", Indent);
  }

  /// What a partition does between two of its virtual blocks.
  void afterBlock(const PartitionPlan &P, const std::string &Indent) {
    if (P.DropsOut)
      Out.line("{}{}::cufuse_partition::end(); // before the next block uses the same shared memory", Indent, space(P));
    else if (P.Synchronises && Plan.Grid != GridPolicy::Pool) // which synchronises itself
      Out.line("{}{}::cufuse_partition::sync(); // before the next block uses the same shared memory", Indent,
               space(P));
    else if (!P.Synchronises && !Constituents[P.Constituent].Facts->WarpPrimitives.empty())
      Out.line("{}__syncwarp(); // lanes start the next block together", Indent);
  }

  /// What calls the kernels of a composition, here.
  OutputText main(const PartitionPlan &P) const {
    return outputText("  using namespace {};\n{}", space(P), mainBody(Constituents[P.Constituent], P, Plan, space(P)));
  }

  /// The call of the body, for virtual block `Block`.
  void body(const PartitionPlan &P, const std::string &Indent, const OutputText &Block) {
    const Constituent &C = Constituents[P.Constituent];
    const KernelFacts &Facts = *C.Facts;
    const std::string Space = space(P), Grid = own(C, "grid");
    const unsigned Reads = gridDimensions(Facts);
    const bool Alone = Plan.keepsGrid();
    const OutputText Index = Alone        ? Block
                             : Reads == 3 ? outputText("{}.inSpace({})", Grid, Block)
                             : Reads == 2 ? outputText("{}.inPlane({})", Grid, Block)
                                          : outputText("uint3{{{}, 0, 0}}", Block);
    const std::string Size = Alone ? "gridDim" : Reads == 1 ? fmt::format("dim3({})", blocks(C)) : Grid + ".size";

    std::string Offset = "0";
    if (!Facts.DynamicShared.empty()) {
      const std::string Start = Plan.Roles[P.Constituent].HasOffset ? own(C, "dynamicOffset") : "";
      const std::string Mine = P.Copy == 0 ? "" : fmt::format("{} * {}", P.Copy, own(C, "dynamicStride"));
      Offset = Start.empty() && Mine.empty() ? "0" : Start + (Start.empty() || Mine.empty() ? "" : " + ") + Mine;
    }
    std::vector<OutputText> Arguments;
    if (C.Text->Products && !C.Text->Products->Maps.empty())
      Arguments.push_back(own(C, "maps"));
    if (!Facts.sharesIndices()) {
      if (Facts.reads(Builtin::BlockIdx))
        Arguments.push_back(Index);
      if (Facts.reads(Builtin::GridDim))
        Arguments.push_back(Size);
      if (!Facts.DynamicShared.empty())
        Arguments.push_back(Offset);
    }
    for (const ParameterText &Parameter : C.Text->Parameters)
      Arguments.push_back(argument(P, Parameter));

    if (Plan.sharesIndices(Facts))
      Out.line("{}{}::cufuse_partition::enterBlock({}, {}, {});", Indent, Space, Index, Size, Offset);
    if (P.DropsOut)
      Out.line("{}{}::cufuse_partition::begin();", Indent, Space);
    for (const ParameterText &Parameter : C.Text->Parameters)
      if (Parameter.Opaque && Parameter.Opaque->IsOwn)
        Out.line("{}auto cufuse_{} = {}; // which the kernel may change", Indent, parameter(C, Parameter.Name),
                 parameter(C, Parameter.Name));
    Out.write(wrapped(outputText("{}{}::{}(", Indent, Space, C.Text->Callee.with(OutputText::Slot::Path, Space)),
                      Arguments, ");", Indent.size() + 4));
    if (finishesCopies(Facts, Constituents, Plan))
      Out.line("{}{}::cufuse_partition::finishCopies(); // {}", Indent, Space,
               Facts.CopiesAsynchronously ? "which would land in what the next block uses"
                                          : "another kernel's go into what this one has stored");
  }

  /// The parameter of the fused kernel, as what it is to the body, or the value that it is bound to.
  OutputText argument(const PartitionPlan &P, const ParameterText &Parameter) const {
    const std::string Given =
        Parameter.Given.empty() ? parameter(Constituents[P.Constituent], Parameter.Name) : Parameter.Given;
    const auto &Bound = Plan.Roles[P.Constituent].Bound;
    const auto Value =
        IsBound ? llvm::find_if(Bound, [&](const auto &Each) { return Each.first == Parameter.Name; }) : Bound.end();
    const auto &Opaque = Parameter.Opaque;
    if (Value != Bound.end())
      return "static_cast<" +
             (Opaque ? "std::decay<" + Opaque->Type.with(OutputText::Slot::Path, space(P)) + ">::type"
                     : OutputText("decltype(" + Given + ")")) +
             ">(" + Value->second + ")";
    if (Opaque)
      return (Opaque->IsPointer ? "static_cast<" : "reinterpret_cast<") +
             Opaque->Type.with(OutputText::Slot::Path, space(P)) + ">(" + (Opaque->IsOwn ? "cufuse_" : "") + Given +
             ")";
    return Given;
  }

  Writer &Out;
  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const std::string &Name;
  const bool IsBound;
};

} // namespace

void emitKernel(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                bool IsBound) {
  if (IsBound)
    Out.write("/// The same with arguments that are known: only launched where the given ones are these.");
  KernelEmitter(Out, Constituents, Plan, Name, IsBound).run();
  Out.blank();
}

} // namespace cufuse
