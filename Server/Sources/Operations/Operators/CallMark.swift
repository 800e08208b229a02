internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What makes one change, however often it arrives: a form of the console, or a program's call with an `Idempotency-Key`.
struct CallMark: Sendable {
    /// The code of a form that was sent before.
    static let formUsed = "form_used"
    /// The code of a call that was made before.
    static let keyUsed = "idempotency_key_used"

    private let digest: [UInt8]
    private let lifetime: Duration
    private let refusal: AdministrationRefusal

    /// - Parameter mark: of the page's form.
    static func form(_ mark: [UInt8]) -> CallMark {
        CallMark(
            digest: Digests.of("console-form", mark), lifetime: PageState.lifetime,
            refusal: AdministrationRefusal("The form was sent before.", code: formUsed))
    }

    /// - Parameter caller: who chose the key. Another's is never the same.
    static func key(_ key: IdempotencyKey, of caller: OperatorCaller.Identity) -> CallMark {
        let owner =
            switch caller {
            case .person(let id): "person " + id.uuid
            case .backend(let id): "backend " + id.rawValue
            }
        // No key contains a space.
        return CallMark(
            digest: Digests.of("admin-call", Array("\(key.rawValue) \(owner)".utf8)), lifetime: .hours(24),
            refusal: AdministrationRefusal(
                "A call with this Idempotency-Key was made already. It was not made again.",
                hint: "Look at what it has done; another call needs another key.", code: keyUsed))
    }

    /// In the transaction of what it does.
    /// - Throws: ``AdministrationRefusal`` if it has done what it was for.
    func spend(now: Timestamp, on connection: any SQLConnection) throws {
        guard try SeenJTIs.remember(digest, until: now + lifetime, on: connection) else { throw refusal }
    }

    /// After what it did, for a command whose own writes do not spend it.
    func remember(now: Timestamp, on connection: any SQLConnection) throws {
        _ = try SeenJTIs.remember(digest, until: now + lifetime, on: connection)
    }

    /// - Throws: ``AdministrationRefusal`` if it has done what it was for.
    func requireUnspent(now: Timestamp, on connection: any SQLConnection) throws {
        guard try !SeenJTIs.contains(digest, now: now, on: connection) else { throw refusal }
    }
}
