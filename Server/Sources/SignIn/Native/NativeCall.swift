internal import Core
internal import Kernel
internal import WalletAuthWire

/// One call whose client and proof are verified.
struct NativeCall: Sendable {
    var intent: SignInIntent
    var thumbprint: JWKThumbprint
    /// The additional attributes that the app requests.
    var requestedAttributes: [String]
    var now: Timestamp
}

/// The members that every step of a native sign-in has, at either endpoint.
struct NativeSignInRequest: Sendable {
    var clientID: ClientID
    var scope: Scope?
    var codeChallenge: CodeChallenge
    var merchantID: MerchantID?
    var acrValues: [String] = []
    var properties: [String: String] = [:]
    var requestedAttributes: [String] = []
}

extension NativeSignInRequest {
    init(_ request: AuthorizeChallengeRequest) {
        clientID = request.clientID
        scope = request.scope
        codeChallenge = request.codeChallenge
        merchantID = request.merchantID
        acrValues = request.acrValues
        properties = request.properties
        requestedAttributes = request.requestedAttributes
    }
}

/// Checks who calls, before anything of a sign-in is read.
struct NativeCallCheck: Sendable {
    let proofs: ProofOfPossession
    let clients: ClientDirectory

    /// Checks the requirements of every step: a first-party client, an allowed scope, and a fresh proof.
    func check(
        _ request: NativeSignInRequest, proof: PresentedProof, origin: RequestOrigin, now: Timestamp
    ) async throws -> Result<NativeCall, OAuthRefusal> {
        let checked: CheckedProof
        switch proofs.check(proof, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(nil): return .failure(.invalidDPoPProof("Native sign-in needs a DPoP proof."))
        case .success(let proof?): checked = proof
        }
        guard let client = try await clients.find(request.clientID, now: now) else {
            return .failure(.invalidClient)
        }
        guard client.isFirstParty, client.kind == .public else { return .failure(.unauthorizedClient) }
        let scope = request.scope.flatMap { $0.isEmpty ? nil : $0 } ?? client.scope
        guard scope.isSubset(of: client.scope) else {
            return .failure(.invalidScope(scope.tokens.filter { !client.scope.contains($0) }))
        }
        // Replaying a request must not try its password again.
        if let refusal = try await proofs.use(checked, now: now) { return .failure(refusal) }
        let intent = SignInIntent(
            client: client, redirectURI: nil, challenge: request.codeChallenge, scope: scope, nonce: nil,
            keyThumbprint: checked.thumbprint.bytes, merchant: request.merchantID, resources: [],
            requiredACR: request.acrValues, entrance: .native, properties: request.properties, origin: origin)
        return .success(
            NativeCall(
                intent: intent, thumbprint: checked.thumbprint, requestedAttributes: request.requestedAttributes,
                now: now))
    }
}
