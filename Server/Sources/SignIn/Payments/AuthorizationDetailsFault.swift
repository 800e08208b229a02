package import Kernel
package import WalletAuthWire

/// Why a client may not ask for authorization details.
package enum AuthorizationDetailsFault: Sendable {
    /// It may not ask for this type.
    case type(String)
    /// They go with no other scope than `openid`; with those of the request.
    case scope([String])
}

extension RegisteredClient {
    package func fault(in details: AuthorizationDetails, with scope: Scope) -> AuthorizationDetailsFault? {
        if let type = details.types.sorted().first(where: { !authorizationDetailsTypes.contains($0) }) {
            return .type(type)
        }
        // Its token is for the payment alone, and consent to a scope would be remembered.
        let others = scope.tokens.filter { $0 != "openid" }
        return details.payment == nil || others.isEmpty ? nil : .scope(others)
    }
}
