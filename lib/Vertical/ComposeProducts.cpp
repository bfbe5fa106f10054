// Two products of matrices as one kernel, with pointwise kernels between and behind them.
#include "ComposeElements.h"
#include "EmittedCuda.h"

#include "cufuse/Dependence/LoopLegality.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

bool makes(const VerticalNode &N) { return N.Product && N.parameter("c"); }

/// What makes the elements of a product, or of two by a gate, and all that they go to.
struct Stage {
  std::vector<unsigned> Makers;
  std::vector<unsigned> Nodes; ///< In their order, the makers among them.
  unsigned from() const { return Makers.front(); }
};

/// In their order.
std::vector<Stage> stagesOf(const VerticalGraph &Graph) {
  std::vector<Stage> Stages;
  for (unsigned From : Graph.Order) {
    if (!makes(Graph.Nodes[From]))
      continue;
    Stage Own = {{From}, {From}};
    for (unsigned Node : Graph.Order)
      if (llvm::any_of(Graph.Flows,
                       [&](const Flow &F) { return F.Consumer == Node && llvm::is_contained(Own.Nodes, F.Producer); }))
        Own.Nodes.push_back(Node);
    const auto Meets = [&](unsigned Node) { return llvm::is_contained(Own.Nodes, Node); };
    const auto Same = llvm::find_if(Stages, [&](const Stage &S) { return llvm::any_of(S.Nodes, Meets); });
    if (Same == Stages.end()) {
      Stages.push_back(std::move(Own));
      continue;
    }
    Same->Makers.push_back(From);
    llvm::append_range(Own.Nodes, Same->Nodes);
    Same->Nodes.clear();
    llvm::copy_if(Graph.Order, std::back_inserter(Same->Nodes), Meets);
  }
  return Stages;
}

/// The stage alone, as a loop over elements would be of it.
VerticalGraph graphOf(const VerticalGraph &Graph, const Stage &S) {
  VerticalGraph Own = Graph;
  Own.Root = S.from();
  Own.Order = S.Nodes;
  llvm::erase_if(Own.Flows, [&](const Flow &F) { return !llvm::is_contained(S.Nodes, F.Producer); });
  return Own;
}

/// The texts of the kernels, and a call of `CufuseProducts` with a function for each stage that calls them.
class ProductsComposer final : ElementComposer {
public:
  ProductsComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
                   llvm::ArrayRef<AtMost> Requirements, const std::vector<Stream> &Streams, const ProductsPlan &Plan)
      : ElementComposer(Graph, Texts, Requirements, Streams), Plan(Plan), Stages(stagesOf(Graph)),
        First(*Graph.Nodes[Stages[0].from()].Product), Second(*Graph.Nodes[Stages[1].from()].Product) {}

  ComposedKernel run() {
    facts();
    nameWithoutEnds();
    elementFacts();
    if (Plan.isForSm90()) {
      Result.Facts.WarpgroupBudgets =
          Plan.isOfWarpgroups() ? std::set{ProductsPlan::Computing, ProductsPlan::Loading} : std::set{0u};
      Result.Facts.CopiesAsynchronously = Plan.isByMaps();
      Result.Text.Architectures = {900};
    }
    objects();
    texts();
    chain();
    products();
    conditions();
    std::vector<std::string> Pointers = {a(), b(), d(), memory(result())};
    if (isInTurns())
      Pointers.push_back(memory(between()));
    if (isGated())
      Pointers.push_back(gate());
    for (const std::string &Pointer : Pointers)
      refuseIf(outputText("reinterpret_cast<size_t>({}) % 16 != 0", launched(Pointer)),
               "16 bytes are loaded at a time");
    if (const ImageWindows &W = First.Windows; W.Size > 0)
      refuseIf(outputText("{} % {} != 0", launched(rows()), W.Height * W.Width), "an image has so many pixels");
    if (First.Rows > 0)
      refuseIf(outputText("{} % {} != 0", launched(rows()), First.Rows), "so many rows share a matrix");
    return std::move(Result);
  }

private:
  std::string a() const { return argument(Stages[0].from(), "a"); }
  std::string b() const { return argument(Stages[0].from(), "b"); }
  bool isGated() const { return Stages[0].Makers.size() > 1; }
  std::string gate() const { return argument(Stages[0].Makers[1], "b"); }
  std::string d() const { return argument(Stages[1].from(), "b"); }
  std::string rows() const { return argument(Stages[0].from(), "m"); }
  static OutputText launched(const std::string &Argument) { return OutputText::Slot::Argument + OutputText(Argument); }
  bool isIn(const Stream &S, const Stage &Of) const { return llvm::is_contained(Of.Nodes, S.Users.front().first); }
  const Stream &result() const {
    return *llvm::find_if(Streams, [&](const Stream &S) { return S.Stores && isIn(S, Stages[1]); });
  }
  bool isInTurns() const { return Plan.By == ProductsPlan::Way::Grid; }
  /// What the second product takes, where it is stored.
  const Stream &between() const { return Streams[*streamOf(Streams, taker(), "a")]; }
  unsigned taker() const {
    return *llvm::find_if(Stages[0].Nodes,
                          [&](unsigned Node) { return Graph.Nodes[Node].Product && !makes(Graph.Nodes[Node]); });
  }
  bool isBySum() const { return result().Users.front().first == Stages[1].from(); }

  /// What takes the elements of a product is no kernel of its own.
  void nameWithoutEnds() {
    std::vector<std::string> Names;
    for (unsigned Node : Graph.Order)
      if (!Graph.Nodes[Node].Product || makes(Graph.Nodes[Node]))
        Names.push_back(name(Node));
    Result.Facts.Name = llvm::join(Names, "_");
    Result.Facts.QualifiedName = llvm::join(Names, ", then ");
  }

  /// What a function is given of each product. Between the products, that is the array's element.
  static const char *sum(unsigned Maker) { return Maker == 0 ? "sum" : "gate"; }
  OutputText sumAs(const Stage &Of, unsigned Maker, const OutputText &Type) const {
    return Of.from() == Stages[0].from() ? outputText(" = {}", sum(Maker)) : outputText(" = {}({})", Type, sum(Maker));
  }

  /// From the sum of an element to the values of all streams of a stage.
  OutputText function(const Stage &Of) const {
    std::vector<OutputText> Lines = {"    const unsigned at = static_cast<unsigned>(first);"};
    const auto Maker = [&](const Stream &S) {
      return llvm::find_if(Of.Makers, [&](unsigned Node) { return &S == &Streams[*streamOf(Streams, Node, "c")]; }) -
             Of.Makers.begin();
    };
    for (const Stream &S : Streams)
      if (isIn(S, Of)) {
        const auto &[Node, Parameter] = S.Users.front();
        Lines.push_back(outputText("    {} {}{};", element(Node, Parameter), registers(S),
                                   Maker(S) < std::ssize(Of.Makers) ? sumAs(Of, Maker(S), element(Node, Parameter))
                                   : S.Loads                        ? OutputText(" = " + memory(S) + "[first]")
                                                                    : OutputText()));
      }
    for (unsigned Node : Of.Nodes) {
      for (const Stream &S : Streams)
        if (S.From && S.Users.front().first == Node)
          Lines.push_back(fmt::format("    {} = {};", registers(S), registers(Streams[*S.From])));
      if (!Graph.Nodes[Node].Product)
        Lines.push_back(call(Node, "    ", "at", "", [&](const Stream &S) { return "&" + registers(S); }));
    }
    if (Lines.size() == 2)
      Lines.erase(Lines.begin());
    return joined(Lines, "\n");
  }

  /// For a part of A B: is what goes to the softmax minus infinity there? By ranges of its rows and columns; nothing if
  /// no such mask is known.
  OutputText masked() const {
    const Flow &To = *Graph.flowTo(taker(), "a");
    if (Second.Softmax.empty() || !(Second.Scale > 0) || !Second.ScaledBy.empty() || Graph.Nodes[To.Producer].Product)
      return {};
    const AccessSite *Store = nullptr;
    for (const AccessSite &Site : Graph.Nodes[To.Producer].Accesses->Sites)
      if (Site.What == AccessSite::Kind::Store) {
        if (Store || !Site.Index)
          return {};
        Store = &Site;
      }
    // What is stored only sometimes, or is stored in place, is what it was elsewhere.
    const auto IsOther = [&](const AccessSite &Site) { return &Site != Store && Site.Parameter == Store->Parameter; };
    const auto IsBound = [&](const PathStep &Step) {
      return Step.What == PathStep::Kind::Loop ||
             (Step.Exact && llvm::all_of(Step.Holds, [&](const Less &L) { return L.Left == *Store->Index; }));
    };
    if (Store->Compound || llvm::any_of(Graph.Nodes[To.Producer].Accesses->Sites, IsOther) ||
        !llvm::all_of(Store->Path, IsBound))
      return {};
    std::vector<OutputText> Any;
    for (const Mask &M : Store->Masks) {
      std::vector<OutputText> All;
      for (const Less &L : M.Holds) {
        const OutputText Left = range(To.Producer, L.Left, *Store->Index),
                         Right = range(To.Producer, L.Right, *Store->Index);
        if (!Left.empty() && !Right.empty())
          All.push_back(outputText("Products::less({}, {})", Left, Right));
      }
      if (All.size() == M.Holds.size() && !All.empty())
        Any.push_back(M.Where ? joined(All, " &\n           ") : outputText("!({})", joined(All, " &\n           ")));
    }
    return joined(Any, " |\n           ");
  }

  /// A number that a kernel computes from its element's, as one of rows and columns of A B; nothing if it is of more.
  std::optional<Polynomial> placed(const Polynomial &InArguments, const Polynomial &Index,
                                   std::map<std::string, Quotient> &Quotients) const {
    const Polynomial Row = Polynomial::atom("row"), Column = Polynomial::atom("column"), Columns = Polynomial(First.N),
                     Element = Columns * Row + Column;
    const std::string Thread = builtinAtom(Builtin::ThreadIdx, 0);
    Polynomial Result = Index == linearIndex()
                            ? InArguments.substitute(Thread, Element - (linearIndex() - Polynomial::atom(Thread)))
                            : InArguments.substitute(*Index.atoms().begin(), Element);
    for (const std::string &Atom : Result.atoms())
      if (const auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end()) {
        const auto Over = isWrap(Atom) || Q->second.Narrow != Quotient::Wraps::Never
                              ? std::nullopt
                              : placed(Q->second.Dividend, Index, Quotients);
        const auto Under = Over ? placed(Q->second.Divisor, Index, Quotients) : std::nullopt;
        if (!Under)
          return std::nullopt;
        const auto InRows = *Over == Element ? Under->dividedBy(First.N) : std::nullopt;
        const auto Whole = InRows ? quotient(Row, *InRows, Quotients) : quotient(*Over, *Under, Quotients);
        if (!Whole)
          return std::nullopt;
        Result = Result.substitute(Atom, *Whole);
      } else if (isBuiltin(Atom) || (Atom != "row" && Atom != "column" && Atom.find('.') == std::string::npos)) {
        return std::nullopt;
      }
    return Result;
  }

  OutputText range(unsigned Node, const Polynomial &P, const Polynomial &Index) const {
    std::map<std::string, Quotient> Quotients;
    if (Index != linearIndex() && (Index.atoms().size() != 1 || Index != Polynomial::atom(*Index.atoms().begin())))
      return {};
    const auto Placed = placed(Graph.inArguments(Node, P), Index, Quotients);
    return Placed ? rangeText(*Placed, Quotients) : OutputText();
  }
  OutputText rangeText(const Polynomial &P, const std::map<std::string, Quotient> &Quotients) const {
    const auto Divided = [&](const Polynomial &Part) {
      const OutputText Text = rangeText(Part, Quotients);
      return Part.isZero() || Part.asConstant() || Part == Polynomial::atom(*Part.atoms().begin())
                 ? Text
                 : outputText("({})", Text);
    };
    OutputText Sum;
    for (const bool Negative : {false, true})
      for (const auto &[Atoms, Factor] : P.terms()) {
        if ((Factor < 0) != Negative)
          continue;
        const bool Minus = Negative && !Sum.empty();
        std::vector<OutputText> Product;
        if (const std::int64_t By = Minus ? -Factor : Factor; By != 1 || Atoms.empty())
          Product.push_back(outputText("Number({})", By));
        for (const std::string &Atom : Atoms)
          if (const auto Q = Quotients.find(Atom); Q != Quotients.end())
            Product.push_back(outputText("({} / {})", Divided(Q->second.Dividend), Divided(Q->second.Divisor)));
          else
            Product.push_back(Atom == "row" || Atom == "column"
                                  ? Atom
                                  : fmt::format("Number({})", deviceText(Polynomial::atom(Atom))));
        Sum += (Sum.empty() ? "" : Minus ? " - " : " + ") + joined(Product, " * ");
      }
    return Sum.empty() ? OutputText("Number(0)") : Sum;
  }

  void chain() {
    std::vector<OutputText> Head = declarations(), Arguments;
    if (Plan.isByMaps()) {
      Head.insert(Head.begin(), "const CufuseMaps &maps");
      Arguments = {"maps"};
    } else {
      Arguments = {a(), std::to_string(First.PitchA), b(), std::to_string(First.PitchB),
                   d(), std::to_string(Second.PitchB)};
    }
    if (isInTurns())
      Arguments.push_back(memory(between()));
    const OutputText Masked = masked();
    llvm::append_range(Arguments,
                       std::vector<OutputText>{memory(result()), std::to_string(isBySum() ? Second.PitchC : Second.N),
                                               rows(), "between", "behind"});
    if (!Masked.empty())
      Arguments.push_back("masked");
    file(cuda::Chain,
         {{"NAME", Result.Facts.Name},
          {"HEAD", wrapped("\n    ", Head, "", 4)},
          {"ROWS", Second.Softmax.empty() ? "f(A B)" : "softmax(f(A B))"},
          {"SUMS", sums()},
          {"BETWEEN", function(Stages[0])},
          {"TAKEN", taken(taker())},
          Masked.empty() ? Given("MASKED", false) : Given("MASKED", Masked),
          {"BEHIND", function(Stages[1])},
          {"RESULT", registers(result())},
          {"PRODUCTS", outputText("CufuseProducts<{}, {}, {}, {}, {}, {}, {}, {}>", First.Type, First.Result, First.N,
                                  First.K, Second.N, First.InRows, Second.InRows, how())},
          {"THREADS", std::to_string(Plan.Threads)},
          {"BYTES", std::to_string(Plan.SharedBytes)},
          {"RUN", wrapped("  Products::run(", Arguments, ");", 6)}});
    Result.Text.Callee = Result.Facts.Name;
    // In a batch, the last block of each matrix has fewer rows.
    const std::int64_t Tiles = (First.Rows + Plan.Rows - 1) / Plan.Rows;
    const unsigned Rows = Tiles > 0 ? static_cast<unsigned>(First.Rows / Tiles) : Plan.Rows;
    Result.Text.Elements = LaunchElements{hostText(Graph.argument(Stages[0].from(), "m")), 1, Rows};
  }

  OutputText sums() const {
    std::vector<OutputText> All;
    for (unsigned I = 0; I < Stages[0].Makers.size(); ++I)
      All.push_back(outputText("const {} {}", Graph.Nodes[Stages[0].Makers[I]].Product->Result, sum(I)));
    return joined(All, ", ");
  }

  /// What the second product, or the softmax before it, takes.
  OutputText taken(unsigned Node) const {
    OutputText Text = registers(Streams[*streamOf(Streams, Node, "a")]);
    if (Second.Scale == 1 && Second.ScaledBy.empty())
      return Text;
    Text = outputText("static_cast<float>({})", Text);
    if (Second.Scale != 1)
      Text = outputText("{} * {}", Text, fmt::format("{:#.9g}f", Second.Scale));
    return Second.ScaledBy.empty() ? Text : outputText("{} * {}", Text, argument(Node, Second.ScaledBy));
  }

  /// The last of the templates' parameters.
  std::string how() const {
    switch (Plan.By) {
    case ProductsPlan::Way::Warps:
      return fmt::format("{}, {}", Plan.Warps, Plan.Tiles);
    case ProductsPlan::Way::Warpgroups:
      return fmt::format("{}, {}", Plan.Slots, Plan.Ahead);
    case ProductsPlan::Way::Attention:
      return fmt::format("{}, {}, {}, {}", Plan.Warps, Plan.Tiles, Plan.Slice, First.Rows);
    case ProductsPlan::Way::AttentionOfWarpgroups:
      return fmt::format("{}, {}, {}", Plan.Slots, Plan.Slice, First.Rows);
    case ProductsPlan::Way::Grid:
      return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", Stages[0].Makers.size(), Plan.Tiles, Plan.Turns[0].Columns,
                         Plan.Turns[0].Parts, Plan.Turns[1].Columns, Plan.Turns[1].Parts, Plan.Blocks, Plan.Slots);
    case ProductsPlan::Way::Cluster:
    case ProductsPlan::Way::FromMemory:
      break;
    }
    return fmt::format("{}, {}, {}", Plan.Warps, Plan.Tiles, Plan.Blocks);
  }

  /// The templates of what a block does.
  std::vector<llvm::StringRef> device() const {
    switch (Plan.By) {
    case ProductsPlan::Way::Warps:
      return {cuda::Products, cuda::WarpProducts, cuda::ProductCopies, cuda::ProductsByMma};
    case ProductsPlan::Way::Attention:
      return {cuda::Products,     cuda::OnlineSoftmax, cuda::Mask,
              cuda::WarpProducts, cuda::ProductCopies, cuda::Attention};
    case ProductsPlan::Way::Warpgroups:
      return {cuda::Products, cuda::Mbarriers, cuda::ProductLoads, cuda::Warpgroups, cuda::ProductsByWgmma};
    case ProductsPlan::Way::AttentionOfWarpgroups:
      return {cuda::Products,   cuda::OnlineSoftmax,   cuda::Mask, cuda::Mbarriers, cuda::ProductLoads,
              cuda::Warpgroups, cuda::AttentionByWgmma};
    case ProductsPlan::Way::Grid:
      return {cuda::Products,   cuda::Mbarriers, cuda::ProductLoads, cuda::Exchange,
              cuda::Warpgroups, cuda::Arrivals,  cuda::GridBarrier};
    case ProductsPlan::Way::FromMemory:
      return {cuda::Products, cuda::WarpProducts,    cuda::Mbarriers,
              cuda::Exchange, cuda::ClusterProducts, cuda::ProductsFromMemory};
    case ProductsPlan::Way::Cluster:
      break;
    }
    return {cuda::Products, cuda::WarpProducts,    cuda::Mbarriers,        cuda::ProductLoads,
            cuda::Exchange, cuda::ClusterProducts, cuda::ProductsByCluster};
  }

  /// Of warpgroups, with so many columns of the second factor.
  static OutputText productOf(unsigned Columns, std::vector<Given> Values) {
    const unsigned Count = Columns / 2;
    std::vector<OutputText> Registers, Sums;
    for (unsigned I = 0; I < Count; ++I) {
      Registers.push_back(fmt::format("{}%{}", I > 0 && I % 16 == 0 ? "\"\n               \"" : "", I));
      Sums.push_back(fmt::format("\"+f\"(c[{}])", I));
    }
    llvm::append_range(Values, std::vector<Given>{{"COUNT", std::to_string(Count)},
                                                  {"SHAPE", fmt::format("m64n{}k16", Columns)},
                                                  {"REGISTERS", joined(Registers, ", ")},
                                                  {"FACTORS", fmt::format("%{}, %{}", Count, Count + 1)},
                                                  {"ADDS", fmt::format("%{}", Count + 2)},
                                                  {"SUMS", wrapped("", Sums, "", 17)}});
    return emitted(cuda::WarpgroupProduct, Values);
  }

  void products() {
    const bool IsBFloat = First.Type != "__half";
    const ImageWindows &W = First.Windows;
    const OutputText Windows = outputText("{}, {}, {}, {}", W.Height, W.Width, W.Size, W.Channels);
    const std::vector<Given> Values = {{"PAIR", IsBFloat ? "__floats2bfloat162_rn" : "__floats2half2_rn"},
                                       {"TYPE", IsBFloat ? "bf16" : "f16"},
                                       {"BETWEEN", isInTurns()},
                                       {"GATED", isGated()},
                                       W.Size > 0 ? Given("WINDOWS", Windows) : Given("WINDOWS", false)};
    ProductsText Own;
    auto Files = llvm::map_to_vector(device(), [&](llvm::StringRef File) { return emitted(File, Values); });
    if (isInTurns()) {
      for (unsigned Columns : std::set{Plan.Turns[0].Columns / 2, Plan.Turns[1].Columns / 2})
        Files.push_back(productOf(Columns, Values));
      Files.push_back(emitted(cuda::ProductsByGrid, Values));
    }
    Own.Device = joined(Files, "\n\n");
    Own.DynamicBytes = Plan.SharedBytes;
    if (isInTurns()) {
      constexpr const char *Atomic = "#include <atomic>";
      if (llvm::none_of(Result.Text.Includes, [&](const IncludeLine &Known) { return Known.Text == Atomic; }))
        Result.Text.Includes.push_back({Atomic, "atomic", {}});
    }
    Own.Cluster = Plan.Blocks;
    Own.Clusters = Plan.Clusters;
    if (Plan.isByMaps()) {
      Own.Host = emitted(cuda::TensorMaps, {{"DATA", IsBFloat ? "BFLOAT16" : "FLOAT16"}, Values.back()});
      auto Map = [&](const char *Name, const std::string &Data, const OutputText &Matrices, const OutputText &Rows,
                     std::int64_t Columns, std::int64_t Pitch, std::int64_t BoxRows) {
        Own.Maps.push_back(outputText("mapMatrices(maps.{}, {}, {}, {}, {}, {}, {})", Name, launched(Data), Matrices,
                                      Rows, Columns, Pitch, BoxRows));
      };
      auto RoundUp = [](std::int64_t Value, int To) { return (Value + To - 1) / To * To; };
      const bool IsOf64 = Plan.isOfWarpgroups() || isInTurns();
      const unsigned RowsOfA = IsOf64 ? 64 : Plan.Rows;
      if (W.Size > 0)
        Own.Maps.push_back(outputText("mapWindows(maps.a, {}, {} / {}, {}, {})", launched(a()), launched(rows()),
                                      W.Height * W.Width, Windows, RowsOfA));
      else
        Map("a", a(), "1", launched(rows()), First.K, First.PitchA, RowsOfA);
      if (isInTurns()) {
        Map("c", memory(between()), "1", launched(rows()), First.N, First.N, 64);
        Own.Host += "\n\n" + emitted(cuda::GridBarrierPlaces, {});
        Own.Maps.push_back(outputText("placeOf(maps.place, {})", launched(memory(between()))));
      }
      const OutputText Matrices = First.Rows > 0 ? outputText("{} / {}", launched(rows()), First.Rows) : "1";
      const std::int64_t InRows = Plan.isOfWarpgroups() ? RoundUp(First.K, 16) : 64;
      const std::int64_t Slice = isInTurns() ? Plan.Turns[0].Columns : Plan.Slice;
      const std::int64_t AllL = RoundUp(Second.N, 64), MostRows = 256;
      const std::int64_t RowsOfD = isInTurns()        ? Plan.Turns[1].Columns
                                   : Second.InRows    ? Slice
                                   : AllL <= MostRows ? AllL
                                                      : 64;
      for (const auto &[Name, Data, P, Box] :
           {std::tuple("b", b(), First, First.InRows ? InRows : Slice), std::tuple("d", d(), Second, RowsOfD)})
        Map(Name, Data, Matrices, std::to_string(P.InRows ? P.K : P.N), P.InRows ? P.N : P.K, P.PitchB, Box);
      if (isGated())
        Map("gate", gate(), "1", std::to_string(First.N), First.K, Graph.Nodes[Stages[0].Makers[1]].Product->PitchB,
            Slice);
    }
    Result.Text.Products = std::move(Own);
  }

  const ProductsPlan &Plan;
  const std::vector<Stage> Stages;
  const ProductFacts &First, &Second;
};

/// What stands in the way beside the elements: each is a message.
class ProductsCheck {
public:
  ProductsCheck(const VerticalGraph &Graph, llvm::ArrayRef<Stage> Stages, llvm::ArrayRef<Stream> Streams,
                const ProductsPlan &Plan)
      : Graph(Graph), Stages(Stages), Streams(Streams), Plan(Plan) {}

  llvm::Error run() {
    std::vector<Blocker> Reasons;
    for (const VerticalNode &N : Graph.Nodes)
      for (const Finding &Reason : N.Shape->Reasons)
        Reasons.push_back({BlockerKind::NotPointwise, Reason.Where, N.Name + ": " + Reason.What});
    if (!Reasons.empty())
      return refuse(Reasons);
    const auto Takes = [&](unsigned Node) { return Graph.Nodes[Node].Product && !makes(Graph.Nodes[Node]); };
    if (Stages.size() != 2 || Stages[0].Makers.size() != Plan.Factors || Stages[1].Makers.size() != 1 ||
        llvm::none_of(Stages[0].Nodes, Takes)) {
      say(Stages.back().Makers.back(), "does not take what comes of all products before it, and of nothing else",
          "link them to what makes its `a`");
      return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
    }
    for (unsigned Node = 0; Node < Graph.Nodes.size(); ++Node)
      if (!Graph.Nodes[Node].Product)
        node(Node);
    results();
    if (Messages.empty())
      return llvm::Error::success();
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  }

private:
  void say(unsigned Node, std::string Text, std::string Remedy) {
    Messages.push_back(
        {Graph.Nodes[Node].Facts->Where, Graph.Nodes[Node].Name + " " + std::move(Text), std::move(Remedy)});
  }

  void node(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (llvm::none_of(Stages, [&](const Stage &S) { return llvm::is_contained(S.Nodes, Node); }))
      say(Node, "takes no element of a product", "link one to it, or leave it out");
    if (N.Shape->Width > 1)
      say(Node, fmt::format("takes {} elements at a time", N.Shape->Width), "write it for one");
    if (!N.Accesses->Reports.empty()) // rows behind the last are played, too
      say(Node, "prints or ends the grid: " + N.Accesses->Reports.front().What, "take that out");
    for (const ParameterAccess &P : N.Accesses->Parameters)
      if (!P.Element.empty() && N.stores(P.Name) && !streamOf(Streams, Node, P.Name))
        say(Node, fmt::format("stores to {}, beside the elements between the products", P.Name),
            "let it store its own element of one array");
  }

  /// One array is stored, by what comes last.
  void results() {
    unsigned Last = 0;
    for (const Stream &S : Streams)
      if (const auto &[Node, Parameter] = S.Users.front(); S.Stores) {
        const bool IsLast = llvm::is_contained(Stages[1].Nodes, Node) && !Graph.isIntermediate(Node, Parameter);
        Last += IsLast;
        if (Plan.By == ProductsPlan::Way::Grid && isTaken(S))
          continue;
        if (!IsLast)
          say(Node, fmt::format("stores {}, which stands between", Parameter), "say that it is dead, or leave it out");
        else if (Last > 1)
          say(Node, fmt::format("stores {}, a second result", Parameter), "leave one of them out");
      }
  }

  /// By the second product.
  bool isTaken(const Stream &S) const {
    return llvm::any_of(
        S.Users, [&](const auto &User) { return Graph.Nodes[User.first].Product && !makes(Graph.Nodes[User.first]); });
  }

  const VerticalGraph &Graph;
  llvm::ArrayRef<Stage> Stages;
  llvm::ArrayRef<Stream> Streams;
  const ProductsPlan &Plan;
  std::vector<Message> Messages;
};

llvm::Expected<FormProof> prove(const VerticalGraph &Graph, BlockShape, const VerticalOptions &Options) {
  const std::vector<Stage> Stages = stagesOf(Graph);
  const std::vector<Stream> Streams = planStreams(Graph);
  TRY(ProductsCheck(Graph, Stages, Streams, Options.Products).run());
  std::vector<AtMost> Requirements;
  for (const Stage &S : Stages)
    llvm::append_range(Requirements, TRY(checkOneLoop(graphOf(Graph, S), 1)));
  FormProof Proof;
  for (const VerticalNode &N : Graph.Nodes)
    Proof.Edits.push_back(N.Product ? LinkedText() : LinkedText{{}, {}, knownConditions(N), true});
  editStreams(Proof, Streams);
  Proof.Compose = [=, &Graph, Plan = Options.Products](llvm::ArrayRef<const KernelText *> Texts) {
    return ProductsComposer(Graph, Texts, Requirements, Streams, Plan).run();
  };
  return Proof;
}

} // namespace

const VerticalForm ProductsForm = {[](const VerticalGraph &) { return std::string("products"); },
                                   [](const VerticalGraph &Graph) { return llvm::any_of(Graph.Nodes, makes); },
                                   [](const VerticalGraph &, unsigned) { return false; },
                                   [](const VerticalGraph &, unsigned) { return 1u; }, prove};

} // namespace cufuse
