import Store

/// Notices as the text of `NOTIFY`: one a line, a letter and a value.
enum NoticePayload {
    /// PostgreSQL takes up to 7,999 bytes.
    static let limit = 7_900

    /// As few texts as possible. A notice that fits into none becomes ``Store/ChangeNotice/everything``.
    static func texts(of notices: [ChangeNotice]) -> [String] {
        var texts: [String] = []
        for notice in notices.contains(.everything) ? [.everything] : notices {
            var line = line(of: notice)
            if line.utf8.count > limit { line = Self.line(of: .everything) }
            if let last = texts.last, last.utf8.count + 1 + line.utf8.count <= limit {
                texts[texts.count - 1] += "\n" + line
            } else {
                texts.append(line)
            }
        }
        return texts
    }

    /// The notices of several texts, without duplicates. More than a stream holds become
    /// ``Store/ChangeNotice/everything``.
    static func notices(in texts: [String]) -> [ChangeNotice] {
        var order: [ChangeNotice] = []
        var present: Set<ChangeNotice> = []
        for text in texts {
            for notice in notices(in: text) where present.insert(notice).inserted { order.append(notice) }
            if present.contains(.everything) || order.count > NoticeStreams.limit { return [.everything] }
        }
        return order
    }

    /// Lines that are malformed, or of a newer version, are left out.
    static func notices(in text: String) -> [ChangeNotice] {
        text.split(separator: "\n").compactMap(notice)
    }

    private static func line(of notice: ChangeNotice) -> String {
        switch notice {
        case .row(let id): "r\(id.uuid)"
        // An identifier may contain any character, but a payload no zero byte.
        case .client(let id): "c" + Hexadecimal.text(Array(id.utf8))
        case .keys: "k"
        case .provider: "p"
        case .outbox: "o"
        case .everything: "*"
        }
    }

    private static func notice(_ line: Substring) -> ChangeNotice? {
        let value = String(line.dropFirst())
        switch (line.first, value.isEmpty) {
        case ("r", false): return UniqueID(uuid: value).map { .row($0) }
        case ("c", false):
            return Hexadecimal.bytes(value).flatMap { String(validating: $0, as: UTF8.self) }.map { .client($0) }
        case ("k", true): return .keys
        case ("p", true): return .provider
        case ("o", true): return .outbox
        case ("*", true): return .everything
        default: return nil
        }
    }
}
