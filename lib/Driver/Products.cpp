#include "cufuse/Driver/Products.h"

#include "cufuse/Products/ProductEnds.h"
#include "cufuse/ReadAccesses/Softmax.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

#include <set>

namespace cufuse {

namespace {

/// What takes the elements of a product's A has a name of its own.
std::string takerOf(const std::string &Product) { return Product + "_a"; }

class ChainReader {
public:
  ChainReader(const std::string &File, const Workload &Work, FuseRequest &Into) : Work(Work), Into(Into) {
    for (unsigned I = 0; I < Work.Kernels.size(); ++I)
      if (Work.Kernels[I].Product)
        Products.push_back(I);
    Into.OtherInputs.push_back(File);
  }

  llvm::Error run() {
    TRY(findOrder());
    for (unsigned Which : Products)
      read(Which);
    if (Messages.empty())
      compare();
    kernels();
    if (!Messages.empty())
      return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
    links();
    return llvm::Error::success();
  }

private:
  const WorkloadKernel &kernel(unsigned Which) const { return Work.Kernels[Which]; }
  void say(unsigned Which, std::string Text, std::string Remedy) {
    Messages.push_back({kernel(Which).Where, kernel(Which).Name + ": " + std::move(Text), std::move(Remedy)});
  }
  static const WorkloadArgument &argument(const WorkloadKernel &Kernel, llvm::StringRef Name) {
    return *llvm::find_if(Kernel.Arguments, [&](const WorkloadArgument &A) { return A.Parameter == Name; });
  }
  bool isLinked(unsigned From, llvm::StringRef Factor) const {
    return llvm::any_of(
        Work.Links, [&](const WorkloadLink &L) { return L.IsArray && L.From == From && L.Factors.front() == Factor; });
  }
  bool isLinkedTo(unsigned To, llvm::StringRef Parameter) const {
    return llvm::any_of(Work.Links,
                        [&](const WorkloadLink &L) { return L.IsArray && L.To == To && L.Parameter == Parameter; });
  }

  /// The last takes its `a` from what comes of those before: one, or two that multiply the same rows.
  llvm::Error findOrder() {
    if (Products.size() < 2 || Products.size() > 3)
      return badInput(fmt::format("{} products of matrices", Products.size()),
                      "a chain has two of them, or three with a gate: write `- matmul: …` for each",
                      kernel(Products.size() > 3 ? Products[3] : 0).Where);
    llvm::stable_sort(Products, [&](unsigned A, unsigned B) { return !isLinkedTo(A, "a") && isLinkedTo(B, "a"); });
    const auto NameOfA = [&](unsigned Which) {
      const auto &Given = argument(kernel(Which), "a").Value;
      return Given ? Given->Text : std::string();
    };
    const unsigned Before = Products[Products.size() - 2];
    if (!isLinkedTo(Products.back(), "a") || isLinkedTo(Before, "a"))
      return badInput(
          fmt::format("the products {} and {} are no chain", kernel(Before).Name, kernel(Products.back()).Name),
          "link what comes of one to `a` of the other", kernel(Products.back()).Where);
    if (NameOfA(Products[0]) != NameOfA(Before))
      return badInput(
          fmt::format("{} and {} multiply rows of two arrays", kernel(Products[0]).Name, kernel(Before).Name),
          "two products before the last are a gate: give both the same `a`", kernel(Before).Where);
    return llvm::Error::success();
  }

  std::int64_t number(const WorkloadKernel &Kernel, const Expression &E) { return number(E, Kernel.Sizes); }
  std::int64_t number(const Expression &E, const Numbers &Known) {
    auto Value = evaluate(E, Known);
    if (!Value) {
      llvm::handleAllErrors(Value.takeError(), [&](const Failure &F) { llvm::append_range(Messages, F.Messages); });
      return 1;
    }
    constexpr Number::Integer Most = 0x7fffffff;
    if (Value->isInteger() && Value->integer() >= 1 && Value->integer() <= Most)
      return static_cast<std::int64_t>(Value->integer());
    Messages.push_back({E.Where, fmt::format("{} is no size", Value->str()), "give 1 to 2147483647"});
    return 1;
  }

  const BufferSpec *buffer(unsigned Which, const char *Array) {
    const WorkloadArgument &Given = argument(kernel(Which), Array);
    const auto Known = Given.Value ? kernel(Which).Buffers.find(Given.Value->Text) : kernel(Which).Buffers.end();
    if (Known == kernel(Which).Buffers.end()) {
      Messages.push_back({Given.Where, fmt::format("{} of a product is a buffer", Array), "write its name"});
      return nullptr;
    }
    return &*llvm::find_if(Work.Buffers, [&](const BufferSpec &B) { return B.Name == Known->second; });
  }

  static const char *typeOf(ElementType Type) {
    return Type == ElementType::F16    ? "__half"
           : Type == ElementType::BF16 ? "__nv_bfloat16"
           : Type == ElementType::F32  ? "float"
                                       : nullptr;
  }

  /// Its type, after all that may be wrong with an array of `Rows` x `Columns`.
  std::string array(unsigned Which, const char *Name, std::int64_t Rows, std::int64_t Columns,
                    const std::optional<Expression> &Given, std::int64_t &Pitch) {
    Pitch = Given ? number(kernel(Which), *Given) : Columns;
    const BufferSpec *Buffer = buffer(Which, Name);
    if (!Buffer)
      return "";
    const SourcePlace Where = argument(kernel(Which), Name).Where;
    const char *const Type = typeOf(Buffer->Type);
    if (!Type || (Type == llvm::StringRef("float") && Name != llvm::StringRef("c")))
      Messages.push_back({Where,
                          fmt::format("{} has elements of {}, of which there are no products here", Buffer->Name,
                                      nameOf(Buffer->Type).str()),
                          "f16 and bf16 have; what comes of them may be f32"});
    if (Columns % 8 != 0 || Pitch % 8 != 0)
      Messages.push_back({Where,
                          fmt::format("rows of {} have {} elements and begin {} apart", Buffer->Name, Columns, Pitch),
                          "both must be multiples of 8: add columns of zeros"});
    if (Pitch < Columns)
      Messages.push_back({Where,
                          fmt::format("rows of {} have {} elements, and begin {} apart", Buffer->Name, Columns, Pitch),
                          "give a pitch of no less"});
    if (const std::int64_t Needed = (Rows - 1) * Pitch + Columns; static_cast<std::int64_t>(Buffer->Count) < Needed)
      Messages.push_back(
          {Where,
           fmt::format("{} has {} elements, and {} takes {}", Buffer->Name, Buffer->Count, kernel(Which).Name, Needed),
           "give it as many"});
    return Type ? Type : "";
  }

  void read(unsigned Which) {
    const WorkloadKernel &Kernel = kernel(Which);
    const WorkloadProduct &Given = *Kernel.Product;
    RequestedProduct &Product = Into.Products.emplace_back();
    Product.Name = Kernel.Name;
    Product.Where = Kernel.Where;
    ProductFacts &P = Product.Facts;
    auto Size = [&](const char *Name) { return number(Kernel, *argument(Kernel, Name).Value); };
    Product.M = Size("m");
    P.N = Size("n");
    P.K = Size("k");
    P.InRows = Given.InRows;
    if (Given.Size)
      readWindows(Which, Given, Product);
    P.Type = array(Which, "a", Product.M, P.columnsOfA(), Given.PitchA, P.PitchA);
    const std::int64_t Batch = Given.Batch ? number(Kernel, *Given.Batch) : 1;
    if (Product.M % Batch != 0)
      Messages.push_back({Given.Batch->Where, fmt::format("{} rows are not {} equal parts", Product.M, Batch),
                          "m counts the rows of all"});
    P.Rows = Given.Batch ? Product.M / Batch : 0;
    const std::string OfB =
        array(Which, "b", Batch * (P.InRows ? P.K : P.N), P.InRows ? P.N : P.K, Given.PitchB, P.PitchB);
    P.Result = array(Which, "c", Product.M, P.N, Given.PitchC, P.PitchC);
    if (!P.Type.empty() && !OfB.empty() && P.Type != OfB)
      say(Which, fmt::format("a has elements of {}, b of {}", P.Type, OfB), "give both the same type");
  }

  void readWindows(unsigned Which, const WorkloadProduct &Given, RequestedProduct &Product) {
    const WorkloadKernel &Kernel = kernel(Which);
    ProductFacts &P = Product.Facts;
    ImageWindows &W = P.Windows;
    W = {number(Kernel, *Given.Height), number(Kernel, *Given.Width), number(Kernel, *Given.Size), 0};
    constexpr std::int64_t MostPixels = 1 << 15, MostSize = 15, Panel = 64;
    if (W.Size % 2 == 0 || W.Size > MostSize || W.Height > MostPixels || W.Width > MostPixels) {
      say(Which, fmt::format("windows of {0} x {0} of images of {1} x {2}", W.Size, W.Height, W.Width),
          fmt::format("sizes are odd and up to {}, images have up to {} rows and columns", MostSize, MostPixels));
      W = {};
      return;
    }
    W.Channels = P.K / (W.Size * W.Size);
    if (W.Channels * W.Size * W.Size != P.K || W.Channels % Panel != 0)
      say(Which, fmt::format("k is {}, for windows of {} pixels", P.K, W.Size * W.Size),
          fmt::format("give each pixel a multiple of {} channels", Panel));
    if (Product.M % (W.Height * W.Width) != 0)
      say(Which, fmt::format("m is {}, and an image has {} pixels", Product.M, W.Height * W.Width),
          "m counts the pixels of all images");
    if (Given.PitchA)
      say(Which, "a has windows and a pitch", "leave out the pitch: pixels follow each other");
    if (isLinkedTo(Which, "a"))
      say(Which, "takes windows of what a kernel makes", "make it before: only what is in memory has windows");
  }

  void compare() {
    const ProductFacts &First = Into.Products.front().Facts, &Last = Into.Products.back().Facts;
    const std::string &OfFirst = Into.Products.front().Name;
    for (unsigned I = 1; I < Products.size(); ++I) {
      const ProductFacts &Own = Into.Products[I].Facts;
      if (const std::int64_t M = Into.Products[0].M, Other = Into.Products[I].M; M != Other)
        say(Products[I], fmt::format("m is {}, and {} has {}", Other, OfFirst, M), "give both the same m");
      if (Own.Rows != First.Rows)
        say(Products[I], fmt::format("batch is another than that of {}", OfFirst), "give both the same");
      if (Own.Type != First.Type)
        say(Products[I], fmt::format("multiplies {}, and {} {}", Own.Type, OfFirst, First.Type),
            "give both the same type");
      if (&Own != &Last &&
          (Own.N != First.N || Own.K != First.K || Own.InRows != First.InRows || Own.Windows != First.Windows ||
           Own.PitchA != First.PitchA || Own.Result != First.Result || Own.PitchC != Own.N))
        say(Products[I], fmt::format("has other sizes, pitches or types than {}", OfFirst), "give both the same");
    }
    if (Last.K != First.N)
      say(Products.back(), fmt::format("k is {}, and n of {} is {}", Last.K, OfFirst, First.N),
          "what lies between has as many columns as the one makes and the other takes");
    if (First.PitchC != First.N || Last.PitchA != Last.K || (isLinked(Products.back(), "c") && Last.PitchC != Last.N))
      say(Products.back(), "what kernels exchange with products has a pitch", "leave the pitch of linked arrays out");
  }

  void kernels() {
    for (unsigned I = 0; I < Work.Kernels.size(); ++I) {
      if (kernel(I).Product)
        continue;
      if (!Into.Kernels.empty() && kernel(I).Flags != Flags)
        say(I, "has other flags than those before", "give the same to all kernels of a chain");
      Flags = kernel(I).Flags;
      Into.Kernels.push_back(kernel(I).Spec);
      Into.Names.push_back(kernel(I).Name);
      Into.Launches.push_back(launch(kernel(I)));
    }
    if (Into.Kernels.empty())
      say(Products.back(), "no kernel stands between or behind the products", "add a pointwise kernel");
    if (!Flags.empty() && !Into.Flags.Written.empty())
      say(Products.back(), "flags are in the workload and behind `--`", "use one of them");
    if (!Flags.empty()) {
      Into.Flags.Written = Flags;
      Into.Flags.Folder = kernel(0).Folder;
    }
  }

  RequestedLaunch launch(const WorkloadKernel &Kernel) {
    RequestedLaunch Launch{Kernel.Blocks.front(), 1, Kernel.Where};
    Numbers Known = Kernel.Sizes;
    Known["block.x"].Value = Number::Integer(Launch.Block.X);
    Known["block.y"].Value = Number::Integer(Launch.Block.Y);
    Known["block.z"].Value = Number::Integer(Launch.Block.Z);
    std::set<std::string> Arrays;
    for (const WorkloadArgument &A : Kernel.Arguments)
      for (const Expression *Name : A.Value ? namesIn(*A.Value) : std::vector<const Expression *>())
        Launch.Overlaps |= Kernel.Buffers.count(Name->Text) && !Arrays.insert(Name->Text).second;
    for (const Expression &Dimension : Kernel.Grid) {
      const std::int64_t Blocks = number(Dimension, Known);
      Launch.Blocks = &Dimension == &Kernel.Grid.front() ? Blocks : Blocks > 1 ? 0 : Launch.Blocks;
    }
    return Launch;
  }

  void links() {
    const std::string First = kernel(Products[0]).Name, Second = kernel(Products.back()).Name, Taker = takerOf(Second);
    auto Add = [&](const std::string &From, std::vector<std::string> Factors, const std::string &To,
                   const std::string &Parameter) {
      Into.Links.push_back(
          {From, To, Factors, Parameter, fmt::format("{}.{}={}.{}", From, llvm::join(Factors, "*"), To, Parameter)});
    };
    Add(First, {"m"}, Taker, "m");
    for (unsigned I = 1; I < Products.size(); ++I)
      Add(First, {"m"}, kernel(Products[I]).Name, "m");
    for (const WorkloadLink &L : Work.Links) {
      const std::string &From = kernel(L.From).Name, &To = kernel(L.To).Name;
      if (kernel(L.To).Product && !L.IsArray)
        continue; // they are known, and were compared
      Add(From, L.Factors, To == Second && L.Parameter == "a" ? Taker : To, L.Parameter);
      if (L.IsArray && llvm::is_contained(Work.Dead, argument(kernel(L.From), L.Factors.front()).Value->Text) &&
          !llvm::is_contained(Into.Dead, From + "." + L.Factors.front()))
        Into.Dead.push_back(From + "." + L.Factors.front());
    }
    for (unsigned I = 0; I + 1 < Products.size(); ++I)
      Into.Names.insert(Into.Names.begin() + I, kernel(Products[I]).Name);
    Into.Names.push_back(Taker);
    Into.Names.push_back(Second);
    Into.Vertical = true;
  }

  const Workload &Work;
  FuseRequest &Into;
  std::vector<unsigned> Products; ///< By position, the last one last.
  std::vector<std::string> Flags;
  std::vector<Message> Messages;
};

/// Where a kernel of rows makes the second product's A: if it is shown to be a softmax, the product takes its rows, and
/// it goes.
class SoftmaxTaker {
public:
  SoftmaxTaker(FuseRequest &Request, std::vector<LoadedKernel> &Kernels)
      : Request(Request), Kernels(Kernels), First(Request.Products.front()), Second(Request.Products.back()) {}

  llvm::Error run() {
    for (unsigned I = 0; I < Kernels.size(); ++I)
      for (const LinkText &L : Request.Links)
        if (L.From == name(I) && L.To == takerOf(Second.Name) && L.Parameter == "a" &&
            !isOfElements(Kernels[I], L.Factors.front()))
          return take(I, L.Factors.front());
    return llvm::Error::success();
  }

private:
  const std::string &name(unsigned Kernel) const { return Request.Names[Kernel + Request.Products.size() - 1]; }
  llvm::Error refuse(unsigned Kernel, const std::string &Why, const std::string &Remedy) const {
    return badInput(
        fmt::format("{} is no function of an element, and not shown to be a softmax: {}", name(Kernel), Why), Remedy,
        Kernels[Kernel].Facts.Where);
  }

  /// Stores a thread an element? A thread of a kernel of rows may have a whole row, by a loop.
  static bool isOfElements(const LoadedKernel &Kernel, const std::string &Out) {
    return Kernel.Shape.Shape == KernelShape::Pointwise && Kernel.Shape.Width == 1 &&
           llvm::none_of(Kernel.Accesses.Sites, [&](const AccessSite &S) {
             return S.What == AccessSite::Kind::Store && S.Parameter == Out && S.Index &&
                    llvm::any_of(Kernel.Accesses.Loops, [&](const LoopAccess &L) {
                      return S.Index->contains(L.Atom) && *S.Index != Polynomial::atom(L.Atom);
                    });
           });
  }

  llvm::Error take(unsigned Kernel, const std::string &Out) {
    const LoadedKernel &Own = Kernels[Kernel];
    const RequestedLaunch &Launch = Request.Launches[Kernel];
    SoftmaxLaunch Asked{Launch.Block, 1, First.Facts.N, {}, "", Out};
    for (const LinkText &L : Request.Links) {
      if (L.From == name(Kernel) && L.To != takerOf(Second.Name))
        return refuse(Kernel, fmt::format("{} takes what it makes, too", L.To), "leave that link out");
      if (L.To != name(Kernel))
        continue;
      if (isArray(Own, L.Parameter))
        Asked.In = L.Parameter;
      else if (const auto Value = number(L)) {
        const ParameterAccess *To = parameter(Own, L.Parameter);
        if (!To || !To->Integer || (*Value && To->Bits <= 32 && !llvm::isInt<32>(**Value)))
          return refuse(Kernel, fmt::format("{} may not hold {}", L.Parameter, llvm::join(L.Factors, "*")),
                        "make it an int");
        Asked.Numbers[L.Parameter] = *Value;
      }
    }
    const ParameterAccess *const From = parameter(Own, Asked.In), *const To = parameter(Own, Out);
    if (!From || !To)
      return refuse(Kernel, "what it takes comes of no kernel here", "link its rows to what comes before");
    if (Launch.Overlaps)
      return refuse(Kernel, "two of its arrays are one", "give it another one for what it makes");
    if (Launch.Blocks == 0 || First.M % Launch.Blocks != 0)
      return refuse(Kernel, fmt::format("{} rows are no whole number for each block", First.M),
                    "launch it with a grid in x, whose blocks have equally many rows");
    Asked.Rows = First.M / Launch.Blocks;
    if (!llvm::is_contained(Request.Dead, name(Kernel) + "." + Out))
      return refuse(Kernel, fmt::format("{} is read elsewhere", Out), "say that it is dead");
    const std::string Taken = typeOf(*From);
    if ((Taken != "float" && Taken != "__half" && Taken != "__nv_bfloat16") || typeOf(*To) != Second.Facts.Type)
      return refuse(Kernel, fmt::format("from {} to {}", Taken, typeOf(*To)),
                    fmt::format("take float, and store {}", Second.Facts.Type));
    Reached Reach;
    const std::unique_ptr<DeviceIr> Ir = reach(*Own.Parsed.Unit, *Own.Parsed.Kernel, Reach);
    if (!Ir)
      return refuse(Kernel, "Clang makes no code of it", "write it in another way");
    SoftmaxScale Scale;
    if (const auto Why = notSoftmax(*Ir, Own.Facts, Own.Accesses, Asked, Scale))
      return badInput(
          fmt::format("{} is no function of an element, and not shown to be a softmax: {}", name(Kernel), Why->What),
          "link its sizes, and write max, exp, sum and quotient plainly; or leave it to a launch of its own",
          Why->Where);
    if (!Request.Composition.Reassociate)
      return badInput(fmt::format("the softmax of {} would be summed in another order", name(Kernel)),
                      "allow that with --reassociate", Own.Facts.Where);
    Second.Facts.Softmax = Taken;
    Second.Facts.Scale = Scale.Constant;
    Second.Facts.ScaledBy = Scale.Parameter.empty() ? "" : "scale";
    leaveOut(Kernel);
    return llvm::Error::success();
  }

  static const ParameterAccess *parameter(const LoadedKernel &Kernel, const std::string &Name) {
    const auto Found =
        llvm::find_if(Kernel.Accesses.Parameters, [&](const ParameterAccess &P) { return P.Name == Name; });
    return Found == Kernel.Accesses.Parameters.end() ? nullptr : &*Found;
  }
  static bool isArray(const LoadedKernel &Kernel, const std::string &Name) {
    const ParameterAccess *P = parameter(Kernel, Name);
    return P && !P->Element.empty();
  }
  static std::string typeOf(const ParameterAccess &P) {
    llvm::StringRef Name = P.Element;
    Name.consume_front("struct ");
    return Name.str();
  }

  /// What a number of a product is in every launch; no value: its rows. Nothing if that is not known.
  std::optional<std::optional<std::int64_t>> number(const LinkText &L) const {
    if (L.From != First.Name && L.From != Second.Name)
      return std::nullopt;
    std::int64_t Value = 1;
    bool OfRows = false;
    for (const std::string &Factor : L.Factors) {
      std::int64_t Number = 0;
      if (const auto Known = (L.From == First.Name ? First : Second).Facts.known(Factor))
        Value *= *Known;
      else if (Factor == "m" && !OfRows)
        OfRows = true;
      else if (!llvm::StringRef(Factor).getAsInteger(10, Number))
        Value *= Number;
      else
        return std::nullopt;
    }
    if (!OfRows)
      return std::optional(Value);
    return Value == 1 ? std::optional(std::optional<std::int64_t>()) : std::nullopt;
  }

  void leaveOut(unsigned Kernel) {
    const std::string Name = name(Kernel), Taker = takerOf(Second.Name);
    llvm::erase_if(Request.Links, [&](const LinkText &L) {
      return L.From == Name || (L.To == Name && !isArray(Kernels[Kernel], L.Parameter));
    });
    for (LinkText &L : Request.Links)
      if (L.To == Name) {
        L.To = Taker;
        L.Parameter = "a";
        L.Text = fmt::format("{}.{}={}.a", L.From, llvm::join(L.Factors, "*"), Taker);
      }
    llvm::erase_if(Request.Dead,
                   [&](const std::string &Dead) { return llvm::StringRef(Dead).starts_with(Name + "."); });
    llvm::erase(Request.Names, Name);
    Kernels.erase(Kernels.begin() + Kernel);
  }

  FuseRequest &Request;
  std::vector<LoadedKernel> &Kernels;
  const RequestedProduct &First;
  RequestedProduct &Second;
};

} // namespace

llvm::Error requestProducts(const std::string &File, FuseRequest &Into) {
  return ChainReader(File, TRY(readWorkload({File}, {})), Into).run();
}

llvm::Error addProducts(FuseRequest &Request, std::vector<LoadedKernel> &Kernels) {
  if (Request.Products.empty())
    return llvm::Error::success();
  const LoadedKernel Known = Kernels.front();
  TRY(SoftmaxTaker(Request, Kernels).run());
  const RequestedProduct &First = Request.Products.front(), &Second = Request.Products.back();
  const unsigned Factors = static_cast<unsigned>(Request.Products.size() - 1);
  auto Plan = TRY(planProducts(First.Facts, Factors, Second.Facts, First.M, Known.Arch, Second.Where));
  Request.Composition.Products = Plan;
  if (Plan.By == ProductsPlan::Way::Grid) // stored, and read again, in the array that is there for it
    for (const LinkText &L : Request.Links)
      if (L.To == takerOf(Second.Name) && L.Parameter == "a")
        llvm::erase(Request.Dead, L.From + "." + L.Factors.front());
  Request.Blocks = {{"", {Plan.Threads, 1, 1}}};
  if (Plan.isOfWarpgroups())
    Request.Registers = {RegisterPolicy::Count, ProductsPlan::AtLaunch, 0};
  auto Loaded = [&](const RequestedProduct &Product, ProductEnd End) {
    // One header is read for all.
    for (IncludeLine &Own : End.Text.Includes)
      for (const LoadedKernel &Kernel : Kernels)
        for (const IncludeLine &Include : Kernel.Text.Includes)
          if (Include.Text == Own.Text) {
            const bool ForArguments = Own.ForArguments || Include.ForArguments;
            Own = Include;
            Own.ForArguments = ForArguments;
          }
    LoadedKernel Result{
        {Product.Where.File, Product.Name}, std::move(End.Facts), std::move(End.Text), Known.Flags, Known.Arch};
    Result.Accesses = std::move(End.Accesses);
    Result.Shape = std::move(End.Shape);
    Result.Product = Product.Facts;
    Result.Predefined = Known.Predefined;
    return Result;
  };
  std::vector<LoadedKernel> Making;
  for (const RequestedProduct &Each : llvm::ArrayRef(Request.Products).drop_back())
    Making.push_back(Loaded(Each, makingEnd(Each.Name, Each.Facts, Making.empty(), Each.Where)));
  LoadedKernel Taking = Loaded(Second, takingEnd(takerOf(Second.Name), Second.Facts, Second.Where));
  LoadedKernel Last = Loaded(Second, makingEnd(Second.Name, Second.Facts, false, Second.Where));
  Kernels.insert(Kernels.begin(), std::make_move_iterator(Making.begin()), std::make_move_iterator(Making.end()));
  Kernels.push_back(std::move(Taking));
  Kernels.push_back(std::move(Last));
  return llvm::Error::success();
}

} // namespace cufuse
