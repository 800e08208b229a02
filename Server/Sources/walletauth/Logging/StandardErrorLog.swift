import Logging
import Programs
import WalletAuthWire

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

    /// The logger for libraries whose notices do not interest an operator.
    var quieter: Logger {
        var logger = self
        logger.logLevel = max(logLevel, .warning)
        return logger
    }
}

/// One log event, as one line of text or JSON.
///
/// Line breaks and control characters are replaced, so an event is always a single line. Text that others put into a
/// message or its metadata can neither forge lines nor control a terminal.
struct LogLine: Sendable {
    var time: Date
    var label: String
    var level: Logger.Level
    var message: String
    var metadata: Logger.Metadata

    func formatted(as format: LogFormat) -> String {
        switch format {
        case .text: text
        case .json: json
        }
    }

    private var text: String {
        var line = "\(timestamp) \(level.rawValue.uppercased()) \(label): \(message)"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let value = "\(value)"
            let needsQuotes = value.isEmpty || value.contains { " \"=\\".contains($0) }
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            line += needsQuotes ? " \(key)=\"\(escaped)\"" : " \(key)=\(value)"
        }
        return line.escapedForOneLine + "\n"
    }

    private var json: String {
        var members = [("time", timestamp), ("level", level.rawValue), ("logger", label), ("message", message)]
            .map { ($0.0, Self.quoted($0.1)) }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            // A second key of the same name would make the document ambiguous.
            let taken = members.contains { $0.0 == key }
            members.append((taken ? "meta_\(key)" : key, Self.member(value)))
        }
        let body = members.map { "\(Self.quoted($0.0)):\($0.1)" }
        return "{" + body.joined(separator: ",") + "}\n"
    }

    private var timestamp: String {
        time.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }

    /// A number stays a number, so that a search can compare it. Everything else is a string.
    private static func member(_ value: Logger.Metadata.Value) -> String {
        if case .stringConvertible(let number as any BinaryInteger) = value { return "\(number)" }
        return quoted("\(value)")
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
