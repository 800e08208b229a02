/// The version that both programs are released in.
public enum ProgramVersion {
    /// As `--version` tells it.
    public static let current = "0.1.0"
}
