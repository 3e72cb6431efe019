# What is built around the core: the renderer, the command line, the examples.

# For everything in this repository that may look inside the library: internal headers, places.
add_library(tarn_internal INTERFACE)
target_link_libraries(tarn_internal INTERFACE tarn)
target_include_directories(tarn_internal INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(tarn_internal INTERFACE
    TARN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    TARN_SCENES_DIR="${PROJECT_SOURCE_DIR}/scenes"
    TARN_VALIDATION_DIR="${PROJECT_SOURCE_DIR}/../shared/validation")
if(NOT EMSCRIPTEN)
    target_link_libraries(tarn_internal INTERFACE m)
else()
    # Programs run under node: real files, a heap that grows, exit codes that arrive. -O1 when they link, because wasm-opt
    # takes 20 s a program and gains 3 %; what is compiled is optimized as elsewhere.
    target_link_options(tarn_internal INTERFACE -O1 -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1)
endif()

# add_executable with the flags that hold everywhere.
function(tarn_executable name)
    add_executable(${name} ${ARGN})
    tarn_flags(${name})
    target_link_libraries(${name} PRIVATE tarn_internal)
endfunction()

# ---- What frames show, and from where: the part of the renderer that needs no GL -------------------------
add_library(tarn_frame STATIC ${PROJECT_SOURCE_DIR}/render/camera.c)
tarn_flags(tarn_frame)
target_include_directories(tarn_frame PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/render)
target_link_libraries(tarn_frame PUBLIC tarn)

# ---- The renderer: headless GL ES 3 through EGL -----------------------------------------------------
file(GLOB render_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/render/*.c)
list(FILTER render_sources EXCLUDE REGEX "/camera\\.c$")
if(render_sources AND NOT EMSCRIPTEN)
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(TARN_GL IMPORTED_TARGET QUIET epoxy egl)
    endif()
    if(TARN_GL_FOUND)
        add_library(tarn_render STATIC ${render_sources})
        tarn_flags(tarn_render)
        target_include_directories(tarn_render PUBLIC ${PROJECT_SOURCE_DIR}/include
            PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/render)
        target_link_libraries(tarn_render PUBLIC tarn_frame tarn PkgConfig::TARN_GL m)
        target_compile_definitions(tarn_render INTERFACE TARN_HAS_RENDER)
    else()
        message(STATUS "No renderer: epoxy or egl is missing (scripts/setup.sh apps)")
    endif()
endif()

# As WebAssembly it draws with WebGL 2. Only the page of `make browser` needs it.
if(render_sources AND EMSCRIPTEN)
    add_library(tarn_render STATIC EXCLUDE_FROM_ALL ${render_sources})
    tarn_flags(tarn_render)
    target_include_directories(tarn_render PUBLIC ${PROJECT_SOURCE_DIR}/include
        PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/render)
    target_link_libraries(tarn_render PUBLIC tarn_frame tarn)
    target_compile_definitions(tarn_render INTERFACE TARN_HAS_RENDER)
    add_executable(browser_page EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/browser/page.c)
    tarn_flags(browser_page)
    target_link_libraries(browser_page PRIVATE tarn_view tarn_render)
    # One file, so that the page opens without a server; no closure and no html, which need what Debian lacks.
    target_link_options(browser_page PRIVATE --no-entry -sSINGLE_FILE=1 -sMODULARIZE=1
        -sEXPORT_NAME=tarnPage -sENVIRONMENT=web -sALLOW_MEMORY_GROWTH=1 $<$<BOOL:${TARN_QUICK_LINK}>:-O1>
        -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
        -sEXPORTED_RUNTIME_METHODS=ccall,HEAPU8 -sEXPORTED_FUNCTIONS=_malloc,_free)
    set_target_properties(browser_page PROPERTIES SUFFIX .js
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/browser)
endif()

# ---- From worlds to frames: cameras, looks, interpolation, picking. Draws nothing, so it needs no GL ---------
file(GLOB view_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/view/*.c)
add_library(tarn_view STATIC ${view_sources})
tarn_flags(tarn_view)
target_include_directories(tarn_view PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tarn_view PUBLIC tarn_frame tarn)
if(EMSCRIPTEN)
    set_target_properties(tarn_frame tarn_view PROPERTIES EXCLUDE_FROM_ALL ON)
else()
    target_link_libraries(tarn_frame PUBLIC m)
endif()

# ---- What viewer and web page share, without a window system: apps/play/play.h ---------------------------------
file(GLOB play_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/play/*.c)
add_library(tarn_play STATIC ${play_sources})
tarn_flags(tarn_play)
target_include_directories(tarn_play PUBLIC ${PROJECT_SOURCE_DIR}/apps/play PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tarn_play PUBLIC tarn_view tarn)
if(EMSCRIPTEN)
    set_target_properties(tarn_play PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# ---- Bridges: engines that move bodies, each where its package is there ----------------------------------
# tarn_bridge(chipmunk chipmunk/chipmunk.h libchipmunk-dev): the library tarn_chipmunk, TARN_HAS_CHIPMUNK.
# Neither is part of libtarn.
set(TARN_BRIDGES)
function(tarn_bridge name header package)
    string(TOUPPER ${name} upper)
    find_path(TARN_${upper}_INCLUDE ${header})
    find_library(TARN_${upper}_LIBRARY ${name})
    mark_as_advanced(TARN_${upper}_INCLUDE TARN_${upper}_LIBRARY)
    if(NOT TARN_${upper}_INCLUDE OR NOT TARN_${upper}_LIBRARY)
        message(STATUS "No bridge to ${name}: ${package} is missing (scripts/setup.sh apps)")
        return()
    endif()
    add_library(tarn_${name} STATIC ${PROJECT_SOURCE_DIR}/bridges/${name}/tarn_${name}.c)
    tarn_flags(tarn_${name})
    target_include_directories(tarn_${name} PUBLIC ${PROJECT_SOURCE_DIR}/bridges/${name})
    target_include_directories(tarn_${name} SYSTEM PRIVATE ${TARN_${upper}_INCLUDE})
    target_link_libraries(tarn_${name} PUBLIC tarn ${TARN_${upper}_LIBRARY} m)
    target_compile_definitions(tarn_${name} INTERFACE TARN_HAS_${upper})
    set(TARN_BRIDGES ${TARN_BRIDGES} tarn_${name} PARENT_SCOPE)
endfunction()
if(NOT EMSCRIPTEN)
    tarn_bridge(chipmunk chipmunk/chipmunk.h libchipmunk-dev)
    tarn_bridge(ode ode/ode.h libode-dev)
endif()

# ---- The command line: with the benchmarks and the physics checks built in ---------------------------
# All of it but main is a library, tarn_commands: a program with solvers of its own calls tarn_cli (apps/tarn/cli.h).
file(GLOB cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/tarn/*.c)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.c$")
file(GLOB cli_parts CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/bench/*.c ${PROJECT_SOURCE_DIR}/tests/physics/*.c)
if(TARN_SANITIZE) # their own code is short; what they call is optimized
    set_source_files_properties(${cli_parts} PROPERTIES COMPILE_OPTIONS -O0)
endif()
if(cli_sources AND NOT EMSCRIPTEN)
    add_library(tarn_commands STATIC ${cli_sources} ${cli_parts})
    tarn_flags(tarn_commands)
    target_include_directories(tarn_commands PUBLIC ${PROJECT_SOURCE_DIR}/apps/tarn
        PRIVATE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/tests/physics)
    target_link_libraries(tarn_commands PUBLIC tarn_internal)
    target_link_libraries(tarn_commands PUBLIC tarn_view)
    if(TARGET tarn_render)
        target_link_libraries(tarn_commands PUBLIC tarn_render)
    endif()
    target_link_libraries(tarn_commands PUBLIC ${TARN_BRIDGES})
    if(TARN_PEERS) # what benchmarks compare with, in the same run: those that are installed
        find_package(VTK QUIET COMPONENTS CommonCore CommonDataModel FiltersCore)
        find_library(TARN_FFTW fftw3f)
        mark_as_advanced(TARN_FFTW)
        if(NOT VTK_FOUND AND NOT TARN_FFTW)
            message(FATAL_ERROR "TARN_PEERS needs VTK or FFTW (scripts/setup.sh peers)")
        endif()
        function(tarn_peer definition source) # and libraries
            add_library(tarn_${definition} STATIC ${PROJECT_SOURCE_DIR}/bench/peers/${source})
            target_include_directories(tarn_${definition} PRIVATE ${PROJECT_SOURCE_DIR})
            target_link_libraries(tarn_${definition} PRIVATE ${ARGN})
            target_link_libraries(tarn_commands PRIVATE tarn_${definition})
            target_compile_definitions(tarn_commands PRIVATE ${definition})
        endfunction()
        if(VTK_FOUND)
            enable_language(CXX)
            tarn_peer(TARN_HAS_VTK flying_edges.cpp ${VTK_LIBRARIES})
        endif()
        if(TARN_FFTW)
            tarn_peer(TARN_HAS_FFTW fftw.c ${TARN_FFTW})
        endif()
    endif()
    tarn_executable(tarn_cli ${PROJECT_SOURCE_DIR}/apps/tarn/main.c)
    set_target_properties(tarn_cli PROPERTIES OUTPUT_NAME tarn)
    target_link_libraries(tarn_cli PRIVATE tarn_commands)
endif()

# ---- The viewer: a window of its own, where its packages are ------------------------------------------
# tarn-view lies beside tarn, which starts it for `tarn view`.
set(TARN_VIEWER OFF)
if(TARGET tarn_commands AND TARGET tarn_render)
    pkg_check_modules(TARN_WINDOW IMPORTED_TARGET QUIET glfw3 imgui)
    if(TARN_WINDOW_FOUND)
        enable_language(CXX)
        set(TARN_VIEWER ON)
    else()
        message(STATUS "No viewer: glfw3 or imgui is missing (scripts/setup.sh view)")
    endif()
endif()
if(TARN_VIEWER)
    add_library(tarn_ui STATIC ${PROJECT_SOURCE_DIR}/apps/view/ui.cpp)
    set_target_properties(tarn_ui PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
    target_compile_options(tarn_ui PRIVATE -Wall -Wextra $<$<BOOL:${TARN_WERROR}>:-Werror>)
    target_include_directories(tarn_ui PUBLIC ${PROJECT_SOURCE_DIR}/apps/view)
    target_include_directories(tarn_ui SYSTEM PRIVATE ${TARN_WINDOW_INCLUDE_DIRS})
    target_link_libraries(tarn_ui PUBLIC tarn_play PkgConfig::TARN_WINDOW)
    file(GLOB viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/view/*.c)
    tarn_executable(tarn_viewer ${viewer_sources})
    set_target_properties(tarn_viewer PROPERTIES OUTPUT_NAME tarn-view)
    target_link_libraries(tarn_viewer PRIVATE tarn_commands tarn_play tarn_ui ${CMAKE_DL_LIBS})
    add_dependencies(tarn_viewer tarn_cli)
endif()

# ---- Examples: one file, one program, public headers only --------------------------------------------
# <what>_<bridge>.c is for a bridge, and built where that is; one that includes tarn/render.h where the renderer is.
file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
set(TARN_EXAMPLES)
if(NOT EMSCRIPTEN)
    foreach(source ${example_sources})
        get_filename_component(name ${source} NAME_WE)
        string(REGEX MATCH "(chipmunk|ode)$" bridge ${name})
        if(bridge AND NOT TARGET tarn_${bridge})
            continue()
        endif()
        file(STRINGS ${source} draws REGEX "tarn/(render|view)\\.h" LIMIT_COUNT 1)
        if(draws AND NOT TARGET tarn_render)
            continue()
        endif()
        add_executable(example_${name} ${source})
        tarn_flags(example_${name})
        target_link_libraries(example_${name} PRIVATE tarn m)
        if(bridge)
            string(TOUPPER ${bridge} upper)
            target_link_libraries(example_${name} PRIVATE tarn_${bridge})
            target_include_directories(example_${name} SYSTEM PRIVATE ${TARN_${upper}_INCLUDE})
        endif()
        if(draws)
            target_link_libraries(example_${name} PRIVATE tarn_view tarn_render)
        endif()
        set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
        list(APPEND TARN_EXAMPLES example_${name})
    endforeach()
endif()

if(EMSCRIPTEN)
    include(cmake/web.cmake)
endif()
