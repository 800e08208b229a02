import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import WalletAuthPIN

extension TestTill {
    /// Another person at the same server, with a phone of their own that may sign.
    package func stranger() async throws -> TestPIN {
        let account = try await server.account("eve") {
            $0.email = "eve@example.com"
            $0.emailVerified = true
        }
        let device = try await TestDevice.signedIn(account, phone.device.app.client)
        let eve = try TestPIN(device, account, try await device.enrolled(account, name: "Eve's phone").id)
        _ = try await eve.setPIN(TestTill.pin).get()
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        return eve
    }
}
