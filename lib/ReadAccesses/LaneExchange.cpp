#include "LaneExchange.h"

#include "IrAccumulation.h"
#include "IrMemory.h"

#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

using ExchangeKind = LaneExchange::Kind;

std::optional<ExchangeKind> kindOf(llvm::StringRef Mode) {
  return llvm::StringSwitch<std::optional<ExchangeKind>>(Mode)
      .Case("up", ExchangeKind::Up)
      .Case("down", ExchangeKind::Down)
      .Case("bfly", ExchangeKind::Butterfly)
      .Case("idx", ExchangeKind::Index)
      .Default(std::nullopt);
}

/// One exchange, of both halves of what has 64 bits, and what is added to it, or told of it.
std::optional<LaneExchange> ofAssembly(const llvm::CallBase &Call) {
  static const llvm::Regex Exchange(
      R"(^shfl\.sync\.([a-z]+)\.b32([a-z0-9$]+)(\|p)?,(\$[0-9]|lo|hi),\$([0-9]),\$([0-9]),\$([0-9])$)"),
      Other(R"(^(\.reg\..*|mov\.b64lo,hi,\$[0-9]|mov\.b64(\$0|r0),(lo,hi|\$1)|mov\.[usf]32\$0,r0)$)"),
      Added(R"(^@padd\.[usf](32r0,r0,\$[0-9]|64\$0,\$0,(\$1|r0))$)");
  const std::string Text = assemblyOf(Call);
  const unsigned Results = Call.getType()->isStructTy() ? Call.getType()->getStructNumElements() : 1;
  std::optional<LaneExchange> Found;
  for (llvm::StringRef Left = Text; !Left.empty();) {
    const auto [Statement, Behind] = Left.split(';');
    Left = Behind;
    llvm::SmallVector<llvm::StringRef, 8> Parts;
    if (Exchange.match(Statement, &Parts)) {
      const auto What = kindOf(Parts[1]);
      auto Operand = [&](unsigned At) { return static_cast<unsigned>(Parts[At].back() - '0') - Results; };
      if (!What)
        return std::nullopt;
      Found = LaneExchange{*What, Operand(7), Parts[4].front() == '$' ? Operand(4) : 0, Operand(5), Operand(6)};
    } else if (Found && Added.match(Statement)) {
      Found->Adds = true;
    } else if (Found && Statement == "selp.s32$1,1,0,p") {
      Found->TellsWhether = true;
    } else if (!Other.match(Statement)) {
      return std::nullopt;
    }
  }
  return Found && (Results == 2) == Found->TellsWhether ? Found : std::nullopt;
}

} // namespace

std::optional<LaneExchange> laneExchange(const llvm::CallBase &Call) {
  if (Call.isInlineAsm())
    return ofAssembly(Call);
  llvm::StringRef Name = calleeOf(Call);
  if (Name == "llvm.nvvm.bar.warp.sync")
    return LaneExchange{ExchangeKind::Wait, 0};
  if (Name.starts_with("llvm.nvvm.redux.sync."))
    return LaneExchange{ExchangeKind::Reduce, 1, 0};
  if (!Name.consume_front("llvm.nvvm.shfl.sync.") || !Call.getType()->isSingleValueType())
    return std::nullopt;
  const auto What = kindOf(Name.split('.').first);
  return What ? std::optional(LaneExchange{*What, 0, 1, 2, 3}) : std::nullopt;
}

} // namespace cufuse
