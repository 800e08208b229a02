/// Stands for the SDK's own `Wallet`, whose other files this package leaves out.
public final class Wallet: Sendable {
    /// As much of a configuration as the adapters look at.
    public struct Configuration: Sendable {
        /// The client id.
        public var clientID: String
    }
}
