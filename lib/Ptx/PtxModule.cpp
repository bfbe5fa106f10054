#include "PtxModule.h"

#include "cufuse/Ptx/PtxWords.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

bool PtxModule::defines(llvm::StringRef Function) const {
  return llvm::any_of(ItemsNamed.lookup(Function), [&](unsigned I) { return !Items[I].Body.empty(); });
}

std::vector<const PtxItem *> PtxModule::reachedFrom(std::vector<const PtxItem *> Reached) const {
  llvm::SmallPtrSet<const PtxItem *, 16> Known(Reached.begin(), Reached.end());
  for (size_t I = 0; I < Reached.size(); ++I) {
    PtxWord Word;
    for (llvm::StringRef Text : {Reached[I]->Head, Reached[I]->Body})
      while (takePtxWord(Text, Word))
        if (const auto Named = ItemsNamed.find(Word.Text); Named != ItemsNamed.end())
          for (unsigned Each : Named->second)
            if (Known.insert(&Items[Each]).second)
              Reached.push_back(&Items[Each]);
  }
  return Reached;
}

/// `.file 1 "a.cu"`, and what else stands on a line of its own.
static bool readLine(PtxModule &Module, llvm::StringRef Directive, llvm::StringRef Rest) {
  if (Directive != ".version" && Directive != ".target" && Directive != ".address_size" && Directive != ".file")
    return false;
  const llvm::StringRef Line = Rest.take_until([](char C) { return C == '\n'; }).trim();
  unsigned Number = 0;
  const auto [Before, Quoted] = Line.split(' ');
  if (Directive == ".file" && !Before.getAsInteger(10, Number))
    Module.Files[Number] = Quoted.split('"').second.split('"').first.str();
  return true;
}

llvm::Expected<PtxModule> readPtxModule(llvm::StringRef Ptx) {
  PtxModule Module;
  Module.Text = Ptx;
  PtxWord Word;
  while (!Ptx.empty()) {
    PtxItem Item;
    const char *Begin = nullptr, *Open = nullptr;
    unsigned Depth = 0;
    bool IsCode = false, Ended = false;
    while (!Ended && takePtxWord(Ptx, Word)) {
      if (!Begin) {
        if (readLine(Module, Word.Text, Ptx)) {
          Ptx = Ptx.drop_front(std::min(Ptx.find('\n'), Ptx.size()));
          continue;
        }
        if (Word.is(";"))
          continue;
        Begin = Word.Text.data();
      }
      IsCode |= Depth == 0 && (Word.is(".entry") || Word.is(".func") || Word.is(".section"));
      if (Depth == 0 && (Word.is(".entry") || Word.is(".func")))
        Item.What = Word.is(".entry") ? PtxItem::Kind::Entry : PtxItem::Kind::Function;
      if (Depth == 0 && Item.Name.empty() && Word.What == PtxWord::Kind::Name && !Word.Text.starts_with(".") &&
          !llvm::isDigit(Word.Text[0]))
        Item.Name = Word.Text;
      if (Word.is("{") && Depth == 0 && IsCode)
        Open = Word.Text.data();
      if (Word.is("{") || Word.is("(") || Word.is("["))
        ++Depth;
      else if (Word.is("}") || Word.is(")") || Word.is("]"))
        Depth -= Depth > 0;
      Ended = Depth == 0 && (Word.is(";") || (Open && Word.is("}")));
    }
    if (!Begin)
      break;
    const llvm::StringRef All(Begin, Word.Text.end() - Begin);
    if (!Ended)
      return llvm::createStringError(std::to_string(Module.lineOf(All)));
    Item.Whole = All;
    Item.Head = Open ? All.take_front(Open - Begin) : All;
    if (Open)
      Item.Body = All.drop_front(Open - Begin + 1).drop_back();
    if (Item.Name.empty())
      continue;
    Module.ItemsNamed[Item.Name].push_back(Module.Items.size());
    Module.Items.push_back(Item);
  }
  return Module;
}

} // namespace cufuse
