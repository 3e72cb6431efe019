# emcc is a script that takes 0.2 s to find out what to tell clang: a third of the time of a build. Objects are compiled by
# clang with the flags that emcc says it would give; emcc links.
if(EMSCRIPTEN)
    get_filename_component(emscripten_bin ${CMAKE_C_COMPILER} DIRECTORY)
    execute_process(COMMAND ${CMAKE_C_COMPILER} --cflags
        OUTPUT_VARIABLE emscripten_flags OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE emscripten_failed)
    execute_process(COMMAND ${emscripten_bin}/em-config LLVM_ROOT
        OUTPUT_VARIABLE emscripten_llvm OUTPUT_STRIP_TRAILING_WHITESPACE)
    find_program(TARN_WASM_CLANG NAMES clang-14 clang HINTS ${emscripten_llvm} NO_CMAKE_FIND_ROOT_PATH)
    mark_as_advanced(TARN_WASM_CLANG)
    if(emscripten_failed EQUAL 0 AND TARN_WASM_CLANG)
        set(CMAKE_C_COMPILE_OBJECT
            "${TARN_WASM_CLANG} ${emscripten_flags} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
    endif()
endif()

# Flags for every target. -ffp-contract=off and no fast-math: the same bits on every machine.
function(tarn_flags target)
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math
        -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes
        -Wno-psabi) # eight floats by value stay inside one file: no ABI is crossed
    if(TARN_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(EMSCRIPTEN)
        target_compile_options(${target} PRIVATE -msimd128 -pthread)
    endif()
    get_target_property(type ${target} TYPE)
    if(TARN_SANITIZE AND NOT type STREQUAL EXECUTABLE) # the presets do not optimize: tests take longer to compile than to run
        target_compile_options(${target} PRIVATE -O2)
    endif()
endfunction()

if(NOT TARN_BEST_ISA STREQUAL avx512) # read by src/base/kernels.h
    add_compile_definitions(TARN_NO_AVX512)
endif()
if(TARN_BEST_ISA STREQUAL baseline)
    add_compile_definitions(TARN_NO_AVX2)
endif()

# Sanitizers go on every target, also when it links.
if(TARN_SANITIZE)
    add_compile_definitions(TARN_SANITIZED)
    add_compile_options(-fsanitize=${TARN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${TARN_SANITIZE})
endif()

# Flags of the core's own objects.
function(tarn_core_flags target)
    tarn_flags(${target})
    target_compile_options(${target} PRIVATE -Wconversion)
    target_include_directories(${target} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE TARN_BUILD)
endfunction()

# Kernel files (*_kernels.c) are compiled once for the baseline and, on x86-64, once more for each set named here with
# its flags. The context chooses at run time (base/kernels.h). AVX-512 keeps to registers of 256 bits: the lanes are
# eight, and what pays is the masks, the 32 registers and the instructions for them.
function(tarn_kernel_objects)
    if(NOT ARGN)
        return()
    endif()
    set(sets "baseline")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT EMSCRIPTEN)
        if(NOT TARN_BEST_ISA STREQUAL baseline)
            list(APPEND sets "avx2 -mavx2 -mf16c")
        endif()
        if(TARN_BEST_ISA STREQUAL avx512)
            list(APPEND sets "avx512 -mf16c -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=256")
        endif()
    endif()
    foreach(set ${sets})
        separate_arguments(flags UNIX_COMMAND "${set}")
        list(POP_FRONT flags isa)
        add_library(tarn_kernels_${isa} OBJECT ${ARGN})
        tarn_core_flags(tarn_kernels_${isa})
        target_compile_definitions(tarn_kernels_${isa} PRIVATE TARN_KERNEL_ISA=${isa})
        target_compile_options(tarn_kernels_${isa} PRIVATE ${flags})
        list(APPEND targets tarn_kernels_${isa})
    endforeach()
    set(TARN_KERNEL_TARGETS ${targets} PARENT_SCOPE)
endfunction()
