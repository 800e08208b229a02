internal import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// Lets the holder manage second factors and the password through an app.
package struct AccountSecurity: Sendable {
    let stepUp: StepUp
    let vault: AccountVault
    let authenticatorApps: AuthenticatorApps
    let recoveryCodes: RecoveryCodeManagement
    let secretQuestions: SecretQuestionManagement
    let password: PasswordManagement
    let passkeys: PasskeyManagement

    package func factors(call: AppCaller) async throws -> AccountFactorList {
        let facts = try await StepUpPolicy(stepUp, call).facts()
        let factors = FactorKind.allCases.filter(facts.usable.contains).map { kind in
            AccountFactorList.Factor(
                method: kind.method, channel: kind.channel,
                destination: vault.maskedDestination(of: kind, account: call.account))
        }
        let passkeys = try await passkeys.listed(of: call.account.id, now: call.now)
            .map { AccountFactorList.Factor($0) }
        let cooling = call.account.coolingUntil.flatMap { call.now < $0 ? $0 : nil }
        let contactCooling = try await stepUp.database.read {
            try ContactCooling.end(of: call.account.id, now: call.now, on: $0)
        }
        return AccountFactorList(
            factors: factors + passkeys, recoveryCodes: facts.own.recoveryCodes,
            coolingUntil: cooling.map { NumericDate(clamping: $0.seconds) },
            contactCoolingUntil: contactCooling.map { NumericDate(clamping: $0.seconds) })
    }
}
