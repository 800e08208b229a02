import Core

/// Limits of payment consents, in time and number.
package enum SCALimits {
    /// Wrong values until an event is locked (RTS article 4(3)(b): at most five).
    package static let tries = 5
    /// How long a comparison may take. An older attempt without a result died with its process.
    package static let comparison = Duration.minutes(1)
    /// Challenges of one event, over all factors. Each is kept as evidence, and the document must not grow without
    /// limit.
    package static let challenges = 20
    /// Unfinished and unexpired operations of one account at one backend.
    package static let openOperations: Int64 = 100
    /// The part of them that one session may have, so that a stolen session does not keep the holder from paying in
    /// another.
    package static let openOperationsOfSession: Int64 = 40
    /// Operations of one account that one backend may request within ``eventLifetime`` without carrying them out,
    /// however they end and whether or not their session lives: their rows are kept as long as all others.
    package static let unfinishedOperations: Int64 = 400
    /// The part of them that one session may have.
    package static let unfinishedOperationsOfSession: Int64 = 100
    /// Codes sent for one event.
    package static let sends = 3
    /// The time between two codes.
    package static let interval = Duration.seconds(30)
    package static let codeLifetime = Duration.minutes(5)
    /// The time a person has to agree.
    package static let eventLifetime = Duration.minutes(15)
    /// The time to carry out an operation after consent or exemption (RTS article 4(3)(d): at most five minutes without
    /// activity).
    package static let consentLifetime = Duration.minutes(5)
    /// How far the server's clock may have been set back during an event. An event that begins later than this from now
    /// counts as ended; otherwise a clock that loses a day would turn minutes into a day.
    package static let clockTolerance = Duration.minutes(1)
    /// The largest setting of the idle limit of a sign-in's factors (RTS article 4(3)(d)).
    package static let longestIdleLimit = Duration.minutes(5)
    /// The longest time a sign-in's factors count, whatever the activity: an app that sends a request each minute is no
    /// person.
    package static let longestSignIn = Duration.hours(1)
    /// The shortest retention of evidence: a payer can contest a payment for 13 months (PSD2 article 71(1)).
    package static let shortestRetention = Duration.days(397)
    /// The longest access to account information without consent (RTS article 10(2)(b), as amended by Delegated
    /// Regulation (EU) 2022/2360).
    package static let longestInformationInterval = Duration.days(180)
}
