/// Typed access to request parameters. Every fault is `invalid_request` and names the parameter, never its value.
extension FormParameters {
    /// A validated value, or nil if the parameter is absent or empty.
    func value<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(OAuthError) -> Value? {
        guard let text = self[name] else { return nil }
        do { return try Value(text) } catch { throw OAuthError(MalformedValue(field: name, reason: error.reason)) }
    }

    /// A required, validated value.
    func required<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(OAuthError) -> Value {
        guard let value: Value = try value(name) else { throw FormParameters.missing(name) }
        return value
    }

    /// A secret, or nil if the parameter is absent or empty.
    func secret<Kind: SecretKind>(_ name: String = Kind.field) throws(OAuthError) -> Secret<Kind>? {
        guard let text = self[name] else { return nil }
        do { return try Secret(text) } catch { throw OAuthError(MalformedValue(field: name, reason: error.reason)) }
    }

    /// A required secret.
    func requiredSecret<Kind: SecretKind>(_ name: String = Kind.field) throws(OAuthError) -> Secret<Kind> {
        guard let secret: Secret<Kind> = try secret(name) else { throw FormParameters.missing(name) }
        return secret
    }

    /// A text of limited length without control characters, or nil if the parameter is absent or empty.
    func text(_ name: String, maximumBytes: Int) throws(OAuthError) -> String? {
        guard let text = self[name] else { return nil }
        if let reason = TextRule.printable(text, 1...maximumBytes) {
            throw OAuthError(MalformedValue(field: name, reason: reason))
        }
        return text
    }

    /// A name as a person typed it: like ``text(_:maximumBytes:)``, without the white space around it. It is empty if there
    /// was nothing else.
    func typedText(_ name: String, maximumBytes: Int) throws(OAuthError) -> String? {
        guard let typed = self[name].map(TypedText.trimmed) else { return nil }
        if let reason = TextRule.printable(typed, 0...maximumBytes) {
            throw OAuthError(MalformedValue(field: name, reason: reason))
        }
        return typed
    }

    /// A value of an enumeration, or nil if the parameter is absent or empty.
    func named<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Value.Type = Value.self
    ) throws(OAuthError) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = Value(rawValue: text) else { throw OAuthError(MalformedValue(field: name, notOneOf: type)) }
        return value
    }

    /// PKCE by S256. Without a method, PKCE means plain (RFC 7636 §4.3), so the method must be named.
    func codeChallenge() throws(OAuthError) -> CodeChallenge {
        let challenge: CodeChallenge = try required("code_challenge")
        guard let method = self["code_challenge_method"] else { throw FormParameters.missing("code_challenge_method") }
        guard method == CodeChallenge.method else {
            throw OAuthError(.invalidRequest, "code_challenge_method is not \(CodeChallenge.method)")
        }
        return challenge
    }

    /// PKCE by S256, or nil if the request has nothing of it. Half of it is a fault.
    func optionalCodeChallenge() throws(OAuthError) -> CodeChallenge? {
        guard self["code_challenge"] != nil || self["code_challenge_method"] != nil else { return nil }
        return try codeChallenge()
    }

    /// The requested scopes, or nil if the parameter is absent or empty.
    func scope() throws(OAuthError) -> Scope? {
        guard let text = self["scope"] else { return nil }
        do { return try Scope(text) } catch { throw OAuthError(.invalidScope, error.description) }
    }

    /// The user name of a sign-in. One that no account can have gets the answer of a wrong one.
    func username() throws(OAuthError) -> Username {
        guard let name = self["username"] else { throw FormParameters.missing("username") }
        guard let username = try? Username(name) else { throw .invalidCredentials() }
        return username
    }

    /// The device that signs in, and the proof of its key.
    func device() throws(OAuthError) -> (id: DeviceID?, proof: DeviceProof?) {
        let (id, proof): (DeviceID?, DeviceProof?) = (try value("device_id"), try secret())
        guard proof == nil || id != nil else { throw OAuthError(.invalidRequest, "device_proof requires device_id") }
        return (id, proof)
    }

    /// Whether a parameter is `true`; any other value is refused.
    func flag(_ name: String) throws(OAuthError) -> Bool {
        guard let text = self[name] else { return false }
        guard text == "true" else { throw OAuthError(MalformedValue(field: name, reason: "is not true")) }
        return true
    }

    /// Words separated by single spaces; none if the parameter is absent or empty.
    func words(_ name: String, maximum: Int = 32) throws(OAuthError) -> [String] {
        guard let text = try text(name, maximumBytes: 1024) else { return [] }
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        guard words.count <= maximum else {
            throw OAuthError(MalformedValue(field: name, reason: "has more than \(maximum) words"))
        }
        return words
    }

    /// The error of an absent parameter.
    static func missing(_ name: String) -> OAuthError { OAuthError(MalformedValue(field: name, reason: "is missing")) }
}

/// Adds a secret to a form: one of the places where a secret is meant to go out.
extension FormParameters {
    /// Adds a secret. Does nothing if it is nil.
    /// - Parameters:
    ///   - name: the parameter's name.
    ///   - secret: the secret, or nil.
    public mutating func append<Kind>(_ name: String = Kind.field, secret: Secret<Kind>?) {
        append(name, secret?.reveal())
    }

    mutating func append(device id: DeviceID?, _ proof: DeviceProof?) {
        append("device_id", id)
        append(secret: proof)
    }

    mutating func append(_ name: String, words: [String]) {
        append(name, words.isEmpty ? nil : words.joined(separator: " "))
    }
}
