extension Migration {
    /// Why a device was closed: its holder's recovery reopens it after failures only. The reason is unknown for
    /// existing rows, so an operator has to reopen those.
    package static let deviceClosings = Migration(
        version: 15, name: "device closings",
        statements: ["ALTER TABLE devices ADD COLUMN closed_by TEXT CHECK (closed_by IN ('failures', 'operator'))"])
}
