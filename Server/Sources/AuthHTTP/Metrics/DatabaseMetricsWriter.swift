import AuthCore
import AuthStore
import NIOCore

/// The write-ahead log in the Prometheus text format.
enum DatabaseMetricsWriter {
    static func write(_ log: WriteAheadLog, to buffer: inout ByteBuffer) {
        let metrics: [(name: String, help: String, type: String, value: Int64)] = [
            ("database_log_bytes", "Bytes of the write-ahead log that a restart would read.", "gauge", log.bytes),
            (
                "database_last_whole_checkpoint_timestamp_seconds",
                "When the whole write-ahead log was last copied into the database file.", "gauge",
                log.lastWholeCheckpoint.seconds
            ),
            (
                "database_checkpoint_failures_total", "Checkpoints that failed since the start.", "counter",
                log.failedCheckpoints
            ),
            ("database_refuses_writes", "Whether the log has reached its limit.", "gauge", log.refusesWrites ? 1 : 0),
        ]
        for (name, help, type, value) in metrics {
            buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n")
        }
    }
}
