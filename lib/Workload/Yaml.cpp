#include "Yaml.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/YAMLParser.h>

namespace cufuse {

namespace {

namespace yaml = llvm::yaml;

constexpr unsigned MaxDepth = 32;

class Converter {
public:
  Converter(const std::string &Path, llvm::StringRef Text) : Path(Path), Text(Text), Stream(Text, Sources) {
    Sources.setDiagHandler([](const llvm::SMDiagnostic &D, void *Self) { static_cast<Converter *>(Self)->note(D); },
                           this);
  }

  llvm::Expected<YamlNode> convert() {
    auto Document = Stream.begin();
    YamlNode Root;
    yaml::Node *Node = Document == Stream.end() ? nullptr : Document->getRoot();
    if (Node)
      Root = convert(*Node, 0);
    if (Messages.empty() && !Stream.failed() && Node && ++Document != Stream.end())
      Messages.push_back({{Path, 1, 1, ""}, "the file has more than one YAML document", ""});
    if (Stream.failed() && Messages.empty())
      Messages.push_back({{Path, 1, 1, ""}, "this is no YAML", ""});
    if (Messages.empty())
      return Root;
    // What follows the first error is mostly its consequence.
    Messages.resize(1);
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  }

private:
  SourcePlace place(const char *At) const {
    const size_t Offset = std::min<size_t>(std::max(At, Text.begin()) - Text.begin(), Text.size());
    const llvm::StringRef Before = Text.take_front(Offset);
    const size_t LineStart = Before.rfind('\n') == llvm::StringRef::npos ? 0 : Before.rfind('\n') + 1;
    return {Path, static_cast<unsigned>(Before.count('\n') + 1), static_cast<unsigned>(Offset - LineStart + 1),
            Text.substr(LineStart).take_until([](char C) { return C == '\n' || C == '\r'; }).str()};
  }
  SourcePlace place(const yaml::Node &Node) const {
    const char *At = Node.getSourceRange().Start.getPointer();
    // The range of a list in brackets starts behind the bracket.
    const bool Nested = llvm::isa<yaml::MappingNode, yaml::SequenceNode>(Node);
    return place(Nested && At > Text.begin() && (At[-1] == '[' || At[-1] == '{') ? At - 1 : At);
  }

  void note(const llvm::SMDiagnostic &D) {
    const SourcePlace Where = D.getLoc().isValid() ? place(D.getLoc().getPointer()) : SourcePlace{Path, 1, 1, ""};
    Messages.push_back({Where, "not YAML: " + D.getMessage().str(), ""});
  }
  void refuse(const yaml::Node &Node, std::string Text, std::string Remedy = {}) {
    Messages.push_back({place(Node), std::move(Text), std::move(Remedy)});
  }

  /// The text of a scalar, and the place where it starts in the file.
  std::string scalar(yaml::Node &Node, SourcePlace &Where) {
    Where = place(Node);
    if (auto *Block = llvm::dyn_cast<yaml::BlockScalarNode>(&Node))
      return Block->getValue().trim().str();
    auto &Plain = *llvm::cast<yaml::ScalarNode>(&Node);
    const llvm::StringRef Raw = Plain.getRawValue();
    if (Raw.starts_with("'") || Raw.starts_with("\""))
      ++Where.Column;
    llvm::SmallString<64> Storage;
    return Plain.getValue(Storage).str();
  }

  YamlNode convert(yaml::Node &Node, unsigned Depth) {
    YamlNode Result;
    Result.Where = place(Node);
    if (Depth > MaxDepth) {
      refuse(Node, fmt::format("more than {} levels of YAML", MaxDepth));
    } else if (!Node.getAnchor().empty() || llvm::isa<yaml::AliasNode>(Node)) {
      refuse(Node, "anchors and aliases are not supported", "write the value twice");
    } else if (!Node.getRawTag().empty()) {
      refuse(Node, fmt::format("the tag '{}' is not supported", Node.getRawTag().str()), "leave it out");
    } else if (auto *Mapping = llvm::dyn_cast<yaml::MappingNode>(&Node)) {
      Result.What = YamlNode::Mapping;
      for (yaml::KeyValueNode &Entry : *Mapping) {
        yaml::Node *Key = Entry.getKey();
        if (!Key || !llvm::isa<yaml::ScalarNode>(Key)) {
          refuse(Key ? *Key : Node, "a key must be a name");
          break;
        }
        SourcePlace KeyPlace;
        const std::string Name = scalar(*Key, KeyPlace);
        if (Result.find(Name))
          refuse(*Key, fmt::format("'{}' stands twice", Name));
        yaml::Node *Value = Entry.getValue();
        if (!Value || !Messages.empty())
          break;
        Result.Items.push_back(convert(*Value, Depth + 1));
        Result.Items.back().Key = Name;
        Result.Items.back().KeyPlace = KeyPlace;
        if (!Messages.empty())
          break;
      }
    } else if (auto *Sequence = llvm::dyn_cast<yaml::SequenceNode>(&Node)) {
      Result.What = YamlNode::Sequence;
      for (yaml::Node &Item : *Sequence) {
        Result.Items.push_back(convert(Item, Depth + 1));
        if (!Messages.empty())
          break;
      }
    } else if (llvm::isa<yaml::ScalarNode, yaml::BlockScalarNode>(Node)) {
      Result.What = YamlNode::Scalar;
      Result.Text = scalar(Node, Result.Where);
    }
    return Result;
  }

  const std::string &Path;
  const llvm::StringRef Text;
  llvm::SourceMgr Sources;
  yaml::Stream Stream;
  std::vector<Message> Messages;
};

} // namespace

llvm::Expected<YamlNode> readYaml(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Text)
    return badInput(fmt::format("cannot read '{}': {}", Path, Text.getError().message()));
  return Converter(Path, (*Text)->getBuffer()).convert();
}

} // namespace cufuse
