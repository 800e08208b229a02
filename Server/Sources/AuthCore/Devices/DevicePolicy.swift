/// What holds for enrolling and using devices.
package struct DevicePolicy: Sendable, Hashable {
    /// How old the sign-in may be that enrolls a device or changes its keys. Default 5 minutes.
    package var enrollmentFreshness: Duration
    /// How long lower limits hold for a device after its enrollment. Default 24 hours.
    package var coolingPeriod: Duration
    /// How many devices that are not removed an account may have. Default 20.
    package var limit: Int

    /// The defaults named at each property.
    package init() {
        enrollmentFreshness = .minutes(5)
        coolingPeriod = .hours(24)
        limit = 20
    }
}
