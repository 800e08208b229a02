#if canImport(SwiftUI)
    public import SwiftUI

    /// The button that signs the person in, with the progress and the error of it.
    public struct SignInButton: View {
        private let session: WalletSession

        /// Creates a button.
        /// - Parameter session: the session to sign in to.
        public init(session: WalletSession) { self.session = session }

        /// The button, and the message below it.
        public var body: some View {
            VStack(spacing: 12) {
                Button {
                    Task { await session.signIn() }
                } label: {
                    if session.isBusy { ProgressView() } else { Text(session.texts(.signIn)) }
                }
                .buttonStyle(.borderedProminent)
                .disabled(session.isBusy)
                if let message = session.message {
                    Text(message).font(.footnote).foregroundStyle(.red)
                }
            }
        }
    }
#endif
