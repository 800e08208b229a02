package import Logging
import Synchronization

/// Keeps every line that was logged, metadata included.
package final class LogRecorder: Sendable {
    private struct Line {
        let level: Logger.Level
        let text: String
    }

    private let recorded = Mutex<[Line]>([])
    private let whenLogged: @Sendable (Logger.Level) -> Void

    /// - Parameter whenLogged: called with the level of each line.
    package init(_ whenLogged: @escaping @Sendable (Logger.Level) -> Void = { _ in }) {
        self.whenLogged = whenLogged
    }

    package var lines: [String] { recorded.withLock { lines in lines.map { $0.text } } }

    /// The levels of the lines that are at least as severe as one.
    package func levels(from least: Logger.Level) -> [Logger.Level] {
        recorded.withLock { lines in lines.map { $0.level } }.filter { $0 >= least }
    }

    package var handler: any LogHandler { Handler(recorder: self) }

    private func record(_ event: LogEvent, _ metadata: Logger.Metadata) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        recorded.withLock { $0.append(Line(level: event.level, text: "\(event.level) \(event.message) \(all)")) }
        whenLogged(event.level)
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { recorder.record(event, metadata) }
    }
}
