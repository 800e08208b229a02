import SwiftUI
import WalletAuth
import WalletAuthUI

/// What a person who is signed in can do.
struct HomeView: View {
    let model: AppModel
    let identity: Wallet.SignedInIdentity

    @State private var link = ""
    @State private var code = ""
    @State private var pin = ""

    var body: some View {
        Form {
            Section("Signed in") {
                LabeledContent("Account", value: identity.subject ?? "unknown")
                LabeledContent("Scopes", value: identity.scopes.joined(separator: " "))
                Button("Call userinfo") { Task { await model.callUserInfo() } }
            }
            Section("Pay") {
                Button("Balance") { Task { await model.readBalance() } }
                Button("Pay 250 EUR to \(Recipient.duneBakery.name)") {
                    Task { await model.pay(euros: 250, to: .duneBakery) }
                }
            }
            Section("Sign a shop's transaction") {
                TextField("Link", text: $link)
                PasteButton(payloadType: String.self) { texts in link = texts.first ?? "" }
                Button("Read it") { Task { await model.sign(link) } }.disabled(link.isEmpty)
            }
            Section("Approve") { PendingApprovalsView(model: model.approvals, wallet: model.session.wallet) }
            Section("Sign in on another screen") {
                // Instead of a camera, which a simulator lacks.
                TextField("Code of the page", text: $code)
                Button("Read it") { Task { await model.signIn(scanning: code) } }.disabled(code.isEmpty)
            }
            Section("This phone") {
                SecureField("New PIN", text: $pin)
                Button("Enroll this phone and set its PIN") {
                    Task {
                        await model.setUpPhone(pin: pin)
                        pin = ""
                    }
                }
                .disabled(pin.isEmpty)
            }
            if let result = model.result {
                Section("Result") { Text(verbatim: result) }
            }
            Button("Sign out", role: .destructive) { Task { await model.signOut() } }
        }
        .disabled(model.isBusy)
    }
}
