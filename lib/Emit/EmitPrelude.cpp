#include "Parts.h"

#include "cufuse/Cuda/Prelude.h"

#include <fmt/core.h>

namespace cufuse {

bool finishesCopies(const KernelFacts &Facts, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  return !Plan.playsOnce() && (Facts.CopiesAsynchronously ||
                               (!Facts.DynamicShared.empty() && llvm::any_of(Constituents, [](const Constituent &C) {
                                 return C.Facts->CopiesInBulk && !C.Facts->DynamicShared.empty();
                               })));
}

bool textNames(const KernelText &Text, llvm::StringRef Name) {
  return llvm::any_of(Text.Body, [&](const Piece &P) { return llvm::StringRef(P.Text.written()).contains(Name); });
}

const TextVariants &variantsOf(llvm::ArrayRef<Constituent> Constituents) {
  const auto *Has =
      llvm::find_if(Constituents, [](const Constituent &C) { return !C.Text->Variants.Parameters.empty(); });
  return (Has == Constituents.end() ? Constituents.front() : *Has).Text->Variants;
}

bool playsElements(const Constituent &C) {
  return C.Parts && llvm::all_of(*C.Parts, [](const ComposedPart &Part) { return Part.AsElement; });
}

std::set<std::string> elementSpaces(const Constituent &C) {
  std::set<std::string> Spaces;
  if (C.Parts && !playsElements(C))
    for (const ComposedPart &Part : *C.Parts)
      if (Part.AsElement)
        Spaces.insert("cufuse_" + Part.Name);
  return Spaces;
}

OutputText mainBody(const Constituent &C, const PartitionPlan &P, const FusionPlan &Plan, const std::string &Path) {
  const OutputText Body = C.Text->Main->Body.with(OutputText::Slot::Path, Path);
  if (usesPartition(C, Plan))
    return Body;
  const BlockShape &Block = P.Block;
  return Body.replaced("cufuse_partition::Threads", std::to_string(Block.threads()))
      .replaced("cufuse_partition::rank()",
                Block.Y * Block.Z == 1
                    ? "threadIdx.x"
                    : fmt::format("((threadIdx.z * {} + threadIdx.y) * {} + threadIdx.x)", Block.Y, Block.X));
}

bool isMainAlone(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  const Constituent &C = Constituents.front();
  return Plan.keepsGrid() && !Plan.hasBound() && C.Text->Main && !usesPartition(C, Plan) && !C.Text->Products &&
         C.Facts->DynamicShared.empty() && llvm::all_of(C.Text->Parameters, [&](const ParameterText &P) {
           return !P.Opaque && P.Given.empty() && parameterName(Constituents, C, P.Name) == P.Name;
         });
}

bool usesPartition(const Constituent &C, const FusionPlan &Plan) {
  // The only one of a block that keeps its grid is that block: what the kernel calls is CUDA's own.
  return !Plan.keepsGrid() || textNames(*C.Text, "cufuse_partition") || textNames(*C.Text, "cufuse_barrier") ||
         llvm::any_of(BuiltinNames,
                      [&](const char *Name) { return textNames(*C.Text, fmt::format("cufuse_{}", Name)); }) ||
         !C.Facts->NamedBarriers.empty() || (C.Text->Rows && !elementSpaces(C).empty()); // blockDim is two numbers
}

namespace {

/// What a library's name is rebound to: a member of the partition, or else the whole block's own.
struct Rebound {
  const char *Type, *Name, *Parameter, *Member, *Argument, *OfBlock;
};

/// The names that libraries use, of all constituents.
std::vector<Rebound> reboundForLibraries(llvm::ArrayRef<Constituent> Constituents) {
  std::array<bool, 4> Reads{};
  std::set<std::string> Barriers;
  for (const Constituent &C : Constituents) {
    for (size_t B = 0; B < Reads.size(); ++B)
      Reads[B] |= C.Facts->ReadByLibrary[B];
    Barriers.insert(C.Facts->LibraryBarriers.begin(), C.Facts->LibraryBarriers.end());
  }
  std::vector<Rebound> All;
  auto Variable = [&](Builtin B, Rebound R) {
    if (Reads[static_cast<size_t>(B)])
      All.push_back(R);
  };
  Variable(Builtin::ThreadIdx, {"uint3", "threadIdx", "", "threadIdx", "", "::threadIdx"});
  Variable(Builtin::BlockDim, {"dim3", "blockDim", "", "blockDim", "", "::blockDim"});
  Variable(Builtin::BlockIdx, {"uint3", "blockIdx", "", "indices().blockIdx", nullptr, "::blockIdx"});
  Variable(Builtin::GridDim, {"dim3", "gridDim", "", "indices().gridDim", nullptr, "::gridDim"});
  for (const Rebound &R :
       {Rebound{"void", "__syncthreads", "", "sync", "", "::__syncthreads()"},
        Rebound{"void", "__barrier_sync", "unsigned", "sync", "", "::__barrier_sync(0)"},
        Rebound{"int", "__syncthreads_count", "int predicate", "syncCount", "predicate",
                "::__syncthreads_count(predicate)"},
        Rebound{"int", "__syncthreads_and", "int predicate", "syncAnd", "predicate", "::__syncthreads_and(predicate)"},
        Rebound{"int", "__syncthreads_or", "int predicate", "syncOr", "predicate", "::__syncthreads_or(predicate)"}})
    if (Barriers.count(R.Name))
      All.push_back(R);
  return All;
}

/// The partition that a thread belongs to, where that is not known from the namespace.
void emitBlockOfLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  std::vector<const PartitionPlan *> Users;
  for (const PartitionPlan &P : Plan.Partitions)
    // Without notes, the other kernels' partitions are the same.
    if (Constituents[P.Constituent].Facts->libraryUsesBlock() &&
        (Plan.Shape == Geometry::Warps || Plan.NotesKernel || Users.empty() ||
         P.Constituent == Users.front()->Constituent))
      Users.push_back(&P);
  Out.write("/// What the headers of libraries take for the block: the partition that the thread belongs to. The "
            "compiler knows it\n"
            "/// wherever they are inlined into a body.\n"
            "struct CufuseBlock {");
  if (Plan.NotesKernel) {
    Out.write("  /// Which kernel the thread plays; it writes that itself, so that nobody waits.\n"
              "  static __device__ __forceinline__ unsigned char &kernel() {");
    Out.line("    __shared__ unsigned char kernels[{}];", constant(Plan.BlockThreads));
    Out.write("    return kernels[::threadIdx.x];\n  }");
  }
  for (const Rebound &R : reboundForLibraries(Constituents)) {
    Out.line("  static __device__ __forceinline__ {} {}({}) {{", R.Type, R.Name, R.Parameter);
    for (size_t I = 0; I < Users.size(); ++I) {
      const PartitionPlan &P = *Users[I];
      std::vector<OutputText> Conditions;
      if (Plan.NotesKernel && (Plan.Cooperative || P.Constituent != Users.back()->Constituent))
        Conditions.push_back(outputText("kernel() == {}", P.Constituent));
      if (I + 1 < Users.size() && (!Plan.NotesKernel || P.Constituent == Users[I + 1]->Constituent))
        Conditions.push_back(outputText("::threadIdx.x < {}", constant(P.First + P.Reserved)));
      for (size_t C = 0; C < Conditions.size(); ++C)
        Out.line("    {}if ({})", std::string(2 * C, ' '), Conditions[C]);
      Out.line("    {}return {}::{}{};", std::string(2 * Conditions.size(), ' '), partitionType(P), R.Member,
               R.Argument ? fmt::format("({})", R.Argument) : "");
    }
    if (Plan.Cooperative)
      Out.line("    return {};", R.OfBlock);
    Out.write("  }");
  }
  Out.write("};");
}

} // namespace

bool rebindsLibraries(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  return !Plan.keepsGrid() &&
         llvm::any_of(Constituents, [](const Constituent &C) { return C.Facts->libraryUsesBlock(); });
}

std::string partitionNamespace(const std::string &Name, llvm::ArrayRef<Constituent> Constituents,
                               const FusionPlan &Plan, const PartitionPlan &P) {
  const std::string Text = textNamespace(Name, Constituents[P.Constituent]);
  return Plan.Roles[P.Constituent].Copies == P.Beside ? Text : fmt::format("{}::copy{}", Text, P.Copy);
}

OutputText partitionType(const PartitionPlan &P) {
  return outputText("{}<{}, {}, {}, {}, {}>",
                    P.DropsOut    ? "CufuseDropOutPartition"
                    : P.ExitsLast ? "CufuseLastPartition"
                                  : "CufusePartition",
                    constant(P.First), constant(P.Barrier), constant(P.Block.X), constant(P.Block.Y),
                    constant(P.Block.Z));
}

constexpr llvm::StringLiteral PreludeBegin = "// What cufuse's outputs share.\n";

bool isPrelude(llvm::StringRef Text) { return Text.starts_with(PreludeBegin); }

std::string preludeText() {
  // With all that any output asks for.
  auto Whole = [](llvm::StringRef File) {
    std::vector<Given> All;
    for (llvm::StringRef Rest = File.split("#ifdef CUFUSE_").second; !Rest.empty();
         Rest = Rest.split("#ifdef CUFUSE_").second)
      All.push_back({Rest.split('\n').first, true});
    return emitted(File, All);
  };
  Writer To("", false);
  To.write(PreludeBegin.drop_back().str());
  writeAsWritten(To, {});
  // The same in two folders is one.
  To.line("#ifndef {0}_H\n#define {0}_H\n\n#include <cuda_runtime.h>\n\nnamespace cufuse {{", ownSpace());
  inOwnSpace(To, [&] {
    for (llvm::StringRef File : cuda::OfDevice)
      To.line("{}\n", Whole(File));
    To.write("namespace launcher {");
    for (llvm::StringRef File : cuda::OfLauncher)
      To.line("{}\n", Whole(File).replaced("static ", "inline "));
    To.write("} // namespace launcher");
  });
  To.write("} // namespace cufuse\n\n#endif");
  return hashed(To.text());
}

std::string preludeNamespace() {
  const std::string Text = preludeText(), Before = "inline namespace ";
  return "::cufuse::" + llvm::StringRef(Text).split(Before).second.split(' ').first.str();
}

std::vector<Given> needsOf(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const Writer &Kernel) {
  auto Some = [&](auto Holds) {
    return llvm::any_of(Constituents, [&](const Constituent &C) { return Holds(*C.Facts); });
  };
  auto SomePartition = [&](auto Holds) { return llvm::any_of(Plan.Partitions, Holds); };
  auto Calls = [&](llvm::StringRef Function) {
    return llvm::StringRef(Kernel.text()).contains(Function) || llvm::any_of(Constituents, [&](const Constituent &C) {
             return textNames(*C.Text, Function) || (C.Text->Main && !isMainAlone(Constituents, Plan) &&
                                                     llvm::StringRef(C.Text->Main->Body.written()).contains(Function));
           });
  };
  const bool Whole = Plan.keepsBlock() || llvm::all_of(Plan.Partitions, [](const auto &P) { return P.WholeBlock; });
  const bool Padded = !Whole || Calls("::PaddedThreads") || Calls("::copy()") ||
                      Some([](const KernelFacts &F) { return !F.NamedBarriers.empty(); });
  unsigned Beside = 1;
  for (const PartitionPlan &P : Plan.Partitions)
    Beside = std::max(Beside, P.Beside);
  const bool Products = llvm::any_of(Constituents, [](const Constituent &C) { return C.Text->Products; });
  const bool Dynamic = Plan.DynamicBlocks > 0 || Products;
  const bool AsksDevice = Plan.Grid != GridPolicy::Match || Plan.interleaves() || Products;
  return {
      // A partition that is the whole block is the block: the kernel alone stays what it was, to the register. Else no
      // loop must count in the register of ::threadIdx.x: behind it, ptxas 13.0 takes `threadIdx.x - First` from what
      // that has become (docs/checks.md). LLVM lets none where the rank is a remainder, which costs nothing, or where
      // it does not see the subtraction.
      {"KEEPS_BLOCK", Plan.keepsBlock()},
      {"KEEPS_SIZE", Plan.keepsBlock() && !Constituents.front().Text->Rows},
      {"WHOLE", Whole},
      {"FIRST", llvm::all_of(Plan.Partitions, [](const PartitionPlan &P) { return P.First == 0; })},
      {"ODD", SomePartition([](const PartitionPlan &P) {
         return P.First != 0 && (!llvm::isPowerOf2_32(P.PaddedThreads) || P.First % P.PaddedThreads != 0);
       })},
      SomePartition([](const PartitionPlan &P) { return P.WholeBlock; })
          ? Given{"WHOLE_THREADS", constant(Plan.BlockThreads)}
          : Given{"WHOLE_THREADS", false},
      {"BESIDE", SomePartition([](const PartitionPlan &P) { return P.Beside > 1; })},
      {"LANES", SomePartition([](const PartitionPlan &P) { return P.OfLanes; })},
      {"PART", SomePartition([](const PartitionPlan &P) { return P.OfPart && P.Synchronises; })},
      Calls("::copy()") ? Given{"COPY", constant(Beside)} : Given{"COPY", false},
      {"PADDED", Padded},
      {"FLAT", llvm::all_of(Plan.Partitions, [](const PartitionPlan &P) { return P.Block.Y * P.Block.Z == 1; })},
      {"BARRIERS", !Plan.keepsBlock() && SomePartition([](const PartitionPlan &P) { return P.Barrier > 0; })},
      {"DYNAMIC", Dynamic},
      {"BULK_COPIES", Some([](const KernelFacts &F) { return F.CopiesInBulk; })},
      {"EXIT", SomePartition([&](const PartitionPlan &P) {
         return Constituents[P.Constituent].Facts->announcesExits() && !P.DropsOut && !P.ExitsLast;
       })},
      {"PLAYS_ONCE", Plan.playsOnce()},
      {"MULTIPROCESSORS", AsksDevice},
      Plan.fillsDevice() || Products ? Given{"RESIDENT", constant(Plan.BlockThreads)} : Given{"RESIDENT", false},
  };
}

bool isNeeded(llvm::ArrayRef<Given> Needs, llvm::StringRef Name) {
  return llvm::any_of(Needs, [&](const Given &Need) { return Need.Name == Name && Need.Text; });
}

void emitPrelude(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                 const EmitOptions &Options, llvm::ArrayRef<Given> Needs, const Writer &Kernel) {
  const std::string &Name = Options.Name;
  Writer Texts("", false), Libraries("", false);
  emitTexts(Texts, Constituents, Plan, Options);
  if (rebindsLibraries(Constituents, Plan))
    emitBlockOfLibraries(Libraries, Constituents, Plan);
  std::set<std::string> Named = namesIn(Libraries.text());
  for (const std::string &Qualifier : {Name + "::", std::string("cufuse_partition::")})
    Named.merge(namesBehind(Texts.text(), Qualifier));
  for (const char *Qualifier : {"::", "."}) // other words may be CUDA's own
    Named.merge(namesBehind(Kernel.text(), Qualifier));
  for (const std::string &Each : namesIn(Kernel.text()))
    if (llvm::StringRef(Each).starts_with_insensitive("cufuse"))
      Named.insert(Each);
  // From the last on, since what stands behind the others names them.
  std::vector<OutputText> Parts;
  for (const Constituent &C : llvm::reverse(Constituents))
    if (C.Text->Products)
      Parts.push_back("\n" + C.Text->Products->Device);
  for (llvm::StringRef File : {cuda::Registers, cuda::ElementPartition, cuda::LastPartition, cuda::DropOutPartition,
                               cuda::Ticket, cuda::Partition, cuda::Share, cuda::Grid})
    if ((Options.Prelude.empty() || !cuda::isShared(File)) &&
        llvm::any_of(declarationsIn(File),
                     [&](const Declaration &Each) { return !Each.IsMember && Named.contains(Each.Name); }))
      Parts.push_back("\n" + emittedAsNamed(File, Needs, Named));
  if (Plan.countsBlocks())
    Parts.push_back("\n" + emitted(cuda::Arrivals, {}) + "\n\n" +
                    emitted(Plan.LastBlock ? cuda::LastBlock : cuda::FirstBlock, {}));
  if (isNeeded(Needs, "DYNAMIC"))
    Parts.push_back("\nextern __shared__ __align__(1024) unsigned char cufuse_dynamicShared[];");
  if (Parts.empty() && Libraries.text().empty())
    return;
  Out.line("namespace {} {{", Name);
  for (const OutputText &Part : llvm::reverse(Parts))
    Out.write(Part);
  if (!Libraries.text().empty())
    Out.blank();
  Out.write(Libraries);
  Out.line("}} // namespace {}", Name);
  Out.blank();
}

void defineForLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const std::string &Name, bool Define) {
  for (const Rebound &R : reboundForLibraries(Constituents))
    if (!Define)
      Out.line("#undef {}", R.Name);
    else
      Out.line("#define {0} ::{1}::CufuseBlock::{0}{2}", R.Name, Name,
               llvm::StringRef(R.Name).starts_with("__") ? "" : "()");
  Out.blank();
}

} // namespace cufuse
