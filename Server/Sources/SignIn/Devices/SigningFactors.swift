package import Core
package import Kernel
package import Store
package import WalletAuthWire

extension DeviceRecord {
    /// The second factors with which the device can sign now, the PIN first.
    package func signingFactors(
        in environment: ServerSettings.Environment, now: Timestamp, on connection: any SQLConnection
    ) throws -> [TransactionFactor] {
        var factors: [TransactionFactor] = []
        if try PINs.find(id, on: connection).triesLeft(at: now) > 0 { factors.append(.pin) }
        if biometricKey?.counts(in: environment) ?? false { factors.append(.biometric) }
        return factors
    }
}

extension DeviceAssertion.Factor {
    package var transactionFactor: TransactionFactor {
        switch self {
        case .pin: .pin
        case .biometric: .biometric
        }
    }

    /// Its value in `amr`.
    package var authenticationMethod: String { transactionFactor.authenticationMethod }
}

extension TransactionFactor {
    /// Its value in `amr`.
    package var authenticationMethod: String {
        switch self {
        case .pin: AuthenticationStrength.pin
        case .biometric: AuthenticationStrength.biometric
        }
    }
}
