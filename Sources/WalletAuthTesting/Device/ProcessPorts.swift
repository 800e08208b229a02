import Foundation
import WalletAuth

// The ports of a ``SimulatedProcess``: those of its device, as long as it lives.

struct ProcessTransport: HTTPTransport {
    let process: SimulatedProcess
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try process.reach(.beforeSending(request.url.path))
        let response = try await base.send(request)
        try process.reach(.afterSending(request.url.path))
        return response
    }
}

struct ProcessStore: SecureStore {
    let process: SimulatedProcess
    let base: any SecureStore

    func get(_ key: SecureStoreKey) async throws -> Data? { try await process.alive { try await base.get(key) } }

    func put(_ value: Data, for key: SecureStoreKey) async throws {
        try process.reach(.beforeStoring(key))
        try await base.put(value, for: key)
        try process.reach(.afterStoring(key))
    }

    func remove(_ key: SecureStoreKey) async throws { try await process.alive { try await base.remove(key) } }

    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        try await process.alive { try await base.withExclusiveLock(lock) { try await process.alive(body) } }
    }
}

struct ProcessKeys: DeviceKeys {
    let process: SimulatedProcess
    let base: any DeviceKeys

    func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
        try await process.alive { try await base.key(id).map { ProcessKey(process: process, base: $0) } }
    }

    func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
        try await process.alive { ProcessKey(process: process, base: try await base.createKey(id)) }
    }

    func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
        try await process.alive {
            try await base.agreementKey(id).map { ProcessAgreementKey(process: process, base: $0) }
        }
    }

    func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
        try await process.alive { ProcessAgreementKey(process: process, base: try await base.createAgreementKey(id)) }
    }

    func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
        try await process.alive {
            try await base.presenceKey(id).map { ProcessPresenceKey(process: process, base: $0) }
        }
    }

    func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
        try await process.alive { ProcessPresenceKey(process: process, base: try await base.createPresenceKey(id)) }
    }

    func removeKey(_ id: DeviceKeyID) async throws { try await process.alive { try await base.removeKey(id) } }
}

private struct ProcessKey: DeviceKey {
    let process: SimulatedProcess
    let base: any DeviceKey

    var publicKey: Data { base.publicKey }

    func sign(_ message: Data) async throws -> Data { try await process.alive { try await base.sign(message) } }
}

private struct ProcessAgreementKey: DeviceAgreementKey {
    let process: SimulatedProcess
    let base: any DeviceAgreementKey

    func sharedSecret(with publicKey: Data) async throws -> Data {
        try await process.alive { try await base.sharedSecret(with: publicKey) }
    }
}

private struct ProcessPresenceKey: DevicePresenceKey {
    let process: SimulatedProcess
    let base: any DevicePresenceKey

    var publicKey: Data { base.publicKey }

    func sign(_ message: Data, reason: String) async throws -> Data {
        try await process.alive { try await base.sign(message, reason: reason) }
    }
}

struct ProcessPresence: UserPresence {
    let process: SimulatedProcess
    let base: any UserPresence

    func capability() async -> UserPresenceCapability { await base.capability() }

    func confirm(reason: String) async throws { try await process.alive { try await base.confirm(reason: reason) } }
}

struct ProcessAppleCredentials: AppleCredentialStates {
    let process: SimulatedProcess
    let base: any AppleCredentialStates

    var revocations: AsyncStream<Void> { base.revocations }

    func state(ofUser user: String) async throws -> AppleCredentialState {
        try await process.alive { try await base.state(ofUser: user) }
    }
}

struct ProcessUserAgent: UserAgent {
    let process: SimulatedProcess
    let base: any UserAgent

    func begin(redirectURI: URL) async throws -> any UserAgentSession {
        try await process.alive {
            ProcessUserAgentSession(process: process, base: try await base.begin(redirectURI: redirectURI))
        }
    }
}

private struct ProcessUserAgentSession: UserAgentSession {
    let process: SimulatedProcess
    let base: any UserAgentSession

    var redirectURI: URL { base.redirectURI }
    var pageStaysOpen: Bool { base.pageStaysOpen }

    func present(_ authorizationURL: URL) async throws -> UserAgentOutcome {
        try await process.alive { try await base.present(authorizationURL) }
    }

    /// A page in the app ends with its process.
    func close() async { await base.close() }
}
