/// How many pages the write-ahead log has, as the writer's last commit told.
///
/// `@unchecked`: touched by the writer's connection alone, and by its thread between two batches.
final class LogSize: @unchecked Sendable {
    var pages = 0
}
