# passmeter_generate_glad(<target> [API <list>] [EXTENSIONS <list>])
#
# Generates an OpenGL loader with glad 2 at build time and compiles it into <target>, an existing target, as one
# more of its sources. The target's own files then write `#include "glad/gl.h"`; nothing that links the target
# sees the loader or its headers, and there is no further library to install or export.
#
#   API         what glad's --api takes; default gl:core=3.3,gles2=3.0 (one table that serves OpenGL, OpenGL ES 3
#               and WebGL2)
#   EXTENSIONS  comma separated extension names; default none
#
# The table is a struct one holds per context (glad's --mx), so there are no global function pointers.
#
# Several glad loaders may end up in one program: passmeter's, a sample's, the application's own. Their tables
# differ, so they must not meet. glad --mx leaves four global functions and one struct name; each is renamed with
# the target's name by a private compile definition. A definition on the target cannot be forgotten in one of its
# files, needs no objcopy and works with every linker and with Emscripten.
#
# Generation is offline: --reproducible makes glad read the registry files that its package brings.

function(passmeter_generate_glad target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "API;EXTENSIONS" "")
  if(NOT arg_API)
    set(arg_API gl:core=3.3,gles2=3.0)
  endif()

  find_program(PASSMETER_GLAD glad DOC "glad 2, the OpenGL loader generator (Debian: python3-glad)")
  if(PASSMETER_GLAD)
    set(glad ${PASSMETER_GLAD})
  else()
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import glad.generator.c" RESULT_VARIABLE missing
                    OUTPUT_QUIET ERROR_QUIET)
    if(missing)
      message(FATAL_ERROR "glad 2 is needed to build for OpenGL: install python3-glad, or set PASSMETER_GLAD to "
                          "its program, or switch PASSMETER_GL off")
    endif()
    set(glad ${Python3_EXECUTABLE} -m glad)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_glad)
  set(source ${folder}/src/gl.c)
  set(header ${folder}/include/glad/gl.h)
  add_custom_command(
    OUTPUT ${source} ${header}
    COMMAND ${glad} --quiet --reproducible --out-path ${folder} --api ${arg_API} --extensions=${arg_EXTENSIONS}
            --merge c --mx
    COMMENT "Generating the OpenGL loader of ${target}"
    VERBATIM)

  # Both files are sources, so every file of the target waits for the header. The loader is not ours to warn about.
  target_sources(${target} PRIVATE ${source} ${header})
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-w" SKIP_LINTING ON)
  target_include_directories(${target} SYSTEM PRIVATE ${folder}/include)
  foreach(name GladGLContext gladLoadGLContext gladLoadGLContextUserPtr gladLoadGLES2Context
               gladLoadGLES2ContextUserPtr)
    target_compile_definitions(${target} PRIVATE ${name}=${target}_${name})
  endforeach()
endfunction()
