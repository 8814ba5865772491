/// The running version, shown in the greeting and by `--version` of every program.
package enum Release {
  package static let version = "0.1.0"
}
