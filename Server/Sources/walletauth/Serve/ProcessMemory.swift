import CMalloc

/// What the process keeps of memory that it no longer uses.
enum ProcessMemory {
    /// Has the allocator give back what it need not keep. To be called before the first thread is started.
    ///
    /// glibc gives each thread an arena of its own, and each keeps what its thread once needed; four are enough for as many
    /// threads as ever allocate at the same moment here. And it takes a large block that was freed for a sign that more will
    /// come, and keeps them: the 19 MiB of a password hash for ever. From a megabyte up, a block is the system's again when
    /// it is freed.
    static func keepLittle() {
        allocator_keeps_little(4, 1 << 20)
    }
}
