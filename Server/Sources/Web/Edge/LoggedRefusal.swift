internal import HTTPTypes
internal import Kernel
internal import Synchronization
package import WalletAuthWire

/// What the log says of a refused request, besides its line in the access log: enough to mend an integration without
/// repeating the request.
///
/// Everything in it but the code may come from the sender: each text is short, and of visible ASCII.
package struct LoggedRefusal: Sendable, Hashable {
    /// The `code`, `error` or `errorCode` of the answer, or a name of its own for what is no failure.
    package let code: String
    /// The sentence for the developer, which has no secret and nothing personal.
    package let reason: String?
    /// The redirect URI of the request and the registered ones, if they are the reason.
    package let redirect: RedirectMismatch?

    package init(_ code: String, reason: String? = nil, redirect: RedirectMismatch? = nil) {
        self.code = Self.cleaned(code, limit: 64)
        self.reason = reason.map { Self.cleaned($0, limit: 256) }
        self.redirect = redirect
    }

    /// Text from outside: visible ASCII and spaces, of limited length.
    package static func cleaned(_ text: String, limit: Int) -> String {
        // Bounded before anything is done to it.
        let kept = text.unicodeScalars.prefix(limit + 1)
        let visible = kept.prefix(limit).map { (0x20...0x7e).contains($0.value) ? Character($0) : "_" }
        return String(visible) + (kept.count > limit ? "..." : "")
    }
}

/// A redirect URI that is not registered for its client, as the log and the sandbox show it.
package struct RedirectMismatch: Sendable, Hashable {
    /// `nil` if the request has none.
    package let received: String?
    package let registered: [String]
    /// Why no client can register it.
    private let fault: String?

    /// - Parameters:
    ///   - received: as the request has it.
    ///   - registered: all of the client's.
    ///   - fault: why it is malformed; `nil` for one that could be registered.
    package init(received: String?, registered: [RedirectURI], fault: String? = nil) {
        self.received = received.map { Self.shown($0) }
        let shown = registered.prefix(8).map { Self.shown($0.rawValue) }
        self.registered = shown + (registered.count > 8 ? ["and \(registered.count - 8) more"] : [])
        self.fault = fault.map { LoggedRefusal.cleaned($0, limit: 256) }
    }

    package var registeredText: String { registered.isEmpty ? "none" : registered.joined(separator: ", ") }

    package var reason: String {
        received == nil ? "redirect_uri is missing" : fault ?? "redirect_uri is not registered for the client"
    }

    /// For the developer.
    package var text: String {
        ((fault.map { [$0] } ?? []) + ["received \(received ?? "none")", "registered \(registeredText)"])
            .joined(separator: "; ")
    }

    /// The URI without the values of its query, its fragment and its user information: an app that sends the address at which
    /// it was called back would have its code logged.
    private static func shown(_ uri: String) -> String {
        // A valid one has at most 2,048 bytes; what is compared should be readable.
        let text = withoutUserInformation(decoded(LoggedRefusal.cleaned(uri, limit: 512)))
        let (beforeFragment, fragment) = cut(text, at: "#")
        let (address, query) = cut(beforeFragment, at: "?")
        var shown = address
        if let query {
            let names = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
                let (name, value) = cut(String(pair), at: "=")
                return value == nil ? "*" : "\(name)=*"
            }
            shown += "?" + names.joined(separator: "&")
        }
        return fragment == nil ? shown : shown + "#*"
    }

    /// An app that encodes its callback too often sends the marks between its parts encoded as well.
    private static func decoded(_ uri: String) -> String {
        var text = uri
        while text.contains("%25") { text = text.replacing("%25", with: "%") }
        for (encoded, mark) in [
            ("3a", ":"), ("2f", "/"), ("40", "@"), ("3f", "?"), ("26", "&"), ("3d", "="), ("23", "#"),
        ] {
            text = text.replacing("%" + encoded, with: mark).replacing("%" + encoded.uppercased(), with: mark)
        }
        return text
    }

    private static func withoutUserInformation(_ address: String) -> String {
        guard let slashes = address.firstRange(of: "://") else { return address }
        let authority = address[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return address }
        return address[..<slashes.upperBound] + "*" + address[at...]
    }

    private static func cut(_ text: String, at mark: Character) -> (String, String?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (String(text[..<index]), String(text[text.index(after: index)...]))
    }
}

/// The refusal of one request, on its way to the access log.
package final class RefusalNote: Sendable {
    private let noted = Mutex<(refusal: LoggedRefusal, client: String?)?>(nil)

    package init() {}

    /// - Parameter request: as far as it was read; `nil` if nothing was.
    package func note(_ response: EndpointResponse, to request: EndpointRequest?) {
        guard let refusal = response.refusal else { return }
        let client = request?.claimedClient
        noted.withLock { $0 = (refusal, client) }
    }

    /// The refusal, and the client that the request names. Nothing proves that it is the sender.
    package var content: (refusal: LoggedRefusal, client: String?)? { noted.withLock { $0 } }
}

extension EndpointRequest {
    /// The client as the request names it: by a token, credentials, an assertion, or a parameter.
    var claimedClient: String? {
        (clientOfToken ?? clientOfCredentials ?? namedClient).map {
            Self.isSecret($0) ? "<redacted>" : LoggedRefusal.cleaned($0, limit: 64)
        }
    }

    /// Whether a secret or a token of this server was sent as the client's id, as when the two are swapped.
    private static func isSecret(_ id: String) -> Bool {
        ["wcs_", "wrt_", "wac_", "eyJ"].contains { id.hasPrefix($0) }
    }

    private var clientOfToken: String? {
        guard AccessTokenScheme(headers[.authorization]) != nil, let token = try? accessToken()?.token,
            let jws = try? CompactJWS(token.reveal())
        else { return nil }
        return (try? JSONValue.object(parsing: jws.unverifiedPayload))?["client_id"]?.string
    }

    private var clientOfCredentials: String? {
        (try? ClientAuthentication(
            form: (try? form()) ?? FormParameters(), authorization: headers[.authorization],
            attestation: headers[.clientAttestation]))?
            .clientID.rawValue
    }

    private var namedClient: String? {
        (try? query())?["client_id"] ?? (try? form())?["client_id"] ?? (try? json())?["clientId"]?.string
    }
}
