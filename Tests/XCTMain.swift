import Testing

// The tests as a program. With a file of this name SwiftPM does not look for tests of XCTest, of which there are none: it
// would need an index of all sources.
@main
struct TestProgram {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
