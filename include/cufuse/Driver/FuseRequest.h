// What is asked of `cufuse fuse`.
#pragma once

#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Driver/ReadKernels.h"
#include "cufuse/Plan/FusionConfig.h"
#include "cufuse/Vertical/Form.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// A choice for one constituent: by its name (or its kernel's), or by position where the name is empty.
template <typename Value> struct Choice {
  std::string Name;
  Value Chosen;
};

/// A product of matrices of a workload.
struct RequestedProduct {
  std::string Name;
  ProductFacts Facts;
  std::int64_t M = 0; ///< Rows in the workload, by which its kernel is chosen: a launch may have others.
  SourcePlace Where;
};

/// How a kernel between products is launched in the workload.
struct RequestedLaunch {
  BlockShape Block;
  std::int64_t Blocks = 0; ///< In x; 0: the grid has other dimensions.
  SourcePlace Where;
  bool Overlaps = false; ///< Two of its arrays are one.
};

enum class Step { Parse, Collect, Check, Plan, Emit, Verify, Write };

struct FuseRequest {
  std::vector<KernelSpec> Kernels;
  /// Of each kernel, where there are several: the kernels of one are linked, and all groups run side by side.
  std::vector<unsigned> Groups;
  /// Vertically: consumers where their producers store, as these links say.
  bool Vertical = false;
  std::vector<LinkText> Links;
  /// None, or two of which the second takes what comes of the first: the kernels stand between and behind them.
  std::vector<RequestedProduct> Products;
  std::vector<std::string> Names;        ///< Of the kernels in the links of products.
  std::vector<RequestedLaunch> Launches; ///< Of `Kernels`, between and behind products.
  bool AutoLink = false;                 ///< And as the launches in the kernels' files say.
  std::vector<std::string> Dead;
  bool Overlap = false;  ///< Launches of their own, each of which begins while the one before it ends.
  bool Distinct = false; ///< Pointers are taken for `__restrict__`; the launcher compares them.
  VerticalOptions Composition;
  bool EndsInOneBlock = false;   ///< As launched, all kernels but the first have one block.
  bool BeginsInOneBlock = false; ///< As launched, all kernels but the last have.
  InputFlags Flags;
  std::vector<Choice<BlockShape>> Blocks;
  std::vector<Choice<unsigned>> Copies;
  std::vector<Choice<unsigned>> Turns;
  std::vector<Choice<unsigned>> Resident; ///< Of each role, for `Blocks`; else one, of fused blocks.
  std::vector<Choice<unsigned>> Unroll;
  std::vector<Choice<std::pair<std::string, std::string>>> Bound; ///< Parameter and value of a named constituent.
  std::vector<unsigned> RegisterBudgets;                          ///< By constituent, for `Split`.
  Geometry Shape = Geometry::Warps;
  GridPolicy Grid = GridPolicy::Match;
  RegisterLimit Registers;
  std::string Name;                     ///< Empty: the kernels' names, joined.
  std::string Output;                   ///< `OUT.cu`; the header is `OUT.h` beside it.
  std::string Prelude;                  ///< As in EmitOptions.
  std::string Depfile;                  ///< Written, too, where it is not empty.
  std::vector<std::string> OtherInputs; ///< Files besides the kernels' that no output may replace.
  std::string Command;
  bool LineDirectives = true;
  bool Apart = false; ///< As in EmitOptions.
  std::uint64_t ApartBelow = 0;
  Step StopAfter = Step::Write;
  /// Whose answer is the configuration, instead of the choices above.
  std::optional<DatabaseQuery> Tuned = {};
};

} // namespace cufuse
