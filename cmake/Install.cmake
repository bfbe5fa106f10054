# The install tree: bin/, lib/clang/<major>/include (what cufuse parses with), lib/cmake/cufuse/, share/cufuse/. Nothing in it
# holds an absolute path, so that it may be moved as a whole.
include(CMakePackageConfigHelpers)

install(TARGETS cufuse cufuse-runner RUNTIME DESTINATION bin)

# Other targets' intrinsics are most of the folder and no host or device parse on x86-64 opens them.
install(DIRECTORY "${CUFUSE_CLANG_RESOURCE_DIR}/include/" DESTINATION "lib/clang/${LLVM_VERSION_MAJOR}/include"
  REGEX "/(arm|riscv|sifive|hexagon|hvx_|opencl|hlsl|htm|s390|vecintrin|altivec|lasx|lsx|larch|wasm|velintrin|amdgpu|msa)[^/]*$" EXCLUDE
  REGEX "/(ppc_wrappers|hlsl|llvm_libc_wrappers|llvm_offload_wrappers|openmp_wrappers|zos_wrappers|fuzzer|profile|sanitizer|xray|orc)$" EXCLUDE)

set(cufuse_package "lib/cmake/cufuse")
configure_package_config_file(cmake/cufuseConfig.cmake.in "${PROJECT_BINARY_DIR}/cmake/cufuseConfig.cmake"
  INSTALL_DESTINATION "${cufuse_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/cufuseConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/cmake/cufuseConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/cufuseConfigVersion.cmake"
              cmake/CufuseFuse.cmake cmake/CufuseTakeFlags.cmake
  DESTINATION "${cufuse_package}")

install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/cufuse)
