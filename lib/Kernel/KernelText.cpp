#include "cufuse/Kernel/KernelText.h"

#include <llvm/ADT/STLExtras.h>

namespace cufuse {

bool Edit::isMade(const LinkedText &Linked, bool IsUnrolled) const {
  switch (Made) {
  case When::Always:
    return true;
  case When::Unrolled:
    return IsUnrolled;
  case When::Linked:
    return Parameter.empty() ? !Linked.Parameters.empty() : llvm::is_contained(Linked.Parameters, Parameter);
  case When::RowLoop:
    return llvm::is_contained(Linked.RowLoops, Control.Statement);
  case When::RowTurn:
    return Linked.AsksElement && llvm::is_contained(Linked.RowLoops, Control.Statement);
  case When::Rows:
    return !Linked.RowLoops.empty();
  case When::Known:
    return llvm::is_contained(Linked.Known, Control);
  case When::Turns:
    return !Linked.Known.empty();
  case When::Element:
    return Linked.AsElement;
  case When::Lanes:
    return Linked.OfLanes;
  }
  return false;
}

std::optional<OutputText> applyEdits(llvm::StringRef Written, llvm::ArrayRef<Edit> Edits, const LinkedText &Linked,
                                     bool Unrolled) {
  auto End = [](const Edit &E) { return E.At + E.Length; };
  std::vector<const Edit *> Own;
  for (const Edit &E : Edits) {
    if (!E.isMade(Linked, Unrolled) || E.Cannot)
      continue;
    const bool Hidden =
        Unrolled && E.Made != Edit::When::Unrolled && llvm::any_of(Edits, [&](const Edit &Other) {
          return Other.Made == Edit::When::Unrolled && Other.At <= E.At && End(E) <= End(Other) && Other.Length > 0;
        });
    // What comes from two parameters changes once.
    const bool Known =
        E.Made == Edit::When::Linked && llvm::any_of(Own, [&](const Edit *Other) {
          return Other->Made == E.Made && Other->At == E.At && Other->Length == E.Length && Other->Text == E.Text;
        });
    if (!Hidden && !Known)
      Own.push_back(&E);
  }
  // What is inserted at the start of a replaced stretch comes before it, and what is inserted last comes first.
  llvm::sort(Own, [](const Edit *A, const Edit *B) {
    return std::tuple(A->At, A->Length, B) < std::tuple(B->At, B->Length, A);
  });
  OutputText Result;
  unsigned Behind = 0;
  for (const Edit *E : Own) {
    if (E->At < Behind)
      return std::nullopt;
    Result += Written.slice(Behind, E->At).str();
    Result += E->Text;
    Behind = End(*E);
  }
  return Result + Written.substr(Behind).str();
}

void renameInclude(Piece &P, const std::string &Line, const std::string &Renamed) {
  P.Text = P.Text.replaced(Line, Renamed);
  if (P.Unrolled)
    P.Unrolled = P.Unrolled->replaced(Line, Renamed);
  for (Edit &E : P.Edits)
    E.Text = E.Text.replaced(Line, Renamed);
  const unsigned Longer = Renamed.size() - Line.size();
  for (size_t At = 0; (At = P.Written.find(Line, At)) != std::string::npos; At += Renamed.size()) {
    P.Written.replace(At, Line.size(), Renamed);
    for (Edit &E : P.Edits)
      if (E.At > At)
        E.At += Longer;
      else if (E.At + E.Length > At)
        E.Length += Longer;
  }
}

std::vector<Blocker> makeEdits(Piece &P, const LinkedText &Linked) {
  std::vector<Blocker> Blockers;
  for (const Edit &E : P.Edits)
    if (E.Cannot && E.isMade(Linked, /*Unrolled=*/false))
      Blockers.push_back(*E.Cannot);
  auto Plain = applyEdits(P.Written, P.Edits, Linked, /*Unrolled=*/false);
  if (llvm::any_of(P.Edits, [](const Edit &E) { return E.Made == Edit::When::Unrolled; })) {
    P.Unrolled = applyEdits(P.Written, P.Edits, Linked, /*Unrolled=*/true);
    if (!P.Unrolled)
      Plain.reset();
  }
  if (Plain)
    P.Text = std::move(*Plain);
  else
    Blockers.push_back({BlockerKind::UneditableText, P.Where, "two changes at one place"});
  return Blockers;
}

/// The parameters that are objects in the calls of each function: in each kind of call, some.
static std::map<std::string, std::set<std::vector<std::string>>> objectsIn(const KernelText &Text,
                                                                           const LinkedText &Linked) {
  std::map<std::string, std::set<std::vector<std::string>>> Objects{{"", {Linked.Parameters}}};
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const HandedOn &Call : Text.Calls)
      for (const std::vector<std::string> &Given : std::set(Objects[Call.Caller])) {
        std::vector<std::string> Own;
        for (const auto &[To, From] : Call.Pointers)
          if (llvm::is_contained(Given, From))
            Own.push_back(To);
        Changed |= Objects[Call.Callee].insert(Own).second;
      }
  }
  return Objects;
}

KernelText withLinks(KernelText Text, const LinkedText &Linked) {
  auto Objects = objectsIn(Text, Linked);
  std::vector<Piece> Body;
  for (Piece &P : Text.Body) {
    std::set<std::vector<std::string>> &Kinds = Objects[P.Function];
    if (Kinds.empty()) // nobody hands it a pointer
      Kinds.insert({});
    for (const std::vector<std::string> &Own : Kinds) {
      LinkedText Its = Linked;
      Its.Parameters = Own;
      Body.push_back(P);
      if (!P.Edits.empty())
        llvm::append_range(Text.Blockers, makeEdits(Body.back(), Its));
      if (!P.Function.empty() && !Own.empty()) // nobody else finds it
        Body.back().Once.clear();
    }
  }
  Text.Body = std::move(Body);
  return Text;
}

} // namespace cufuse
