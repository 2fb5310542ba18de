# passmeter_warnings(target): the one warning set, for the library, samples, tests and benches alike.
function(passmeter_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef
                         $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                         $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
  if(PASSMETER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# passmeter_library(name SOURCES...): target passmeter_<name> with alias passmeter::<name> and its include/ folder.
function(passmeter_library name)
  add_library(passmeter_${name} STATIC ${ARGN})
  add_library(passmeter::${name} ALIAS passmeter_${name})
  set_target_properties(passmeter_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT EMSCRIPTEN) # there it would only make the module larger
    set_target_properties(passmeter_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # g++ would not inline what a shared library's user could replace.
    target_compile_options(passmeter_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  endif()
  target_compile_features(passmeter_${name} PUBLIC cxx_std_20)
  target_include_directories(passmeter_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  if(PASSMETER_PLAIN_CXX)
    target_compile_options(passmeter_${name} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  passmeter_warnings(passmeter_${name})
endfunction()
