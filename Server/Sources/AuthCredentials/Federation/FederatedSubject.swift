internal import AuthCore
package import AuthFoundation
package import AuthStore
internal import WalletAuthWire

/// A person's identifier at a provider, sealed for the row of the link.
package enum FederatedSubject {
    /// - Parameter digest: the key under which the identity is linked; the seal is bound to it.
    package static func seal(_ subject: String, digest: [UInt8], in context: ServerContext) throws -> [UInt8] {
        try context.seal(Array(subject.utf8), for: .personal, context: sealingContext(digest: digest))
    }

    /// Opens the subject of a link; `nil` if its key is lost.
    package static func open(_ identity: FederatedIdentityRecord, in context: ServerContext) -> String? {
        context.open(identity.subject, for: .personal, context: sealingContext(digest: identity.digest))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The sealing context of an identity's subject.
    package static func sealingContext(digest: [UInt8]) -> String {
        "federated_identities|subject|\(Base64URL.encode(digest))"
    }
}
