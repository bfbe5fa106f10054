// The limit: how fast a pair could be at best.
//
//     T_fused ≥ max( max over r of Σi W(i,r)/C(r) , max over i of Ti )
//
// W(i,r) is what constituent i demands of the shared resource r, C(r) what the GPU can give per unit of time, Ti the
// time that the constituent achieves alone, which no company makes shorter.
#pragma once

#include "cufuse/Model/Problem.h"

#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <string>

namespace cufuse {

/// Of a metric; less than 0 where it was not collected.
double counterOf(const std::map<std::string, double> &Counters, const char *Metric);

/// W(i,r)/C(r) in microseconds, by the resource's name for people (`DRAM bandwidth`, `issue slots`, `L2 cache`, …),
/// from the counters of a run alone of `Shape.Microseconds`. Empty where no counter tells.
std::map<std::string, double> demandsOf(const SoloShape &Shape, const GpuFacts &Gpu);

struct ResourceBound {
  double Microseconds = 0;
  /// What sets it: a resource's name, or the constituent that takes longest.
  std::string By;
  /// Demands of some constituent were not known, so that the limit is the quick form for disjoint resources at least in
  /// part: max Ti.
  bool Quick = false;
  double SerialMicroseconds = 0;         ///< Σ Ti
  std::map<std::string, double> Demands; ///< Σi W(i,r)/C(r), by resource.

  /// (T_serial − T_fused) / (T_serial − T_limit), of the constituents at their best; 0 where the limit leaves nothing.
  double share(double FusedMicroseconds) const;
};

/// `Solo` and `Names` correspond by position; every solo has been measured.
ResourceBound resourceBound(llvm::ArrayRef<SoloShape> Solo, llvm::ArrayRef<std::string> Names, const GpuFacts &Gpu);

} // namespace cufuse
