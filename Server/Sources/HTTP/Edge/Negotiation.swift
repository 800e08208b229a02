import Hummingbird
import Web

/// Content negotiation. It is simple, since each route accepts one type and produces one.
enum Negotiation {
    static func check(_ request: Request, against route: Route) throws(RequestFault) {
        switch route.body {
        case .none, .formOrIgnored: break
        case .form: try require("application/x-www-form-urlencoded", of: request)
        case .formOrNothing:
            if request.headers.contains(.contentType) { try require("application/x-www-form-urlencoded", of: request) }
        case .json: try require("application/json", of: request)
        case .scim:
            // Without a body, a request has no type: a method that a resource lacks is refused as such.
            guard request.headers.contains(.contentType) else { break }
            try require(SCIMFailure.mediaType, or: "application/json", of: request)
        }
        switch route.errorFormat {
        case .oauth, .problem, .loyalty, .scim:
            guard accepts(route.mediaType, request) || accepts("application/json", request) else {
                throw .notAcceptable
            }
        case .resource, .page, .plain: break
        }
    }

    /// Whether the body is a form in UTF-8.
    static func isForm(_ request: Request) -> Bool {
        do { try require("application/x-www-form-urlencoded", of: request) } catch { return false }
        return true
    }

    private static func require(
        _ type: String, or other: String? = nil, of request: Request
    ) throws(RequestFault) {
        // Compressed bodies are refused: a small one may decompress to any size.
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw .unsupportedMediaType("\(type) without a content encoding")
        }
        guard let given = try request.headers.single(.contentType) else { throw .unsupportedMediaType(type) }
        // The fast path for the exact type, which nearly every client sends.
        if given == type || given == other { return }
        let parts = given.split(separator: ";")
        guard let essence = parts.first?.trimmed(), [type, other].contains(essence.lowercased()) else {
            throw .unsupportedMediaType(type)
        }
        for parameter in parts.dropFirst() {
            let parameter = parameter.trimmed().lowercased()
            guard parameter.hasPrefix("charset=") else { continue }
            let charset = parameter.dropFirst(8).filter { $0 != "\"" }
            guard charset == "utf-8" || charset == "us-ascii" else { throw .unsupportedMediaType("\(type) in UTF-8") }
        }
    }

    /// RFC 9110 §12.5.1: the most specific range decides. A client that accepts neither the type of the answer nor that
    /// of errors gets 406. The error itself is JSON anyway, since an empty answer would help no one.
    private static func accepts(_ type: String, _ request: Request) -> Bool {
        guard let header = request.headers[.accept], header != "*/*", header != type else { return true }
        let family = type.prefix { $0 != "/" } + "/*"
        var best: (specificity: Int, quality: Double) = (-1, 0)
        for range in header.split(separator: ",").prefix(64) {
            let parts = range.split(separator: ";")
            let name = parts.first?.trimmed().lowercased() ?? ""
            let specificity: Int
            switch name {
            case type: specificity = 2
            case family: specificity = 1
            case "*/*": specificity = 0
            default: continue
            }
            let quality = parts.dropFirst().lazy.compactMap { parameter -> Double? in
                let parameter = parameter.trimmed().lowercased()
                return parameter.hasPrefix("q=") ? Double(parameter.dropFirst(2)) : nil
            }.first
            if specificity > best.specificity { best = (specificity, quality ?? 1) }
        }
        return best.specificity >= 0 && best.quality > 0
    }
}
