#pragma once
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

/// Bounds what the C library's allocator keeps to itself; does nothing where it is not glibc's.
static inline void allocator_keeps_little(int arenas, int mapped_from_bytes) {
#if defined(M_ARENA_MAX) && defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD)
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped_from_bytes);
    // Whoever sets one threshold turns the moving of both off, and this one stays at 128 KiB: what the writer frees with each batch
    // would be given back to the system and fetched again.
    mallopt(M_TRIM_THRESHOLD, mapped_from_bytes);
#endif
}
