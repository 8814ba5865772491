import Foundation
import TestSupport
import Testing
import UnixHost

/// The JSON form, as programs outside of this package have it.
struct JSONTests {
  private let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/watch.py").path

  @Test(
    "the client among the examples prints what a fridge does",
    .enabled(if: Products.isInPath("python3"), "python3 is not there, in which the example is written"))
  func client() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let run = try ProgramRun(
      "python3", [example], in: try TemporaryFolder(), environment: [("FSMD_SOCKET", daemon.socket)], isOurs: false)
    try expectEqual(run.ending(), .exited(0), "\(run.log)")
    expectEqual(
      run.output,
      """
               0.000 s  kitchen created fridge → cooling
               0.000 s  kitchen output compressorOn
       343.116647296 s  kitchen moved cooling → waiting
       343.116647296 s  kitchen output compressorOff
      1949.750216758 s  kitchen moved waiting → cooling
      1949.750216758 s  kitchen output compressorOn
      2606.107821216 s  kitchen moved cooling → waiting
      2606.107821216 s  kitchen output compressorOff
      4212.741390678 s  kitchen moved waiting → cooling
      4212.741390678 s  kitchen output compressorOn
      4869.098995136 s  kitchen moved cooling → waiting
      4869.098995136 s  kitchen output compressorOff
      6475.732564598 s  kitchen moved waiting → cooling
      6475.732564598 s  kitchen output compressorOn
      7132.090169056 s  kitchen moved cooling → waiting
      7132.090169056 s  kitchen output compressorOff
      7 timers fired in 7200.000 s

      """)
    try expectEqual(daemon.connect().askAll("worlds").count, 2, "its world is left over")
  }

  @Test("fsmrepl --json writes objects only, and exits as ever")
  func objects() throws {
    let folder = try TemporaryFolder()
    let run = try ProgramRun(
      "fsmrepl",
      ["--private", "--json", "-e", "world new w\nuse w\nnew shiftKey key\n@7 send key tap\nexpect key off"],
      in: folder)
    try expectEqual(run.ending(), .exited(4), "\(run.log)")
    expectEqual(
      run.output,
      """
      {"class":"success","what":"created","world":"w"}
      {"class":"success","world":"w","clock":"virtual","t":0.000,"seq":0}
      {"class":"success","what":"created","name":"key","state":"off","t":0.000,"seq":1}
      {"class":"success","tag":"7","what":"moved","from":"off","to":"on","t":0.000,"seq":2}
      {"class":"failure","code":"EXPECTED","expected":"off","got":"on","text":"key is in on, not in off"}

      """)
    let wrong = try ProgramRun("fsmrepl", ["--json", "--echo"], in: folder)
    try expectEqual(wrong.ending(), .exited(1))
  }
}
