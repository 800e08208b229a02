#pragma once
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#if defined(__linux__) && defined(__LP64__)
#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
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

/// Lets go of the pages of the program's code, which come back from its file when they are used again. Nothing is written to them, so
/// nothing is lost. Does nothing outside of 64-bit Linux.
static inline void code_pages_are_dropped(void) {
#if defined(__linux__) && defined(__LP64__)
    const Elf64_Phdr *segments = (const Elf64_Phdr *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);
    uintptr_t page = getauxval(AT_PAGESZ), base = 0;
    for (unsigned long i = 0; i < count; i++)
        if (segments[i].p_type == PT_PHDR) base = (uintptr_t)segments - segments[i].p_vaddr;
    for (unsigned long i = 0; i < count; i++) {
        if (segments[i].p_type != PT_LOAD || (segments[i].p_flags & (PF_X | PF_W)) != PF_X) continue;
        uintptr_t start = (base + segments[i].p_vaddr) & ~(page - 1);
        madvise((void *)start, base + segments[i].p_vaddr + segments[i].p_memsz - start, MADV_DONTNEED);
    }
#endif
}
