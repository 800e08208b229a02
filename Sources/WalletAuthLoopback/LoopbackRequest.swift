#if os(Linux)
    /// The head of an HTTP/1.1 request, reduced to the parts that a redirect listener needs (RFC 9112 §3).
    struct LoopbackRequest: Equatable {
        /// The maximum size of a request; a callback has a few hundred bytes.
        static let maximumBytes = 16_384

        let method: String
        let target: String
        let host: String?
        /// `Accept-Language`; several fields are joined.
        var acceptLanguage: String?

        /// What has arrived so far.
        enum Arrival: Equatable {
            /// The head is not complete yet.
            case incomplete
            /// A complete head.
            case request(LoopbackRequest)
            /// Not an HTTP request.
            case malformed
            /// A head that is too long.
            case tooLarge
        }

        /// Parses the bytes received on a connection, and ignores any body.
        static func parse(_ bytes: [UInt8]) -> Arrival {
            guard let end = endOfHead(bytes) else {
                return bytes.count > maximumBytes ? .tooLarge : .incomplete
            }
            guard end <= maximumBytes else { return .tooLarge }
            var lines = bytes[..<end].split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
                line.last == 0x0D ? line.dropLast() : line
            }
            guard !lines.isEmpty,
                bytes[..<end].allSatisfy({ $0 < 0x7F && ($0 >= 0x20 || $0 == 9 || $0 == 10 || $0 == 13) })
            else { return .malformed }
            let start = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
            guard start.count == 3, start[2].elementsEqual("HTTP/1.1".utf8) || start[2].elementsEqual("HTTP/1.0".utf8),
                start[1].first == 0x2F
            else { return .malformed }
            var hosts: [String] = []
            var languages: [String] = []
            for line in lines where !line.isEmpty {
                guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return .malformed }
                switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
                case "host": hosts.append(trimmed(line[(colon + 1)...]))
                case "accept-language": languages.append(trimmed(line[(colon + 1)...]))
                default: break
                }
            }
            guard hosts.count <= 1 else { return .malformed }
            return .request(
                LoopbackRequest(
                    method: String(decoding: start[0], as: UTF8.self),
                    target: String(decoding: start[1], as: UTF8.self),
                    host: hosts.first,
                    acceptLanguage: languages.isEmpty ? nil : languages.joined(separator: ",")))
        }

        /// The start of the empty line that ends the head.
        private static func endOfHead(_ bytes: [UInt8]) -> Int? {
            for index in bytes.indices.dropFirst() where bytes[index] == 0x0A {
                if bytes[index - 1] == 0x0A { return index }
                if bytes[index - 1] == 0x0D, index >= 2, bytes[index - 2] == 0x0A { return index - 1 }
            }
            return nil
        }

        private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            let start = text.firstIndex { !isBlank($0) } ?? text.endIndex
            let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
            return String(decoding: text[start..<end], as: UTF8.self)
        }
    }
#endif
