import Foundation
import WalletAuthTransport
import WalletAuthWire

/// This instance of the app, as its attester vouches for it.
struct AttestedInstance: Sendable {
    private struct Kept {
        let thumbprint: JWKThumbprint
        let attestation: ClientAttestation
        let expiry: NumericDate
    }

    let attester: any ClientAttester
    let clock: ServerClock
    private let kept = LockedValue<Kept?>(nil)

    init(_ attester: any ClientAttester, clock: ServerClock) {
        self.attester = attester
        self.clock = clock
    }

    /// The attestation of a key: the last one, as long as it counts.
    /// - Throws: ``WalletError`` `attestation_unavailable`; `CancellationError`.
    func attestation(of key: BoundKey, during operation: WalletError.Operation) async throws -> ClientAttestation {
        let soon = NumericDate(clamping: clock.now.seconds).advanced(by: .seconds(30))
        if let last = kept.withLock({ $0 }), last.thumbprint == key.thumbprint, soon < last.expiry {
            return last.attestation
        }
        do {
            let attestation = try ClientAttestation(try await attester.attestation(of: Data(key.jwk.json.bytes)))
            let claims = try JWTClaims(parsing: CompactJWS(attestation.reveal()).unverifiedPayload)
            let next = Kept(
                thumbprint: key.thumbprint, attestation: attestation, expiry: try claims.requiredDate("exp"))
            kept.withLock { $0 = next }
            return attestation
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            throw WalletError(
                .attestationUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: "the attester gave no attestation of this instance (\(type(of: error)))")
        }
    }

    /// Forgets the attestation, which the server finds too old.
    func renew() { kept.withLock { $0 = nil } }
}
