package import Kernel
internal import WalletAuthWire

/// The caller a route requires, and the check for it. The check runs at the edge, and the handler gets the caller as a
/// value.
package struct CallerRequirement<Admitted: Sendable>: Sendable {
    /// The admitted callers, for the route table.
    package let callers: [Route.Caller]
    /// Authenticates the caller.
    /// - Throws: `OAuthRefusal` or `PINRefusal` if the caller is refused, or a fault if the request does not
    ///   identify one.
    package let check: @Sendable (EndpointRequest, Callers) async throws -> Admitted

    package init(
        callers: [Route.Caller], check: @escaping @Sendable (EndpointRequest, Callers) async throws -> Admitted
    ) {
        self.callers = callers
        self.check = check
    }
}

extension CallerRequirement where Admitted == BackendCaller {
    /// A backend on its own behalf, with a scope.
    package static func backend(_ scope: String) -> Self {
        Self(callers: [.backend(scope: scope)]) { request, callers in
            try await callers.backend(request.credentials(), scope: scope)
        }
    }
}
