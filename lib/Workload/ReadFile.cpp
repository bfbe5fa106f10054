#include "Reader.h"

#include "Yaml.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace cufuse {

namespace {

struct InitializerForm {
  llvm::StringLiteral Name;
  Initializer::Kind Kind;
  unsigned Values;
};
constexpr InitializerForm InitializerForms[] = {
    {"zero", Initializer::Zero, 0},     {"constant", Initializer::Constant, 1},
    {"iota", Initializer::Iota, 2},     {"uniform", Initializer::Uniform, 2},
    {"normal", Initializer::Normal, 2}, {"random_bits", Initializer::RandomBits, 0},
    {"file", Initializer::File, 1}};

class Reader {
public:
  explicit Reader(const std::string &Path) : Folder(llvm::sys::path::parent_path(Path)) {}

  llvm::Expected<WorkloadFile> read(const YamlNode &Root) {
    WorkloadFile File;
    if (keys(Root, "a workload", {"sizes", "kernels", "links", "dead", "buffers"})) {
      for (const YamlNode &Size : items(Root, "sizes", YamlNode::Mapping))
        readSize(Size, File);
      if (required(Root, "kernels"))
        for (const YamlNode &Kernel : items(Root, "kernels", YamlNode::Sequence))
          readKernel(Kernel, File);
      readTexts(Root, "links", "PRODUCER.PARAMETER=CONSUMER.PARAMETER", File.Links);
      readTexts(Root, "dead", "PRODUCER.PARAMETER", File.Dead);
      for (const YamlNode &Buffer : items(Root, "buffers", YamlNode::Mapping))
        readBuffer(Buffer, File);
    }
    TRY(Wrong.take());
    return File;
  }

private:
  bool is(const YamlNode &Node, YamlNode::Kind Kind, const char *What) {
    if (Node.What == Kind && !(Kind == YamlNode::Sequence && Node.Items.empty()))
      return true;
    Wrong.add(Node.Where, fmt::format("{} was expected here", What));
    return false;
  }
  /// Is it a mapping with no other keys than these?
  bool keys(const YamlNode &Node, const char *What, std::vector<std::string> Known) {
    if (!is(Node, YamlNode::Mapping, "a mapping"))
      return false;
    for (const YamlNode &Item : Node.Items)
      if (!llvm::is_contained(Known, Item.Key))
        Wrong.add(Item.KeyPlace, fmt::format("{} has no key '{}'", What, Item.Key), suggestion(Item.Key, Known));
    return true;
  }
  /// Of the list or the mapping under the key; none where that is missing or, after a complaint, something else.
  llvm::ArrayRef<YamlNode> items(const YamlNode &Map, const char *Key, YamlNode::Kind Kind) {
    const YamlNode *Found = Map.find(Key);
    const bool Good = Found && is(*Found, Kind, Kind == YamlNode::Mapping ? "a mapping" : "a list");
    return Good ? llvm::ArrayRef(Found->Items) : llvm::ArrayRef<YamlNode>();
  }
  const YamlNode *required(const YamlNode &Map, const char *Key) {
    const YamlNode *Found = Map.find(Key);
    if (!Found)
      Wrong.add(Map.KeyPlace.isValid() ? Map.KeyPlace : Map.Where, fmt::format("'{}' is missing", Key));
    return Found;
  }
  std::optional<Expression> expression(const YamlNode &Node) {
    if (!is(Node, YamlNode::Scalar, "a number or an expression"))
      return std::nullopt;
    return Wrong.value(parseExpression(Node.Text, Node.Where));
  }
  std::string text(const YamlNode &Node, const char *What) {
    return is(Node, YamlNode::Scalar, What) ? Node.Text : std::string();
  }
  bool flag(const YamlNode &Map, const char *Key) {
    const YamlNode *Node = Map.find(Key);
    if (!Node || (Node->What == YamlNode::Scalar && Node->Text == "false"))
      return false;
    if (Node->What != YamlNode::Scalar || Node->Text != "true")
      Wrong.add(Node->Where, "true or false was expected here");
    return true;
  }
  bool isName(llvm::StringRef Name, const SourcePlace &Where) {
    const bool Is = !Name.empty() && !llvm::isDigit(Name[0]) &&
                    llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || C == '_'; });
    if (!Is)
      Wrong.add(Where, fmt::format("'{}' is not a name", Name.str()), "write letters, digits and underscores");
    return Is;
  }
  /// Names that expressions can spell and that mean nothing else in them.
  void name(const YamlNode &Item) {
    if (isName(Item.Key, Item.KeyPlace) &&
        llvm::is_contained({"block", "ceil", "max", "min", "true", "false", "nullptr"}, Item.Key))
      Wrong.add(Item.KeyPlace, fmt::format("'{}' has a meaning of its own in expressions", Item.Key),
                "choose another name");
  }

  void readSize(const YamlNode &Node, WorkloadFile &File) {
    name(Node);
    if (auto Value = expression(Node))
      File.Sizes.push_back({Node.Key, std::move(*Value), Node.KeyPlace});
  }

  /// An array of a product: `x`, or `{array: x, pitch: columns}`.
  void readArray(const YamlNode &Map, const char *Key, std::optional<Expression> &Pitch, WorkloadKernel &Kernel) {
    const YamlNode *Array = required(Map, Key);
    if (Array && Array->What == YamlNode::Mapping) {
      std::vector<std::string> Known = {"array", "pitch"};
      if (Key == std::string("b"))
        Known.push_back("transposed");
      if (Key == std::string("a"))
        Known.push_back("windows");
      keys(*Array, "an array of a product", Known);
      if (const YamlNode *Given = Array->find("pitch"))
        Pitch = expression(*Given);
      Array = required(*Array, "array");
    }
    if (Array)
      readArgument(*Array, Key, "", Kernel);
  }

  /// `{height: 56, width: 56, size: 3}`.
  void readWindows(const YamlNode &Node, WorkloadProduct &Product) {
    if (!keys(Node, "the windows of a product", {"height", "width", "size"}))
      return;
    for (const auto &[Key, Into] :
         {std::pair("height", &Product.Height), {"width", &Product.Width}, {"size", &Product.Size}})
      if (const YamlNode *Given = required(Node, Key))
        *Into = expression(*Given);
  }

  void readProduct(const YamlNode &Node, WorkloadFile &File) {
    if (!keys(Node, "a product", {"name", "m", "n", "k", "batch", "a", "b", "c"}))
      return;
    WorkloadKernel Kernel;
    Kernel.Where = Node.Where;
    Kernel.Folder = Folder;
    WorkloadProduct &Product = Kernel.Product.emplace();
    if (const YamlNode *Name = required(Node, "name"))
      readName(*Name, Kernel);
    for (const char *Size : {"m", "n", "k"})
      if (const YamlNode *Given = required(Node, Size))
        readArgument(*Given, Size, "", Kernel);
    if (const YamlNode *Batch = Node.find("batch"))
      Product.Batch = expression(*Batch);
    readArray(Node, "a", Product.PitchA, Kernel);
    readArray(Node, "b", Product.PitchB, Kernel);
    readArray(Node, "c", Product.PitchC, Kernel);
    if (const YamlNode *A = Node.find("a"); A && A->What == YamlNode::Mapping)
      if (const YamlNode *Windows = A->find("windows"))
        readWindows(*Windows, Product);
    if (const YamlNode *B = Node.find("b"))
      Product.InRows = B->What != YamlNode::Mapping || !flag(*B, "transposed");
    File.Kernels.push_back(std::move(Kernel));
  }

  void readKernel(const YamlNode &Node, WorkloadFile &File) {
    if (const YamlNode *Product = Node.What == YamlNode::Mapping ? Node.find("matmul") : nullptr) {
      keys(Node, "a product", {"matmul"});
      return readProduct(*Product, File);
    }
    if (!keys(Node, "a kernel", {"kernel", "name", "flags", "block", "grid", "dynamic_bytes", "arguments", "bindable"}))
      return;
    WorkloadKernel Kernel;
    Kernel.Where = Node.Where;
    Kernel.Folder = Folder;
    if (const YamlNode *Spec = required(Node, "kernel"))
      readSpec(*Spec, Node.find("name"), Kernel);
    for (const YamlNode &Flag : items(Node, "flags", YamlNode::Sequence))
      Kernel.Flags.push_back(text(Flag, "a flag"));
    if (const YamlNode *Block = required(Node, "block"))
      readBlock(*Block, Kernel);
    if (const YamlNode *Grid = required(Node, "grid"))
      readGrid(*Grid, Kernel);
    if (const YamlNode *Bytes = Node.find("dynamic_bytes"))
      Kernel.DynamicBytes = expression(*Bytes);
    for (const YamlNode &Argument : items(Node, "arguments", YamlNode::Mapping))
      readArgument(Argument, Argument.Key, "", Kernel);
    for (const YamlNode &Parameter : items(Node, "bindable", YamlNode::Sequence))
      Kernel.Bindable.push_back({text(Parameter, "a parameter"), Parameter.Where});
    File.Kernels.push_back(std::move(Kernel));
  }

  void readTexts(const YamlNode &Root, const char *Key, const char *What, std::vector<WorkloadText> &Into) {
    for (const YamlNode &Item : items(Root, Key, YamlNode::Sequence))
      if (is(Item, YamlNode::Scalar, What))
        Into.push_back({Item.Text, Item.Where});
  }

  void readSpec(const YamlNode &Node, const YamlNode *Name, WorkloadKernel &Kernel) {
    if (!is(Node, YamlNode::Scalar, "FILE.cu:KERNEL"))
      return;
    auto Spec = parseKernelSpec(Node.Text);
    if (!Spec) {
      Complaints Own;
      Own.add(Spec.takeError());
      for (const Message &M : Own.messages())
        Wrong.add(Node.Where, M.Text, M.Remedy);
      return;
    }
    Kernel.Spec = std::move(*Spec);
    Kernel.Spec.File = absolute(Kernel.Spec.File, Folder);
    const std::string Qualified = Kernel.Spec.name();
    Kernel.Name = Name ? text(*Name, "a name") : Qualified.substr(Qualified.rfind(':') + 1);
    if (Kernel.Name.empty())
      Wrong.add(Node.Where, "a kernel that is chosen by its line needs a name", "add `name: …`");
    else if (Name)
      readName(*Name, Kernel);
  }

  /// Outputs and namespaces are called so.
  void readName(const YamlNode &Node, WorkloadKernel &Kernel) {
    Kernel.Name = text(Node, "a name");
    isName(Kernel.Name, Node.Where);
  }

  std::optional<BlockShape> shape(const YamlNode &Node) {
    if (!is(Node, YamlNode::Scalar, "a block shape like 256 or 32x8"))
      return std::nullopt;
    if (auto Shape = llvm::expectedToOptional(parseBlockShape(Node.Text)); Shape && Shape->isValid())
      return Shape;
    Wrong.add(Node.Where, fmt::format("'{}' is not the shape of a block", Node.Text),
              "write 256, 32x8 or 8x8x4, of at most 1024 threads");
    return std::nullopt;
  }
  std::optional<unsigned> count(const YamlNode &Node) {
    unsigned Value = 0;
    if (Node.What == YamlNode::Scalar && !llvm::StringRef(Node.Text).getAsInteger(10, Value) && Value > 0)
      return Value;
    Wrong.add(Node.Where, "a positive integer was expected here");
    return std::nullopt;
  }

  void readBlock(const YamlNode &Node, WorkloadKernel &Kernel) {
    if (Node.What != YamlNode::Mapping) {
      if (auto Shape = shape(Node))
        Kernel.Blocks.push_back(*Shape);
      return;
    }
    keys(Node, "a block", {"default", "tunable"});
    const YamlNode *Default = required(Node, "default"), *Tunable = required(Node, "tunable");
    auto Given = Default ? shape(*Default) : std::nullopt;
    if (!Given || !Tunable)
      return;
    Kernel.Blocks.push_back(*Given);
    auto Allow = [&](const BlockShape &Shape) {
      if (!llvm::is_contained(Kernel.Blocks, Shape))
        Kernel.Blocks.push_back(Shape);
    };
    if (Tunable->What == YamlNode::Sequence) {
      for (const YamlNode &Item : Tunable->Items)
        if (auto Shape = shape(Item))
          Allow(*Shape);
      return;
    }
    if (!keys(*Tunable, "tunable", {"multiple_of", "max"}))
      return;
    const YamlNode *Multiple = required(*Tunable, "multiple_of"), *Max = Tunable->find("max");
    const auto Step = Multiple ? count(*Multiple) : std::nullopt;
    const auto Last = Max ? count(*Max) : MaxBlockThreads;
    if (!Step || !Last)
      return;
    BlockShape Shape = *Given;
    for (Shape.X = *Step; Shape.X <= *Last && Shape.isValid(); Shape.X += *Step)
      Allow(Shape);
  }

  void readGrid(const YamlNode &Node, WorkloadKernel &Kernel) {
    const YamlNode *Given = &Node;
    if (Node.What == YamlNode::Mapping) {
      keys(Node, "a grid", {"default", "tunable"});
      Kernel.AnyGrid = flag(Node, "tunable");
      Given = required(Node, "default");
    }
    if (!Given)
      return;
    const llvm::ArrayRef<YamlNode> Dimensions =
        Given->What == YamlNode::Sequence ? llvm::ArrayRef(Given->Items) : llvm::ArrayRef(*Given);
    if (Dimensions.empty() || Dimensions.size() > 3)
      Wrong.add(Given->Where, "a grid has one to three dimensions");
    for (const YamlNode &Dimension : Dimensions)
      if (auto Size = expression(Dimension))
        Kernel.Grid.push_back(std::move(*Size));
  }

  void readArgument(const YamlNode &Node, const std::string &Parameter, const std::string &Path,
                    WorkloadKernel &Kernel) {
    if (Node.What == YamlNode::Mapping && Node.Items.empty())
      Kernel.Arguments.push_back({Parameter, Path, std::nullopt, Node.Where});
    else if (Node.What == YamlNode::Mapping)
      for (const YamlNode &Item : Node.Items)
        readArgument(Item, Parameter, Path.empty() ? Item.Key : Path + "." + Item.Key, Kernel);
    else if (Node.What == YamlNode::Sequence)
      for (size_t I = 0; I < Node.Items.size(); ++I)
        readArgument(Node.Items[I], Parameter, fmt::format("{}[{}]", Path, I), Kernel);
    else if (auto Value = expression(Node))
      Kernel.Arguments.push_back({Parameter, Path, std::move(*Value), Node.Where});
  }

  void readBuffer(const YamlNode &Node, WorkloadFile &File) {
    name(Node);
    if (!keys(Node, "a buffer", {"type", "count", "init", "output", "accumulated", "tolerance"}))
      return;
    WorkloadBuffer Buffer;
    Buffer.Name = Node.Key;
    Buffer.Where = Buffer.InitPlace = Node.KeyPlace;
    if (const YamlNode *Type = required(Node, "type"))
      readType(*Type, Buffer);
    if (const YamlNode *Count = required(Node, "count"))
      Buffer.Count = expression(*Count);
    Buffer.Output = flag(Node, "output");
    Buffer.Accumulated = flag(Node, "accumulated");
    if (Buffer.Accumulated && !Buffer.Output)
      Wrong.add(Node.find("accumulated")->Where, "only an output is accumulated", "add `output: true`");
    if (const YamlNode *Init = Node.find("init")) {
      Buffer.HasInit = true;
      readInit(*Init, Buffer);
      if (Buffer.Output && !Buffer.Accumulated)
        Wrong.add(Init->Where, "the content of an output is what the kernel writes",
                  "add `accumulated: true` if the kernel reads it first, or leave `init` out");
    } else if (!Buffer.Output && File.Links.empty()) { // with links, a kernel may make it
      Wrong.add(Node.KeyPlace, fmt::format("'{}' is no output, so its content must be given", Node.Key),
                "add `init: …`");
    }
    if (const YamlNode *Tolerance = Node.find("tolerance");
        Tolerance && keys(*Tolerance, "a tolerance", {"absolute", "relative"})) {
      if (!Buffer.Output)
        Wrong.add(Tolerance->Where, "only an output is compared", "add `output: true`");
      if (const YamlNode *Absolute = Tolerance->find("absolute"))
        Buffer.Absolute = expression(*Absolute);
      if (const YamlNode *Relative = Tolerance->find("relative"))
        Buffer.Relative = expression(*Relative);
    }
    File.Buffers.push_back(std::move(Buffer));
  }

  void readType(const YamlNode &Node, WorkloadBuffer &Buffer) {
    for (const Named<ElementType> &One : ElementTypeNames)
      if (Node.What == YamlNode::Scalar && Node.Text == One.Name) {
        Buffer.Type = One.Value;
        return;
      }
    Wrong.add(Node.Where, fmt::format("'{}' is not a type of elements", Node.Text),
              suggestion(Node.Text, namesOfAll(ElementTypeNames)));
  }

  void readInit(const YamlNode &Node, WorkloadBuffer &Buffer) {
    // `zero`, or `{uniform: [0, 1]}`.
    Buffer.InitPlace = Node.Where;
    const bool HasValues = Node.What == YamlNode::Mapping && Node.Items.size() == 1;
    if (!HasValues && !is(Node, YamlNode::Scalar, "an initialiser like zero or {uniform: [0, 1]}"))
      return;
    const std::string &Name = HasValues ? Node.Items[0].Key : Node.Text;
    const auto *Form = llvm::find_if(InitializerForms, [&](const InitializerForm &F) { return F.Name == Name; });
    if (Form == std::end(InitializerForms))
      return Wrong.add(HasValues ? Node.Items[0].KeyPlace : Node.Where, fmt::format("'{}' is not an initialiser", Name),
                       suggestion(Name, namesOfAll(InitializerForms)));
    Buffer.Init = Form->Kind;
    llvm::ArrayRef<YamlNode> Values;
    if (HasValues)
      Values = Node.Items[0].What == YamlNode::Sequence ? llvm::ArrayRef(Node.Items[0].Items)
                                                        : llvm::ArrayRef(Node.Items[0]);
    if (Values.size() != Form->Values)
      Wrong.add(Node.Where, fmt::format("{} takes {} values", Name, Form->Values));
    else if (Form->Kind == Initializer::File)
      Buffer.InitFile = absolute(text(Values[0], "a path"), Folder);
    else
      for (const YamlNode &Value : Values)
        if (auto Parsed = expression(Value))
          Buffer.InitValues.push_back(std::move(*Parsed));
  }

  const std::string Folder;
  Complaints Wrong;
};

} // namespace

std::string suggestion(llvm::StringRef Wanted, llvm::ArrayRef<std::string> Known) {
  const size_t Far = Wanted.size() < 4 ? 1 : std::max<size_t>(2, Wanted.size() / 3);
  std::vector<std::string> Near;
  for (const std::string &Name : Known)
    if (Wanted.edit_distance(Name) <= Far)
      Near.push_back("'" + Name + "'");
  if (!Near.empty())
    return fmt::format("did you mean {}?", llvm::join(Near, " or "));
  return Known.empty() ? "there is none" : "there are " + llvm::join(Known, ", ");
}

llvm::Expected<WorkloadFile> readFile(const std::string &Path) { return Reader(Path).read(TRY(readYaml(Path))); }

} // namespace cufuse
