internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Authorization requests that clients pushed ahead of the browser (RFC 9126). It owns the `pushed_requests` table.
///
/// A reference serves one authorization: the first code spends it. A page spends nothing, since people reload pages, and programs open
/// links before people do. Nor does an error: anyone with the URL could press "Cancel".
struct PushedRequests: Sendable {
    private let database: any Database
    private let random: any RandomBytes
    private let states: SealedState<AuthorizationRequest>
    private let codes: SealedState<String>

    /// In which the browser has to open the request. FAPI 2.0 asks for less than ten minutes (Security Profile §5.3.2.2).
    static let lifetime = Duration.seconds(590)

    /// In which the code has to be issued: a page that was opened in time may take as long as a sign-in.
    private static let memory = lifetime + PendingSignIn.lifetime

    init(database: any Database, random: any RandomBytes, sealing: SealingKeys) {
        self.database = database
        self.random = random
        states = SealedState(sealing, purpose: .page, label: "pushed-request", lifetime: Self.memory)
        codes = SealedState(
            sealing, purpose: .code, label: "pushed-request-code", lifetime: AuthorizationGrant.lifetime)
    }

    /// Keeps a request that was checked.
    /// - Parameter limit: the counters of a client that anyone can pass for.
    /// - Returns: its reference; the end of the wait if there were too many.
    func keep(
        _ request: AuthorizationRequest, under limit: SharedCounters?, now: Timestamp
    ) async throws -> Result<PushedRequestURI, PushedRequestsHeld> {
        // Refused without a write, so that a flood costs none.
        if let limit, let held = try await database.read({ try limit.heldUntil(now: now, on: $0) }) {
            return .failure(PushedRequestsHeld(until: held))
        }
        let uri = try PushedRequestURI(PushedRequestURI.prefix + Base64URL.encode(random.bytes(32)))
        var request = request
        request.requestURI = uri
        let end = NumericDate(clamping: (now + Self.lifetime).seconds)
        request.expiresAt = request.expiresAt.map { min($0, end) } ?? end
        let sealed = try states.seal(request, now: now)
        let reservation = try await database.write { connection -> AttemptReservation in
            let reservation = try limit?.count(now: now, on: connection) ?? .compare(spent: 0)
            guard case .compare = reservation else { return reservation }
            try connection.execute(
                "INSERT INTO pushed_requests (id, sealed, expires_at) VALUES ($1, $2, $3)",
                [.blob(Self.id(of: uri)), .text(sealed), .time(now + Self.memory)])
            return reservation
        }
        if case .refuse(let until) = reservation {
            return .failure(PushedRequestsHeld(until: until ?? now + Self.lifetime))
        }
        return .success(uri)
    }

    /// The request of a reference; `nil` if it is unknown, expired or spent.
    func find(_ uri: PushedRequestURI, now: Timestamp) async throws -> AuthorizationRequest? {
        let sealed = try await database.read { connection in
            try connection.row(
                "SELECT sealed FROM pushed_requests WHERE id = $1 AND expires_at > $2 AND spender IS NULL",
                [.blob(Self.id(of: uri)), .time(now)])?.text("sealed")
        }
        guard let request = sealed.flatMap({ states.open($0, now: now) }), request.requestURI == uri,
            let end = request.expiresAt, NumericDate(clamping: now.seconds) < end
        else { return nil }
        return request
    }

    /// Spends a reference on a code.
    /// - Parameter spender: a digest of the browser and the account.
    /// - Returns: the one code of the request: this one, or the one that the same person got in the same browser before, by a double
    ///   click or because its answer was lost; `nil` if the reference is expired or spent.
    func spend(
        _ uri: PushedRequestURI, on code: AuthorizationCode, by spender: [UInt8], now: Timestamp
    ) async throws -> AuthorizationCode? {
        let sealed = try codes.seal(code.reveal(), now: now)
        let kept = try await database.write { connection in
            try connection.execute(
                """
                UPDATE pushed_requests SET spender = $1, code = $2
                WHERE id = $3 AND expires_at > $4 AND spender IS NULL
                """, [.blob(spender), .text(sealed), .blob(Self.id(of: uri)), .time(now)])
            return try connection.row(
                "SELECT code FROM pushed_requests WHERE id = $1 AND spender = $2",
                [.blob(Self.id(of: uri)), .blob(spender)])?.text("code")
        }
        return try kept.flatMap { codes.open($0, now: now) }.map { try AuthorizationCode($0) }
    }

    /// References are long and random, so the digest needs no key.
    private static func id(of uri: PushedRequestURI) -> [UInt8] {
        Digests.of("pushed-request", Array(uri.rawValue.utf8))
    }
}

/// Too many requests came from one network.
struct PushedRequestsHeld: Error {
    let until: Timestamp
}
