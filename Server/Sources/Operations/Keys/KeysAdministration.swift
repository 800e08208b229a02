internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum KeysCommands: CommandNoun {
    static let title = "keys"
    static let abstract = "List, rotate and revoke the keys that sign and seal."
    static let commands: [any AdminCommand.Type] = [
        KeysList.self, KeysRotate.self, KeysRotateMaster.self, KeysRevoke.self,
    ]

    /// The operator's name for the signing keys, in addition to the purposes of ``KeyPurpose``.
    fileprivate static let signatures = "signatures"

    /// The operator's name for all keys, after a leak.
    fileprivate static let all = "all"

    /// What can be rotated.
    fileprivate static let purposes = KeyPurpose.allCases.map(\.operatorName) + [signatures, all]
}

struct KeyAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let auditLog: AuditLog
    let ring: KeyRing
    let rotation: KeyRotation
    let issuer: Issuer
    let schedule: SigningKeySchedule

    /// - Throws: a refusal if the master keys allow no new data key.
    fileprivate func rotate(
        _ purpose: KeyPurpose, now: Timestamp, recording: @escaping KeyRotation.Recording
    ) async throws -> KeyID? {
        do {
            return try await rotation.rotate(purpose, now: now, recording: recording)
        } catch let mixed as MixedMasterKeys {
            throw AdministrationRefusal("No new key can be made: \(mixed).", code: "master_keys_mixed")
        } catch let fault as MasterKeyFault {
            throw AdministrationRefusal.masterKeyUnknown(fault)
        }
    }
}

struct KeysList: AdminCommand {
    static let title = "keys list"
    static let access = CommandAccess.reading(.auditor)
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
        let use = keys.rotation.masterKeys.use(for: dataKeys)
        var members = JSONObject()
        members["masterKeys"] = use.json
        return .list(
            "keys", columns: ["PURPOSE", "ID", "STATE", "SINCE"], data + signing, empty: "No keys.", with: members,
            then: use.lines)
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
            "The purpose, by its name in `keys list`; `signatures` for the keys that sign tokens, `all` for every key.",
            valueName: "purpose"
        ), completion: .list(KeysCommands.purposes))
    var name = KeysCommands.signatures

    var takesTwo: Bool { true }

    func execute(in keys: KeyAdministration) async throws -> AdministrationAnswer {
        let now = keys.clock.now()
        try await keys.clocks.requireAgreement()
        guard name != KeysCommands.all else { return try await Self.rotateAll(keys, now: now) }
        let recording = Self.recording(name, in: keys.auditLog, now: now)
        let ids: [String]
        if name == KeysCommands.signatures {
            ids = try await keys.rotation.rotateSigningKeys(now: now, recording: recording)
        } else if let purpose = KeyPurpose(operatorName: name) {
            let id = try await keys.rotate(purpose, now: now, recording: recording)
            ids = id.map { [String($0.value)] } ?? []
        } else if name == KeyPurpose.signing.rawValue {
            throw AdministrationRefusal(
                "signing could mean two kinds of keys, so nothing was changed: use \(KeysCommands.signatures) for those that sign tokens, or "
                    + "\(KeyPurpose.signing.operatorName) for the key that seals them in the database.",
                code: "malformed")
        } else {
            throw AdministrationRefusal(
                "There is no key purpose \(name); it is one of \(KeysCommands.purposes.joined(separator: ", ")).",
                code: "malformed")
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
            ? "Published \(ids.joined(separator: ", ")); they start to sign once every cached key set contains them. If a key leaked, use `walletauth keys revoke`."
            : "Created key \(ids.joined()) for \(name); older keys still open what they sealed.\(handover)"
        let lines = name == KeyPurpose.audit.operatorName ? [line, Self.newAuditKey] : [line]
        return .done(lines, Self.details(of: name, ids))
    }

    /// Each key in a write of its own: one that is repeated after an interruption makes more keys, which harms nothing.
    private static func rotateAll(_ keys: KeyAdministration, now: Timestamp) async throws -> AdministrationAnswer {
        var ids: [String] = []
        for purpose in KeyPurpose.allCases {
            let name = purpose.operatorName
            let id = try await keys.rotate(
                purpose, now: now, recording: recording(name, in: keys.auditLog, now: now))
            ids += id.map { ["\(name) \($0.value)"] } ?? []
        }
        let name = KeysCommands.signatures
        let auditLog = keys.auditLog
        let signing = try await keys.rotation.replaceSuccessors(now: now) { change, connection in
            try auditLog.administration(
                AdministrationEvent.keysRotated,
                details: details(of: name, change.successors, withdrawing: change.revoked), now: now
            ).write(on: connection)
        }
        ids += signing.successors.map { "\(name) \($0)" }
        try await keys.ring.reload(now: now)
        var lines = [
            "Created \(ids.joined(separator: ", ")). The older ones still open what they sealed, and sign until their "
                + "successors do. If they leaked, withdraw those that sign tokens with `walletauth keys revoke`."
        ]
        if !signing.revoked.isEmpty {
            lines.append(
                "Withdrew \(signing.revoked.joined(separator: ", ")), which were published before and had not signed: they "
                    + "may have leaked with the older keys.")
        }
        return .done(lines + [newAuditKey], details(of: KeysCommands.all, ids, withdrawing: signing.revoked))
    }

    private static func recording(
        _ purpose: String, in auditLog: AuditLog, now: Timestamp
    ) -> KeyRotation.Recording {
        { ids, connection in
            try auditLog.administration(
                AdministrationEvent.keysRotated, details: details(of: purpose, ids), now: now
            ).write(on: connection)
        }
    }

    private static let newAuditKey = """
        Auditors and backends that verify evidence without this server need the new key: have them export the keys again with \
        `walletauth audit key`, and compare that those they had are unchanged. Until then, new evidence proves nothing to \
        them. Checkpoints verify by the first keys.
        """

    /// The new keys, for the audit log and for programs.
    private static func details(of purpose: String, _ ids: [String], withdrawing revoked: [String] = []) -> JSONObject {
        var details = JSONObject()
        details.set("purpose", purpose)
        details.set("keyIds", ids)
        if !revoked.isEmpty { details.set("revokedKeyIds", revoked) }
        return details
    }
}

/// Withdraws keys that sign tokens. Other than a rotation, it does not wait until verifiers know the successor.
struct KeysRevoke: AdminCommand {
    static let title = "keys revoke"
    static let abstract = "Withdraw keys that sign tokens, because they may have leaked."
    static let discussion = """
        A key leaves the published key set at once, and servers on this database refuse what it signed. If it is the one \
        that signs, the published successor takes its place, or else a new key. Without a leak use `keys rotate`, after \
        which earlier tokens stay valid.
        """

    @Argument(
        help: ArgumentHelp(
            "Ids of `signatures` in `keys list`; after --, if one begins with a dash.", valueName: "key-id"))
    var ids: [String]

    @OptionGroup var confirmed: ConfirmationOptions

    func precondition(isTyped: Bool) -> AdminRequest? { confirmed.yes ? nil : AdminRequest(["keys", "list"]) }

    func check(_ answer: AdministrationAnswer) throws {
        let listed = try answer.document()["keys"]?.array?.compactMap { $0.object?["keyId"]?.string } ?? []
        let unknown = ids.filter { !listed.contains($0) }
        guard unknown.isEmpty else { throw Self.unknown(unknown) }
    }

    var confirmation: Confirmation? {
        confirmed.unlessGiven(
            "This withdraws keys for good: every token that they signed is refused.",
            typing: ids.joined(separator: " "))
    }

    // Even while the clock is in doubt: a leaked key cannot wait, and nothing is removed by its age.
    func execute(in keys: KeyAdministration) async throws -> AdministrationAnswer {
        let (now, auditLog) = (keys.clock.now(), keys.auditLog)
        let revocation = try await keys.rotation.revokeSigningKeys(Set(ids), now: now) {
            try auditLog.administration(AdministrationEvent.keysRevoked, details: Self.details(of: $0), now: now)
                .write(on: $1)
        }
        guard let revocation else {
            let published = try await keys.database.read { try SigningKeys.published(on: $0) }
            throw Self.unknown(ids.filter { id in !published.contains { $0.kid == id } })
        }
        var lines = Self.lines(of: revocation, in: keys)
        // The keys are revoked, whatever happens now.
        do { try await keys.ring.reload(now: now) } catch {
            lines.append("This server could not read its keys again, and follows within a minute: see its log.")
        }
        return .done(lines, Self.details(of: revocation))
    }

    private static func unknown(_ ids: [String]) -> AdministrationRefusal {
        AdministrationRefusal(
            "Nothing was changed: no published key that signs tokens has the id \(ids.joined(separator: ", ")).",
            hint: "See the ids of \(KeysCommands.signatures) in `walletauth keys list`.", code: "not_found")
    }

    private static func details(of revocation: KeyRotation.Revocation) -> JSONObject {
        var details = JSONObject()
        details.set("purpose", KeysCommands.signatures)
        details.set("revokedKeyIds", revocation.revoked)
        details.set("keyIds", revocation.successors)
        return details
    }

    private static func lines(of revocation: KeyRotation.Revocation, in keys: KeyAdministration) -> [String] {
        let cached = keys.schedule.keySetMaximumAge.inWords
        let signers =
            revocation.successors.isEmpty
            ? "None of them signed, so the keys that sign are the same."
            : "Signing instead, from now on: \(revocation.successors.joined(separator: ", "))."
        let servers =
            keys.database.group == nil
            ? "This server refuses" : "Every server on this database refuses, within a minute at most,"
        return [
            "Revoked \(revocation.revoked.joined(separator: ", ")). \(signers)",
            "\(servers) the access tokens and ID tokens that they signed. Apps renew them: refresh tokens and sessions go on.",
            "Backends that verify tokens themselves may cache the key set for \(cached), and longer while they cannot reach "
                + "this server. Until then they accept forged tokens, and may refuse new ones.",
            "To end that now, restart them, or have them fetch \(keys.issuer.rawValue)/.well-known/jwks.json again.",
        ]
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
