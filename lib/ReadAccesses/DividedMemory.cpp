#include "DividedMemory.h"

namespace cufuse {

using Number = DividedNumber;
using llvm::APInt;

namespace {

/// What is found at a place that may be another one.
Number by(const Number &At, Number Found) {
  Found.Parts = Found.isBits() ? together(At.Parts, Found.Parts) : 0;
  return Found;
}
bool meets(const DividedMemory::Object &Of, std::int64_t Place, unsigned Bytes) {
  const auto Next = Of.Stored.lower_bound(Place);
  return (Next != Of.Stored.end() && Next->first < Place + Bytes) ||
         (Next != Of.Stored.begin() && std::prev(Next)->first + std::prev(Next)->second.Bytes > Place);
}

} // namespace

unsigned DividedMemory::object(std::uint64_t Key, bool IsOfLaunch, unsigned Of) {
  const auto [At, IsNew] = ObjectOf.try_emplace({Key, IsOfLaunch, Of}, Objects.size());
  if (IsNew)
    Objects.push_back({Key, IsOfLaunch, {}});
  return At->second;
}

std::pair<const llvm::Type *, Number> DividedMemory::seen(const llvm::Type *T, Number N) const {
  if (N.What == Number::Kind::Pointer)
    N.Object = static_cast<unsigned>(mixed(Objects[N.Object].Key));
  return {T, N};
}

Number DividedMemory::members(std::vector<Number> All) {
  Members.push_back(std::move(All));
  return {Number::Kind::Members, 0, static_cast<unsigned>(Members.size() - 1), 0};
}

Number DividedMemory::draw(const llvm::Type *T, std::uint64_t Key) {
  if (T->isPointerTy())
    return Number::pointer(object(Key, true));
  if (!isNumber(T))
    return {};
  if (T->isIntegerTy())
    return Number::bits(
        APInt(T->getIntegerBitWidth(),
              static_cast<std::uint64_t>(Of.Least) + Key % static_cast<std::uint64_t>(Of.Most - Of.Least + 1), false,
              true)
            .getZExtValue(),
        Drawn);
  return Number::bits(bitsOf(T, static_cast<double>(1 + Key % 31) / 8), Drawn);
}

Number DividedMemory::load(const llvm::Type *Type, Number At) {
  if (At.What != Number::Kind::Pointer || At.Object == 0)
    return {};
  if (auto Offsets = offsets(Type); !Offsets.empty()) {
    std::vector<Number> All;
    for (const auto &[Member, Bytes] : Offsets)
      All.push_back(load(Member, {Number::Kind::Pointer, 0, At.Object, At.Bits + Bytes}));
    return members(std::move(All));
  }
  Object &From = Objects[At.Object];
  const auto Bytes = static_cast<unsigned>(Layout.getTypeStoreSize(const_cast<llvm::Type *>(Type)).getFixedValue());
  const auto Place = static_cast<std::int64_t>(At.Bits);
  if (const auto Found = From.Stored.find(Place); Found != From.Stored.end())
    return Found->second.Bytes == Bytes ? by(At, Found->second.Value) : Number();
  return From.IsOfLaunch && !meets(From, Place, Bytes) ? first(From, Type, Place) : Number();
}
/// Of members of a structure, a vector or an array.
std::vector<std::pair<const llvm::Type *, std::uint64_t>> DividedMemory::offsets(const llvm::Type *Type) const {
  std::vector<std::pair<const llvm::Type *, std::uint64_t>> All;
  auto *T = const_cast<llvm::Type *>(Type);
  if (auto *Struct = llvm::dyn_cast<llvm::StructType>(T))
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      All.emplace_back(Struct->getElementType(I), Layout.getStructLayout(Struct)->getElementOffset(I));
  if (T->isArrayTy() || llvm::isa<llvm::FixedVectorType>(T)) {
    llvm::Type *Each = T->isArrayTy() ? T->getArrayElementType() : llvm::cast<llvm::VectorType>(T)->getElementType();
    const std::uint64_t Count =
        T->isArrayTy() ? T->getArrayNumElements() : llvm::cast<llvm::FixedVectorType>(T)->getNumElements();
    for (std::uint64_t I = 0; I < Count; ++I)
      All.emplace_back(Each, I * Layout.getTypeStoreSize(Each).getFixedValue());
  }
  return All;
}

bool DividedMemory::store(const llvm::Instruction &By, const llvm::Type *Type, Number At, Number What) {
  if (At.What != Number::Kind::Pointer || At.Object == 0)
    return false;
  if (auto Offsets = offsets(Type); !Offsets.empty()) {
    for (size_t I = 0; I < Offsets.size(); ++I)
      store(By, Offsets[I].first, {Number::Kind::Pointer, 0, At.Object, At.Bits + Offsets[I].second},
            What.What == Number::Kind::Members ? Members[What.Object][I] : Number());
    return true;
  }
  Object &To = Objects[At.Object];
  const auto Bytes = static_cast<unsigned>(Layout.getTypeStoreSize(const_cast<llvm::Type *>(Type)).getFixedValue());
  const auto Place = static_cast<std::int64_t>(At.Bits);
  // What it lies over in part is not known any more.
  constexpr std::int64_t Widest = 16;
  for (auto Each = To.Stored.lower_bound(Place - Widest); Each != To.Stored.end() && Each->first < Place + Bytes;
       ++Each)
    if (Each->first + Each->second.Bytes > Place)
      Each->second.Value = {};
  To.Stored[Place] = {&By, Type, Bytes, What};
  return true;
}

Number DividedMemory::member(const Number &Of, std::uint64_t At) const {
  return Of.What == Number::Kind::Members && At < Members[Of.Object].size() ? Members[Of.Object][At] : Number();
}
Number DividedMemory::with(const llvm::Type *Type, const Number &Of, std::uint64_t At, const Number &Member) {
  std::vector<Number> All =
      Of.What == Number::Kind::Members ? Members[Of.Object] : std::vector<Number>(offsets(Type).size());
  if (At < All.size())
    All[At] = Member;
  return members(std::move(All));
}

} // namespace cufuse
