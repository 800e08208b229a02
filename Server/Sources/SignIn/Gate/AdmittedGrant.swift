internal import Core
internal import Kernel

/// The grant of a sign-in that passed the gate. A session begins from nothing else.
///
/// It is had from an ``Admission``, or by opening what ``AuthorizationCodes`` sealed for one. It has no other initializer, and does not
/// change: an ``AuthorizationGrant`` that other code put together opens nothing.
package struct AdmittedGrant: Sendable {
    // Not a `let`, which an initializer in another file could set.
    package private(set) var grant: AuthorizationGrant

    package init(_ admission: Admission) { grant = admission.grant }

    /// Returns `nil` for anything that this server did not seal.
    /// - Parameters:
    ///   - sealed: the content of a code.
    ///   - place: the sealing context of the place where it was.
    init?(sealed: [UInt8], in place: String, by keys: SealingKeys) {
        guard let bytes = keys.open(sealed, for: .code, context: keys.untilRestored(place)),
            let grant = AuthorizationGrant(bytes: bytes)
        else { return nil }
        self.grant = grant
    }
}
