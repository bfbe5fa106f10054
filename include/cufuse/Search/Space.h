// The configurations a search chooses from. Only those that satisfy the arithmetic rules of their geometry are made;
// what only the fuser or ptxas can know (barriers, spills) shows when they are evaluated.
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Search/Evaluator.h"

#include <vector>

namespace cufuse {

/// Geometry × blocks and copies × grid policy and resident blocks × registers × unroll factors, each once, in a fixed
/// order:
/// - a constituent whose block is fixed may have several copies, one whose block is tunable has one in `Warps`;
/// - `Warps`: at most 1024 threads together; `Blocks`, `Threads`: equal sizes, or as near as the choices come, of
/// shapes
///   that are nearly the best alone; and the best ones alone, with as many copies of the smaller as the larger has room
///   for;
/// - registers: `None`, `Free`, `Bound` at HFUSE's b0 and its neighbours, as far as those bind; where the registers
/// alone
///   are not known, `Bound` without a number; `Split` (`Warps`, sm_90a and later `a` targets, partitions of whole
///   warpgroups) where the launch count of some residency is less than a constituent wants, with the sum of
///   threads · budget within threads · launch count, which is in `Count`;
/// - nothing of which not one block would fit on an SM.
/// Of many kernels there are more choices of blocks and copies than can be listed: then of each kind of geometry, those
/// of some hundreds that are drawn, the same each time.
std::vector<Candidate> enumerateSpace(const Problem &P);
/// Whether they are those of some choices only.
bool isSpaceSampled(const Problem &P);

/// The search of HFUSE (Li, Zheng, Pekhimenko, Long, CGO 2022): side by side, one shot; the first partition in steps of
/// 128 threads, together 1024, where block sizes may be chosen; each with and without the bound r0.
std::vector<Candidate> enumerateHfuseSpace(const Problem &P);

} // namespace cufuse
