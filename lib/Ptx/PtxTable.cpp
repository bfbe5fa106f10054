#include "cufuse/Ptx/PtxTable.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

namespace cufuse {

namespace {

/// Names of one kind and section, with blanks between them.
template <typename Entry> struct Group {
  typename Entry::Kind What;
  const char *Section;
  const char *Names;
};

/// The entries of all groups by name.
template <typename Entry, size_t Count> llvm::StringMap<Entry> byName(const Group<Entry> (&Groups)[Count]) {
  llvm::StringMap<Entry> Map;
  for (const Group<Entry> &G : Groups)
    for (llvm::StringRef Name : llvm::split(G.Names, ' ')) {
      const auto At = Map.try_emplace(Name).first;
      At->second = {At->getKeyData(), G.What, G.Section};
    }
  return Map;
}

using R = PtxRegister::Kind;
constexpr Group<PtxRegister> Registers[] = {
    {R::Block, "10.1", "tid"},
    {R::Block, "10.2", "ntid"},
    {R::Any, "10.3", "laneid"},
    {R::Block, "10.4", "warpid"},
    {R::Refused, "10.5", "nwarpid"},
    {R::Block, "10.6", "ctaid"},
    {R::Block, "10.7", "nctaid"},
    {R::Any, "10.8", "smid"},
    {R::Any, "10.9", "nsmid"},
    {R::Refused, "10.10", "gridid"},
    {R::Refused, "10.11", "is_explicit_cluster"},
    {R::Refused, "10.12", "clusterid"},
    {R::Refused, "10.13", "nclusterid"},
    {R::Refused, "10.14", "cluster_ctaid"},
    {R::Refused, "10.15", "cluster_nctaid"},
    {R::Refused, "10.16", "cluster_ctarank"},
    {R::Refused, "10.17", "cluster_nctarank"},
    {R::Any, "10.18", "lanemask_eq"},
    {R::Any, "10.19", "lanemask_le"},
    {R::Any, "10.20", "lanemask_lt"},
    {R::Any, "10.21", "lanemask_ge"},
    {R::Any, "10.22", "lanemask_gt"},
    {R::Any, "10.23", "clock clock_hi"},
    {R::Any, "10.24", "clock64"},
    {R::Any, "10.25", "pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7"},
    {R::Any, "10.26", "pm0_64 pm1_64 pm2_64 pm3_64 pm4_64 pm5_64 pm6_64 pm7_64"},
    // Where cooperative groups keep the grid's own barrier; nothing else of the driver's is known to be the same.
    {R::Any, "10.27", "envreg1 envreg2"},
    {R::Any, "10.28", "globaltimer globaltimer_lo globaltimer_hi"},
    {R::Refused, "10.29",
     "reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0"},
    // Cooperative groups read it in every group; that only one kernel uses what is there, MultiWarpTiles sees to.
    {R::Any, "10.29", "reserved_smem_offset_1"},
    {R::Refused, "10.30", "total_smem_size"},
    {R::Refused, "10.31", "aggr_smem_size"},
    {R::Refused, "10.32", "dynamic_smem_size"},
    {R::Refused, "10.33", "current_graph_exec"},
    // Of PTX ISA 9.1 to 9.5.
    {R::Refused, "10", "sm_ctaid locality_domain_id locality_domain_supplemental_sm"},
};

using F = PtxFamily::Kind;
constexpr Group<PtxFamily> Families[] = {
    {F::Computes, "9.7.1",
     "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a "
     "clmad"},
    {F::Computes, "9.7.2", "addc subc madc"},
    {F::Computes, "9.7.3", "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh"},
    {F::Computes, "9.7.6", "set setp selp slct"},
    {F::Computes, "9.7.8", "and or xor not cnot lop3 shf shl shr"},
    {F::Computes, "9.7.9", "mov prmt cvt"},
    {F::Plain, "9.7.9",
     "ld ldu st multimem prefetch prefetchu applypriority discard createpolicy isspacep cvta "
     "cp.async.bulk.prefetch cp.async.commit_group cp.async.wait_group cp.async.wait_all cp.async.bulk.commit_group "
     "cp.async.bulk.wait_group cp.async.mbarrier tensormap.replace "
     "tensormap.query"},
    {F::Warp, "9.7.9.6", "shfl"},
    {F::Copy, "9.7.9.25",
     "cp.async cp.async.bulk cp.reduce.async.bulk st.async red.async multimem.cp "
     "multimem.st.async multimem.red.async"},
    {F::Refused, "9.7.9", "mapa getctarank fabric"},
    {F::Plain, "9.7.10", "tex tld4 txq istypep"},
    {F::Plain, "9.7.11", "suld sust sured suq"},
    {F::Plain, "9.7.12", "bra brx"},
    {F::Call, "9.7.12", "call"},
    {F::End, "9.7.12", "ret exit"},
    {F::Barrier, "9.7.13.1", "bar barrier"},
    {F::Warp, "9.7.13.2", "bar.warp"},
    {F::Refused, "9.7.13.3", "barrier.cluster"},
    {F::Plain, "9.7.13", "membar fence atom red"},
    {F::Warp, "9.7.13", "vote match activemask redux elect"},
    // More than one wait is one; without programmatic dependence, it waits for nothing.
    {F::Plain, "9.7.13.13", "griddepcontrol.wait"},
    {F::Refused, "9.7.13.13", "griddepcontrol"},
    {F::Plain, "9.7.13.15", "mbarrier"},
    {F::Copy, "9.7.13.16", "tensormap.cp_fenceproxy"},
    {F::Refused, "9.7.13.17", "clusterlaunchcontrol"},
    {F::Warp, "9.7.14", "wmma mma ldmatrix stmatrix movmatrix"},
    {F::Refused, "9.7.15", "wgmma"},
    {F::Refused, "9.7.16", "tcgen05"},
    // Of CUDA 13.5; how many lanes work together on it is not known.
    {F::Refused, "9.7", "spcompress"},
    {F::Plain, "9.7.17", "stacksave stackrestore alloca"},
    {F::Computes, "9.7.18",
     "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 "
     "vavrg4 vabsdiff4 vmin4 vmax4 vset4"},
    {F::Plain, "9.7.19", "brkpt nanosleep pmevent trap"},
    {F::Registers, "9.7.19.5", "setmaxnreg"},
};

template <typename Entry> const Entry *find(const llvm::StringMap<Entry> &Map, llvm::StringRef Name) {
  const auto At = Map.find(Name);
  return At == Map.end() ? nullptr : &At->second;
}

} // namespace

const PtxRegister *findPtxRegister(llvm::StringRef Name) {
  static const llvm::StringMap<PtxRegister> All = byName(Registers);
  return find(All, Name);
}

const PtxFamily *findPtxFamily(llvm::StringRef Opcode) {
  static const llvm::StringMap<PtxFamily> All = byName(Families);
  static const PtxFamily Multicast = {".multicast::cluster", F::Refused, "9.7.9.25"};
  if (Opcode.contains(".multicast::cluster"))
    return &Multicast;
  for (llvm::StringRef Prefix = Opcode; !Prefix.empty();) {
    if (const PtxFamily *Found = find(All, Prefix))
      return Found;
    const size_t Dot = Prefix.rfind('.');
    Prefix = Prefix.take_front(Dot == llvm::StringRef::npos ? 0 : Dot);
  }
  return nullptr;
}

} // namespace cufuse
