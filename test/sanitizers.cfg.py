"""Run-time options of the sanitizers; they mean nothing to other builds.

libMLIR and libLLVM come without instrumentation: a container that they fill
and we read would look overflown, memory that we reserve for both would look
poisoned where they take it, and what they keep until the process ends would
look leaked. Their passes are built without counters, so that their constructor
leaves those of ours unset: filled with ones, a counter is valid, and registered
nowhere. A request for more memory than there is fails as elsewhere.
"""

config.hetero_sanitizer_options = {
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:allow_user_poisoning=0"
    ":malloc_fill_byte=1:max_malloc_fill_size=65536:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:allocator_may_return_null=1",
}
