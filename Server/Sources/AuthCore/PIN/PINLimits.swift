/// How often a PIN may be tried.
public enum PINLimits {
    /// How many tries there are until one of them succeeds (PSD2 RTS article 4 names five at most).
    public static let tries = 5
    /// How many charges of one enrollment, within ``window``, may be without a success of their own.
    public static let chargesPerWindow = 30
    /// For how long a charge without success counts.
    public static let window = Duration.days(30)
    /// How many evaluations that set a PIN, and charge no try, one enrollment may ask for in a day: each is remembered so long.
    public static let settingsPerDay = 100
    /// How long a challenge is open.
    public static let challengeLifetime = Duration.seconds(120)
}
