#include "cufuse/Analysis/Assembly.h"

#include <clang/AST/ASTContext.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

constexpr std::pair<llvm::StringLiteral, Builtin> Registers[] = {{"tid", Builtin::ThreadIdx},
                                                                 {"ntid", Builtin::BlockDim},
                                                                 {"ctaid", Builtin::BlockIdx},
                                                                 {"nctaid", Builtin::GridDim}};

bool isWord(char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$'; }

/// Does an instruction start here, without a label or a predicate before it?
bool startsStatement(llvm::StringRef Before) {
  Before = Before.rtrim();
  return Before.empty() || Before.ends_with(";") || Before.ends_with("{") || Before.ends_with("}") ||
         Before.ends_with("\"");
}

bool readRegister(llvm::StringRef Text, size_t At, llvm::StringRef Name, AssemblyMention &Mention) {
  // A single `%` stands in assembly without operands, to which none can be added.
  if (!Text.substr(At).starts_with("%%"))
    return false;
  const size_t Behind = At + 2 + Name.size();
  Mention.At = At;
  if (Name == "warpid") {
    Mention.What = AssemblyMention::Kind::WarpId;
    Mention.Length = Behind - At;
    return true;
  }
  for (const auto &[Register, Variable] : Registers) {
    if (Name != Register || Behind + 2 > Text.size() || Text[Behind] != '.' || Text[Behind + 1] < 'x' ||
        Text[Behind + 1] > 'z' || (Behind + 2 < Text.size() && isWord(Text[Behind + 2])))
      continue;
    Mention.What = AssemblyMention::Kind::Register;
    Mention.Variable = Variable;
    Mention.Dimension = Text[Behind + 1] - 'x';
    Mention.Length = Behind + 2 - At;
    return true;
  }
  return false;
}

bool readBarrier(llvm::StringRef Text, size_t At, AssemblyMention &Mention) {
  static const llvm::Regex Form(
      "^(bar|barrier)(\\.cta)?\\.(sync|arrive)(\\.aligned)?[[:space:]]+(%?)([0-9]+)[[:space:]]*(,[[:space:]]*%?[0-9]+"
      "[[:space:]]*)?(;|$|\")");
  llvm::SmallVector<llvm::StringRef> Parts;
  if (!startsStatement(Text.take_front(At)) || !Form.match(Text.substr(At), &Parts))
    return false;
  Mention.What = AssemblyMention::Kind::Barrier;
  Mention.IsOperand = !Parts[5].empty();
  Mention.At = Parts[5].data() - Text.data();
  Mention.Length = Parts[5].size() + Parts[6].size();
  Mention.HasCount = !Parts[7].empty();
  Mention.Arrives = Parts[3] == "arrive";
  return !Parts[6].getAsInteger(10, Mention.Number);
}

} // namespace

AssemblyScan scanAssembly(llvm::StringRef Text) {
  static const llvm::Regex Block(
      "%%?(tid|ntid|ctaid|nctaid|warpid|nwarpid|clusterid|cluster_[a-z]+|dynamic_smem_size|total_smem_size)([^a-zA-Z_]"
      "|$)"
      "|(^|[^a-zA-Z_.])(bar|barrier|exit|setmaxnreg|wgmma|tcgen05)([^a-zA-Z_]|$)");
  AssemblyScan Scan;
  llvm::SmallVector<llvm::StringRef> Matches;
  for (size_t From = 0; Block.match(Text.substr(From), &Matches);) {
    const bool IsRegister = !Matches[1].empty();
    const llvm::StringRef Name = IsRegister ? Matches[1] : Matches[4];
    const size_t At = (IsRegister ? Matches[0].data() : Name.data()) - Text.data();
    From = Name.end() - Text.data();
    // Of warps only.
    if (Name == "bar" && Text.substr(At).starts_with("bar.warp."))
      continue;
    AssemblyMention Mention;
    if (IsRegister ? readRegister(Text, At, Name, Mention) : readBarrier(Text, At, Mention))
      Scan.Mentions.push_back(Mention);
    else if (Scan.Unknown.empty())
      Scan.Unknown = (IsRegister ? "%" : "") + Name.str();
  }
  return Scan;
}

AssemblyScan scanAssembly(const clang::GCCAsmStmt &Assembly) {
  const std::string Text = Assembly.getAsmString();
  AssemblyScan Scan = scanAssembly(Text);
  if (!Scan.Unknown.empty() || isBlockBarrier(Assembly))
    return Scan;
  for (const AssemblyMention &M : Scan.Mentions)
    if (M.What == AssemblyMention::Kind::Barrier &&
        (M.IsOperand
             ? M.Number < Assembly.getNumOutputs() || M.Number >= Assembly.getNumOutputs() + Assembly.getNumInputs()
             : M.Number == 0 || M.Number > 15))
      Scan.Unknown = "bar";
  return Scan;
}

bool isBlockBarrier(const clang::GCCAsmStmt &Assembly) {
  const std::string Text = Assembly.getAsmString();
  const AssemblyScan Scan = scanAssembly(Text);
  if (!Scan.Unknown.empty() || Scan.Mentions.size() != 1)
    return false;
  const AssemblyMention &Only = Scan.Mentions.front();
  const llvm::StringRef All = llvm::StringRef(Text).trim();
  return Only.What == AssemblyMention::Kind::Barrier && !Only.IsOperand && Only.Number == 0 && !Only.HasCount &&
         !Only.Arrives && All.starts_with("bar") && All.count(';') <= 1 && (All.ends_with(";") || !All.contains(';')) &&
         Assembly.getNumOutputs() == 0 && Assembly.getNumInputs() == 0;
}

bool waitsForBlock(const clang::GCCAsmStmt &Assembly) {
  const AssemblyScan Scan = scanAssembly(Assembly);
  return std::any_of(Scan.Mentions.begin(), Scan.Mentions.end(),
                     [](const AssemblyMention &M) { return M.What == AssemblyMention::Kind::Barrier && !M.HasCount; });
}

std::set<unsigned> barriersNamedBy(const clang::Expr &Number, const clang::ASTContext &Context) {
  std::set<unsigned> Named;
  clang::Expr::EvalResult Value;
  const bool Known = !Number.isValueDependent() && Number.EvaluateAsInt(Value, Context);
  for (unsigned Barrier = 1; Barrier <= MaxNamedBarriers; ++Barrier)
    if (!Known || Value.Val.getInt() == Barrier)
      Named.insert(Barrier);
  return Named;
}

std::set<unsigned> namedBarriers(const clang::GCCAsmStmt &Assembly, const AssemblyMention &Barrier,
                                 const clang::ASTContext &Context) {
  if (!Barrier.IsOperand)
    return {Barrier.Number};
  return barriersNamedBy(*Assembly.getInputExpr(Barrier.Number - Assembly.getNumOutputs()), Context);
}

} // namespace cufuse
