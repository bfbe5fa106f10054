#include "cufuse/Driver/Describe.h"

#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Plan/ConfigNames.h"
#include "cufuse/Support/Fields.h"
#include "cufuse/Support/FileStore.h"

#include "Parts.h"

#include <fmt/core.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringExtras.h>

#include <map>

namespace cufuse {

namespace {

std::string dimensions(const KernelFacts &Facts) {
  std::vector<std::string> Texts;
  for (size_t B = 0; B < BuiltinNames.size(); ++B) {
    std::string Read;
    for (int I = 0; I < 3; ++I)
      if (Facts.Reads[B][I])
        Read += (Read.empty() ? "." : ",") + std::string(1, "xyz"[I]);
    if (!Read.empty())
      Texts.push_back(BuiltinNames[B] + Read + (Facts.ReadByHelper[B] ? " (also in helpers)" : ""));
  }
  return Texts.empty() ? "none" : llvm::join(Texts, "; ");
}

/// `name ×3`, in order of first appearance.
std::string counted(llvm::ArrayRef<Finding> Findings) {
  llvm::MapVector<std::string, unsigned, std::map<std::string, unsigned>> Counts;
  for (const Finding &F : Findings)
    ++Counts[F.What];
  std::vector<std::string> Texts;
  for (const auto &[Name, Count] : Counts)
    Texts.push_back(Count == 1 ? Name : fmt::format("{} x{}", Name, Count));
  return llvm::join(Texts, ", ");
}

std::string launches(const KernelFacts &Facts) {
  std::vector<std::string> Texts;
  for (const LaunchFacts &Launch : Facts.Launches)
    Texts.push_back(Launch.Block ? Launch.Block->str() : "not constant");
  return llvm::join(Texts, ", ");
}

} // namespace

static llvm::json::Value toJSON(const Finding &F) {
  return llvm::json::Object{{"what", toJson(F.What)}, {"function", toJson(F.Function)}, {"place", F.Where}};
}
static llvm::json::Value toJSON(const SharedArray &S) {
  return llvm::json::Object{{"name", toJson(S.Name)},
                            {"type", toJson(S.Type)},
                            {"bytes", static_cast<int64_t>(S.Bytes)},
                            {"function", toJson(S.Function)},
                            {"place", S.Where}};
}
static llvm::json::Value toJSON(const ParameterFacts &P) {
  return llvm::json::Object{
      {"name", toJson(P.Name)}, {"type", toJson(P.Type)}, {"bytes", static_cast<int64_t>(P.Bytes)}};
}
static llvm::json::Value toJSON(const BarrierFacts &B) {
  return llvm::json::Object{{"call", toJson(B.Call)}, {"function", toJson(B.Function)}, {"place", B.Where}};
}
static llvm::json::Value toJSON(const GlobalFacts &G) {
  return llvm::json::Object{{"name", toJson(G.Name)}, {"space", toJson(G.Space)}, {"shared", G.HostShared}};
}
static llvm::json::Value toJSON(const LaunchFacts &Launch) {
  return Launch.Block ? llvm::json::Value(Launch.Block->str()) : llvm::json::Value(nullptr);
}
static llvm::json::Value toJSON(const Blocker &B) {
  return llvm::json::Object{{"kind", blockerName(B.Kind)},
                            {"message", toJson(B.message().str())},
                            {"remedy", blockerRemedy(B.Kind)},
                            {"place", B.Where}};
}

static llvm::json::Value toJSON(const LoadedKernel &Kernel) {
  const KernelFacts &F = Kernel.Facts;
  llvm::json::Object Reads;
  for (size_t B = 0; B < BuiltinNames.size(); ++B) {
    llvm::json::Array Dimensions;
    for (int I = 0; I < 3; ++I)
      if (F.Reads[B][I])
        Dimensions.push_back(std::string(1, "xyz"[I]));
    Reads[BuiltinNames[B]] =
        llvm::json::Object{{"dimensions", std::move(Dimensions)}, {"inHelpers", F.ReadByHelper[B]}};
  }
  return llvm::json::Object{
      {"name", toJson(F.QualifiedName)},
      {"signature", toJson(F.Signature)},
      {"place", F.Where},
      {"templateParameters", toJson(F.TemplateParameters)},
      {"parameters", F.Parameters},
      {"reads", std::move(Reads)},
      {"barriers", F.Barriers},
      {"staticShared", F.StaticShared},
      {"dynamicShared", F.DynamicShared},
      {"launchBounds", F.MaxThreads},
      {"launchBlocks", F.Launches},
      {"globals", F.Globals},
      {"helpers", toJson(F.Helpers)},
      {"atomics", F.Atomics},
      {"earlyExits", F.EarlyExits},
      {"exitsBeforeBarrier", F.ExitsBeforeBarrier},
      {"exitsBeforeWarpPrimitive", F.ExitsBeforeWarpPrimitive},
      {"warpPrimitives", F.WarpPrimitives},
      {"vertical", F.IsTemplate ? llvm::json::Value(nullptr) : llvm::json::Value(accessJson(Kernel))},
      {"fusable", F.IsTemplate ? llvm::json::Value(nullptr) : llvm::json::Value(F.Blockers.empty())},
      {"blockers", F.Blockers}};
}

std::string describe(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::string Out;
  for (const LoadedKernel &Kernel : Kernels) {
    const KernelFacts &F = Kernel.Facts;
    auto Row = [&](const char *Label, const std::string &Text) {
      if (!Text.empty())
        Out += fmt::format("  {:<16} {}\n", Label, Text);
    };
    Out += fmt::format("{}\n", F.Signature);
    Row("defined", F.Where.str());
    Row("template", llvm::join(F.TemplateParameters, ", "));
    Row("reads", dimensions(F));
    for (const BarrierFacts &B : F.Barriers)
      Row("barrier", fmt::format("{} in {}, {}:{}", B.Call, B.Function, B.Where.File, B.Where.Line));
    for (const SharedArray &S : F.StaticShared)
      Row("static shared", fmt::format("{} {}, {} bytes, in {}", S.Type, S.Name, S.Bytes, S.Function));
    for (const SharedArray &S : F.DynamicShared)
      Row("dynamic shared", fmt::format("{} {}, in {}", S.Type, S.Name, S.Function));
    Row("launch bounds", F.MaxThreads ? std::to_string(*F.MaxThreads) : "");
    Row("launched with", launches(F));
    for (const GlobalFacts &G : F.Globals)
      Row("global", fmt::format("{} {}{}", G.Space, G.Name, G.HostShared ? ", shared with the program" : ", a table"));
    Row("helpers", llvm::join(F.Helpers, ", "));
    Row("atomics", counted(F.Atomics));
    Row("warp primitives", counted(F.WarpPrimitives));
    for (const Finding &E : F.EarlyExits)
      Row("early exit", E.Where.str());
    for (const auto *Exits : {&F.ExitsBeforeBarrier, &F.ExitsBeforeWarpPrimitive})
      for (const Finding &E : *Exits)
        if (!E.ByBranch || !E.ByWarps)
          Row("leaves early", fmt::format("{}: {}", E.Where.str(), E.What));
    Row("fusable", F.IsTemplate ? "not known: name it with template arguments" : F.Blockers.empty() ? "yes" : "no");
    for (const Blocker &B : F.Blockers)
      Row("blocker", fmt::format("{}: {}; {}", B.Where.str(), B.message().str(), blockerRemedy(B.Kind)));
    for (const auto &[Label, Text] : accessRows(Kernel))
      Row(Label.c_str(), Text);
    Out += '\n';
  }
  return Out;
}

/// What its launches or launch bounds say of the block.
static std::string blockOf(const KernelFacts &Facts) {
  std::vector<std::string> Known;
  for (const LaunchFacts &Launch : Facts.Launches)
    if (const std::string Text = Launch.Block ? Launch.Block->str() : "not known"; !llvm::is_contained(Known, Text))
      Known.push_back(Text);
  return !Known.empty()     ? "block " + llvm::join(Known, " or ")
         : Facts.MaxThreads ? fmt::format("at most {} threads", *Facts.MaxThreads)
                            : "not launched here";
}

std::string describeNone(const std::string &File) {
  const std::string Text = llvm::expectedToOptional(textOfFile(File)).value_or("");
  const auto Tokens = rawTokens(Text);
  const auto Kernel = llvm::find_if(Tokens, [](const RawToken &T) { return T.Spelling == "__global__"; });
  if (Kernel == Tokens.end())
    return fmt::format("no kernel in {}\n", File);
  return fmt::format(
      "no kernel in {}: the __global__ of line {} is not compiled with these flags, or is no definition; "
      "give nvcc's flags behind --\n",
      File, llvm::StringRef(Text).take_front(Kernel->Offset).count('\n') + 1);
}

std::string summarise(llvm::ArrayRef<LoadedKernel> Kernels) {
  std::string Out;
  for (const LoadedKernel &Kernel : Kernels) {
    const KernelFacts &F = Kernel.Facts;
    Out += fmt::format("{}:{}: {}", F.Where.File, F.Where.Line, F.QualifiedName);
    if (Kernel.OtherInstances > 0)
      Out += fmt::format(" (+ {} of this template)", Kernel.OtherInstances);
    Out += fmt::format(": {}; ", blockOf(F));
    if (F.IsTemplate)
      Out += "a template: name it with its arguments";
    else
      Out += F.Barriers.empty() && F.LibraryBarriers.empty() ? "no barrier"
             : F.Barriers.size() > 1                         ? fmt::format("{} barriers", F.Barriers.size())
                                                             : "a barrier";
    if (!F.Blockers.empty())
      Out += fmt::format("; not fusable: {}{}", F.Blockers.front().message().str(),
                         F.Blockers.size() > 1 ? fmt::format(", and {} more", F.Blockers.size() - 1) : "");
    Out += '\n';
  }
  return Out;
}

std::string describeAsJson(llvm::ArrayRef<LoadedKernel> Kernels) {
  return llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Array(Kernels)));
}

std::string describe(const FusionPlan &Plan, llvm::ArrayRef<LoadedKernel> Kernels) {
  std::string Out = fmt::format("{} threads, grid policy {}{}\n", Plan.BlockThreads, nameOf(Plan.Grid).str(),
                                Plan.Shape == Geometry::Warps ? "" : ", geometry " + nameOf(Plan.Shape).str());
  for (const PartitionPlan &P : Plan.Partitions)
    Out += fmt::format("threads {:>4} to {:>4}: {} copy {}, block {}, {}\n", P.First, P.First + P.Reserved - 1,
                       Kernels[P.Constituent].Facts.QualifiedName, P.Copy, P.Block.str(),
                       !P.Synchronises         ? "no barrier"
                       : P.WholeBlock          ? "the barrier of the block"
                       : P.OfLanes || P.OfPart ? "a barrier of its lanes"
                                               : fmt::format("barrier {}", P.Barrier));
  if (Plan.Registers.Policy == RegisterPolicy::Count)
    Out += fmt::format("at most {} registers per thread\n", Plan.Registers.Count);
  if (Plan.Registers.Policy == RegisterPolicy::Free)
    Out += fmt::format("launch bounds {}, 1\n", Plan.BlockThreads);
  if (Plan.Registers.Policy == RegisterPolicy::Split)
    for (const PartitionPlan &P : Plan.Partitions)
      Out += fmt::format("{} registers per thread for threads {} to {}, {} at launch\n",
                         Plan.Roles[P.Constituent].Registers, P.First, P.First + P.Reserved - 1, Plan.Registers.Count);
  if (Plan.Registers.Policy == RegisterPolicy::Bound)
    Out += fmt::format("launch bounds {}, {}: at most {} registers per thread\n", Plan.BlockThreads,
                       Plan.Registers.MinBlocks, Plan.Registers.Count);
  return Out;
}

} // namespace cufuse
