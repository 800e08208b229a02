internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Answers the polls of a device whose holder decides on another one (RFC 8628 §3.4), and of a client that named a person who decides on
/// their phone (OpenID CIBA Core 1.0 §10.1).
struct DeviceCodeGrant: Sendable {
    let database: any Database
    let gate: SignInGate
    let opening: SessionOpening
    let vault: DeviceGrantVault
    let auditLog: AuditLog

    func redeem(_ code: DeviceCode, call: TokenCaller) async throws -> TokenOutcome {
        guard call.client.mayUseDeviceGrant else { return .failure(.unauthorizedClient) }
        return try await redeem(DeviceGrantRecord.digest(of: code), call: call) { record in
            // Sealed before a restore, whose copy may not know that it was redeemed.
            guard let admitted = vault.grant(of: record) else { return .failure(.invalidGrant) }
            return try await open(record, admitted, DeviceGrantEvent.redeemed, call: call)
        }
    }

    func redeem(_ id: AuthenticationRequestID, call: TokenCaller) async throws -> TokenOutcome {
        guard call.client.backchannelMode != nil else { return .failure(.unauthorizedClient) }
        return try await redeem(DeviceGrantRecord.digest(of: id), call: call) { record in
            guard let approval = vault.approval(of: record) else { return .failure(.invalidGrant) }
            let (device, consent) = try await database.read { connection in
                (
                    try Devices.find(approval.device, on: connection),
                    try ClientConsentRecords.find(
                        approval.account, to: call.client.id.rawValue, on: connection)
                )
            }
            // The gate sees no change when a phone is blocked or removed.
            guard device?.state == .active,
                let admitted = try await gate.admit(
                    approval, to: call.client, asking: vault.content(of: record), id: record.id, consent: consent,
                    origin: call.origin, now: call.now)
            else { return .failure(.accessDenied) }
            return try await open(record, admitted, BackchannelEvent.redeemed, call: call)
        }
    }

    /// Answers a poll, and has what was approved opened.
    /// - Parameter digest: of what the client polls with.
    private func redeem(
        _ digest: [UInt8], call: TokenCaller, opening: (DeviceGrantRecord) async throws -> TokenOutcome
    ) async throws -> TokenOutcome {
        // Once more if the holder decides between the read and the write.
        for _ in 0..<2 {
            guard let record = try await database.read({ try DeviceGrants.find(deviceCode: digest, on: $0) }),
                record.clientID == call.client.id.rawValue, try isProved(record, by: call)
            else { return .failure(.invalidGrant) }
            switch record.state {
            case .redeemed: return .failure(.invalidGrant)
            case .denied: return .failure(.accessDenied)
            case .waiting, .approved:
                if record.hasExpired(at: call.now) { return .failure(.expiredToken) }
            }
            if record.state == .approved { return try await opening(record) }
            switch try await database.write({ try DeviceGrants.poll(record.id, now: call.now, on: $0) }) {
            case .inTime: return .failure(.authorizationPending)
            case .tooEarly: return .failure(.slowDown)
            case .decided: continue
            }
        }
        return .failure(.authorizationPending)
    }

    /// Whether the poll proves the key that the request for the codes proved.
    private func isProved(_ record: DeviceGrantRecord, by call: TokenCaller) throws -> Bool {
        guard let bound = try vault.content(of: record).keyThumbprint else { return true }
        return call.proof.map { ConstantTime.equal($0.thumbprint.bytes, bound) } ?? false
    }

    private func open(
        _ record: DeviceGrantRecord, _ admitted: AdmittedGrant, _ event: any SecurityEventKind, call: TokenCaller
    ) async throws -> TokenOutcome {
        let opened = try await opening.open(admitted, signedInTo: call.client, call: call) {
            [auditLog] session, connection in
            guard try DeviceGrants.redeem(record.id, on: connection) else { return .otherCodeRedeemed }
            guard try Sessions.open(session, on: connection) else { return .accountChanged }
            var details = JSONObject.naming(session: session.id)
            // Of a client's request, it is the transaction that the person signed.
            if record.userCode == nil { details.set("transaction_id", record.id.uuid) }
            try auditLog.entry(
                event, account: session.accountID, client: session.signedInTo, origin: call.origin, now: call.now,
                details: details
            ).write(on: connection)
            return .opened
        }
        switch opened {
        case .opened(let tokens): return .success(tokens)
        case .refused(let refusal): return .failure(refusal)
        case .replayed: return .failure(.invalidGrant)
        }
    }
}
