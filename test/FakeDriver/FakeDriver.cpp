// A CUDA driver for tests without a GPU: what cufuse-runner calls of it, with device memory on the host. Kernels and
// their parameters are read from cubins; those of test/Execution/Inputs/runner_kernels.cu are played by functions, any
// other writes 1 where its pointers lead to poison, as the runner fills outputs with. Work is done when it is enqueued,
// but for what a gate holds, which would be a deadlock anyway; time passes only in kernels, a nanosecond for each of
// their threads and, for those that are not played, 5 µs, and while the host launches one that is not in a graph, 5 µs.
//
// FAKE_DRIVER_GPUS=N: so many (1). FAKE_DRIVER_FAULTS=crash:THREADS,hang:THREADS,wrong:THREADS,…: what blocks of so
// many threads do, in kernels that are not played; `wrong` writes where the last pointer leads, and `race` does so in
// fused kernels that are not in a graph; `input` writes where the first one leads, in fused kernels; `before` and
// `behind` write beside the buffer to which the last one leads. FAKE_DRIVER_LATER=US: so much longer fused kernels take
// as soon as a whole output is loaded, which has several. FAKE_DRIVER_FUSED=US: so much longer they always take.
// FAKE_DRIVER_FEW=US: so much longer those of less than eight blocks take.
// FAKE_DRIVER_SLOW=US:FACTOR: so much longer kernels take on the GPU in its first so many microseconds.
// FAKE_DRIVER_SLOW_GPU=N:FACTOR: so much longer they always take on GPU N. FAKE_DRIVER_EDITS=FILE: what a user does
// meanwhile, an empty line behind the FILE whenever a fused kernel is loaded; with FAKE_DRIVER_UNDOES set, the edit is
// undone at once. FAKE_DRIVER_LOSES=N:FILE: GPU N is gone once there is the FILE, which a fused kernel makes when it is
// loaded there; the others wait for that.
#include <cuda.h>
#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

struct Kernel {
  std::string Name;
  std::vector<size_t> Parameters; ///< Sizes in bytes.
};
const char *const Played[] = {
    "add",         "histogram",          "add_by_ticket",     "add_by_queue",  "add_never", "add_until_worn",
    "add_wrongly", "add_through_shared", "add_out_of_bounds", "cufuse_differ", "cufuse_sum"};

using Module = std::vector<Kernel>;

/// The sizes that `.nv.info.KERNEL` gives: attributes of a format, a kind and a value; 0x17 is of a parameter.
std::vector<size_t> parametersOf(const std::string &Info) {
  constexpr unsigned char Sized = 4, Parameter = 0x17;
  std::map<unsigned, size_t> Sizes;
  for (size_t At = 0; At + 4 <= Info.size();) {
    std::uint16_t Bytes = 0;
    std::memcpy(&Bytes, &Info[At + 2], sizeof Bytes);
    if (Info[At] == Sized && Info[At + 1] == Parameter) {
      std::uint16_t Number = 0;
      std::uint32_t Size = 0;
      std::memcpy(&Number, &Info[At + 8], sizeof Number);
      std::memcpy(&Size, &Info[At + 12], sizeof Size);
      Sizes[Number] = Size >> 18;
    }
    At += 4 + (Info[At] == Sized ? Bytes : 0);
  }
  std::vector<size_t> All;
  for (const auto &[Number, Size] : Sizes)
    All.push_back(Size);
  return All;
}

Module readCubin(const std::string &Bytes) {
  constexpr unsigned char Entry = 0x10; // in st_other
  auto At = [&]<typename T>(size_t Offset, T) {
    T Value{};
    if (Offset + sizeof Value <= Bytes.size())
      std::memcpy(&Value, &Bytes[Offset], sizeof Value);
    return Value;
  };
  const auto Header = At(0, Elf64_Ehdr());
  std::map<std::string, Elf64_Shdr> Sections;
  auto Section = [&](size_t I) { return At(Header.e_shoff + I * sizeof(Elf64_Shdr), Elf64_Shdr()); };
  for (size_t I = 0; I < Header.e_shnum; ++I)
    Sections[Bytes.c_str() + Section(Header.e_shstrndx).sh_offset + Section(I).sh_name] = Section(I);
  Module Kernels;
  for (size_t I = 0; I < Sections[".symtab"].sh_size / sizeof(Elf64_Sym); ++I) {
    const auto Symbol = At(Sections[".symtab"].sh_offset + I * sizeof(Elf64_Sym), Elf64_Sym());
    if (ELF64_ST_TYPE(Symbol.st_info) != STT_FUNC || !(Symbol.st_other & Entry))
      continue;
    const std::string Name = Bytes.c_str() + Sections[".strtab"].sh_offset + Symbol.st_name;
    const Elf64_Shdr Info = Sections[".nv.info." + Name];
    Kernels.push_back({Name, parametersOf(Bytes.substr(Info.sh_offset, Info.sh_size))});
  }
  return Kernels;
}

struct Graph {
  std::vector<std::function<void()>> Nodes;
};

// The driver of a process; no call of it names an object.
double Microseconds = 0;
int Gpu = 0;
CUresult Sticky = CUDA_SUCCESS;
Graph *Capturing = nullptr;
std::map<const Kernel *, int> DynamicLimit;
std::map<const Kernel *, int> Launches; ///< Of those that wear out.

constexpr char Poison = '\xDE';
std::map<char *, size_t> Allocated; ///< Bytes.
/// Of what the memory is a part.
auto allocationOf(void *Memory) {
  auto Next = Allocated.upper_bound(static_cast<char *>(Memory));
  if (Next == Allocated.begin() || static_cast<char *>(Memory) >= (--Next)->first + Next->second)
    return Allocated.end();
  return Next;
}
bool IsLater = false;
bool isFused(const Kernel &One) { return One.Name.find("fused") != std::string::npos; }

/// What FAKE_DRIVER_FAULTS says of blocks of so many threads.
std::string faultOf(unsigned Threads) {
  const char *Given = std::getenv("FAKE_DRIVER_FAULTS");
  std::istringstream Faults(Given ? Given : "");
  for (std::string Fault; std::getline(Faults, Fault, ',');)
    if (Fault.substr(Fault.find(':') + 1) == std::to_string(Threads))
      return Fault.substr(0, Fault.find(':'));
  return "";
}

/// What FAKE_DRIVER_LOSES says of this GPU, where a fused kernel is loaded or not.
bool isLost(bool Fused) {
  const char *Given = std::getenv("FAKE_DRIVER_LOSES");
  if (!Given)
    return false;
  const char *File = std::strchr(Given, ':') + 1;
  const bool Loses = std::atoi(Given) == Gpu;
  if (Fused && Loses)
    std::ofstream(File).flush();
  for (int Tries = 0; Fused && !std::filesystem::exists(File) && Tries < 300; ++Tries)
    ::usleep(10'000);
  return Loses && std::filesystem::exists(File);
}

CUresult perform(std::function<void()> Work) {
  if (Capturing)
    Capturing->Nodes.push_back(std::move(Work));
  else if (Sticky == CUDA_SUCCESS)
    Work();
  return Sticky;
}

template <typename T> T argument(const std::vector<std::string> &Arguments, size_t Number) {
  T Value;
  std::memcpy(&Value, Arguments[Number].data(), sizeof Value);
  return Value;
}

void play(const Kernel &Kernel, unsigned Blocks, unsigned Threads, const std::vector<std::string> &Arguments,
          bool InGraph) {
  const std::string &Name = Kernel.Name;
  Microseconds += 1e-3 * Blocks * Threads;
  if (std::find(std::begin(Played), std::end(Played), Name) == std::end(Played)) {
    Microseconds += 5;
    if (const char *More = std::getenv("FAKE_DRIVER_LATER"); More && IsLater && isFused(Kernel))
      Microseconds += std::atof(More);
    if (const char *More = std::getenv("FAKE_DRIVER_FUSED"); More && isFused(Kernel))
      Microseconds += std::atof(More);
    if (const char *More = std::getenv("FAKE_DRIVER_FEW"); More && isFused(Kernel) && Blocks < 8)
      Microseconds += std::atof(More);
    const std::string Fault = faultOf(Threads);
    if (Fault == "crash")
      Sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    while (Fault == "hang")
      ::pause();
    std::vector<char *> Pointers;
    for (size_t I = 0; I < Arguments.size(); ++I)
      if (Arguments[I].size() == sizeof(CUdeviceptr))
        if (auto *Pointer = argument<char *>(Arguments, I); allocationOf(Pointer) != Allocated.end())
          Pointers.push_back(Pointer);
    for (char *Pointer : Pointers)
      if (*Pointer == Poison)
        *Pointer = 1;
    if (Pointers.empty())
      return;
    if (Fault == "wrong" || (Fault == "race" && !InGraph && isFused(Kernel)))
      std::memset(Pointers.back(), 0x11, 4);
    if (Fault == "input" && isFused(Kernel))
      std::memset(Pointers.front(), 0x22, 4);
    if (Fault == "before")
      std::memset(Pointers.back() - 4, 0x33, 4);
    if (const auto In = allocationOf(Pointers.back()); Fault == "behind")
      std::memset(In->first + In->second - 4, 0x44, 4);
    return;
  }
  if (Name == "histogram") {
    const auto *Values = argument<const unsigned *>(Arguments, 0);
    auto *Bins = argument<unsigned *>(Arguments, 1);
    for (unsigned I = 0; I < argument<unsigned>(Arguments, 2); ++I)
      ++Bins[Values[I] & 255];
    return;
  }
  if (Name == "cufuse_differ") {
    if (std::memcmp(argument<const void *>(Arguments, 0), argument<const void *>(Arguments, 1),
                    argument<size_t>(Arguments, 2) * 4))
      *argument<unsigned *>(Arguments, 3) = 1;
    return;
  }
  if (Name == "cufuse_sum") {
    const auto *Words = argument<const unsigned *>(Arguments, 0);
    auto *Sum = argument<std::uint64_t *>(Arguments, 2);
    for (std::uint64_t I = 0; I < argument<std::uint64_t>(Arguments, 1); ++I)
      *Sum += (Words[I] + I) * (Words[I] + 3 * I + 1);
    return;
  }
  if (Name == "add_out_of_bounds") {
    Sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    return;
  }
  while (Name == "add_never")
    ::pause();
  const auto *A = argument<const float *>(Arguments, 0), *B = argument<const float *>(Arguments, 1);
  auto *C = argument<float *>(Arguments, 2);
  const unsigned Count = argument<unsigned>(Arguments, 3);
  unsigned *Ticket = Name == "add_by_ticket" || Name == "add_by_queue" ? argument<unsigned *>(Arguments, 4) : nullptr;
  // What is used up is left at once.
  if (Name == "add_by_queue" && *Ticket >= Blocks)
    Microseconds -= 1e-3 * Blocks * Threads;
  const bool Worn = Name == "add_until_worn" && ++Launches[&Kernel] > 8;
  for (unsigned Block = 0; Block < Blocks; ++Block) {
    const unsigned Which = Ticket ? (*Ticket)++ : Block;
    for (unsigned I = Which * Threads; I < std::min((Which + 1) * Threads, Count); ++I)
      C[I] = A[I] + B[I] + (Worn || Name == "add_wrongly") * (I == 12345 ? 1 : 0);
  }
}

void execute(const Kernel &Kernel, unsigned Blocks, unsigned Threads, const std::vector<std::string> &Arguments,
             bool InGraph) {
  const double Before = Microseconds;
  play(Kernel, Blocks, Threads, Arguments, InGraph);
  double Slow = 0, Factor = 1;
  if (const char *Given = std::getenv("FAKE_DRIVER_SLOW"))
    std::sscanf(Given, "%lf:%lf", &Slow, &Factor);
  if (Before < Slow)
    Microseconds += (Factor - 1) * (Microseconds - Before);
  int SlowGpu = -1;
  if (const char *Given = std::getenv("FAKE_DRIVER_SLOW_GPU"))
    std::sscanf(Given, "%d:%lf", &SlowGpu, &Factor);
  if (Gpu == SlowGpu)
    Microseconds += (Factor - 1) * (Microseconds - Before);
}

} // namespace

extern "C" {
CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult Error, const char **Name) {
  *Name = Error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **Text) {
  *Text = "as the fake driver says";
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *Version) {
  *Version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *Count) {
  const char *Given = std::getenv("FAKE_DRIVER_GPUS");
  *Count = Given ? std::atoi(Given) : 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *Device, int Ordinal) {
  int Count = 0;
  cuDeviceGetCount(&Count);
  *Device = Ordinal;
  return Ordinal < Count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char *Name, int Length, CUdevice) {
  std::strncpy(Name, "Fake", Length);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Attribute, CUdevice) {
  *Value = Attribute == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE              ? 1 << 20
           : Attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                       : 9;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *, int, CUdevice) { return CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceTotalMem(size_t *Bytes, CUdevice) {
  *Bytes = 1 << 30;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice Device) {
  Gpu = Device;
  return isLost(/*Fused=*/false) ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return Sticky; }

CUresult cuMemAlloc(CUdeviceptr *Address, size_t Bytes) {
  void *Memory = Bytes > 1 << 30 ? nullptr : std::malloc(Bytes);
  *Address = reinterpret_cast<CUdeviceptr>(Memory);
  if (Memory)
    Allocated[static_cast<char *>(Memory)] = Bytes;
  return Memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr Address) {
  Allocated.erase(reinterpret_cast<char *>(Address));
  std::free(reinterpret_cast<void *>(Address));
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **Address, size_t Bytes, unsigned) {
  *Address = std::malloc(Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void *Address) {
  std::free(Address);
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *Address, void *Host, unsigned) {
  *Address = reinterpret_cast<CUdeviceptr>(Host);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr To, const void *From, size_t Bytes) {
  return perform([=] { std::memcpy(reinterpret_cast<void *>(To), From, Bytes); });
}
CUresult cuMemcpyDtoH(void *To, CUdeviceptr From, size_t Bytes) {
  return perform([=] { std::memcpy(To, reinterpret_cast<void *>(From), Bytes); });
}
CUresult cuMemcpyDtoD(CUdeviceptr To, CUdeviceptr From, size_t Bytes) {
  return perform([=] { std::memcpy(reinterpret_cast<void *>(To), reinterpret_cast<void *>(From), Bytes); });
}
CUresult cuMemsetD8Async(CUdeviceptr Address, unsigned char Value, size_t Count, CUstream) {
  return perform([=] { std::memset(reinterpret_cast<void *>(Address), Value, Count); });
}
CUresult cuMemsetD32Async(CUdeviceptr Address, unsigned Value, size_t Count, CUstream) {
  return perform([=] { std::fill_n(reinterpret_cast<unsigned *>(Address), Count, Value); });
}

CUresult cuModuleLoad(CUmodule *Loaded, const char *Path) {
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return CUDA_ERROR_FILE_NOT_FOUND;
  const std::string Bytes(std::istreambuf_iterator<char>(File), {});
  auto *Kernels = new Module(readCubin(Bytes));
  const auto Fused = std::count_if(Kernels->begin(), Kernels->end(), isFused);
  IsLater |= Fused > 1;
  if (const char *Edited = std::getenv("FAKE_DRIVER_EDITS"); Edited && Fused > 0) {
    const auto Before = std::filesystem::file_size(Edited);
    std::ofstream(Edited, std::ios::app) << '\n';
    if (std::getenv("FAKE_DRIVER_UNDOES"))
      std::filesystem::resize_file(Edited, Before);
  }
  *Loaded = reinterpret_cast<CUmodule>(Kernels);
  if (isLost(Fused > 0))
    Sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  return Sticky;
}
/// The text holds two kernels, which compare.
CUresult cuModuleLoadData(CUmodule *Loaded, const void *) {
  *Loaded = reinterpret_cast<CUmodule>(new Module{{"cufuse_differ", {8, 8, 8, 8}}, {"cufuse_sum", {8, 8, 8}}});
  return Sticky;
}
CUresult cuModuleUnload(CUmodule Loaded) {
  delete reinterpret_cast<Module *>(Loaded);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *Function, CUmodule Loaded, const char *Name) {
  for (Kernel &One : *reinterpret_cast<Module *>(Loaded))
    if (One.Name == Name) {
      *Function = reinterpret_cast<CUfunction>(&One);
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetFunctionCount(unsigned *Count, CUmodule Loaded) {
  *Count = static_cast<unsigned>(reinterpret_cast<Module *>(Loaded)->size());
  return CUDA_SUCCESS;
}
CUresult cuModuleEnumerateFunctions(CUfunction *Functions, unsigned Count, CUmodule Loaded) {
  for (unsigned I = 0; I < Count; ++I)
    Functions[I] = reinterpret_cast<CUfunction>(&(*reinterpret_cast<Module *>(Loaded))[I]);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char **Name, CUfunction Function) {
  *Name = reinterpret_cast<const Kernel *>(Function)->Name.c_str();
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction Function, size_t Number, size_t *Offset, size_t *Size) {
  const auto &Parameters = reinterpret_cast<const Kernel *>(Function)->Parameters;
  if (Number >= Parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  *Offset = 0;
  *Size = Parameters[Number];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction Function, CUfunction_attribute, int Value) {
  DynamicLimit[reinterpret_cast<const Kernel *>(Function)] = Value;
  return Value <= 227 * 1024 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLaunchKernel(CUfunction Function, unsigned Gx, unsigned Gy, unsigned Gz, unsigned Bx, unsigned By,
                        unsigned Bz, unsigned Dynamic, CUstream, void **Parameters, void **) {
  const auto &Kernel = *reinterpret_cast<const struct Kernel *>(Function);
  const unsigned Threads = Bx * By * Bz;
  if (Threads > 1024 || Dynamic > static_cast<unsigned>(std::max(DynamicLimit[&Kernel], 48 * 1024)))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<std::string> Arguments;
  for (size_t I = 0; I < Kernel.Parameters.size(); ++I)
    Arguments.emplace_back(static_cast<const char *>(Parameters[I]), Kernel.Parameters[I]);
  Microseconds += Capturing ? 0 : 5;
  return perform([&Kernel, Blocks = Gx * Gy * Gz, Threads, Arguments, InGraph = Capturing != nullptr] {
    execute(Kernel, Blocks, Threads, Arguments, InGraph);
  });
}

CUresult cuStreamCreate(CUstream *Stream, unsigned) {
  *Stream = reinterpret_cast<CUstream>(1);
  return Sticky;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return Sticky; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return Sticky; }
CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned) { return Sticky; }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  Capturing = new Graph;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph *Captured) {
  *Captured = reinterpret_cast<CUgraph>(std::exchange(Capturing, nullptr));
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *Event, unsigned) {
  *Event = reinterpret_cast<CUevent>(new double(0));
  return Sticky;
}
CUresult cuEventDestroy(CUevent Event) {
  delete reinterpret_cast<double *>(Event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent Event, CUstream) {
  *reinterpret_cast<double *>(Event) = Microseconds;
  return Sticky;
}
CUresult cuEventElapsedTime(float *Milliseconds, CUevent Begin, CUevent End) {
  *Milliseconds = static_cast<float>((*reinterpret_cast<double *>(End) - *reinterpret_cast<double *>(Begin)) / 1000);
  return Sticky;
}
CUresult cuGraphInstantiate(CUgraphExec *Executable, CUgraph Graph, unsigned long long) {
  *Executable = reinterpret_cast<CUgraphExec>(new struct Graph(*reinterpret_cast<struct Graph *>(Graph)));
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph Graph) {
  delete reinterpret_cast<struct Graph *>(Graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec Executable) {
  delete reinterpret_cast<Graph *>(Executable);
  return CUDA_SUCCESS;
}
CUresult cuGraphUpload(CUgraphExec, CUstream) { return Sticky; }
CUresult cuGraphLaunch(CUgraphExec Executable, CUstream) {
  for (const auto &Node : reinterpret_cast<Graph *>(Executable)->Nodes)
    perform(Node);
  return Sticky;
}
}
