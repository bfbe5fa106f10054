#include "cufuse/Reach/Assembly.h"

#include "cufuse/Ptx/PtxTable.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

bool readRegister(size_t At, llvm::StringRef Word, llvm::StringRef Name, AssemblyMention &Mention) {
  // A single `%` stands in assembly without operands, to which none can be added.
  if (!Word.consume_front("%%"))
    return false;
  Mention.At = At;
  if (Name == "warpid") {
    Mention.What = AssemblyMention::Kind::WarpId;
    Mention.Length = 2 + Word.size();
    return Word == Name;
  }
  for (size_t B = 0; B < BuiltinRegisters.size(); ++B) {
    const llvm::StringRef Register = BuiltinRegisters[B];
    const llvm::StringRef Component = Word.drop_front(std::min(Word.size(), Register.size()));
    if (Name != Register || (Component != ".x" && Component != ".y" && Component != ".z"))
      continue;
    Mention.What = AssemblyMention::Kind::Register;
    Mention.Variable = static_cast<Builtin>(B);
    Mention.Dimension = Component[1] - 'x';
    Mention.Length = 2 + Word.size();
    return true;
  }
  return false;
}

/// What declares in assembly, for each thread by itself.
constexpr llvm::StringLiteral Directives[] = {".reg", ".pragma", ".loc", ".local"};

bool readBarrier(llvm::StringRef Text, size_t At, AssemblyMention &Mention) {
  static const llvm::Regex Form(
      "^(bar|barrier)(\\.cta)?\\.(sync|arrive)(\\.aligned)?[[:space:]]+(%?)([0-9]+)[[:space:]]*(,[[:space:]]*%?[0-9]+"
      "[[:space:]]*)?(;|$|\")");
  llvm::SmallVector<llvm::StringRef> Parts;
  if (!Form.match(Text.substr(At), &Parts))
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
  AssemblyScan Scan;
  auto Unknown = [&](llvm::StringRef What) {
    if (Scan.Unknown.empty())
      Scan.Unknown = What.str();
  };
  // What our check of compiled outputs tells a user's assembly by.
  if (Text.contains("begin inline asm") || Text.contains("end inline asm"))
    Unknown("a comment like nvcc's own");
  readPtxStatements(Text, [&](const PtxStatement &S) { // `.reg .b32 %%x, %%r<4>;`
    if (S.IsLabel)
      Scan.Declared.insert(S.Opcode.str());
    else if (S.Opcode.starts_with(".") && S.Opcode != ".loc")
      for (llvm::StringRef Word : S.Operands)
        Scan.Declared.insert(Word.str());
  });
  auto IsDeclared = [&](llvm::StringRef Word) {
    return Scan.Declared.contains(Word.str()) || Scan.Declared.contains(Word.rtrim("0123456789").str());
  };
  auto Register = [&](llvm::StringRef Word, llvm::StringRef Opcode) {
    const llvm::StringRef Name = ptxRegisterName(Word);
    if (Name.empty() || IsDeclared(Word))
      return;
    const PtxRegister *Known = findPtxRegister(Name);
    if (Known && Known->What == PtxRegister::Kind::Any)
      return;
    // An operand in its place has 32 bits.
    const llvm::StringRef Type = Opcode.rsplit('.').second;
    AssemblyMention Mention;
    if (Known && Known->What == PtxRegister::Kind::Block &&
        readRegister(Word.data() - Text.data(), Word, Name, Mention))
      Scan.Mentions.push_back(Mention);
    else
      Unknown(("%" + Name).str());
    if (Type == "u16" || Type == "s16" || Type == "b16")
      Unknown(("%" + Name + " as " + Type).str());
  };
  readPtxStatements(Text, [&](const PtxStatement &S) {
    if (S.IsLabel)
      return;
    if (S.Opcode.starts_with(".")) {
      if (!llvm::is_contained(Directives, S.Opcode))
        Unknown(S.Opcode);
      return;
    }
    const PtxFamily *Family = findPtxFamily(S.Opcode);
    const PtxFamily::Kind What = Family ? Family->What : PtxFamily::Kind::Refused;
    if (What == PtxFamily::Kind::Warp && Scan.Warp.empty())
      Scan.Warp = S.Opcode.str();
    if (What == PtxFamily::Kind::Copy && Scan.Copy.empty())
      Scan.Copy = S.Opcode.str();
    AssemblyMention Mention;
    if (What == PtxFamily::Kind::Barrier && !S.IsPredicated &&
        readBarrier(Text, S.Opcode.data() - Text.data(), Mention))
      Scan.Mentions.push_back(Mention);
    else if (What != PtxFamily::Kind::Computes && What != PtxFamily::Kind::Plain && What != PtxFamily::Kind::Warp &&
             What != PtxFamily::Kind::Copy)
      Unknown(Family ? Family->Name : S.Opcode);
    Register(S.Opcode, ""); // where only a part of the text is scanned
    for (size_t I = 0; I < S.Operands.size(); ++I) {
      Register(S.Operands[I], S.Opcode);
      // `x` of `%[x]` and `%c[x]` is an operand; `x` of `x.y` is what is named.
      const bool IsOperand = I >= 2 && S.Operands[I - 1] == "[" && S.Operands[I - 2].starts_with("%") &&
                             S.Operands[I - 2].size() <= 2 && !S.Operands[I - 2].ends_with("%%") &&
                             !llvm::isDigit(S.Operands[I - 2].back());
      const llvm::StringRef Name = S.Operands[I].split('.').first;
      if (!IsOperand && !Name.empty() && (llvm::isAlpha(Name[0]) || Name[0] == '$' || Name[0] == '_') && Name != "_" &&
          Name != "WARP_SZ" && !IsDeclared(Name))
        Scan.Names.insert(Name.str());
    }
  });
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

bool takesOperands(const clang::GCCAsmStmt &Assembly) {
  const std::string Text = Assembly.getAsmString();
  const std::vector<AssemblyMention> Mentions = scanAssembly(Text).Mentions;
  const auto Last = llvm::find_if(llvm::reverse(Mentions), [](const AssemblyMention &M) {
    return M.What != AssemblyMention::Kind::Barrier; // whose operands are constants
  });
  auto IsApart = [&](unsigned Output) { return llvm::StringRef(Assembly.getOutputConstraint(Output)).contains('&'); };
  if (Last == Mentions.rend() || llvm::all_of(llvm::seq(Assembly.getNumOutputs()), IsApart))
    return true;
  // All that stands before the last instruction that reads a register, or in a loop, may write the outputs it names.
  llvm::StringRef Before = llvm::StringRef(Text).take_front(Last->At);
  const size_t End = Before.rfind(';');
  Before = Before.take_front(End == llvm::StringRef::npos ? 0 : End);
  readPtxStatements(Text, [&](const PtxStatement &S) {
    if (S.IsLabel)
      Before = Text;
  });
  for (size_t At = Before.find('%'); At != llvm::StringRef::npos; At = Before.find('%', At + 1)) {
    llvm::StringRef Name = Before.drop_front(At + 1);
    unsigned Number = 0;
    if (Name.starts_with("%"))
      ++At;
    else if (Name.consumeInteger(10, Number) || (Number < Assembly.getNumOutputs() && !IsApart(Number)))
      return false;
  }
  return true;
}

std::vector<PtxStatement> assemblyIn(const llvm::CallBase &Call) {
  auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call.getCalledOperand());
  return Assembly ? ptxStatements(Assembly->getAsmString()) : std::vector<PtxStatement>();
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

std::set<std::string> unscopedNames(const clang::GCCAsmStmt &Assembly) {
  // Braces are counted in what nvcc marks as assembly.
  const std::string Text = "// begin inline asm\n" + Assembly.getAsmString();
  std::set<std::string> Names;
  auto Add = [&](llvm::StringRef Name) {
    if (!Name.contains("%=")) // another one each time
      Names.insert(Name.str());
  };
  readPtxStatements(Text, [&](const PtxStatement &S) {
    if (S.AssemblyDepth > 0)
      return;
    if (S.IsLabel)
      Add(S.Opcode);
    else if (S.Opcode == ".reg" || S.Opcode == ".local")
      for (llvm::StringRef Word : S.Operands)
        if (llvm::isAlpha(Word[0]) || Word[0] == '_' || Word[0] == '$' || Word[0] == '%')
          Add(Word);
  });
  return Names;
}

} // namespace cufuse
