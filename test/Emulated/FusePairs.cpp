// Fuses many sets of kernels in one process, which parses every file once: what pairs.py runs.
//
//   cufuse-fuse-pairs FOLDER < LINES
//
// A line is `NAME CONFIGURATION FILE:KERNEL BLOCK FILE:KERNEL BLOCK…`; NAME.cu and NAME.h come to lie in FOLDER. Nothing is
// verified here: a compiler reads all of it.
#include "../Configuration.h"
#include "../FuseJobs.h"

#include <llvm/Support/FileSystem.h>

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace cufuse;

namespace {

struct Line {
  std::string Name;
  std::vector<std::string> Kernels;
  FusionConfig Config;
};

std::vector<Line> readLines(std::istream &Input) {
  std::vector<Line> Lines;
  for (std::string Text; std::getline(Input, Text);) {
    std::istringstream Words(Text);
    Line &Each = Lines.emplace_back();
    std::string Configuration;
    Words >> Each.Name >> Configuration;
    for (std::string Kernel, Block; Words >> Kernel >> Block;) {
      Each.Kernels.push_back(Kernel);
      Each.Config.Constituents.push_back({need(parseBlockShape(Block)), 1});
    }
    if (Each.Kernels.empty() || !readConfiguration(Configuration, Each.Config))
      stop(badInput("not a line of NAME CONFIGURATION KERNEL BLOCK…: " + Text));
  }
  return Lines;
}

void write(const std::string &Path, const std::string &Text) {
  std::ofstream File(Path);
  if (!(File << Text).flush())
    stop(badInput("cannot write " + Path));
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 2) {
    llvm::errs() << "usage: cufuse-fuse-pairs FOLDER < LINES\n";
    return 2;
  }
  const std::vector<Line> Lines = readLines(std::cin);
  std::vector<KernelSpec> Specs;
  std::map<std::string, size_t> Index;
  for (const Line &Each : Lines)
    for (const std::string &Kernel : Each.Kernels)
      if (Index.try_emplace(Kernel, Specs.size()).second)
        Specs.push_back(need(parseKernelSpec(Kernel)));

  // Batches of a few files, since all files of one call are parsed at once.
  const Toolchain Tools = need(findToolchain(llvm::sys::fs::getMainExecutable(Arguments[0], nullptr)));
  InputFlags Flags;
  Flags.Written = {"-std=c++17", "-rdc=true"};
  std::vector<LoadedKernel> Loaded;
  for (size_t At = 0; At < Specs.size(); At += 2)
    for (LoadedKernel &Kernel :
         need(readKernels(Tools, llvm::ArrayRef(Specs).slice(At, At + 1 < Specs.size() ? 2 : 1), Flags)))
      Loaded.push_back(std::move(Kernel));

  for (const Line &Each : Lines) {
    std::vector<LoadedKernel> Kernels;
    for (const std::string &Kernel : Each.Kernels)
      Kernels.push_back(Loaded[Index[Kernel]]);
    if (llvm::Error Error = checkAll(Kernels))
      stop(std::move(Error));
    EmitOptions Options;
    Options.Name = Each.Name;
    Options.SourceFile = Each.Name + ".cu";
    Options.HeaderFile = Each.Name + ".h";
    Options.Command = "cufuse-fuse-pairs";
    Fuser Fuser(Tools, Kernels, Options);
    const FusedSource Fused = need(Fuser.emit(need(Fuser.plan(Each.Config))));
    write(std::string(Arguments[1]) + "/" + Options.SourceFile, Fused.Source);
    write(std::string(Arguments[1]) + "/" + Options.HeaderFile, Fused.Header);
  }
}
