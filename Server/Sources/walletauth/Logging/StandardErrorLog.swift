import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The program's log: lines on standard error, each written whole in one call.
struct StandardErrorLog: LogHandler {
    let label: String
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var merged = metadata
        if let provided = metadataProvider?.get() {
            merged.merge(provided) { _, new in new }
        }
        if let own = event.metadata {
            merged.merge(own) { _, new in new }
        }
        if let error = event.error {
            merged["error"] = "\(error)"
        }
        let line = LogLine(
            time: Date(), label: label, level: event.level, message: event.message.description, metadata: merged)
        Terminal.write(line.formatted(as: format), to: .standardError)
    }
}

extension Logger {
    init(_ configuration: ServerConfiguration) {
        let format = configuration.logFormat
        let level = configuration.logLevel
        self.init(label: "walletauth") { StandardErrorLog(label: $0, format: format, logLevel: level) }
    }
}
