# Flags for every target. -ffp-contract=off and no fast-math: the same bits on every machine.
function(tarn_flags target)
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math
        -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes
        -Wno-psabi) # eight floats by value stay inside one file: no ABI is crossed
    if(TARN_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(EMSCRIPTEN)
        target_compile_options(${target} PRIVATE -msimd128)
    endif()
endfunction()

# Sanitizers go on every target, also when it links.
if(TARN_SANITIZE)
    add_compile_definitions(TARN_SANITIZED)
    add_compile_options(-fsanitize=${TARN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${TARN_SANITIZE})
endif()
if(TARN_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Flags of the core's own objects.
function(tarn_core_flags target)
    tarn_flags(${target})
    target_compile_options(${target} PRIVATE -Wconversion)
    if(TARN_SANITIZE) # the presets do not optimize: that is for tests, which take longer to compile than to run
        target_compile_options(${target} PRIVATE -O2)
    endif()
    target_include_directories(${target} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE TARN_BUILD)
endfunction()

# Kernel files (*_kernels.c) are compiled once for the baseline and, on x86-64, once more for AVX2.
# The context chooses at run time. TARN_KERNEL(name) in base/kernels.h gives each its own symbols.
function(tarn_kernel_objects)
    if(NOT ARGN)
        return()
    endif()
    set(isas baseline)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT EMSCRIPTEN)
        list(APPEND isas avx2)
    endif()
    foreach(isa ${isas})
        add_library(tarn_kernels_${isa} OBJECT ${ARGN})
        tarn_core_flags(tarn_kernels_${isa})
        target_compile_definitions(tarn_kernels_${isa} PRIVATE TARN_KERNEL_ISA=${isa})
        list(APPEND targets tarn_kernels_${isa})
    endforeach()
    if(avx2 IN_LIST isas)
        target_compile_options(tarn_kernels_avx2 PRIVATE -mavx2)
        foreach(target tarn_objects ${targets})
            target_compile_definitions(${target} PRIVATE TARN_HAS_AVX2)
        endforeach()
    endif()
    set(TARN_KERNEL_TARGETS ${targets} PARENT_SCOPE)
endfunction()
