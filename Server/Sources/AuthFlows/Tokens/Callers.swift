public import AuthCore

/// Who may call a protected resource of ours.
public enum CallerKind: Sendable, Hashable {
    /// The operator's own app, for the person who is signed in to it.
    case app
    /// An app in which a person agrees to something.
    case consentingApp
    /// A backend in its own name, with this scope.
    case backend(scope: String)
}

/// Says whether a call would be let in, where its content cannot be understood. Any other call is checked by its flow.
public struct Callers: Sendable {
    let context: ServerContext

    /// Checks who calls. Nothing is used up by it.
    /// - Parameters:
    ///   - call: as the edge read it.
    ///   - kind: who may call.
    /// - Returns: why the caller is not let in; `nil` where it is.
    /// - Throws: infrastructure trouble.
    public func refusal(of call: PresentedCall, as kind: CallerKind) async throws -> OAuthRefusal? {
        switch kind {
        case .app: try await AppCalls(context: context).check(call).refusal
        case .consentingApp: try await ConsentCalls(context: context).check(call).refusal
        case .backend(let scope): try await BackendCalls(context: context).check(call, scope: scope).refusal
        }
    }
}

extension Result where Failure == OAuthRefusal {
    fileprivate var refusal: OAuthRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
