/// A set of scope tokens (RFC 6749 §3.3) that keeps their order.
///
/// Duplicate tokens count once. Equality ignores the order, as in the RFC.
public struct Scope: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(0...2048, pattern: "^[ !#-\\[\\]-~]*$", example: "openid") }

    /// The unique tokens, in order of first appearance.
    public let tokens: [String]

    /// No tokens: the scope of a request without `scope`.
    public static let none = Scope(unchecked: [])

    /// The scopes that OpenID Connect Core defines (§5.4 and §11). All of them are about a person.
    public static let standard = ["openid", "profile", "email", "phone", "address", "offline_access"]

    /// Parses a scope from the wire: tokens separated by spaces. The RFC's grammar has one space between them and none around them;
    /// clients that build the text from parts send more, which mean nothing.
    /// - Parameter text: at most 64 tokens and 2048 bytes; a text without tokens is the empty scope.
    public init(_ text: String) throws(MalformedValue) {
        guard text.utf8.count <= 2048 else { throw MalformedValue(field: "scope", reason: "is longer than 2048 bytes") }
        try self.init(tokens: text.split(separator: " ").map(String.init))
    }

    /// Creates a scope from tokens.
    /// - Parameter tokens: each of `%x21 / %x23-5B / %x5D-7E`, at most 64.
    public init(tokens: some Sequence<String>) throws(MalformedValue) {
        var kept: [String] = []
        for token in tokens {
            guard !token.isEmpty else { throw MalformedValue(field: "scope", reason: "has an empty token") }
            guard token.utf8.allSatisfy({ $0 >= 0x21 && $0 <= 0x7E && $0 != 0x22 && $0 != 0x5C }) else {
                throw MalformedValue(field: "scope", reason: "has a character that no scope token may have")
            }
            if !kept.contains(token) { kept.append(token) }
            guard kept.count <= 64 else { throw MalformedValue(field: "scope", reason: "has more than 64 tokens") }
        }
        self.tokens = kept
    }

    private init(unchecked tokens: [String]) { self.tokens = tokens }

    /// The tokens with a space between them.
    public var rawValue: String { tokens.joined(separator: " ") }

    /// Whether there are no tokens.
    public var isEmpty: Bool { tokens.isEmpty }

    /// Whether a token is in the scope.
    /// - Parameter token: one scope token.
    public func contains(_ token: String) -> Bool { tokens.contains(token) }

    /// Whether another scope has every token of this one.
    /// - Parameter other: the scope that must not be exceeded.
    public func isSubset(of other: Scope) -> Bool { tokens.allSatisfy(other.tokens.contains) }

    /// The tokens that another scope has too, in the order of this one.
    /// - Parameter other: the other scope.
    public func intersection(_ other: Scope) -> Scope { Scope(unchecked: tokens.filter(other.tokens.contains)) }

    /// Compares as sets.
    public static func == (left: Scope, right: Scope) -> Bool { Set(left.tokens) == Set(right.tokens) }

    /// Hashes as a set.
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(tokens)) }
}
