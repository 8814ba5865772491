import Foundation
import TestSupport
import Testing
import UnixHost

/// The exercise whose messages are the compiler's own.
struct CompilerMessagesTests {
  @Test(
    "the messages of the exercise are those of the compiler; Tools/compiler_messages.py --update writes them anew",
    .enabled(if: Thorough.isFull, "only with FSMD_THOROUGH=10: another compiler may say it in other words"),
    .enabled(if: Products.isInPath("python3") && Products.isInPath("swiftc"), "python3 or swiftc is not there"))
  func messages() throws {
    let script = Document.root.appending(path: "Tools/compiler_messages.py").path
    let run = try ProgramRun("python3", [script], in: try TemporaryFolder(), isOurs: false)
    try expectEqual(run.ending(), .exited(0), "\(run.output)\(run.log)")
  }
}
