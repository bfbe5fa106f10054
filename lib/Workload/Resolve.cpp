#include "Reader.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

namespace {

using Integer = Number::Integer;

/// Nothing for floating point.
std::optional<IntegerRange> rangeOf(ElementType Type) {
  using enum ElementType;
  if (Type == F16 || Type == BF16 || Type == F32 || Type == F64)
    return std::nullopt;
  return IntegerRange(8 * bytesOf(Type), Type == I8 || Type == I16 || Type == I32 || Type == I64);
}

class Resolver {
public:
  Resolver(WorkloadFile &File, const std::string &Prefix, Workload &Result)
      : File(File), Prefix(Prefix), Result(Result) {}

  llvm::Error run() {
    for (const WorkloadSize &Size : File.Sizes) {
      if (auto Value = value(Size.Value))
        Sizes[Size.Name] = *Value;
      else
        Sizes[Size.Name] = {Integer(1)}; // one complaint is enough
    }
    std::map<std::string, std::string> Buffers;
    for (const WorkloadBuffer &Buffer : File.Buffers) {
      if (Sizes.count(Buffer.Name))
        Wrong.add(Buffer.Where, fmt::format("'{}' is a size, too", Buffer.Name), "choose another name");
      Buffers[Buffer.Name] = Prefix + Buffer.Name;
      addBuffer(Buffer);
    }
    for (WorkloadKernel &Kernel : File.Kernels) {
      checkNames(Kernel);
      Kernel.Sizes = Sizes;
      Kernel.Buffers = Buffers;
    }
    checkUse();
    resolveLinks(File, Sizes, Result, Wrong);
    Result.Kernels.insert(Result.Kernels.end(), File.Kernels.begin(), File.Kernels.end());
    return Wrong.take();
  }

private:
  std::optional<Number> value(const Expression &E) {
    bool Known = true;
    for (const Expression *Name : namesIn(E)) {
      if (Sizes.count(Name->Text))
        continue;
      Known = false;
      unknown(*Name, "");
    }
    return Known ? Wrong.value(evaluate(E, Sizes)) : std::nullopt;
  }
  void unknown(const Expression &Name, const char *More) {
    const bool Later = llvm::any_of(File.Sizes, [&](const WorkloadSize &S) { return S.Name == Name.Text; });
    Wrong.add(Name.Where,
              Later ? fmt::format("the size '{}' has no value yet", Name.Text)
                    : fmt::format("'{}' is no size{}", Name.Text, More),
              Later ? "give it before those that follow from it"
                    : suggestion(Name.Text, llvm::to_vector(llvm::make_first_range(Sizes))));
  }

  void addBuffer(const WorkloadBuffer &Buffer) {
    BufferSpec Spec;
    Spec.Name = Prefix + Buffer.Name;
    Spec.Type = Buffer.Type;
    Spec.Output = Buffer.Output;
    Spec.Accumulated = Buffer.Accumulated;
    if (const auto Count = value(*Buffer.Count)) {
      // As many bytes as a device could have.
      constexpr Integer Most = Integer(1) << 40;
      if (!Count->isInteger())
        Wrong.add(Buffer.Count->Where,
                  fmt::format("'{}' would have {} elements, a real number", Buffer.Name, Count->str()),
                  "write an integer without point and exponent, like 1000");
      else if (Count->integer() < 1 || Count->integer() > Most)
        Wrong.add(Buffer.Count->Where, fmt::format("'{}' would have {} elements", Buffer.Name, Count->str()),
                  fmt::format("give 1 to {}", Number{Most}.str()));
      else
        Spec.Count = static_cast<std::uint64_t>(Count->integer());
    }
    Spec.Init.What = Buffer.Init;
    // Buffers differ, and stay as they are when others come and go.
    Spec.Init.Seed = llvm::xxh3_64bits(Buffer.Name);
    double *Values[] = {&Spec.Init.A, &Spec.Init.B};
    for (size_t I = 0; I < Buffer.InitValues.size(); ++I)
      if (const auto Value = value(Buffer.InitValues[I])) {
        *Values[I] = Value->real();
        const auto Range = rangeOf(Buffer.Type);
        const bool Exclusive = Buffer.Init == Initializer::Uniform && I == 1;
        if (Range && Buffer.Init != Initializer::Normal &&
            (!Value->isInteger() || Value->integer() < Range->Min || Value->integer() > Range->Max + Exclusive))
          Wrong.add(Buffer.InitValues[I].Where,
                    fmt::format("{} is no value of the elements of '{}'", Value->str(), Buffer.Name));
        else if (Value->isInteger() && Number::Integer(Value->real()) != Value->integer())
          Wrong.add(Buffer.InitValues[I].Where,
                    fmt::format("{} would be rounded: elements are computed in double", Value->str()),
                    "give a number of at most 53 bits, or a file with the elements");
      }
    if (Buffer.Init == Initializer::Uniform && !(Spec.Init.A < Spec.Init.B))
      Wrong.add(Buffer.InitPlace, "the first bound must be less than the second");
    if (Buffer.Init == Initializer::Normal && Spec.Init.B < 0)
      Wrong.add(Buffer.InitPlace, "a standard deviation is not negative");
    if (Buffer.Init == Initializer::File)
      checkFile(Buffer, Spec);
    for (const auto &[Written, Place] :
         {std::pair{&Buffer.Absolute, &Spec.Compare.Absolute}, std::pair{&Buffer.Relative, &Spec.Compare.Relative}})
      if (*Written)
        if (const auto Value = value(**Written)) {
          *Place = Value->real();
          if (*Place < 0)
            Wrong.add((*Written)->Where, "a tolerance is not negative");
        }
    Result.Buffers.push_back(std::move(Spec));
  }

  void checkFile(const WorkloadBuffer &Buffer, BufferSpec &Spec) {
    Spec.Init.Path = Buffer.InitFile;
    std::uint64_t Bytes = 0;
    if (const std::error_code Error = llvm::sys::fs::file_size(Buffer.InitFile, Bytes))
      Wrong.add(Buffer.InitPlace, fmt::format("cannot read '{}': {}", Buffer.InitFile, Error.message()));
    else if (!llvm::sys::fs::is_regular_file(Buffer.InitFile))
      Wrong.add(Buffer.InitPlace, fmt::format("'{}' is no regular file", Buffer.InitFile));
    else if (Bytes != Spec.Count * bytesOf(Spec.Type))
      Wrong.add(Buffer.InitPlace, fmt::format("'{}' has {} bytes, '{}' takes {}", Buffer.InitFile, Bytes, Buffer.Name,
                                              Spec.Count * bytesOf(Spec.Type)));
  }

  static bool isBlock(const std::string &Name) { return Name == "block.x" || Name == "block.y" || Name == "block.z"; }

  void checkNames(const WorkloadKernel &Kernel) {
    auto Check = [&](const Expression &E, bool Buffers) {
      for (const Expression *Name : namesIn(E)) {
        const bool IsBuffer = llvm::any_of(File.Buffers, [&](const WorkloadBuffer &B) { return B.Name == Name->Text; });
        if (!Sizes.count(Name->Text) && !isBlock(Name->Text) && !(Buffers && (IsBuffer || Name->Text == "nullptr")))
          unknown(*Name, Buffers ? ", buffer or block dimension" : " or block dimension");
      }
    };
    for (const Expression &Dimension : Kernel.Grid)
      Check(Dimension, false);
    if (Kernel.DynamicBytes)
      Check(*Kernel.DynamicBytes, false);
    if (const auto &Product = Kernel.Product)
      for (const auto *Given : {&Product->PitchA, &Product->PitchB, &Product->PitchC, &Product->Batch, &Product->Height,
                                &Product->Width, &Product->Size})
        if (*Given)
          Check(**Given, false);
    for (const WorkloadArgument &Argument : Kernel.Arguments)
      if (Argument.Value)
        Check(*Argument.Value, true);
  }

  /// Without links, kernels run side by side: none may overwrite what another writes.
  void checkUse() {
    for (const WorkloadBuffer &Buffer : File.Buffers) {
      std::vector<std::string> Users;
      for (const WorkloadKernel &Kernel : File.Kernels)
        if (llvm::any_of(Kernel.Arguments, [&](const WorkloadArgument &A) {
              return A.Value && llvm::any_of(namesIn(*A.Value), [&](auto *Name) { return Name->Text == Buffer.Name; });
            }))
          Users.push_back(Kernel.Name);
      if (Users.empty())
        Wrong.add(Buffer.Where, fmt::format("no kernel uses '{}'", Buffer.Name));
      else if (Users.size() > 1 && Buffer.Output && !Buffer.Accumulated && File.Links.empty())
        Wrong.add(Buffer.Where, fmt::format("{} and {} both use the output '{}'", Users[0], Users[1], Buffer.Name),
                  "give each a buffer of its own, since they run at the same time, or say `links: …`");
    }
  }

  WorkloadFile &File;
  const std::string &Prefix;
  Workload &Result;
  Numbers Sizes;
  Complaints Wrong;
};

} // namespace

llvm::Error resolve(WorkloadFile &File, const std::string &Prefix, Workload &Result) {
  return Resolver(File, Prefix, Result).run();
}

} // namespace cufuse
