import CMalloc

/// Limits the unused memory that the process keeps.
enum ProcessMemory {
    /// Configures the allocator to return unused memory. Call it before the first thread starts.
    ///
    /// glibc gives each thread its own arena, and each arena keeps what its thread once needed. Four arenas are enough
    /// for the threads that allocate at the same time here. glibc also takes the release of a large block as a sign
    /// that more will come, and keeps it: the 19 MiB of a password hash, forever. With these settings, blocks of one
    /// megabyte or more return to the system when they are freed.
    static func keepLittle() {
        allocator_keeps_little(4, 1 << 20)
    }
}
