// JSON, both ways, of what traces, databases and reports are made of. Found by llvm::json through argument-dependent
// lookup. Reading answers false with the place at the path's root when a value is missing or of another kind.
#pragma once

#include "cufuse/Fusion/ConfigNames.h"
#include "cufuse/Model/Problem.h"
#include "cufuse/Tune/Evaluator.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/JSON.h>

#include <map>
#include <string>

namespace cufuse {

/// `compile-failed`, `wrong-result`, …
llvm::StringRef nameOf(Fate F);
llvm::StringRef nameOf(Effort E);

llvm::json::Value toJSON(const FusionConfig &Config);
llvm::json::Value toJSON(const ResourceUse &Use);
llvm::json::Value toJSON(const Evaluation &E);
llvm::json::Value toJSON(const LaunchGroup &Group);
llvm::json::Value toJSON(const Problem &P);
llvm::json::Value toJSON(const std::map<std::string, double> &Numbers);
llvm::json::Value toJSON(const BlockShape &Shape);
llvm::json::Value toJSON(const std::vector<std::pair<std::string, std::string>> &Bound);

bool fromJSON(const llvm::json::Value &V, FusionConfig &Config, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, ResourceUse &Use, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, Evaluation &E, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, LaunchGroup &Group, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, Problem &Out, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, BlockShape &Shape, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, Fate &F, llvm::json::Path P);
bool fromJSON(const llvm::json::Value &V, Effort &E, llvm::json::Path P);
/// Reads the field `bound`: a pair's namespace is not ours, so that fromJSON of pairs would not be found.
bool mapBound(llvm::json::ObjectMapper &O, std::vector<std::pair<std::string, std::string>> &Bound);

} // namespace cufuse
