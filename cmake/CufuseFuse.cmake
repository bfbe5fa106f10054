#[[
  cufuse_fuse(TARGET <target> NAME <name> KERNELS <file.cu:kernel> <file.cu:kernel>... [+ <file.cu:kernel>...]
              [BLOCK <shape or NAME=shape>...] [GRID_POLICY match|stride] [REGISTERS none|bound|<n>]
              [OPTIONS <option of `cufuse fuse`>...] [DEPENDS <file or target>...])

  Fuses the kernels when <target> is built, into <name>.cu and <name>.h; adds the source to <target> and its folder to
  <target>'s include directories, so that <target> can include "<name>.h" and call <name>::launch. The headers beside
  an input are included by their whole path. What comes of it is compiled to PTX, too, and checked (`cufuse check`):
  the build fails where it does more than was planned. Files are relative to the current source folder. cufuse reads
  the inputs with the flags with which CMake compiles <name>.cu as a part of <target>: those that
  compile_commands.json has, which is therefore made for all targets, and those in response files that it names. The
  fusion runs again only when an input, one of its headers, also the system's, the toolkit, cufuse or these flags change. Headers
  that are made when <target> is built are there before the fusion if they are sources of <target>, or in DEPENDS.
  With --overlap, or lists of blocks, copies or widths, <target> has the sources of each: <name>_<kernel>.cu,
  <name>_<block>.cu, ...
  An input that <target> compiles with other flags than <name>.cu (set_source_files_properties) is refused; one that
  only other targets compile is read with their flags, and the build fails where <target>'s mean something else. <name>.cu
  is in ${CMAKE_CURRENT_BINARY_DIR}/cufuse, or in its folders Debug, Release, ... where the generator has several
  configurations. In a unity build, <name>.cu and the inputs stay files of their own. Another target may compile
  <name>.cu, too, but with the same flags. A launcher of the compiler that sets variables (CUDA_COMPILER_LAUNCHER) is
  refused.

  <target> must exist and belong to the current folder, where no other target has this <name>; the CUDA language must be
  enabled.
]]
if(CMAKE_VERSION VERSION_LESS 3.25)
  message(FATAL_ERROR "cufuse_fuse needs CMake 3.25; this is ${CMAKE_VERSION}")
endif()
cmake_policy(VERSION 3.25) # whatever the project asks for

function(cufuse_fuse)
  cmake_parse_arguments(PARSE_ARGV 0 fuse "" "TARGET;NAME;GRID_POLICY;REGISTERS" "KERNELS;BLOCK;OPTIONS;DEPENDS")
  foreach(required TARGET NAME KERNELS)
    if(NOT fuse_${required})
      message(FATAL_ERROR "cufuse_fuse: ${required} is missing")
    endif()
  endforeach()
  if(fuse_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cufuse_fuse: unknown argument: ${fuse_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT fuse_NAME MATCHES "^[A-Za-z_][A-Za-z_0-9]*$")
    message(FATAL_ERROR "cufuse_fuse: '${fuse_NAME}' names files and a namespace; give a NAME that is an identifier of C++")
  endif()
  if(NOT TARGET ${fuse_TARGET})
    message(FATAL_ERROR "cufuse_fuse: there is no target ${fuse_TARGET}")
  endif()
  get_target_property(aliased ${fuse_TARGET} ALIASED_TARGET)
  if(aliased)
    set(fuse_TARGET ${aliased})
  endif()
  get_target_property(home ${fuse_TARGET} BINARY_DIR)
  if(NOT home STREQUAL CMAKE_CURRENT_BINARY_DIR)
    get_target_property(home ${fuse_TARGET} SOURCE_DIR)
    message(FATAL_ERROR "cufuse_fuse: ${fuse_TARGET} is a target of another folder; call cufuse_fuse in "
                        "'${home}/CMakeLists.txt'")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "cufuse_fuse: ${CMAKE_GENERATOR} writes no compile_commands.json; "
                        "configure with -G Ninja or -G \"Unix Makefiles\"")
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE below)
  if(CMAKE_GENERATOR MATCHES "Makefiles" AND CMAKE_VERSION VERSION_LESS 3.28 AND below MATCHES " ")
    message(FATAL_ERROR "cufuse_fuse: the Makefiles of CMake ${CMAKE_VERSION} cannot follow dependencies in '${below}'; "
                        "configure with -G Ninja, or name the folder without a space")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CUDA" IN_LIST languages)
    message(FATAL_ERROR "cufuse_fuse: the CUDA language is not enabled; add it to project() or call enable_language(CUDA)")
  endif()
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    message(FATAL_ERROR "cufuse_fuse: what cufuse writes is checked as nvcc compiles it, and CMAKE_CUDA_COMPILER is "
                        "${CMAKE_CUDA_COMPILER_ID}, '${CMAKE_CUDA_COMPILER}'; configure with nvcc")
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
    if(kernel STREQUAL "+")
      list(APPEND command "+")
      continue()
    endif()
    if(NOT kernel MATCHES "^([^:]+):(.+)$")
      message(FATAL_ERROR "cufuse_fuse: '${kernel}' is not of the form file.cu:kernel")
    endif()
    set(name "${CMAKE_MATCH_2}")
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
    list(APPEND command "${file}:${name}")
    list(APPEND inputs "${file}")
  endforeach()
  list(REMOVE_DUPLICATES inputs)
  foreach(block IN LISTS fuse_BLOCK)
    list(APPEND command --block "${block}")
  endforeach()
  if(fuse_GRID_POLICY)
    list(APPEND command --grid-policy "${fuse_GRID_POLICY}")
  endif()
  if(fuse_REGISTERS)
    list(APPEND command --registers "${fuse_REGISTERS}")
  endif()
  set(before "")
  foreach(option IN LISTS fuse_OPTIONS)
    if(before MATCHES "^--(from-db|workload)$")
      cmake_path(ABSOLUTE_PATH option BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    elseif(option MATCHES "^(--from-db|--workload)=(.+)$")
      cmake_path(ABSOLUTE_PATH CMAKE_MATCH_2 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
      set(option "${CMAKE_MATCH_1}=${file}")
    endif()
    list(APPEND command "${option}")
    set(before "${option}")
  endforeach()
  list(APPEND command --name "${fuse_NAME}" -o "${output}.cu" --depfile "${output}.d" -p "${output}.flags")

  _cufuse_further_names(further "${fuse_KERNELS}" ${command})
  list(TRANSFORM further PREPEND "${output}_")
  list(TRANSFORM further APPEND ".cu" OUTPUT_VARIABLE sources)
  list(TRANSFORM further APPEND ".h" OUTPUT_VARIABLE headers)
  set(outputs "${output}.cu" ${sources})
  if(several) # CMake knows a source's properties by its path with the configuration written out
    set(each "${outputs}")
    set(outputs "")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES)
      string(REPLACE "$<CONFIG>" "${configuration}" own "${each}")
      list(APPEND outputs ${own})
    endforeach()
  endif()
  # What is planned stands in each of several outputs, and not in the one that launches them.
  set(checked "${sources}")
  if(NOT checked)
    set(checked "${output}.cu")
  endif()

  list(JOIN command "]==] [==[" command)
  list(JOIN checked "]==] [==[" checked)
  set(made "${output}.cu" "${output}.h" ${sources} ${headers})
  list(JOIN made "]==] [==[" made)
  set(files ${sources} ${inputs})
  list(JOIN files "]==] [==[" files)

  target_sources(${fuse_TARGET} PRIVATE "${output}.cu" "${output}.h" ${sources} ${headers})
  target_include_directories(${fuse_TARGET} PRIVATE "${folder}")
  # In a unity build the output would have no command, and the inputs be other text than cufuse reads.
  set_source_files_properties(${outputs} ${inputs} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # Also where only a response file has changed, which CMake does not know of; and not before it is checked.
  foreach(each IN LISTS outputs)
    cmake_path(GET each PARENT_PATH own)
    set_property(SOURCE "${each}" APPEND PROPERTY
                 OBJECT_DEPENDS "${own}/${fuse_NAME}.flags/compile_commands.json" "${own}/${fuse_NAME}.checked")
  endforeach()
  # Sources and their properties may be set until the folder ends.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _cufuse_check_launcher ${fuse_TARGET})
                            cmake_language(DEFER DIRECTORY [===[${CMAKE_SOURCE_DIR}]===]
                                           CALL _cufuse_export_commands [===[${CMAKE_SOURCE_DIR}]===])
                            cmake_language(DEFER CALL _cufuse_wait_for_headers ${fuse_TARGET} [===[${output}]===])")

  # A wrapper of nvcc may have flags of its own.
  set(toolkit "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}")
  if(CMAKE_CUDA_COMPILER MATCHES "^(.+)/bin/nvcc$")
    set(toolkit "${CMAKE_MATCH_1}")
  endif()
  # Another one that is older than the outputs is no newer dependency.
  set(made_by "")
  set(program "")
  get_target_property(imported cufuse::cufuse IMPORTED)
  if(imported)
    get_target_property(program cufuse::cufuse LOCATION)
  endif()
  foreach(tool IN ITEMS "${program}" "${CMAKE_CUDA_COMPILER}")
    if(EXISTS "${tool}")
      file(REAL_PATH "${tool}" tool)
      file(SIZE "${tool}" size)
      file(TIMESTAMP "${tool}" time UTC)
      string(APPEND made_by "# by ${tool}, ${size} bytes, ${time}\n")
    endif()
  endforeach()
  set(script "${output}-$<CONFIG>.cmake")
  set(take_flags "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CufuseTakeFlags.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"${made_by}set(commands [==[${CMAKE_BINARY_DIR}/compile_commands.json]==])
set(output [==[${output}]==])
set(files [==[${files}]==])
set(objects [==[[.]dir/$<${several}:$<CONFIG>/>]==]) # where targets have theirs
if(TAKE_FLAGS)
  include([==[${take_flags}]==])
  return()
endif()
set(toolkit [==[${toolkit}]==])
if(toolkit)
  set(ENV{CUDA_PATH} \"\${toolkit}\")
  set(ENV{CUDA_HOME} \"\${toolkit}\")
endif()
# Makefiles watch only the first of several outputs.
set(is_missing FALSE)
foreach(each IN ITEMS [==[${made}]==])
  if(NOT EXISTS \"\${each}\")
    set(is_missing TRUE)
  endif()
endforeach()
if(NOT CHECK OR is_missing)
  execute_process(COMMAND [==[$<TARGET_FILE:cufuse::cufuse>]==] [==[${command}]==] RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR \"cufuse could not fuse ${fuse_NAME}\")
  endif()
endif()
if(CHECK)
  foreach(each IN ITEMS [==[${checked}]==])
    execute_process(COMMAND [==[$<TARGET_FILE:cufuse::cufuse>]==] check \"\${each}\" -p [==[${output}.flags]==]
      OUTPUT_QUIET RESULT_VARIABLE status)
    if(status)
      message(FATAL_ERROR \"${fuse_NAME}, as nvcc compiles it, is not what was planned\")
    endif()
  endforeach()
  file(TOUCH [==[${output}.checked]==])
endif()
")

  add_custom_command(OUTPUT "${output}.flags/compile_commands.json"
    COMMAND "${CMAKE_COMMAND}" -DTAKE_FLAGS=1 -P "${script}"
    DEPENDS "${CMAKE_BINARY_DIR}/compile_commands.json" "${script}" "${take_flags}"
    DEPFILE "${output}.flags/depends.d"
    COMMENT "Taking the flags of ${fuse_NAME}"
    VERBATIM)
  add_custom_command(OUTPUT "${output}.cu" "${output}.h" ${sources} ${headers}
    COMMAND "${CMAKE_COMMAND}" -P "${script}"
    DEPENDS ${inputs} "${output}.flags/compile_commands.json" "${script}" cufuse::cufuse ${fuse_DEPENDS}
    DEPFILE "${output}.d"
    COMMENT "Fusing ${fuse_NAME}"
    VERBATIM)
  # By itself: of a build that ends between the two, the next one has the other.
  add_custom_command(OUTPUT "${output}.checked"
    COMMAND "${CMAKE_COMMAND}" -DCHECK=1 -P "${script}"
    DEPENDS "${output}.cu" "${output}.h" ${sources} ${headers} "${script}"
    COMMENT "Checking ${fuse_NAME}"
    VERBATIM)
endfunction()

# Of the outputs that the command writes besides its own, what follows `<name>_`: with --overlap the kernels' names, with
# lists the values, of --block first.
function(_cufuse_further_names result kernels)
  set(names "")
  if("--overlap" IN_LIST ARGN)
    foreach(kernel IN LISTS kernels)
      if(NOT kernel MATCHES "^[^:]+:([A-Za-z_0-9]+::)*([A-Za-z_0-9]+)")
        message(FATAL_ERROR "cufuse_fuse: --overlap names the outputs as the kernels: write the name of '${kernel}'")
      endif()
      list(APPEND names "${CMAKE_MATCH_2}")
    endforeach()
    set(all "${names}")
    set(names "")
    foreach(name IN LISTS all)
      set(same "${all}")
      list(FILTER same INCLUDE REGEX "^${name}$")
      list(LENGTH same count)
      if(count GREATER 1)
        math(EXPR number_${name} "0${number_${name}} + 1")
        math(EXPR number "${number_${name}} - 1")
        string(APPEND name "_${number}")
      endif()
      list(APPEND names "${name}")
    endforeach()
  else()
    set(before "")
    foreach(word IN LISTS ARGN)
      if("${before} ${word}" MATCHES "^--(block|copies|vectorize) (.+)$|^[^ ]* --(block|copies|vectorize)=(.+)$")
        list(APPEND "given_${CMAKE_MATCH_1}${CMAKE_MATCH_3}" "${CMAKE_MATCH_2}${CMAKE_MATCH_4}")
      endif()
      set(before "${word}")
    endforeach()
    foreach(option IN ITEMS block copies vectorize)
      list(LENGTH given_${option} count)
      string(REGEX REPLACE ".*=" "" values "${given_${option}}")
      if(NOT count EQUAL 1 OR NOT values MATCHES ",")
        continue()
      endif()
      string(REPLACE "," ";" values "${values}")
      set(all "${names}")
      set(names "")
      if(NOT all)
        set(names "${values}")
      endif()
      foreach(name IN LISTS all)
        list(TRANSFORM values PREPEND "${name}_" OUTPUT_VARIABLE longer)
        list(APPEND names ${longer})
      endforeach()
    endforeach()
  endif()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# What the build makes for the target, and a kernel may include, comes before the fusion.
function(_cufuse_wait_for_headers target output)
  get_target_property(sources ${target} SOURCES)
  set(made "")
  foreach(source IN LISTS sources)
    if(source MATCHES "\\$<|/cufuse/[^/]+\\.h$" OR source MATCHES "\\.(c|cc|cpp|cxx|cu|o|obj)$")
      continue()
    endif()
    foreach(folder IN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE OUTPUT_VARIABLE file)
      get_source_file_property(generated "${file}" GENERATED)
      if(generated)
        list(APPEND made "${file}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES made)
  if(made)
    add_custom_command(OUTPUT "${output}.cu" DEPENDS ${made} APPEND)
  endif()
endfunction()

function(_cufuse_check_launcher target)
  get_target_property(launcher ${target} CUDA_COMPILER_LAUNCHER)
  if(launcher MATCHES "(^|;)[A-Za-z_][A-Za-z_0-9]*=")
    message(FATAL_ERROR "cufuse_fuse: the launcher of ${target}'s compiler sets a variable, which may be flags: '${launcher}'; "
                        "write the flags out (CMAKE_CUDA_FLAGS)")
  endif()
endfunction()

# Any target may compile what is fused.
function(_cufuse_export_commands folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  if(targets)
    set_property(TARGET ${targets} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  endif()
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    _cufuse_export_commands("${each}")
  endforeach()
endfunction()
