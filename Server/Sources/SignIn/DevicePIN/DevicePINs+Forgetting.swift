internal import Kernel
internal import Store
package import WalletAuthWire

extension DevicePINs {
    /// Removes the PIN of a device: deletes the server's key and the public half, so that the PIN no longer works.
    ///
    /// A device removes its own PIN with any sign-in, as it could remove itself. That weakens nothing: another PIN needs a fresh
    /// two-factor sign-in, the device still counts among the account's factors, and the charges of the last thirty days stay. Another
    /// device needs a sign-in as strong as the account can prove, and the holder is notified: a stolen password must not remove the
    /// account's protection.
    /// - Parameter id: the device. Nothing happens if it has no PIN.
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
        let email = AccountVault(context.sealing).open(call.account.email, .email, of: call.account.id)
        let entry = try context.auditLog.entry(
            PINEvent.forgotten, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: .naming(id),
            message: isOwn ? nil : PINMessage.forgotten(try DeviceVault(context.sealing).shownName(of: device)),
            email: email)
        return try await context.database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(refusal) }
            if try PINs.forget(id, now: call.now, on: connection) { try entry.write(on: connection) }
            return .success(())
        }
    }
}
