import Foundation
import WalletAuthWire

extension WalletCore {
    func changePassword(current: String?, new: String) async throws {
        try await during(.changePassword) {
            let request: PasswordChangeRequest
            do {
                request = PasswordChangeRequest(
                    currentPassword: try current.map { try Password($0) }, newPassword: try Password(new))
            } catch {
                throw WalletError(.badRequest, .refused, during: .changePassword, reason: "\(error)")
            }
            _ = try await sessionCalls.send(
                .put, Endpoints.accountPassword.path, request.json, during: .changePassword)
        }
    }
}
