// What `cufuse tune` is to run: kernels, their launches, arguments and buffers, read from YAML. docs/workload.md is the
// reference of the format. No Clang: what a parameter's bytes are comes with `KernelFacts`.
#pragma once

#include "cufuse/Kernel/KernelSpec.h"
#include "cufuse/Runner/RunnerJob.h"
#include "cufuse/Workload/Expression.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// One value of an argument: of the parameter, or of a scalar inside it.
struct WorkloadArgument {
  std::string Parameter;
  std::string Path; ///< As in `FieldFacts`.
  /// Of sizes and `block.x|y|z`; for a pointer `nullptr`, a buffer, or a buffer ± elements. None for `{}`.
  std::optional<Expression> Value;
  SourcePlace Where;
};

/// A product of matrices C = A B, whose sizes `m`, `n`, `k` and arrays `a`, `b`, `c` are arguments.
struct WorkloadProduct {
  bool InRows = true;                               ///< B is stored as k rows of n; else as n rows of k.
  std::optional<Expression> PitchA, PitchB, PitchC; ///< None: rows follow each other.
  std::optional<Expression> Height, Width, Size;    ///< Of `ImageWindows`; none: A is stored itself.
  std::optional<Expression> Batch; ///< The rows are in so many equal parts, each with a B of its own; none: one.
};

struct WorkloadKernel {
  /// Of this kernel in options and reports: without namespaces and template arguments, numbered (`scale_0`, `scale_1`)
  /// where two kernels of the workload share it.
  std::string Name;
  KernelSpec Spec;                ///< The file's path counts from the current folder.
  std::vector<std::string> Flags; ///< As after `--` on the command line.
  std::string Folder;             ///< Of the workload file: relative folders in `Flags` count from there.
  SourcePlace Where;

  std::vector<BlockShape> Blocks; ///< Every allowed shape; the given one first. Only that one: fixed.
  std::vector<Expression> Grid;   ///< One to three dimensions.
  bool AnyGrid = false;           ///< Every grid gives the same result (grid-stride loops): `Grid` is the given one.
  std::optional<Expression> DynamicBytes;
  std::vector<WorkloadArgument> Arguments;
  /// Parameters that may be fixed at compile time; their values have no `block` in them.
  std::vector<std::pair<std::string, SourcePlace>> Bindable;
  std::optional<WorkloadProduct> Product = {}; ///< It is one: no kernel of a file, and without block and grid.
  Numbers Sizes;                               ///< Those of its file.
  std::map<std::string, std::string> Buffers;  ///< From the file's names to those of `Workload::Buffers`.
};

/// An argument of one kernel is what another one is given, or makes: `From.factor*factor=To.parameter`.
struct WorkloadLink {
  unsigned From = 0, To = 0;        ///< By position in `Workload::Kernels`.
  std::vector<std::string> Factors; ///< Parameters of `From`; just one where it is an array.
  std::string Parameter;            ///< Of `To`.
  bool IsArray = false;             ///< Both point to the same element of a buffer; otherwise both are numbers.
  SourcePlace Where;
};

struct Workload {
  std::vector<WorkloadKernel> Kernels;
  std::vector<BufferSpec> Buffers; ///< Names are `KERNEL.name` (of the file's first kernel) for several files.
  /// Some: the kernels run one after the other, as they stand in the file. None: side by side.
  std::vector<WorkloadLink> Links;
  std::vector<std::string> Dead; ///< Buffers that nobody reads behind the last kernel.
};

/// Reads the files as one workload: their kernels side by side, each file with sizes and buffers of its own.
/// `Settings` are `NAME=VALUE`; NAME is a size, or KERNEL.size with the name of the first kernel of its file; VALUE is
/// a number or an expression of numbers. All errors of a file are reported together, with file, line and column: what
/// is no YAML; keys, values and names that are unknown, missing or impossible; an output that kernels of one file
/// share, unless they accumulate into it or have links; links between arguments that differ, and among several files.
/// A setting that names no size, several, or one that follows from others, fails as bad usage.
llvm::Expected<Workload> readWorkload(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<std::string> Settings);

} // namespace cufuse
