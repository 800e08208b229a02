internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum KeysCommands: CommandNoun {
    static let title = "keys"
    static let abstract = "List and rotate the keys that sign and seal."
    static let commands: [any AdminCommand.Type] = [KeysList.self, KeysRotate.self]

    /// The operator's name for the signing keys, in addition to the purposes of ``KeyPurpose``.
    fileprivate static let signatures = "signatures"
}

struct KeyAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let auditLog: AuditLog
    let ring: KeyRing
    let rotation: KeyRotation
}

struct KeysList: AdminCommand {
    static let title = "keys list"
    static let abstract = "List the keys, without key material."

    var effect: CommandEffect { .reads }

    func execute(in keys: KeyAdministration) async throws -> AdministrationAnswer {
        let (dataKeys, signingKeys) = try await keys.database.read { connection in
            (try DataKeys.all(on: connection), try SigningKeys.published(on: connection))
        }
        let data = dataKeys.map { key in
            keyItem(
                purpose: KeyPurpose(rawValue: key.purpose)?.operatorName ?? key.purpose, id: String(key.kid),
                state: key.retiredAt == nil ? "active" : "retired",
                since: key.createdAt)
        }
        let signing = signingKeys.map { key in
            keyItem(
                purpose: "\(KeysCommands.signatures) \(key.algorithm)", id: key.kid, state: key.state.rawValue,
                since: key.activatedAt ?? key.publishedAt)
        }
        return .list("keys", columns: ["PURPOSE", "ID", "STATE", "SINCE"], data + signing, empty: "No keys.")
    }

    private func keyItem(
        purpose: String, id: String, state: String, since: Timestamp
    ) -> AdministrationAnswer.Row {
        var json = JSONObject()
        json.set("purpose", purpose)
        json.set("keyId", id)
        json.set("state", state)
        json.set("since", since.text)
        return ([purpose, id, state, since.text], json)
    }
}

/// Creates a new key for a purpose, or new signing keys.
struct KeysRotate: AdminCommand {
    static let title = "keys rotate"
    static let abstract = "Create a new key for a purpose; old keys still open what they sealed."

    @Argument(
        help: ArgumentHelp(
            "The purpose, by its name in `keys list`; `signatures` for the keys that sign tokens.", valueName: "purpose"
        ))
    var name = KeysCommands.signatures

    func execute(in keys: KeyAdministration) async throws -> AdministrationAnswer {
        let (name, now, auditLog) = (name, keys.clock.now(), keys.auditLog)
        try await keys.clocks.requireAgreement()
        let recording: KeyRotation.Recording = { ids, connection in
            try auditLog.administration(
                AdministrationEvent.keysRotated, details: Self.details(of: name, ids), now: now
            ).write(on: connection)
        }
        let ids: [String]
        if name == KeysCommands.signatures {
            ids = try await keys.rotation.rotateSigningKeys(
                ring: keys.ring, now: now, recording: recording)
        } else if let purpose = KeyPurpose(operatorName: name) {
            let id = try await keys.rotation.rotate(purpose, now: now, recording: recording)
            ids = id.map { [String($0.value)] } ?? []
        } else if name == KeyPurpose.signing.rawValue {
            throw AdministrationRefusal(
                "signing could mean two kinds of keys, so nothing was changed: use \(KeysCommands.signatures) for those that sign tokens, or "
                    + "\(KeyPurpose.signing.operatorName) for the key that seals them in the database.",
                code: "malformed")
        } else {
            let names = KeyPurpose.allCases.map(\.operatorName) + [KeysCommands.signatures]
            throw AdministrationRefusal(
                "There is no key purpose \(name); it is one of \(names.joined(separator: ", ")).", code: "malformed")
        }
        guard !ids.isEmpty else {
            throw AdministrationRefusal(
                "A successor for \(name) is already published; nothing was changed.", code: "no_change")
        }
        try await keys.ring.reload(now: now)
        let handover =
            keys.database.group == nil
            ? "" : " It starts to seal in \(KeyRing.settling.wholeSeconds) seconds, once every server knows it."
        let line =
            name == KeysCommands.signatures
            ? "Published \(ids.joined(separator: ", ")); they start to sign once every cached key set contains them."
            : "Created key \(ids.joined()) for \(name); older keys still open what they sealed.\(handover)"
        return .done(line, Self.details(of: name, ids))
    }

    /// The new keys, for the audit log and for programs.
    private static func details(of purpose: String, _ ids: [String]) -> JSONObject {
        var details = JSONObject()
        details.set("purpose", purpose)
        details.set("keyIds", ids)
        return details
    }
}

extension KeyPurpose {
    /// The purpose as operators name it. The key that seals the private signing keys must not be taken for one of them.
    fileprivate var operatorName: String { self == .signing ? "signing-seal" : rawValue }

    fileprivate init?(operatorName name: String) {
        guard let purpose = Self.allCases.first(where: { $0.operatorName == name }) else { return nil }
        self = purpose
    }
}
