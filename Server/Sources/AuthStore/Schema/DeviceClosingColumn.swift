extension Migration {
    /// Who closed a device: its holder opens again by a recovery what failures closed. Of those that were closed before this
    /// was kept nobody knows, so that an operator opens them.
    package static let deviceClosings = Migration(
        version: 15, name: "device closings",
        statements: ["ALTER TABLE devices ADD COLUMN closed_by TEXT CHECK (closed_by IN ('failures', 'operator'))"])
}
