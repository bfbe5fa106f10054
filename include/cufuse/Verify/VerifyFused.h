// Clang reads the fused text again, and its structure is checked against the plan.
#pragma once

#include "cufuse/Emit/Emit.h"
#include "cufuse/Frontend/Parse.h"
#include "cufuse/Plan/FusionPlan.h"

#include <set>

namespace cufuse {

/// Fails with a defect of ours (ExitCode::Defect) unless: the text parses; the partitions in it are those of the plan,
/// disjoint, with dense barriers; and every constituent's body is called once per copy. Refuses text that does not
/// parse there, bodies that mean something else than their kernels (CompareWithInput.h),
/// files whose text parses alone and not together, and assembly whose names ptxas would find twice. `Request` says how
/// the output will be compiled; its file and overlay are set here. Errors in headers that the inputs' parses already
/// had, `KnownErrors` (place and text), do not count.
llvm::Error verifyFused(const Toolchain &Tools, const FusedSource &Fused, llvm::ArrayRef<Constituent> Constituents,
                        const FusionPlan &Plan, const EmitOptions &Options, ParseRequest Request,
                        const std::set<std::string> &KnownErrors);

/// The part of it that is arithmetic: gaps, overlaps, barrier counts and ids.
llvm::Error verifyPlan(const FusionPlan &Plan);

} // namespace cufuse
