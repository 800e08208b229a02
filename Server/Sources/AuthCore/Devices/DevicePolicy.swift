/// The limits for enrolling and using devices.
package struct DevicePolicy: Sendable, Hashable {
    /// The largest age of a sign-in that enrolls a device or changes its keys. Default 5 minutes.
    package var enrollmentFreshness: Duration
    /// How long lower limits apply after an enrollment. Default 24 hours.
    package var coolingPeriod: Duration
    /// The devices that an account may have, not counting removed ones. Default 20.
    package var limit: Int

    package init() {
        enrollmentFreshness = .minutes(5)
        coolingPeriod = .hours(24)
        limit = 20
    }
}
