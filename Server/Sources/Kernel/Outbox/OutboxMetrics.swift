/// The delivery metrics of one channel.
package struct OutboxMetrics: Sendable, Hashable {
    /// `email`, `sms` or `push`.
    package var channel: String
    /// Since the start of this process.
    package var delivered: UInt64
    /// Failed attempts that are repeated, since the start of this process.
    package var postponed: UInt64
    /// Messages given up, since the start of this process.
    package var failed: UInt64
    /// Due messages that wait now, from any process.
    package var waiting: Int64
    /// How long the oldest due message has waited.
    package var oldest: Duration
    /// Messages that are not due yet and may be withdrawn, such as warnings.
    package var scheduled: Int64

    package init(
        channel: String, delivered: UInt64, postponed: UInt64, failed: UInt64, waiting: Int64, oldest: Duration,
        scheduled: Int64
    ) {
        self.channel = channel
        self.delivered = delivered
        self.postponed = postponed
        self.failed = failed
        self.waiting = waiting
        self.oldest = oldest
        self.scheduled = scheduled
    }
}

/// The delivery metrics of all channels.
package struct OutboxReport: Sendable {
    package var channels: [OutboxMetrics]
    /// How long ago the messages that wait were counted; `nil` if they were not, and then nothing is known of them.
    package var age: Duration?

    package init(channels: [OutboxMetrics], age: Duration?) {
        self.channels = channels
        self.age = age
    }
}
