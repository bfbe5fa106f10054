#include "EditText.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

/// The text of a string token with its escapes blank, so that words end where they end; lines end, too.
std::string withoutEscapes(llvm::StringRef Token) {
  std::string Text = Token.str();
  for (size_t I = 0; I + 1 < Text.size(); ++I)
    if (Text[I] == '\\') {
      Text[I] = Text[I + 1] == 'n' ? '\n' : ' ';
      Text[I + 1] = ' ';
      ++I;
    }
  return Text;
}

/// A statement as it is written, by places in its file.
struct Statement {
  std::vector<TextToken> Template;
  std::vector<unsigned> Colons;
  unsigned Close = 0;
  std::vector<std::pair<unsigned, unsigned>> Inputs; ///< Inside the brackets of each input's expression.

  explicit Statement(const std::vector<TextToken> &Tokens) {
    unsigned Depth = 0, Open = 0;
    for (const TextToken &T : Tokens) {
      if (T.is("(") || T.is("[")) {
        if (++Depth == 2 && T.is("("))
          Open = T.end();
      } else if (T.is(")") || T.is("]")) {
        if (--Depth == 1 && T.is(")") && Colons.size() == 2)
          Inputs.push_back({Open, T.Offset});
        Close = T.Offset;
      } else if (Depth == 1 && T.is(":")) {
        Colons.push_back(T.Offset);
      } else if (Depth == 1 && T.is("::")) {
        Colons.push_back(T.Offset);
        Colons.push_back(T.Offset + 1);
      } else if (Depth == 1 && Colons.empty()) {
        Template.push_back(T);
      }
    }
  }
  unsigned inputsEnd() const {
    return !Inputs.empty() ? Inputs.back().second + 1 : Colons.size() > 2 ? Colons[2] : Close;
  }
};

/// What string tokens say together, and where each character is written: a name may go on in the next token.
struct Said {
  std::string Text;
  std::vector<unsigned> Places;

  explicit Said(llvm::ArrayRef<TextToken> Tokens) {
    for (const TextToken &Token : Tokens) {
      const std::string Plain = withoutEscapes(Token.Text);
      const bool Quoted = Plain.front() == '"'; // by nothing else
      for (size_t I = Quoted; I < Plain.size() - Quoted; ++I) {
        Text += Plain[I];
        Places.push_back(Token.Offset + I);
      }
      End = Token.end() - Quoted;
    }
  }
  unsigned at(size_t I) const { return I < Places.size() ? Places[I] : End; }
  /// Behind what ends there.
  unsigned behind(size_t I) const { return I == 0 ? at(0) : Places[I - 1] + 1; }

private:
  unsigned End = 0;
};

/// How often its text names an operand.
size_t mentions(const clang::ASTContext &Context, const clang::GCCAsmStmt &Assembly, unsigned Operand) {
  llvm::SmallVector<clang::GCCAsmStmt::AsmStringPiece> Pieces;
  unsigned Where = 0;
  if (Assembly.AnalyzeAsmString(Pieces, Context, Where) != 0)
    return 0;
  return llvm::count_if(Pieces, [&](const auto &P) { return P.isOperand() && P.getOperandNo() == Operand; });
}

} // namespace

void editAssembly(TextEdits &Edits, const clang::GCCAsmStmt &Assembly, const RenamedVariables &Renamed) {
  SourceText &Text = Edits.Text;
  const AssemblyScan Scan = scanAssembly(Assembly);
  if (Scan.Mentions.empty() || !Scan.Unknown.empty())
    return; // nothing to do, or a blocker already
  if (Assembly.getAsmLoc().isMacroID() || Assembly.getRParenLoc().isMacroID())
    return; // what is not written plainly stays, and the comparison finds it
  const auto [File, Begin] = Text.offset(Assembly.getAsmLoc());
  const unsigned End = Text.offset(Assembly.getRParenLoc()).second + 1;
  if (isBlockBarrier(Assembly))
    return Edits.All.push_back({{File, Begin}, End - Begin, "cufuse_partition::sync()"});
  const Statement Written(Text.tokensIn({File, Begin, End}));
  std::vector<std::string> Operands;
  auto Operand = [&](std::string Constraint) {
    auto Known = std::find(Operands.begin(), Operands.end(), Constraint);
    const size_t Number = Assembly.getNumOutputs() + Assembly.getNumInputs() + (Known - Operands.begin());
    if (Known == Operands.end())
      Operands.push_back(std::move(Constraint));
    return fmt::format("%{}", Number);
  };
  std::vector<PlacedEdit> Own;
  auto Replace = [&, File = File](unsigned At, unsigned Length, std::string By) {
    Own.push_back({{File, At}, Length, std::move(By)});
  };
  for (const TextToken &Token : Written.Template)
    if (!clang::tok::isStringLiteral(Token.Kind) || (Written.Colons.empty() && Token.Text.contains('%')))
      return;
  const Said Plain(Written.Template);
  for (const AssemblyMention &M : scanAssembly(Plain.Text).Mentions) {
    const unsigned At = Plain.at(M.At), Behind = Plain.behind(M.At + M.Length);
    if (M.What == AssemblyMention::Kind::Register)
      Replace(At, Behind - At,
              Operand(fmt::format("\"r\"({}.{})", Renamed.nameFor(BuiltinNames[static_cast<size_t>(M.Variable)]),
                                  "xyz"[M.Dimension])));
    else if (M.What == AssemblyMention::Kind::WarpId)
      Replace(At, Behind - At, Operand("\"r\"(cufuse_partition::rank() / 32)"));
    else if (!M.IsOperand)
      Replace(At, Behind - At, Operand(fmt::format("\"n\"(cufuse_barrier({}))", M.Number)));
    else if (const size_t Input = M.Number - Assembly.getNumOutputs(); Input < Written.Inputs.size()) {
      if (mentions(Text.unit().ast(), Assembly, M.Number) != 1)
        return Edits.refuse(BlockerKind::InlineAsmBlock, Assembly.getAsmLoc(),
                            "an operand is the number of a barrier and something else");
      Replace(Written.Inputs[Input].first, 0, "cufuse_barrier(");
      Replace(Written.Inputs[Input].second, 0, ")");
    } else
      return;
    if (M.What == AssemblyMention::Kind::Barrier && !M.HasCount)
      Replace(Behind, 0, ", " + Operand("\"n\"(cufuse_partition::PaddedThreads)"));
  }
  std::string Added = Written.Colons.empty()       ? " : : "
                      : Written.Colons.size() == 1 ? " : "
                      : Written.Inputs.empty()     ? " "
                                                   : "";
  for (size_t I = 0; I < Operands.size(); ++I)
    Added += (I > 0 || !Written.Inputs.empty() ? ", " : "") + Operands[I];
  if (!Operands.empty())
    Replace(Written.inputsEnd(), 0, Added + (Written.Inputs.empty() && Written.Colons.size() > 2 ? " " : ""));
  llvm::append_range(Edits.All, Own);
}

} // namespace cufuse
