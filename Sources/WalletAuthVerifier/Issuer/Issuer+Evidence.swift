internal import WalletAuthWire

extension Issuer {
    /// The reason to refuse a proof that names this issuer; nil if it is the expected issuer or a former one of the
    /// same server.
    func refusalOfEvidence(expecting issuer: Issuer, formerIssuers: Set<Issuer>) -> String? {
        self == issuer || formerIssuers.contains(self)
            ? nil : "it is from another server, \(self), which is not among the former issuers"
    }
}
