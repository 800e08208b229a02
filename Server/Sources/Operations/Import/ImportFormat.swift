package import WalletAuthWire

/// The form of a file with accounts.
package enum ImportFormat: String, Sendable, CaseIterable {
    /// Our own lines.
    case lines
    /// A realm's export, or users as the administration API of Keycloak lists them.
    case keycloak
    /// Auth0's bulk import and export, and its export of password hashes.
    case auth0
    /// `firebase auth:export`.
    case firebase
    /// Identities of Ory Kratos.
    case kratos

    /// Where the accounts are in the file.
    package enum Layout: Sendable, Hashable {
        /// A JSON object in each line.
        case lines
        /// The objects of an array, which is the document or a member of it.
        case array(member: String?)
    }

    /// Recognizes a file by its beginning; `nil` if it could be more than one.
    package static func detect(_ beginning: [UInt8]) -> ImportFormat? {
        if let first = firstElement(of: beginning) { return detect(element: first) }
        // A document of several lines, which may not end within the beginning.
        let text = String(decoding: beginning.filter { !isSpace($0) }.prefix(4096), as: UTF8.self)
        if text.hasPrefix(#"{"users":[{"localId""#) { return .firebase }
        if text.hasPrefix(#"{"identities":["#) { return .kratos }
        if text.hasPrefix(#"{"id":""#) || text.hasPrefix(#"{"realm":""#), text.contains(#""realm":""#) {
            return .keycloak
        }
        return nil
    }

    /// The form that a file has, if it is not this one: its first account has members that this form has no place for. Accounts that both
    /// forms read alike are of this one.
    /// - Parameter beginning: of the file.
    package func conflict(with beginning: [UInt8]) -> ImportFormat? {
        guard let likely = Self.detect(beginning), likely != self else { return nil }
        guard let converted = Self.firstElement(of: beginning).map({ line($0, ImportOptions()) }),
            converted.ignored.isEmpty, converted.faults.isEmpty, (try? ImportedLine(converted.line)) != nil
        else { return likely }
        return nil
    }

    /// The first account; `nil` if the file begins with a document around accounts.
    private static func firstElement(of beginning: [UInt8]) -> JSONObject? {
        let isArray = beginning.first { !isSpace($0) } == UInt8(ascii: "[")
        var splitter = ImportSplitter(isArray ? .array(member: nil) : .lines)
        // A file may have one line, without a line break.
        guard case .json(let bytes) = (splitter.append(beginning).first ?? splitter.finish().0)?.content,
            let object = try? JSONValue.object(parsing: bytes), !object.isContainer
        else { return nil }
        return object
    }

    private static func detect(element: JSONObject) -> ImportFormat? {
        let names = Set(element.names)
        if names.contains("traits"), names.contains("schema_id") { return .kratos }
        if names.contains("localId") { return .firebase }
        if !names.isDisjoint(with: ["user_id", "custom_password_hash", "password_hash", "email_verified"]) {
            return .auth0
        }
        if names.contains("_id"), names.contains("passwordHash") { return .auth0 }
        if names.contains("username"), !names.isDisjoint(with: ["credentials", "createdTimestamp", "enabled"]) {
            return .keycloak
        }
        return ImportedLine.isLine(element) || signsInAsInLines(element) ? .lines : nil
    }

    /// Whether what signs in is as in our lines and in none of the other forms. Another member is then misspelled, and named as a fault.
    private static func signsInAsInLines(_ element: JSONObject) -> Bool {
        element["passwordHash"] != nil || element["totpSecret"] != nil
            || element["identities"]?.array?.first?.object?["subject"] != nil
    }

    /// - Parameter beginning: of the file.
    package func layout(of beginning: [UInt8]) -> Layout {
        guard beginning.first(where: { !Self.isSpace($0) }) != UInt8(ascii: "[") else { return .array(member: nil) }
        switch self {
        case .lines, .auth0: return .lines
        case .keycloak, .firebase: return isOfLines(beginning) ? .lines : .array(member: "users")
        case .kratos: return isOfLines(beginning) ? .lines : .array(member: "identities")
        }
    }

    /// Whether the first line is an account, and not the whole document.
    private func isOfLines(_ beginning: [UInt8]) -> Bool {
        var splitter = ImportSplitter(.lines)
        guard case .json(let bytes) = (splitter.append(beginning).first ?? splitter.finish().0)?.content,
            let object = try? JSONValue.object(parsing: bytes)
        else { return false }
        return !object.isContainer
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Converts an account of the file to one of our lines, which has the faults of the conversion.
    package func line(_ element: JSONObject, _ options: ImportOptions) -> ConvertedLine {
        var converted: ConvertedLine
        switch self {
        case .lines: converted = ConvertedLine(element)
        case .keycloak: converted = KeycloakUser.line(element)
        case .auth0: converted = Auth0User.line(element)
        case .firebase: converted = FirebaseUser.line(element, options.firebase)
        case .kratos: converted = KratosIdentity.line(element)
        }
        if self != .lines { converted.requireOwnAddress() }
        options.rename(in: &converted)
        converted.settleSecondFactors(areRequired: !options.areSecondFactorsLeftOut)
        return converted
    }
}

/// One of our lines, and the members of the export that it has no place for.
package struct ConvertedLine: Sendable {
    package var line: JSONObject
    package var ignored: [String] = []
    package var faults: [ImportFault] = []
    /// Whether it is a client's own account, which no person signs in to.
    package var isServiceAccount = false
    /// The person's second factors that cannot be imported.
    var lostFactors: [String] = []
    /// Whether the person had second factors, and has none here.
    package private(set) var isWithoutSecondFactor = false

    static let otherAuthenticator = "an authenticator app other than by time with SHA-1, 6 digits and 30 seconds"

    init(_ line: JSONObject) { self.line = line }

    /// - Parameter known: the members of the element that were read, or that no account needs.
    init(_ line: JSONObject, of element: JSONObject, known: Set<String>) {
        self.line = line
        ignored = element.members.filter { !known.contains($0.name) && !$0.value.isEmpty }.map(\.name)
    }

    /// Refuses a user name that is another one's address: people chose it at the former system, which did not confirm it, and here the
    /// address's owner could no longer have it.
    fileprivate mutating func requireOwnAddress() {
        // As it is stored: a name with full-width forms is that of the address, too.
        guard let name = line.text("username").flatMap({ try? Username($0).rawValue }), (try? EmailAddress(name)) != nil
        else { return }
        let own = line.text("email").flatMap { try? Username($0).rawValue }
        guard own == name else {
            faults.append(
                ImportFault("username is an e-mail address other than the account's email: give it another name"))
            return
        }
    }

    /// Refuses a person who would sign in without a second factor from now on, unless the operator says so. Without password and identity
    /// there is nothing to sign in with.
    fileprivate mutating func settleSecondFactors(areRequired: Bool) {
        ignored += lostFactors
        // What is at fault may be the password.
        let signsIn = line["passwordHash"] != nil || line["identities"] != nil || !faults.isEmpty
        guard !lostFactors.isEmpty, line["totpSecret"] == nil, signsIn else { return }
        guard !areRequired else {
            faults.append(
                ImportFault(
                    "the second factor cannot be imported (\(lostFactors.joined(separator: ", "))): remove it, or import all such "
                        + "people with --without-second-factors, and the person signs in without one until setting one up here"
                ))
            return
        }
        isWithoutSecondFactor = true
    }

    /// By what the operator knows the account.
    package var name: String? { line.text("username") ?? line.text("email") ?? line.text("externalId") }
}

/// What the operator says about the file.
package struct ImportOptions: Sendable {
    /// Of `firebase auth:export`; needed for its passwords.
    package struct Firebase: Sendable {
        let signerKey: String
        let saltSeparator: String
        let rounds: Int
        let memoryCost: Int

        /// - Parameter text: `hash_config { algorithm: SCRYPT, base64_signer_key: …, … }`, as the console of Firebase shows it.
        /// - Throws: ``MalformedValue`` that names what is missing.
        package init(_ text: String) throws(MalformedValue) {
            var values: [String: String] = [:]
            for entry in text.split(whereSeparator: { $0.isNewline || $0 == "," || $0 == "{" || $0 == "}" }) {
                let pair = entry.split(separator: ":", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
                if pair.count == 2 { values[pair[0]] = pair[1] }
            }
            guard let key = values["base64_signer_key"], let separator = values["base64_salt_separator"],
                let rounds = values["rounds"].flatMap({ Int($0) }), let cost = values["mem_cost"].flatMap({ Int($0) })
            else {
                throw MalformedValue(
                    field: "--firebase-hash-config",
                    reason:
                        "needs base64_signer_key, base64_salt_separator, rounds and mem_cost, as the console shows them"
                )
            }
            (signerKey, saltSeparator, self.rounds, memoryCost) = (key, separator, rounds, cost)
        }
    }

    package var firebase: Firebase?
    /// The providers' ids here by those of the file; an empty one leaves the identities out.
    package var providers: [String: String] = [:]
    /// Whether people are imported whose second factors cannot be.
    package var areSecondFactorsLeftOut = false

    package init() {}

    fileprivate func rename(in converted: inout ConvertedLine) {
        guard !providers.isEmpty, let identities = converted.line["identities"]?.array else { return }
        let renamed = identities.compactMap { identity -> JSONValue? in
            guard var object = identity.object, let former = object["provider"]?.string, let present = providers[former]
            else { return identity }
            guard !present.isEmpty else { return nil }
            object["provider"] = .string(present)
            return .object(object)
        }
        converted.line["identities"] = renamed.isEmpty ? nil : .array(renamed)
    }
}

extension JSONObject {
    /// Whether it is the document around accounts.
    fileprivate var isContainer: Bool {
        self["users"]?.array != nil || self["identities"]?.array?.first?.object?["traits"] != nil
    }

    /// A non-empty text; other types and `null` count as absent.
    func text(_ name: String) -> String? {
        guard let text = self[name]?.string, !text.isEmpty else { return nil }
        return text
    }
}

extension JSONValue {
    /// Whether nothing is lost if it is left out.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.isEmpty
        case .integer, .number: false
        }
    }
}
