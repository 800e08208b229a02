internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Answers the polls of a device whose holder decides on another one (RFC 8628 §3.4).
struct DeviceCodeGrant: Sendable {
    let database: any Database
    let opening: SessionOpening
    let vault: DeviceGrantVault
    let auditLog: AuditLog

    func redeem(_ code: DeviceCode, call: TokenCaller) async throws -> TokenOutcome {
        guard call.client.mayUseDeviceGrant else { return .failure(.unauthorizedClient) }
        let digest = DeviceGrantRecord.digest(of: code)
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
            if record.state == .approved { return try await open(record, call: call) }
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

    private func open(_ record: DeviceGrantRecord, call: TokenCaller) async throws -> TokenOutcome {
        // Sealed before a restore, whose copy may not know that it was redeemed.
        guard let admitted = vault.grant(of: record) else { return .failure(.invalidGrant) }
        let opened = try await opening.open(admitted, signedInTo: call.client, call: call) {
            [auditLog] session, connection in
            guard try DeviceGrants.redeem(record.id, on: connection) else { return .otherCodeRedeemed }
            guard try Sessions.open(session, on: connection) else { return .accountChanged }
            try auditLog.entry(
                DeviceGrantEvent.redeemed, account: session.accountID, client: session.signedInTo,
                origin: call.origin, now: call.now, details: .naming(session: session.id)
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
