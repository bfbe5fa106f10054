#include "EmitKernel.h"

#include "EmitLauncher.h"
#include "EmitPrelude.h"

#include <llvm/Support/ErrorHandling.h>

namespace cufuse {

namespace {

std::string parameter(const Constituent &C, const std::string &Name) { return C.Name + "_" + Name; }
/// The name of a parameter that we add for a constituent; kernels may have one of that name.
std::string own(const Constituent &C, std::string Name) {
  while (std::any_of(C.Text->Parameters.begin(), C.Text->Parameters.end(),
                     [&](const ParameterText &P) { return P.Name == Name; }))
    Name += '_';
  return parameter(C, Name);
}

class KernelEmitter {
public:
  KernelEmitter(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name)
      : Out(Out), Constituents(Constituents), Plan(Plan), Name(Name) {}

  void run() {
    Out.line("__global__ void {}fused({} {{", constant(launchAttribute()), parameters());
    if (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Match)
      interleavedBlocks();
    else if (Plan.Shape == Geometry::Blocks)
      residentBlocks();
    else
      partitions(Plan.Partitions, "  ", {"blockIdx.x", "gridDim.x"});
    Out.write("}");
  }

private:
  /// How partitions come to the virtual blocks that they play, counted in groups of as many as there are copies.
  struct Walk {
    std::string First, Step; ///< Step only where they go on.
    bool Exists = false;     ///< The first group is known to exist.
  };

  std::string launchAttribute() const {
    if (Plan.Registers.Policy == RegisterPolicy::Count)
      return fmt::format("__maxnreg__({}) ", Plan.Registers.Count);
    if (Plan.Registers.Policy == RegisterPolicy::Bound)
      return fmt::format("__launch_bounds__({}, {}) ", Plan.BlockThreads, Plan.Registers.MinBlocks);
    // ptxas allocates otherwise when it knows the block size. Kernels without bounds keep their own allocation as long
    // as the block fits with any number of registers.
    const bool Bounded = std::any_of(Constituents.begin(), Constituents.end(),
                                     [](const Constituent &C) { return C.Facts->MaxThreads.has_value(); });
    if (!Bounded && Plan.BlockThreads * 255 <= 64 * 1024)
      return {};
    return fmt::format("__launch_bounds__({}) ", Plan.BlockThreads);
  }

  /// A group of lines per constituent.
  std::string parameters() const {
    std::string Parameters;
    for (const Constituent &C : Constituents) {
      std::vector<std::string> Own;
      for (const ParameterText &P : C.Text->Parameters) {
        std::string Text = withPath(P.Declaration, textNamespace(Name, C));
        Text.replace(Text.find('\2'), 1, parameter(C, P.Name));
        Own.push_back(Text);
      }
      for (AddedParameter Added : addedParameters(*C.Facts, Plan, &C - Constituents.begin()))
        Own.push_back(declaration(C, Added));
      Parameters += wrapped(Own.empty() ? "" : "\n    ", Own, &C == &Constituents.back() ? ")" : ",", 4);
    }
    return Parameters;
  }
  static std::string declaration(const Constituent &C, AddedParameter Added) {
    switch (Added) {
    case AddedParameter::Grid:
      return "const CufuseGrid " + own(C, "grid");
    case AddedParameter::Share:
      return "const CufuseShare " + own(C, "share");
    case AddedParameter::DynamicOffset:
      return "const unsigned " + own(C, "dynamicOffset");
    case AddedParameter::DynamicStride:
      return "const unsigned " + own(C, "dynamicStride");
    }
    llvm_unreachable("a parameter without a declaration");
  }

  llvm::ArrayRef<PartitionPlan> partitionsOf(unsigned Constituent) const {
    return llvm::ArrayRef(Plan.Partitions)
        .drop_until([=](const PartitionPlan &P) { return P.Constituent == Constituent; })
        .take_front(Plan.Roles[Constituent].Copies);
  }

  /// One block of the launch per block (or group of copies) of a kernel.
  void interleavedBlocks() {
    Out.write(
        "  // Every block plays one kernel. They alternate in proportion to their grids: each takes its share of the\n"
        "  // places that those before it leave, and finds its own block's number there.");
    Out.write("  unsigned place = blockIdx.x;");
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      if (I + 1 < Constituents.size())
        Out.line("  {}if ({}.takes(place)) {{", I == 0 ? "" : "} else ", own(Constituents[I], "share"));
      else
        Out.write("  } else {");
      role(I, {"place", "", Plan.Roles[I].Copies == 1});
    }
    Out.write("  }");
  }

  /// As many blocks as are resident at once, with fixed roles.
  void residentBlocks() {
    const auto Times = [](unsigned Count) {
      return Count == 1 ? std::string("multiprocessors") : fmt::format("{} * multiprocessors", constant(Count));
    };
    Out.write("  // Blocks go round the multiprocessors, so that each has so many of every kernel, which loop over its "
              "blocks:");
    for (unsigned I = 0; I < Constituents.size(); ++I)
      Out.line("  // {} {}", constant(fmt::format("{:>3}", Plan.Roles[I].ResidentBlocks)), Constituents[I].Name);
    Out.line("  const unsigned multiprocessors = gridDim.x / {};", constant(Plan.residentRoles()));
    unsigned Before = 0;
    for (unsigned I = 0; I < Constituents.size(); ++I) {
      const unsigned Own = Plan.Roles[I].ResidentBlocks;
      if (I + 1 < Constituents.size())
        Out.line("  {}if (blockIdx.x < {}) {{", I == 0 ? "" : "} else ", Times(Before + Own));
      else
        Out.write("  } else {");
      role(I, {I == 0 ? "blockIdx.x" : "blockIdx.x - " + Times(Before), Times(Own)});
      Before += Own;
    }
    Out.write("  }");
  }

  /// What a block does that plays one constituent.
  void role(unsigned Constituent, const Walk &Blocks) {
    const llvm::ArrayRef<PartitionPlan> Own = partitionsOf(Constituent);
    if (Own.size() > 1)
      return partitions(Own, "    ", Blocks);
    if (Own[0].Block.threads() != Plan.BlockThreads) {
      Out.line("    if ({}::cufuse_partition::rank() >= {})", space(Own[0]), constant(Own[0].Block.threads()));
      Out.write("      return; // more than this kernel's block has");
    }
    play(Own[0], "    ", Blocks);
  }

  /// Partitions side by side.
  void partitions(llvm::ArrayRef<PartitionPlan> Own, std::string Indent, const Walk &Blocks) {
    for (const PartitionPlan &P : Own) {
      const unsigned End = P.First + P.PaddedThreads;
      if (Plan.keepsBlock())
        Out.line("{}{{", Indent);
      else if (End == Plan.BlockThreads)
        Out.line("{}}} else {{", Indent);
      else
        Out.line("{}{}if (threadIdx.x < {}) {{", Indent, P.First == 0 ? "" : "} else ", constant(End));
      if (P.Block.threads() != P.PaddedThreads && !Plan.keepsBlock()) {
        Out.line("{}  if ({}::cufuse_partition::rank() >= {})", Indent, space(P), constant(P.Block.threads()));
        Out.line("{}    return; // fills the last warp", Indent);
      }
      play(P, Indent + "  ", Blocks);
    }
    Out.line("{}}}", Indent);
  }

  std::string space(const PartitionPlan &P) const { return partitionNamespace(Name, Constituents, Plan, P); }

  /// The virtual blocks of one partition.
  void play(const PartitionPlan &P, const std::string &Indent, const Walk &Blocks) {
    const Constituent &C = Constituents[P.Constituent];
    const unsigned Copies = Plan.Roles[P.Constituent].Copies;
    const std::string Grid = own(C, "grid");
    const bool Compound = Blocks.First.find(' ') != std::string::npos;
    const std::string First =
        Copies == 1 ? Blocks.First
                    : fmt::format("{} * {} + {}", Compound ? "(" + Blocks.First + ")" : Blocks.First, Copies, P.Copy);
    if (Plan.keepsGrid()) {
      body(P, Indent, "blockIdx");
    } else if (Plan.Grid == GridPolicy::Stride) {
      const std::string Step = Copies == 1 ? Blocks.Step : fmt::format("{} * {}", Blocks.Step, Copies);
      Out.line("{}for (unsigned block = {}; block < {}.blocks; block += {}) {{", Indent, First, Grid, Step);
      body(P, Indent + "  ", "block");
      if (P.DropsOut)
        Out.line("{}  {}::cufuse_partition::end(); // before the next block uses the same shared memory", Indent,
                 space(P));
      else if (P.Synchronises)
        Out.line("{}  {}::cufuse_partition::sync(); // before the next block uses the same shared memory", Indent,
                 space(P));
      else if (!C.Facts->WarpPrimitives.empty())
        Out.line("{}  __syncwarp(); // lanes start the next block together", Indent);
      Out.line("{}}}", Indent);
    } else if (Blocks.Exists) {
      body(P, Indent, First);
    } else {
      Out.line("{}if (const unsigned block = {}; block < {}.blocks) {{", Indent, First, Grid);
      body(P, Indent + "  ", "block");
      Out.line("{}}}", Indent);
    }
  }

  /// The call of the body, for virtual block `Block`.
  void body(const PartitionPlan &P, const std::string &Indent, const std::string &Block) {
    const Constituent &C = Constituents[P.Constituent];
    const KernelFacts &Facts = *C.Facts;
    const std::string Space = space(P), Grid = own(C, "grid");
    const Dimensions Reads = gridDimensions(Facts);
    const bool Alone = Plan.keepsGrid();
    const std::string Index = Alone      ? Block
                              : Reads[2] ? fmt::format("{}.inSpace({})", Grid, Block)
                              : Reads[1] ? fmt::format("{}.inPlane({})", Grid, Block)
                                         : fmt::format("uint3{{{}, 0, 0}}", Block);
    const std::string Size = Alone ? "gridDim" : Grid + ".size";

    std::string Offset = "0";
    if (!Facts.DynamicShared.empty()) {
      // Only side by side do constituents divide the memory.
      const std::string Start = Plan.Shape == Geometry::Warps ? own(C, "dynamicOffset") : "";
      const std::string Mine = P.Copy == 0 ? "" : fmt::format("{} * {}", P.Copy, own(C, "dynamicStride"));
      Offset = Start.empty() && Mine.empty() ? "0" : Start + (Start.empty() || Mine.empty() ? "" : " + ") + Mine;
    }
    std::vector<std::string> Arguments;
    if (!Facts.sharesIndices()) {
      if (Facts.reads(Builtin::BlockIdx))
        Arguments.push_back(Index);
      if (Facts.reads(Builtin::GridDim))
        Arguments.push_back(Size);
      if (!Facts.DynamicShared.empty())
        Arguments.push_back(Offset);
    }
    for (const ParameterText &Parameter : C.Text->Parameters)
      Arguments.push_back(parameter(C, Parameter.Name));

    if (Facts.sharesIndices())
      Out.line("{}{}::cufuse_partition::enterBlock({}, {}, {});", Indent, Space, Index, Size, Offset);
    if (P.DropsOut)
      Out.line("{}{}::cufuse_partition::begin();", Indent, Space);
    Out.write(wrapped(fmt::format("{}{}::{}(", Indent, Space, withPath(C.Text->Callee, Space)), Arguments, ");",
                      Indent.size() + 4));
  }

  Writer &Out;
  llvm::ArrayRef<Constituent> Constituents;
  const FusionPlan &Plan;
  const std::string &Name;
};

} // namespace

void emitKernel(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                const std::string &Name) {
  KernelEmitter(Out, Constituents, Plan, Name).run();
}

} // namespace cufuse
