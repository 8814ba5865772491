/// What is being run: in the greeting, and in the `--version` of every program.
package enum Release {
  package static let version = "0.1.0"
}
