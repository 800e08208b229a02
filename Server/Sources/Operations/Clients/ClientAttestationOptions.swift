internal import ArgumentParser
internal import Kernel

/// What an app has to prove when it enrolls a device.
struct ClientAttestationPolicy: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Whether the app that enrolls a device is attested by its platform: \(Self.names). With recorded, a device without \
            an attestation is enrolled all the same.
            """, valueName: "policy"),
        completion: .list(AttestationPolicy.allCases.map(\.rawValue)))
    var attest: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its access tokens say which app was attested on the device of the session (claim attestation).")
    var attestationClaim: Bool?

    private static let names = AttestationPolicy.allCases.map(\.rawValue).joined(separator: ", ")

    /// - Throws: ``AdministrationRefusal`` for another word.
    var value: AttestationPolicy? {
        get throws(AdministrationRefusal) {
            guard let attest else { return nil }
            guard let policy = AttestationPolicy(rawValue: attest) else {
                throw AdministrationRefusal("--attest must be one of \(Self.names).", code: "malformed")
            }
            return policy
        }
    }
}

extension ClientSettings {
    /// - Throws: ``AdministrationRefusal`` for another party's app, and for a policy that no app could satisfy.
    func checkAttestation(of kind: ClientKind) throws(AdministrationRefusal) {
        // The redeemer of an app's codes has no policy of its own.
        guard !attestationClaim || kind == .confidential || attestation != .off else {
            throw AdministrationRefusal(
                "--attestation-claim needs --attest recorded or required: without it no app is attested.",
                hint: "Or leave the claim out, in an update with --no-attestation-claim.", code: "contradiction")
        }
        guard attestation != .off else { return }
        guard kind == .public, firstParty else {
            throw AdministrationRefusal(
                "Only the operator's own apps enroll devices: leave out --attest, or add --first-party.",
                code: "contradiction")
        }
        guard namesApps else {
            throw AdministrationRefusal(
                """
                No app could be attested: name the client's apps, with --apple-app-id or --android-app (in an update \
                --add-apple-app-id or --add-android-app).
                """, code: "contradiction")
        }
    }

    /// Whether there is an app that could attest itself.
    var namesApps: Bool { !androidApps.isEmpty || !appleAppIDs.isEmpty }
}
