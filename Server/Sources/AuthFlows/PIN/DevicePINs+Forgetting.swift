internal import AuthCore
internal import AuthStore
package import WalletAuthWire

extension DevicePINs {
    /// Takes the PIN of a device away: the server's key and the public half are deleted, and nothing opens by it any more.
    ///
    /// The PIN of the device that one holds goes by whatever sign-in, as the device itself would: it gives nothing away, since
    /// another one is set after a fresh sign-in of two factors only, the device goes on to count among what the account has,
    /// and the charges of the last thirty days stay. From elsewhere it takes a sign-in as strong as the account can prove,
    /// and the holder is told: a stolen password must not take away what protects the account.
    /// - Parameters:
    ///   - id: the device; where it has no PIN, nothing happens.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func forget(on id: DeviceID, call: AppCaller) async throws -> Result<Void, DeviceRefusal> {
        guard let id = UniqueID(uuid: id.rawValue),
            let device = try await context.database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id, device.state != .removed
        else { return .failure(.notFound) }
        let isOwn = call.session.facts.deviceID == id
        if let refusal = try await StepUpPolicy(context: context, call: call)
            .refusalUnlessOwn(id, from: call.session.facts.deviceID)
        {
            return .failure(refusal)
        }
        let name = DeviceVault(context: context).open(device.name, .name, of: device.id)
        let email = AccountVault(context: context).open(call.account.email, .email, of: call.account.id)
        let entry = try AuditLog(context: context).entry(
            .pinForgotten, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, message: isOwn ? nil : .pinForgotten(try DeviceName(name ?? device.platform)), email: email)
        return try await context.database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(refusal) }
            if try PINs.forget(id, now: call.now, on: connection) { try entry.write(on: connection) }
            return .success(())
        }
    }
}
