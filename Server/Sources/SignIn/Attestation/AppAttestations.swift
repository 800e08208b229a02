internal import Core
package import Kernel
internal import WalletAuthWire

/// Decides what an app's attestation is worth, by the policy of its client. It knows the platforms; nothing else does.
///
/// This folder owns their formats, and the verdict in a device's row. It does not decide what an attested key may do: that is
/// `BiometricKeyRule` and, for devices, the client's ``AttestationPolicy``.
package struct AppAttestations: Sendable {
    private let environment: ServerSettings.Environment
    private let apple: AttestationRoots
    private let android: AttestationRoots
    private let revokedAndroidSerials: RevokedSerials

    /// Roots that are no certificates are trusted by no one: the program has refused to start with them.
    package init(_ trust: AttestationTrust, in environment: ServerSettings.Environment) {
        self.environment = environment
        apple = (try? AttestationRoots(pem: trust.appleRoots ?? AttestationRoots.apple)) ?? AttestationRoots()
        android = (try? AttestationRoots(pem: trust.androidRoots ?? AttestationRoots.android)) ?? AttestationRoots()
        revokedAndroidSerials = trust.revokedAndroidSerials
    }

    /// The key that an app vouches for, and the nonce that it was given for that.
    struct Subject: Sendable {
        let use: AttestationStatement.Use
        let key: JWK
        let nonce: Nonce
        /// What the device's app proved before.
        var earlier: DeviceAttestation?
    }

    /// A statement that holds.
    enum Verified: Sendable, Hashable {
        /// The app was attested by this statement.
        case attested(DeviceAttestation)
        /// The platform attested the key itself, and perhaps that it recognizes its holder.
        case keyAttested(AppAttestation, recognizesHolder: Bool)
        /// The app that was attested before vouches for the key. The counter must still be raised.
        case asserted(by: AppAttestation, counter: Int64)

        /// What a device's row keeps of a first attestation.
        var attestation: DeviceAttestation? {
            switch self {
            case .attested(let attestation): attestation
            case .keyAttested(let app, _): DeviceAttestation(app: app, counted: nil)
            case .asserted: nil
            }
        }

        /// On whose word a biometric key counts; `nil` for a key that signs for anyone by its own attestation. The app that made it is
        /// attested, and so is that it did not ask for the check. Nor does a development build's word count: the sandbox needs none, and
        /// its database may serve production one day.
        var voucher: BiometricKeyVoucher? {
            switch self {
            case .attested(let attestation): attestation.app.environment == .production ? .app : nil
            case .asserted(let app, _): app.environment == .production ? .app : nil
            case .keyAttested(_, let recognizesHolder): recognizesHolder ? .key : nil
            }
        }
    }

    /// Applies the policy of a client.
    /// - Returns: `nil` if the policy is off or there is no statement; otherwise what the statement proves, or its fault.
    func verdict(
        on statement: AttestationStatement?, about subject: Subject, for client: ClientSettings, now: Timestamp
    ) async -> Result<Verified, AttestationFault>? {
        guard client.attestation != .off, let statement else { return nil }
        do throws(AttestationFault) {
            return .success(try await verified(statement, about: subject, for: client, now: now))
        } catch { return .failure(error) }
    }

    private func verified(
        _ statement: AttestationStatement, about subject: Subject, for client: ClientSettings, now: Timestamp
    ) async throws(AttestationFault) -> Verified {
        let thumbprint = statement.format == .androidKey ? nil : subject.key.thumbprint
        guard
            let challenge = try? AttestationStatement.challenge(
                for: subject.use, nonce: subject.nonce, thumbprint: thumbprint),
            case .p256(let x, let y) = subject.key.key
        else { throw .malformed }
        let appAttest = AppAttest(roots: apple, appIDs: client.appleAppIDs, environment: environment)
        switch statement.format {
        case .appleAttestation:
            return .attested(try await appAttest.attestation(statement.object ?? [], over: challenge, now: now))
        case .appleAssertion:
            guard let earlier = subject.earlier, let key = earlier.counted else { throw .neverAttested }
            // The database may have been a sandbox's.
            guard earlier.app.environment == .production || environment == .sandbox else { throw .development }
            return .asserted(
                by: earlier.app,
                counter: try appAttest.assertion(statement.object ?? [], over: challenge, by: key))
        case .androidKey:
            let apps = client.androidApps.compactMap { try? AndroidApp($0) }
            let attestation = AndroidKeyAttestation(roots: android, revoked: revokedAndroidSerials.current, apps: apps)
            let found = try await attestation.verified(
                statement.certificates ?? [], of: x + y, over: challenge, now: now)
            return .keyAttested(found.app, recognizesHolder: found.recognizesHolder)
        }
    }
}
