internal import AuthCore
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    func execute(_ command: KeysCommand) async throws -> AdministrationAnswer {
        switch command {
        case .list: try await listKeys()
        case .rotate(let purpose): try await rotateKey(purpose)
        }
    }

    /// The operator's name for the signing keys, in addition to the purposes of ``KeyPurpose``.
    private static let signatures = "signatures"

    private func listKeys() async throws -> AdministrationAnswer {
        let (dataKeys, signingKeys) = try await context.database.read { connection in
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
                purpose: "\(Self.signatures) \(key.algorithm)", id: key.kid, state: key.state.rawValue,
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

    private func rotateKey(_ name: String) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        try await requireAgreedClocks()
        let auditLog = AuditLog(context: context)
        let recording: KeyRotation.Recording = { ids, connection in
            try auditLog.administration(
                AdministrationEvent.keysRotated, details: Self.details(of: name, ids), now: now
            ).write(on: connection)
        }
        let ids: [String]
        if name == Self.signatures {
            ids = try await context.keyRotation.rotateSigningKeys(
                ring: context.keyRing, now: now, recording: recording)
        } else if let purpose = KeyPurpose(operatorName: name) {
            let id = try await context.keyRotation.rotate(purpose, now: now, recording: recording)
            ids = id.map { [String($0.value)] } ?? []
        } else if name == KeyPurpose.signing.rawValue {
            throw AdministrationRefusal(
                "signing could mean two kinds of keys, so nothing was changed: use \(Self.signatures) for those that sign tokens, or "
                    + "\(KeyPurpose.signing.operatorName) for the key that seals them in the database.",
                code: "malformed")
        } else {
            let names = KeyPurpose.allCases.map(\.operatorName) + [Self.signatures]
            throw AdministrationRefusal(
                "There is no key purpose \(name); it is one of \(names.joined(separator: ", ")).", code: "malformed")
        }
        guard !ids.isEmpty else {
            throw AdministrationRefusal(
                "A successor for \(name) is already published; nothing was changed.", code: "no_change")
        }
        try await context.keyRing.reload(now: now)
        let handover =
            context.database.group == nil
            ? "" : " It starts to seal in \(KeyRing.settling.wholeSeconds) seconds, once every server knows it."
        let line =
            name == Self.signatures
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
