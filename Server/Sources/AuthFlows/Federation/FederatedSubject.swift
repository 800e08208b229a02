internal import AuthCore
package import AuthStore

/// Who a person is at a provider, sealed for the row of the link.
package enum FederatedSubject {
    /// Seals a subject.
    /// - Parameters:
    ///   - subject: the person's identifier at the provider.
    ///   - digest: the identity, under which it is linked.
    ///   - context: what all flows share.
    /// - Throws: what sealing throws.
    package static func seal(_ subject: String, digest: [UInt8], in context: ServerContext) throws -> [UInt8] {
        try context.seal(Array(subject.utf8), for: .personal, context: GuestAccount.context(digest: digest))
    }

    /// Opens the subject of a link; `nil` where its key is lost.
    package static func open(_ identity: FederatedIdentityRecord, in context: ServerContext) -> String? {
        context.open(identity.subject, for: .personal, context: GuestAccount.context(digest: identity.digest))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
