# The headers of the CUDA driver API and of CUPTI; the libraries are loaded at run time.
#
#   CUPTI_CUDA_INCLUDE_DIR  holds cuda.h
#   CUPTI_INCLUDE_DIR       holds cupti_range_profiler.h (CUDA 12.6 and later)
#   CUPTI_FOUND             both were found
set(places "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)
find_path(CUPTI_CUDA_INCLUDE_DIR cuda.h PATHS ${places} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_path(CUPTI_CUDA_INCLUDE_DIR cuda.h)
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h PATHS ${places} PATH_SUFFIXES include extras/CUPTI/include
          NO_DEFAULT_PATH)
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUPTI REQUIRED_VARS CUPTI_INCLUDE_DIR CUPTI_CUDA_INCLUDE_DIR)
