"""Programs of public trees that check themselves, and the two launches of each that are replaced by a fused one.

Nothing of the programs stands here but names of files and kernels, and what finds a place in them.
"""
import collections

# A change of a file's text: a regular expression that must be found, and what comes in its place.
Edit = collections.namedtuple("Edit", "file pattern text")

# The at-th launch of the kernel that stands in the file; `slots`: which constituents of the fused launch it may be. A
# fused launch is made when the last of its constituents is there, so nothing in between may depend on the first.
Site = collections.namedtuple("Site", "file kernel at slots")

Program = collections.namedtuple(
    "Program",
    # tree and folder: where it is from; sources: what is compiled; files: what it needs beside the folder's own;
    # kernels: (file:kernel, block), the constituents; sites: the launches; port: edits that nvcc 13 needs; edits: what
    # brings the launches together; passes: what the program says when its check passed, or what it prints that must be
    # the same unfused (`same`); options of nvcc, and of the program.
    "name tree folder sources files kernels sites port edits passes same flags options",
    defaults=((), (), "", "", (), ()))

COMMON = ("Common/*.h", )

SHOC = ("src/common/*.h", "src/common/OptionParser.cpp", "src/common/Option.cpp", "src/common/InvalidArgValue.cpp",
        "src/common/ResultDatabase.cpp", "src/common/ProgressBar.cpp", "src/common/Timer.cpp",
        "src/cuda/common/*.h", "src/cuda/common/main.cpp")


def sample(name, part, sources, kernels, sites, **others):
    """A program of cuda-samples, which says in its exit status, too, whether its check passed."""
    return Program(name, "cuda-samples", f"Samples/{part}/{name}", sources.split(), COMMON, kernels, sites, **others)


PROGRAMS = [
    # Both halves of a merge have their own ranks and limits.
    sample("mergeSort", "0_Introduction", "mergeSort.cu main.cpp mergeSort_host.cpp mergeSort_validate.cpp",
           [("mergeSort.cu:mergeRanksAndIndicesKernel", "256")] * 2,
           [Site("mergeSort.cu", "mergeRanksAndIndicesKernel", 0, (0, )),
            Site("mergeSort.cu", "mergeRanksAndIndicesKernel", 1, (1, ))],
           passes="Inspecting the results"),
    # Streams work on parts of an array of their own; two streams at a time.
    sample("simpleStreams", "0_Introduction", "simpleStreams.cu", [("simpleStreams.cu:init_array", "512")] * 2,
           [Site("simpleStreams.cu", "init_array", 2, (0, 1))],
           passes="non-streamed"),
    # Copies of low and of high priority.
    sample("StreamPriorities", "3_CUDA_Features", "StreamPriorities.cu",
           [("StreamPriorities.cu:memcpy_kernel", "512")] * 2,
           [Site("StreamPriorities.cu", "memcpy_kernel", 0, (0, )),
            Site("StreamPriorities.cu", "memcpy_kernel", 1, (1, ))],
           passes="elapsed time of kernels launched to HI"),
    # Two kernels in one stream, each with a word of its own.
    sample("simpleHyperQ", "0_Introduction", "simpleHyperQ.cu",
           [("simpleHyperQ.cu:kernel_A", "1"), ("simpleHyperQ.cu:kernel_B", "1")],
           [Site("simpleHyperQ.cu", "kernel_A", 0, (0, )), Site("simpleHyperQ.cu", "kernel_B", 0, (1, ))],
           passes="Measured time for sample"),
    # Intervals that hold one eigenvalue, and those that hold several; the first's kernel waits for the second's.
    sample("eigenvalues", "2_Concepts_and_Techniques",
           "main.cu bisect_large.cu bisect_small.cu bisect_util.cu gerschgorin.cpp matlab.cpp",
           [("bisect_large.cu:bisectKernelLarge_OneIntervals", "256"),
            ("bisect_large.cu:bisectKernelLarge_MultIntervals", "256")],
           [Site("bisect_large.cu", "bisectKernelLarge_OneIntervals", 0, (0, )),
            Site("bisect_large.cu", "bisectKernelLarge_MultIntervals", 0, (1, ))],
           passes="Test Succeeded!"),
    # The flow's two components.
    sample("HSOpticalFlow", "5_Domain_Specific", "flowCUDA.cu flowGold.cpp main.cpp",
           [("flowCUDA.cu:AddKernel", "256")] * 2, [Site("addKernel.cuh", "AddKernel", 0, (0, 1))],
           passes="L1 error"),
    # The image and the filter are padded by kernels of their own; their textures outlive the fused launch.
    sample("convolutionFFT2D", "5_Domain_Specific", "convolutionFFT2D.cu convolutionFFT2D_gold.cpp main.cpp",
           [("convolutionFFT2D.cu:padKernel_kernel", "32x8"),
            ("convolutionFFT2D.cu:padDataClampToBorder_kernel", "32x8")],
           [Site("convolutionFFT2D.cu", "padKernel_kernel", 0, (0, )),
            Site("convolutionFFT2D.cu", "padDataClampToBorder_kernel", 0, (1, ))],
           edits=[Edit("convolutionFFT2D.cu", r"checkCudaErrors\(cudaDestroyTextureObject\(texFloat\)\);", "")],
           passes="Test passed", flags=("-lcufft", )),
    # Data and filter are transformed step by step together.
    sample("fastWalshTransform", "5_Domain_Specific", "fastWalshTransform.cu fastWalshTransform_gold.cpp",
           [("fastWalshTransform.cu:fwtBatch2Kernel", "256")] * 2,
           [Site("fastWalshTransform.cu", "fwtBatch2Kernel", 0, (0, )),
            Site("fastWalshTransform.cu", "fwtBatch2Kernel", 1, (1, ))],
           edits=[Edit("fastWalshTransform.cu",
                       r"fwtBatchGPU\(d_Data, 1, log2Data\);\s*fwtBatchGPU\(d_Kernel, 1, log2Data\);",
                       """{
      int M = 1, steps = log2Data, N = 1 << log2Data;
      for (; steps > ELEMENTARY_LOG2SIZE; steps -= 2, N >>= 2, M <<= 2) {
        fwtBatch2Kernel<<<(1 << log2Data) / 1024, 256>>>(d_Data, d_Data, N / 4);
        fwtBatch2Kernel<<<(1 << log2Data) / 1024, 256>>>(d_Kernel, d_Kernel, N / 4);
      }
      fwtBatch1Kernel<<<M, N / 4, N * sizeof(float)>>>(d_Data, d_Data, steps);
      fwtBatch1Kernel<<<M, N / 4, N * sizeof(float)>>>(d_Kernel, d_Kernel, steps);
    }""")],
           passes="Test passed"),
    # The second histogram of the same data is computed along with the first; its own launch falls away.
    sample("histogram", "2_Concepts_and_Techniques", "main.cpp histogram64.cu histogram256.cu histogram_gold.cpp",
           [("histogram64.cu:histogram64Kernel", "64"), ("histogram256.cu:histogram256Kernel", "192")],
           [Site("histogram64.cu", "histogram64Kernel", 0, (0, )),
            Site("histogram64.cu", "histogram256Kernel", 0, (1, ))],
           edits=[Edit("histogram64.cu", r"(?=mergeHistogram64Kernel<<<)",
                       "histogram256Kernel<<<240, 192>>>(cufusePartials(), (uint *)d_Data, byteCount / 4);\n"),
                  Edit("histogram64.cu", r'(?=extern "C" void histogram64\()', "uint *cufusePartials();\n"),
                  Edit("histogram256.cu", r"(?s)histogram256Kernel<<<.*?\)\s*;(?=\s*getLast)",
                       "d_PartialHistograms = cufusePartials();"),
                  Edit("histogram256.cu", r'(?=extern "C" void histogram256\()', """uint *cufusePartials() {
  static uint *partials = nullptr;
  if (!partials)
    checkCudaErrors(cudaMalloc(&partials, PARTIAL_HISTOGRAM256_COUNT * HISTOGRAM256_BIN_COUNT * sizeof(uint)));
  return partials;
}
""")],
           passes="Test passed"),
    # Chemistry in two streams; it has no check but prints its answers when it is asked to.
    Program("S3D", "shoc", "src/cuda/level2/s3d",
            ["S3D.cu", "main.cpp", "OptionParser.cpp", "Option.cpp", "InvalidArgValue.cpp", "ResultDatabase.cpp",
             "ProgressBar.cpp", "Timer.cpp"], SHOC,
            [("S3D.cu:rdsmh_kernel<float>", "128"), ("S3D.cu:gr_base<float>", "128")],
            [Site("S3D.cu", "rdsmh_kernel", 0, (0, )), Site("S3D.cu", "gr_base", 0, (1, ))],
            port=[Edit("main.cpp", r'cout << "  clockRate.*?;', ""),
                  Edit("S3D.cu", r"RunTest<double>\([^;]*;", ""),
                  Edit("S3D.cu", r"//( *(for \(int i=0; i<WDOT_SIZE; i\+\+\) \{\n))", r"\1"),
                  Edit("S3D.cu", r'//( *printf\("% 23\.16E ", host_wdot\[i\*n\]\);\n)//.*\n//.*\n//( *\})', r"\1\2")],
            same=r"(?:[- ]\d\.\d{16}E[+-]\d\d *)+",
            flags=("-DHAVE_CLOCK_GETTIME", "-DHAVE_CLOCK_PROCESS_CPUTIME_ID"), options=("-n", "2")),
]
