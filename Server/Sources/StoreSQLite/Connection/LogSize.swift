/// The number of pages in the write-ahead log after the writer's last commit.
///
/// `@unchecked`: used only by the writer's connection, and by its thread between two batches.
final class LogSize: @unchecked Sendable {
    var pages = 0
}
