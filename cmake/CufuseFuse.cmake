#[[
  cufuse_fuse(TARGET <target> NAME <name> KERNELS <file.cu:kernel> <file.cu:kernel>...
              [BLOCK <shape or NAME=shape>...] [GRID_POLICY match|stride] [REGISTERS none|bound|<n>]
              [OPTIONS <option of `cufuse fuse`>...])

  Fuses the kernels when <target> is built, into <name>.cu and <name>.h; adds the source to <target>, and its folder and
  the inputs' folders to <target>'s include directories, so that <target> can include "<name>.h" and call
  <name>::launch. What comes of it is compiled to PTX, too, and checked (`cufuse check`): the build fails where it does more
  than was planned. Files are relative to the current source folder. cufuse reads the inputs with <target>'s include
  directories, definitions, CUDA options, CUDA standard, CUDA architectures and separable compilation, and with the
  CMAKE_CUDA_FLAGS of the configuration, as they are at the end of the current folder. The fusion runs again only when an
  input, one of its headers (not the system's), cufuse or one of these properties changes.

  <target> must exist and belong to the current folder, where no other target has this <name>; the CUDA language must be
  enabled.
]]
function(cufuse_fuse)
  cmake_parse_arguments(PARSE_ARGV 0 fuse "" "TARGET;NAME;GRID_POLICY;REGISTERS" "KERNELS;BLOCK;OPTIONS")
  foreach(required TARGET NAME KERNELS)
    if(NOT fuse_${required})
      message(FATAL_ERROR "cufuse_fuse: ${required} is missing")
    endif()
  endforeach()
  if(fuse_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cufuse_fuse: unknown argument: ${fuse_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${fuse_TARGET})
    message(FATAL_ERROR "cufuse_fuse: there is no target ${fuse_TARGET}")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CUDA" IN_LIST languages)
    message(FATAL_ERROR "cufuse_fuse: the CUDA language is not enabled; add it to project() or call enable_language(CUDA)")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/cufuse")
  # Each configuration has text of its own.
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    string(APPEND folder "/$<CONFIG>")
  endif()
  set(output "${folder}/${fuse_NAME}")
  get_property(taken GLOBAL PROPERTY "_cufuse_target_of_${output}")
  if(taken)
    message(FATAL_ERROR "cufuse_fuse: ${fuse_NAME} is fused for the target ${taken} of this folder already; "
                        "give it another NAME for ${fuse_TARGET}")
  endif()
  set_property(GLOBAL PROPERTY "_cufuse_target_of_${output}" "${fuse_TARGET}")
  set(command fuse)
  foreach(kernel IN LISTS fuse_KERNELS)
    if(NOT kernel MATCHES "^([^:]+):(.+)$")
      message(FATAL_ERROR "cufuse_fuse: '${kernel}' is not of the form file.cu:kernel")
    endif()
    set(name "${CMAKE_MATCH_2}")
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH parent)
    list(APPEND command "${file}:${name}")
    list(APPEND inputs "${file}")
    list(APPEND folders "${parent}")
  endforeach()
  list(REMOVE_DUPLICATES inputs)
  list(REMOVE_DUPLICATES folders)
  foreach(block IN LISTS fuse_BLOCK)
    list(APPEND command --block "${block}")
  endforeach()
  if(fuse_GRID_POLICY)
    list(APPEND command --grid-policy "${fuse_GRID_POLICY}")
  endif()
  if(fuse_REGISTERS)
    list(APPEND command --registers "${fuse_REGISTERS}")
  endif()
  list(APPEND command ${fuse_OPTIONS} --name "${fuse_NAME}" -o "${output}.cu" --depfile "${output}.d" --)

  list(JOIN command "]==] [==[" command)

  target_sources(${fuse_TARGET} PRIVATE "${output}.cu" "${output}.h")
  target_include_directories(${fuse_TARGET} PRIVATE "${folder}" ${folders})

  # nvcc gets CMAKE_CUDA_FLAGS as they are when the folder ends.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _cufuse_write_script
    [===[${fuse_TARGET}]===] [===[${fuse_NAME}]===] [===[${output}]===] [===[${command}]===])")

  add_custom_command(OUTPUT "${output}.cu" "${output}.h"
    COMMAND "${CMAKE_COMMAND}" -P "${output}-$<CONFIG>.cmake"
    DEPENDS ${inputs} "${output}-$<CONFIG>.cmake" cufuse::cufuse
    DEPFILE "${output}.d"
    COMMENT "Fusing ${fuse_NAME}"
    VERBATIM)
endfunction()

# The flags are known when CMake generates, and only per language, which a custom command cannot ask for: a script holds
# them and runs cufuse.
function(_cufuse_write_script fuse_TARGET fuse_NAME output command)
  set(configurations ${CMAKE_CONFIGURATION_TYPES} ${CMAKE_BUILD_TYPE})
  set(by_configuration "")
  foreach(configuration IN LISTS configurations)
    string(TOUPPER "${configuration}" configuration)
    string(APPEND by_configuration "set(flags_${configuration} [==[${CMAKE_CUDA_FLAGS_${configuration}}]==])\n")
  endforeach()
  set(property "$<TARGET_PROPERTY:${fuse_TARGET}")
  file(GENERATE OUTPUT "${output}-$<CONFIG>.cmake" CONTENT
"set(includes [==[${property},INCLUDE_DIRECTORIES>]==])
set(definitions [==[${property},COMPILE_DEFINITIONS>]==])
set(options [==[${property},COMPILE_OPTIONS>]==])
set(features [==[${property},COMPILE_FEATURES>]==])
set(standard [==[${property},CUDA_STANDARD>]==])
set(separable [==[$<BOOL:${property},CUDA_SEPARABLE_COMPILATION>>]==])
${by_configuration}
# In the order of CMake's own command.
set(first \"\")
foreach(definition IN LISTS definitions)
  string(REGEX REPLACE \"^-D\" \"\" definition \"\${definition}\")
  list(APPEND first \"-D\${definition}\")
endforeach()
foreach(include IN LISTS includes)
  list(APPEND first \"-I\${include}\")
endforeach()

string(TOUPPER [==[$<CONFIG>]==] configuration)
set(flags [==[${CMAKE_CUDA_FLAGS}]==])
separate_arguments(flags UNIX_COMMAND \"\${flags} \${flags_\${configuration}}\")
list(PREPEND flags \${first})
foreach(architecture IN ITEMS ${property},CUDA_ARCHITECTURES>)
  if(architecture MATCHES \"^([0-9]+[af]?)(-real|-virtual|)\\$\")
    set(number \${CMAKE_MATCH_1})
    set(code compute_\${number},sm_\${number})
    if(CMAKE_MATCH_2 STREQUAL \"-real\")
      set(code sm_\${number})
    elseif(CMAKE_MATCH_2 STREQUAL \"-virtual\")
      set(code compute_\${number})
    endif()
    list(APPEND flags \"--generate-code=arch=compute_\${number},code=[\${code}]\")
  elseif(architecture)
    list(APPEND flags \"-arch=\${architecture}\")
  endif()
endforeach()

if(NOT standard AND features MATCHES \"cuda_std_([0-9]+)\")
  set(standard \${CMAKE_MATCH_1})
endif()
if(standard)
  list(APPEND flags -std=c++\${standard})
endif()
if(separable)
  list(APPEND flags -rdc=true)
endif()
foreach(option IN LISTS options)
  string(REGEX REPLACE \"^SHELL:\" \"\" option \"\${option}\")
  separate_arguments(option UNIX_COMMAND \"\${option}\")
  list(APPEND flags \${option})
endforeach()
set(toolkit [==[${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}]==])
if(toolkit)
  set(ENV{CUDA_HOME} \"\${toolkit}\")
endif()
execute_process(COMMAND [==[$<TARGET_FILE:cufuse::cufuse>]==] [==[${command}]==] \${flags}
  RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR \"cufuse could not fuse ${fuse_NAME}\")
endif()
execute_process(COMMAND [==[$<TARGET_FILE:cufuse::cufuse>]==] check [==[${output}.cu]==] -- \${flags}
  OUTPUT_QUIET RESULT_VARIABLE status)
if(status)
  file(REMOVE [==[${output}.cu]==] [==[${output}.h]==]) # so that nothing compiles it
  message(FATAL_ERROR \"${fuse_NAME}, as nvcc compiles it, is not what was planned\")
endif()
" CONDITION "$<COMPILE_LANGUAGE:CUDA>" TARGET ${fuse_TARGET})
endfunction()
