internal import Core
internal import Kernel
internal import Store

/// What a phone approved by scanning this browser's page. It signs in once, and only while the device that approved it is open. The holder
/// hears of it when the session opens.
struct ScanSignInMethod: SignInMethod {
    let scan: UniqueID

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let found = try await attempt.database.retryingWrite("a sign-in") { connection -> ScanSignInRecord? in
            guard var record = try ScanSignIns.find(scan, on: connection), record.state == .signed,
                !record.hasExpired(at: attempt.now), let claim = record.claim,
                try Brands.takesScans(record.brandID, on: connection),
                let device = try Devices.find(claim.device, on: connection), device.state == .active
            else { return nil }
            record.state = .used
            guard try ScanSignIns.save(record, on: connection) else { throw WriteConflict() }
            return record
        }
        guard let claim = found?.claim, let signature = claim.signature else { return .refused(.invalidCredentials) }
        // The device signed, but another one signs in: it is not linked, and its key is no factor of that one.
        var proof = SignInProof(
            account: claim.account,
            factors: SignInPolicy.Factors(
                securityVersion: signature.securityVersion, amr: signature.methods, authTime: signature.at))
        proof.grantID = ScanSignInRecord.grantID(of: scan)
        return .proved(proof)
    }
}
